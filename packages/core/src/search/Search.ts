/**
 * The service with which every adapter searches for a number or an LPN (D13.11).
 *
 * Guarantee: a client finds only what it may see.
 */
import { Context, Effect, Layer } from "effect"
import { readScopes } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import type { DocumentRecord } from "../document/DocumentRecord.ts"
import { IntakeStore } from "../document/DocumentRecord.ts"
import { checkPlace, pageRequest, placeOf } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import { comparedText, normalizedQuery, rank, rankedTogether, searchDepth } from "../shipment/ShipmentItem.ts"
import type { SearchEntry } from "../shipment/ShipmentItem.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import * as ViewField from "../values/ViewField.ts"
import { SearchHit } from "./SearchHit.ts"
import type { search } from "./SearchHit.ts"

/** The text and the place of a search. */
export type SearchQuery = Operation.Query<typeof search>

/** The most removed LPNs in an answer, and the most documents for each, newest first. */
const [removedLpnLimit, documentsPerLpnLimit] = [3, 5]

/** The empty fields of a hit, for parts that it does not have. */
const none = {
  shipmentId: 0,
  shipmentNumber: "",
  status: "",
  missingPallets: 0,
  unexpectedPallets: 0,
  orderNumber: "",
  palletId: "",
  documentId: 0,
  removedAt: "",
  removedBy: ""
}

const hitOf = (entry: SearchEntry, text: string): SearchHit =>
  ViewField.show(SearchHit, { ...none, ...entry }, {
    ...entry.location,
    id: `${entry.kind}-${entry.id}`,
    exact: comparedText(entry) === text,
    palletId: entry.kind === "PALLET" ? String(entry.id) : ""
  })

const removalOf = (record: DocumentRecord, lpn: string, text: string): SearchHit =>
  ViewField.show(SearchHit, none, {
    ...record.location,
    id: `REMOVAL-${record.id}-${lpn}`,
    kind: "REMOVAL",
    text: lpn,
    exact: lpn === text,
    shipmentId: record.shipmentId ?? 0,
    shipmentNumber: record.shipmentNumber,
    documentId: record.id,
    removedAt: record.receivedAt,
    removedBy: record.clientId
  })

/** Finds numbers and LPNs. */
export class Search extends Context.Service<Search, {
  /** The hits for a text at places that the client may see; `next` is the number of hits up to the end of this page. */
  readonly search: Operation.Handler<typeof search>
}>()("@dockline/core/search/Search") {
  /** Searches the stores. */
  static readonly layer: Layer.Layer<Search, never, IntakeStore | ShipmentStore | Directory> = Layer.effect(
    Search,
    Effect.gen(function*() {
      const shipments = yield* ShipmentStore
      const documents = yield* IntakeStore
      const directory = yield* Directory
      return Search.of({
        search: Effect.fn("Search.search")(function*(query, principal) {
          const place = placeOf(query)
          yield* checkPlace(directory, principal, place)
          const scopes = readScopes(principal)
          const [text, { after, limit }] = [normalizedQuery(query.text), pageRequest(query)]
          if (text === "") return { items: [], next: null }
          // The next page begins with the first hit that this one leaves out.
          const end = Math.min(after + limit, searchDepth)
          const { entries, removed } = yield* shipments.search(scopes, { ...place, text }, end + 1)
          const hits = rank(text, entries, end + 1).map((entry) => hitOf(entry, text))
          const removals = yield* Effect.forEach(
            removed.slice(0, removedLpnLimit),
            (lpn) =>
              Effect.map(
                documents.listRecords(scopes, { ...noFilter, ...place, lpn }, {
                  limit: documentsPerLpnLimit,
                  after: undefined
                }),
                ({ items }) => items.map((record) => removalOf(record, lpn, text))
              )
          )
          const all = rankedTogether(text, [...hits, ...removals.flat()])
          const isCut = all.length > end && end < searchDepth
          return { items: all.slice(after, end), next: isCut ? String(end) : null }
        })
      })
    })
  )
}

const noFilter = {
  shipmentNumber: undefined,
  orderNumber: undefined,
  correlationId: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined
}
