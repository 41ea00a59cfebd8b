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
  const numericIds = Array.from(new Set(ids)).filter((id) => /^\d{1,16}$/.test(id))
  const byId = new Map<string, Brief>()
  for (let at = 0; at < numericIds.length; at += askedAtOnce) {
    const fields = numericIds.slice(at, at + askedAtOnce).map((id) =>
      `s${id}: shipment(id: ${id}) { ${briefly.text} }`
    )
    const { data } = await ask<Readonly<Record<string, Brief | null>>>(`query Briefs { ${fields.join(" ")} }`)
    for (const each of Object.values(data ?? {})) if (each !== null) byId.set(String(each.id), each)
  }
  return byId
}

/** Numbers that were asked for; the oldest go first. */
const signals = new Map<string, Signal<string | undefined>>()

const mostAsked = 1000

let waitingIds: Array<string> = []

const askForWanted = async (): Promise<void> => {
  const ids = waitingIds
  waitingIds = []
  const row = await brief(ids).catch(() => undefined)
  for (const id of ids) {
    const number = row?.get(id)?.shipmentNumber
    const waiting = signals.get(id)
    // After a failure, the number is asked for again when it is shown again.
    if (row === undefined) signals.delete(id)
    else if (number !== undefined && waiting !== undefined) waiting.value = number
  }
}

/** The number of a shipment; `undefined` until it is known, and where it cannot be. */
export const shipmentNumber = (id: string): Signal<string | undefined> => {
  const entry = signals.get(id)
  if (entry !== undefined) return entry
  const number = signal<string | undefined>(undefined)
  signals.set(id, number)
  if (signals.size > mostAsked) signals.delete(signals.keys().next().value!)
  waitingIds.push(id)
  if (waitingIds.length === 1) setTimeout(() => void askForWanted())
  return number
}
