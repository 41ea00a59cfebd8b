/**
 * The trace of goods, such as for a recall (D13.14): what became of each item with a lot, an SKU or an LPN.
 *
 * Guarantee: a client traces only what it may see.
 */
import { Context, Effect, Layer } from "effect"
import { readScopes } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import * as Capability from "../capability/Capability.ts"
import { pallet } from "../operations/PalletExamples.ts"
import { Directory } from "../places/Directory.ts"
import { checkPlace, pageRequest, placeOf } from "../places/ListQuery.ts"
import { InvalidParameter } from "../values/Errors.ts"
import { tracedAtMost, traceKeys } from "./Trace.ts"
import type { TraceEntry } from "./Trace.ts"
import { trace as traceOperation } from "./TraceOperations.ts"
import { TraceStore } from "./TraceStore.ts"

/** What is traced, and where. */
export type TraceQuery = Operation.Query<typeof traceOperation>

const refused = (path: string, detail: string) =>
  Effect.fail(new InvalidParameter({ errors: [{ path, detail }] }))

/** Traces goods. */
export class Tracing extends Context.Service<Tracing, {
  /** The items with a lot, an SKU or an LPN at places that the client may see, in id order. */
  readonly trace: Operation.Handler<typeof traceOperation>
}>()("@dockline/core/Tracing") {
  /** Traces in the store. */
  static readonly layer: Layer.Layer<Tracing, never, TraceStore | Directory> = Layer.effect(
    Tracing,
    Effect.gen(function*() {
      const store = yield* TraceStore
      const directory = yield* Directory
      return Tracing.of({
        trace: Effect.fn("Tracing.trace")(function*(query, principal) {
          const given = traceKeys.filter((key) => (query[key] ?? "") !== "")
          const [key] = given
          if (key === undefined) return yield* refused("lot", "is missing: give a lot, an sku or an lpn")
          if (given.length > 1) {
            return yield* refused(given[1]!, `cannot be sent with ${key}: send one of them`)
          }
          const place = placeOf(query)
          yield* checkPlace(directory, principal, place)
          const page = yield* store.trace(
            readScopes(principal),
            { ...place, key, text: query[key] ?? "" },
            pageRequest(query)
          )
          return page ??
            (yield* refused(
              key,
              `is on more than ${tracedAtMost} items, so it names no pallet; trace their lot or SKU`
            ))
        })
      })
    })
  )
}

/** What became of the item whose pallet the first example event reports. */
const traced: TraceEntry = {
  id: "1",
  lot: "L-0417",
  sku: "SKU-1",
  lpn: pallet.lpn,
  quantity: 12,
  quantityUnit: "CASE",
  expirationDate: "2027-03-31",
  business: pallet.business,
  facility: pallet.facility,
  orderNumber: "SO-1001",
  purchaseOrder: "PO-77",
  supplier: "Springwater Ltd",
  consigneeName: "Corner Market",
  destination: "Austin, TX",
  shipmentId: pallet.shipmentId,
  shipmentNumber: pallet.shipmentNumber,
  status: "DEPARTED",
  direction: "OUTBOUND",
  carrier: "Northline",
  trailerNumber: "TR-204",
  arrivedAt: "2026-11-20T16:30:00.000Z",
  departedAt: "2026-11-20T18:05:00.000Z",
  palletId: pallet.id,
  seenShipmentId: pallet.shipmentId,
  seenShipmentNumber: pallet.shipmentNumber,
  seenDirection: "LOADING",
  seenDockSlug: "D1",
  seenAt: "2026-11-20T17:02:11.000Z"
}

/** The trace of goods. */
export const trace = Capability.make("trace", {
  title: "Trace",
  description: "Find what became of goods with a lot, an SKU or an LPN, such as for a recall",
  operations: {
    /** What became of the goods with a lot, an SKU or an LPN: each item with its shipment, and where its pallet was seen (D13.14). */
    trace: traceOperation
  },
  services: Tracing.layer,
  handlers: Effect.map(Tracing, ({ trace }) => ({ trace })),
  memory: TraceStore.memory,
  answers: { trace: traced }
})
