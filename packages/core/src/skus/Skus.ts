/**
 * Reads and changes the SKU masters of facilities (D17.4).
 *
 * Guarantee: reading a master needs any permission at its facility, a change the permission of documents.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { AuthorizedCall, Principal } from "../access/Access.ts"
import { keepView } from "../access/Keep.ts"
import type { WriteCall } from "../access/Keep.ts"
import type * as Operation from "../access/Operation.ts"
import { AnswerRoom, overloaded, roomOf } from "../access/RequestLimits.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import { textFault } from "../values/Field.ts"
import { mapPage, namePage } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import { answerTextOf, decideDelete, decideSet, skuView } from "./Sku.ts"
import type { SetPlan, SkuPlace, SkuPlan, SkuSnapshot, SkuView } from "./Sku.ts"
import type { deleteSkus, listSkus, setSkus } from "./SkuOperations.ts"
import { SkuStore } from "./SkuStore.ts"
import type { SkuSlice } from "./SkuStore.ts"

/** Changes a master as an operation does. */
type Sets<Op extends Operation.AnyWrite> = WriteCall<
  [given: Operation.Input<Op>["body"]],
  Operation.Answer<Op>,
  Operation.Refusal<Op>
>

/** A part of the SKUs of a facility, and how many there are in all. */
export interface SkusAnswer {
  readonly skus: ReadonlyArray<SkuView>
  readonly total: number
}

/** Reads and changes SKU masters. */
export class Skus extends Context.Service<Skus, {
  /** The SKUs of a facility, in their order. */
  readonly list: Operation.Handler<typeof listSkus>
  /** A slice of the SKUs of a facility, with their number. */
  readonly slice: AuthorizedCall<
    [place: SkuPlace, slice: SkuSlice],
    SkusAnswer,
    Authorize.PlaceError | Overloaded
  >
  /** Adds SKUs, and changes those that are there; refused where their answer has no room. */
  readonly set: Sets<typeof setSkus>
  /** Deletes SKUs; one that is not there is no error. */
  readonly delete: Sets<typeof deleteSkus>
}>()("@dockline/core/skus/Skus") {
  /** The masters of the stores. */
  static readonly layer: Layer.Layer<Skus, never, SkuStore | Directory> = Layer.effect(
    Skus,
    Effect.gen(function*() {
      const store = yield* SkuStore
      const directory = yield* Directory
      const mayRead = (principal: Principal, place: SkuPlace) =>
        Authorize.place(directory, principal, "read", place)
      const mayWrite = (principal: Principal, place: SkuPlace) =>
        Authorize.permission(directory, principal, "documents:write", place)
      return Skus.of({
        list: Effect.fn("Skus.list")(function*(query, principal) {
          const { business, facility, ...page } = query
          yield* mayRead(principal, { business, facility })
          const list = yield* store.list({ business, facility }, namePage(page))
          return mapPage(list, skuView({ business, facility }))
        }),
        slice: Effect.fn("Skus.slice")(function*(place, slice, principal) {
          yield* mayRead(principal, place)
          // No SKU has a text that the storage could not be asked for.
          if (textFault(slice.id ?? "") !== undefined) return { skus: [], total: 0 }
          const { skus, total } = yield* store.slice(place, slice)
          return { skus: skus.map(skuView(place)), total }
        }),
        set: (input, principal, keep) =>
          Effect.gen(function*() {
            yield* mayWrite(principal, input)
            const hasRoom = roomOf(yield* AnswerRoom)
            const decideWithRoom = (snapshot: SkuSnapshot) =>
              Result.filterOrFail(
                decideSet(input, input.skus, snapshot),
                ({ skus }) => hasRoom(answerTextOf(skus)),
                () => overloaded()
              )
            return yield* keepView(
              keep,
              ({ added, skus, updated }: SetPlan) =>
                Result.succeed({ added, updated, skus: skus.map(skuView(input)) }),
              (keep) => store.change(input, input.skus.map(({ id }) => id), decideWithRoom, keep)
            )
          }).pipe(Effect.withSpan("Skus.set")),
        delete: (input, principal, keep) =>
          Effect.andThen(
            mayWrite(principal, input),
            keepView(
              keep,
              ({ deletes }: SkuPlan) => Result.succeed({ deleted: deletes.length }),
              (keep) =>
                store.change(input, input.ids, (snapshot) => decideDelete(input, input.ids, snapshot), keep)
            )
          ).pipe(Effect.withSpan("Skus.delete"))
      })
    })
  )
}
