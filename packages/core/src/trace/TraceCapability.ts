/**
 * The trace of goods, such as for a recall (D13.14): the items with a lot, an SKU or an LPN, each with the last sighting of its pallet.
 *
 * Guarantee: a client traces only what it may see.
 */
import { Context, Effect, Layer } from "effect"
import { readScopes } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import * as Capability from "../capability/Capability.ts"
import { soughtLpn } from "../labels/Lpn.ts"
import { Directory } from "../places/Directory.ts"
import { checkPlace, pageRequest, placeOf } from "../places/ListQuery.ts"
import { InvalidParameter } from "../values/Errors.ts"
import recorded from "./answers.json" with { type: "json" }
import { trace as traceOperation, tracedAtMost, traceKeys } from "./TraceOperations.ts"
import { TraceStore } from "./TraceStore.ts"

/** The lot, SKU or LPN to trace, and the place. */
export type TraceQuery = Operation.Query<typeof traceOperation>

const refuse = (path: string, detail: string) =>
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
          const keys = traceKeys.filter((key) => (query[key] ?? "") !== "")
          const [key] = keys
          if (key === undefined) return yield* refuse("lot", "is missing: send a lot, an sku or an lpn")
          if (keys.length > 1) {
            return yield* refuse(keys[1]!, `cannot be sent with ${key}: send one of them`)
          }
          const place = placeOf(query)
          yield* checkPlace(directory, principal, place)
          const page = yield* store.trace(
            readScopes(principal),
            { ...place, key, text: key === "lpn" ? soughtLpn(query.lpn ?? "") : query[key] ?? "" },
            pageRequest(query)
          )
          return page ??
            (yield* refuse(
              key,
              `is on more than ${tracedAtMost} items, so it does not identify a pallet; trace their lot or SKU`
            ))
        })
      })
    })
  )
}

/** The trace of goods. */
export const trace = Capability.make("trace", {
  title: "Trace",
  description: "Trace goods by a lot, an SKU or an LPN, such as for a recall",
  operations: {
    /** Traces goods by a lot, an SKU or an LPN: each item with its shipment, and where its pallet was seen (D13.14). */
    trace: traceOperation
  },
  services: Tracing.layer,
  handlers: Effect.map(Tracing, ({ trace }) => ({ trace })),
  memory: TraceStore.memory,
  answers: recorded.answers
})
