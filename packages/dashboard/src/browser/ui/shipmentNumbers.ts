/** The numbers of shipments that people know, for what names a shipment by its id alone, as messages do. */
import { signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { departed } from "../api/operations.ts"
import { run } from "../api/request.ts"

/** Numbers that were asked for; the oldest go first. */
const asked = new Map<string, Signal<string | undefined>>()

const mostAsked = 1000

/** The number of a shipment; `undefined` until it is known, and where it cannot be. */
export const shipmentNumber = (id: string): Signal<string | undefined> => {
  const known = asked.get(id)
  if (known !== undefined) return known
  const number = signal<string | undefined>(undefined)
  asked.set(id, number)
  if (asked.size > mostAsked) asked.delete(asked.keys().next().value!)
  run(departed, { id: Number(id) }).then(
    ({ shipment }) => (number.value = shipment?.shipmentNumber ?? undefined),
    // It is asked for again when it is next shown.
    () => asked.delete(id)
  )
  return number
}
