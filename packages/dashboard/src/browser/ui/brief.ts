/** Reads the numbers of shipments that messages and other things name only by their ids. */
import { signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { briefly } from "../api/operations.ts"
import type { Brief } from "../api/operations.ts"
import { ask } from "../api/request.ts"

/** The service takes at most 15 aliases in one operation. */
const askedAtOnce = 15

/** Reads the shipments with these ids; those that cannot be seen are left out. */
export const brief = async (ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Brief>> => {
  const known = Array.from(new Set(ids)).filter((id) => /^\d{1,16}$/.test(id))
  const found = new Map<string, Brief>()
  for (let at = 0; at < known.length; at += askedAtOnce) {
    const fields = known.slice(at, at + askedAtOnce).map((id) =>
      `s${id}: shipment(id: ${id}) { ${briefly.text} }`
    )
    const { data } = await ask<Readonly<Record<string, Brief | null>>>(`query Briefs { ${fields.join(" ")} }`)
    for (const each of Object.values(data ?? {})) if (each !== null) found.set(String(each.id), each)
  }
  return found
}

/** Numbers that were asked for; the oldest go first. */
const asked = new Map<string, Signal<string | undefined>>()

const mostAsked = 1000

let wanted: Array<string> = []

const askForWanted = async (): Promise<void> => {
  const ids = wanted
  wanted = []
  const found = await brief(ids).catch(() => undefined)
  for (const id of ids) {
    const number = found?.get(id)?.shipmentNumber
    const waiting = asked.get(id)
    // After a failure, the number is asked for again when it is shown again.
    if (found === undefined) asked.delete(id)
    else if (number !== undefined && waiting !== undefined) waiting.value = number
  }
}

/** The number of a shipment; `undefined` until it is known, and where it cannot be. */
export const shipmentNumber = (id: string): Signal<string | undefined> => {
  const known = asked.get(id)
  if (known !== undefined) return known
  const number = signal<string | undefined>(undefined)
  asked.set(id, number)
  if (asked.size > mostAsked) asked.delete(asked.keys().next().value!)
  wanted.push(id)
  if (wanted.length === 1) setTimeout(() => void askForWanted())
  return number
}
