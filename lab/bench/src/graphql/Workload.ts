/**
 * The operations and messages of the GraphQL benchmarks.
 */
import type { MessageDraft, MessageQuery } from "@dockline/core/messages/Message"

/** The path of the interface on every server. */
export const path = "/public_graphql"

/** The client of the requests. */
export const clientId = "acme-client"

/** The selection of messages that is followed, and whose history is read. */
export const query: MessageQuery = { business: "acme", facility: undefined, types: ["PALLET_EVENT"] }

/** The number of messages in one answer of `pushMessages`. */
export const pageSize = 1000

const fields = "id businessSlug facilitySlug messageType message sentAt"

/** The document of the history benchmark. */
export const historyDocument =
  `query History($input: PushMessageFilter!) { pushMessages(input: $input) { ${fields} } }`

/** The document of the subscription benchmark. */
export const subscriptionDocument =
  `subscription Live($filter: PushMessageSubscriptionFilter!) { pushMessage(filter: $filter) { ${fields} } }`

/** Earlier than any message. */
const since = "2020-01-01T00:00:00Z"

/** The bodies of the requests for every page of a log, by the id after which it begins. */
export const historyBodies = (afterIds: ReadonlyArray<number>): ReadonlyArray<string> =>
  afterIds.map((afterId) =>
    JSON.stringify({
      query: historyDocument,
      variables: { input: { businessSlug: query.business, since, afterId, limit: pageSize } }
    })
  )

const digits = (value: number, length: number): string => String(value).padStart(length, "0")

/** The n-th pallet message of a run, as the service makes it with the field map of the demo. */
export const draftOf = (n: number): MessageDraft => {
  const shipment = 1000 + Math.floor(n / 26)
  const facility = n % 3 === 0 ? "west" : "east"
  return {
    business: query.business,
    facility,
    type: "PALLET_EVENT",
    shipmentId: shipment,
    payload: {
      businessSlug: query.business,
      facilitySlug: facility,
      serviceShipmentId: String(shipment),
      servicePalletId: String(200_000 + n),
      occurredAt: `2026-11-20T${digits(n % 24, 2)}:${digits(n % 60, 2)}:07.120Z`,
      url: `https://dashboard.example.com/shipments/${shipment}/pallets/${200_000 + n}`,
      direction: n % 7 === 0 ? "UNLOADING" : "LOADING",
      orders: [`SO-${digits(shipment, 7)}`],
      dockId: String(1 + (n % 3)),
      LPN: `00340123${digits(n, 10)}`,
      SKUs: [`SKU-${digits(n % 1000, 6)}`, `SKU-${digits((n * 37) % 1000, 6)}`],
      LotNumber: "LOT-2026-A",
      ExpirationDate: "2027-11-20"
    }
  }
}

/** Milliseconds of the machine's monotonic clock, the same in every process. */
export const clock = (): number => Number(process.hrtime.bigint()) / 1e6

/** A committed message. Times are from {@link clock}. */
export interface Appended {
  readonly id: number
  readonly startedAt: number
  readonly endedAt: number
}

/** Stores a message; returns its id and the time that this took. */
export const timed = async (store: () => Promise<number>): Promise<Appended> => {
  const startedAt = clock()
  const id = await store()
  return { id, startedAt, endedAt: clock() }
}
