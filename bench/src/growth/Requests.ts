/**
 * The requests of `bench growth` as bytes: documents of any size and for any tenant, pallet events, pages of messages.
 */
import { createHash } from "node:crypto"
import { historyDocument, path as graphqlPath } from "../graphql/Workload.ts"
import { documentOf, place } from "../intake/Documents.ts"
import type { Variant } from "../intake/Documents.ts"
import { requestOf } from "../load/Connection.ts"

/** Where requests go, and whose they are. */
export interface Sender {
  readonly port: number
  readonly token: string
}

/** The number of the n-th order of a kind: a hash, so that orders are spread over the whole of an index. */
export const numberOf = (kind: string, n: number): string =>
  createHash("md5").update(`${kind} ${n}`).digest("hex").slice(0, 12)

/** The LPN of an item. */
const lpnOf = (number: string, index: number): string => `${number}-${index}`

/** A document. */
export interface DocumentInput {
  readonly number: string
  readonly variant: Variant
  readonly items?: number
  readonly business?: string
}

const template = { 0: documentOf(0, 0, 0, "OVERWRITE"), 1: documentOf(0, 0, 1, "OVERWRITE") }

/** The document of the intake benchmark, with as many items as are asked for. */
export const document = (
  { port, token }: Sender,
  { business = place.business, items = template[0].items.length, number, variant }: DocumentInput
): Buffer => {
  const like = template[variant]
  return requestOf("/v1/documents", port, token, {
    ...like,
    business,
    orderNumber: number,
    items: Array.from({ length: items }, (_, index) => ({
      ...like.items[index % like.items.length]!,
      identifier: lpnOf(number, index),
      lpn: lpnOf(number, index)
    }))
  })
}

/** A pallet that goes through a dock, with the LPN of an item of an order. */
export const pallet = ({ port, token }: Sender, event: string, number: string, item: number): Buffer =>
  requestOf("/v1/pallet-events", port, token, {
    eventId: event,
    ...place,
    dockSlug: "D1",
    direction: "LOADING",
    occurredAt: "2026-11-20T17:00:11Z",
    labels: [
      { name: "lpn", value: lpnOf(number, item) },
      { name: "sku", value: "SKU-010000" },
      { name: "lot", value: "LOT-2026-A" }
    ]
  })

/** A page of the log: `limit` messages after the one of that id. */
export const page = ({ port, token }: Sender, afterId: number, limit: number): Buffer =>
  requestOf(graphqlPath, port, token, {
    query: historyDocument,
    variables: { input: { businessSlug: place.business, since: "2020-01-01T00:00:00Z", afterId, limit } }
  })
