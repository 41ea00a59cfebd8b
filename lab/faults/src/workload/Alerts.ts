/**
 * Alerts by e-mail (D26): their rules, and the incidents in an e-mail.
 */
import type { EventOf } from "../history/History.ts"
import { thingOf } from "../history/History.ts"
import { operate } from "./Client.ts"
import type { Request } from "./Client.ts"

const kinds = ["URGENT_EXCEPTION", "WRONG_PALLET", "SHORT_DEPARTURE"]

/** A rule; `endpoint` is the name of its address, and a digest gathers incidents for this number of minutes. */
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

/** Some addresses accept every e-mail, faulty ones not always; rules with a digest send several incidents in one. */
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

/** The beginnings of titles, and how the text or the address of the page names the thing of the incident. */
export const titles: ReadonlyArray<readonly [title: string, kind: string, about: RegExp]> = [
  ["Urgent exception", "URGENT_EXCEPTION", /: (\S+)$/],
  ["Wrong pallet", "WRONG_PALLET", /\/pallets\/(\d+)$/],
  ["Short at departure", "SHORT_DEPARTURE", /\/shipments\/(\d+)$/]
]

/** The things in an e-mail: title, text, time and page of each are on separate lines. */
export const thingsIn = (text: string): ReadonlyArray<string> =>
  text.split("\n\n").flatMap((paragraph) => {
    const lines = paragraph.trim().split("\n")
    const [, kind, about] = titles.find(([title]) => lines[0]!.startsWith(title)) ?? []
    if (kind === undefined || about === undefined) return []
    const name = lines.slice(1).map((line) => about.exec(line)?.[1]).find((each) => each !== undefined)
    return [thingOf(kind, name ?? paragraph)]
  })
