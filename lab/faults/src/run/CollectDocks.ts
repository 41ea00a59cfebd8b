/**
 * What the dock knows of shipments at the end of a run, read over REST (D13.1, D13.2, D13.4).
 */
import type { DockFacts, Occurrence } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"

/** Reads an address of the service; its answer, or nothing when it is refused or does not come. */
export type Read = (path: string) => Promise<unknown>

/** What the dock knows of a shipment; nothing when the service does not say. */
export const dockOf = async (read: Read, shipmentId: number): Promise<Occurrence | undefined> => {
  const path = `/v1/shipments/${shipmentId}`
  const shipment = await read(path)
  const pallets = await pages(read, `${path}/pallets`)
  const discrepancies = await pages(read, `${path}/discrepancies`)
  if (shipment === undefined || pallets === undefined || discrepancies === undefined) return undefined
  const progress = asRecord(asRecord(shipment)["progress"])
  return {
    type: "dock",
    shipmentId,
    verdicts: pallets.flatMap(verdictsOf),
    expected: Number(progress["expectedPallets"]),
    passed: Number(progress["passedPallets"]),
    missing: Number(progress["missingPallets"]),
    unexpected: Number(progress["unexpectedPallets"]),
    pallets: pallets.map(palletOf).toSorted((left, right) => left.lpn < right.lpn ? -1 : 1),
    discrepancies: kindsOf(discrepancies)
  }
}

const verdictsOf = (pallet: unknown) =>
  asList(asRecord(pallet)["events"]).map((event) => {
    const { messageId, verdict } = asRecord(event)
    return [Number(messageId), String(asRecord(verdict)["kind"])] as const
  })

/** Kind and license plate of each discrepancy, sorted. */
export const kindsOf = (discrepancies: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  discrepancies.map((each) => {
    const { kind, lpn } = asRecord(each)
    return `${String(kind)} ${String(lpn)}`
  }).toSorted()

const palletOf = (value: unknown): DockFacts["pallets"][number] => {
  const { events, expected, lpn, state } = asRecord(value)
  return {
    lpn: String(lpn),
    isLoaded: state === "LOADED",
    isExpected: expected === true,
    messageIds: asList(events).map((event) => Number(asRecord(event)["messageId"]))
  }
}

/** The exceptions of a shipment; nothing when the service does not say. */
export const exceptionsOf = async (
  read: Read,
  shipmentId: number
): Promise<Occurrence | undefined> => {
  const listed = await pages(read, `/v1/shipments/${shipmentId}/exceptions`)
  return listed === undefined ? undefined : {
    type: "exceptions",
    shipmentId,
    listed: listed.map((each) => {
      const { description, id, status } = asRecord(each)
      return { id: Number(id), description: String(description), isResolved: status === "RESOLVED" }
    })
  }
}

/** The record of documents; nothing when the service does not say. */
export const recordedDocuments = async (read: Read): Promise<ReadonlyArray<Occurrence>> =>
  (await pages(read, "/v1/documents", 100) ?? []).map((each) => {
    const { business, clientId, code, correlationId, counts, facility, outcome, shipmentNumber } = asRecord(
      each
    )
    const { created, removed, updated } = asRecord(counts)
    return {
      type: "recorded",
      business: String(asRecord(business)["slug"]),
      facility: String(asRecord(facility)["slug"]),
      client: String(clientId),
      correlationId: String(correlationId),
      shipmentNumber: String(shipmentNumber),
      outcome: String(outcome),
      code: String(code),
      counts: [Number(created), Number(updated), Number(removed)]
    }
  })

/** All pages of a list, small ones unless it is long, so that what is between them counts too. */
export const pages = async (
  read: Read,
  path: string,
  limit = 2,
  from: string | number = 0
): Promise<ReadonlyArray<unknown> | undefined> => {
  const all: Array<unknown> = []
  for (let after: unknown = from;;) {
    const page = await read(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}&after=${String(after)}`)
    if (page === undefined) return undefined
    const { items, next } = asRecord(page)
    all.push(...asList(items))
    if (typeof next !== "string") return all
    after = next
  }
}
