/**
 * People who are told by e-mail of what happens at facilities (D26): their rules, and what an e-mail tells.
 */
import type { EventOf } from "../history/History.ts"
import { thingOf } from "../history/History.ts"
import { operate } from "./Client.ts"
import type { Request } from "./Client.ts"

const kinds = ["URGENT_EXCEPTION", "WRONG_PALLET", "SHORT_DEPARTURE"]

/** A rule, whose `endpoint` is the name of its address, and how long it gathers what it tells, in minutes. */
type Rule = Pick<EventOf<"rule">, "business" | "endpoint" | "facility" | "kinds"> & {
  readonly digestMinutes: number
}

const ruleOf = (
  business: string,
  facility: string,
  name: string,
  own: ReadonlyArray<string> = kinds,
  digestMinutes = 0
): Rule => ({ business, facility, endpoint: `mail-${business}-${name}`, kinds: own, digestMinutes })

/** Some take every e-mail, and the faulty ones not each time; who gathers gets several things in one. */
export const rules: ReadonlyArray<Rule> = [
  ruleOf("acme", "east", "shift"),
  ruleOf("acme", "east", "faulty"),
  ruleOf("acme", "east", "digest", kinds, 1),
  ruleOf("acme", "west", "problems", ["URGENT_EXCEPTION"]),
  ruleOf("globex", "main", "dock", ["WRONG_PALLET"]),
  ruleOf("globex", "main", "faulty", ["URGENT_EXCEPTION", "SHORT_DEPARTURE"])
]

export const ruleRequest = ({ business, digestMinutes, endpoint, facility, kinds }: Rule): Request =>
  operate(`rule ${endpoint}`, {
    method: "PUT",
    path: `/v1/operator/businesses/${business}/alert-rules/${endpoint}`,
    body: { facility, kinds, channel: "EMAIL", to: [`${endpoint}@example.com`], digestMinutes }
  })

/** The beginnings of titles, and what the things are called that they are about, in the text or the address of the page. */
export const titles: ReadonlyArray<readonly [title: string, kind: string, about: RegExp]> = [
  ["Urgent exception", "URGENT_EXCEPTION", /: (\S+)$/],
  ["Wrong pallet", "WRONG_PALLET", /\/pallets\/(\d+)$/],
  ["Short at departure", "SHORT_DEPARTURE", /\/shipments\/(\d+)$/]
]

/** The things of which an e-mail tells: each has its title, its text, its time and its page in lines of their own. */
export const thingsIn = (text: string): ReadonlyArray<string> =>
  text.split("\n\n").flatMap((paragraph) => {
    const lines = paragraph.trim().split("\n")
    const [, kind, about] = titles.find(([title]) => lines[0]!.startsWith(title)) ?? []
    if (kind === undefined || about === undefined) return []
    const name = lines.slice(1).map((line) => about.exec(line)?.[1]).find((each) => each !== undefined)
    return [thingOf(kind, name ?? paragraph)]
  })
