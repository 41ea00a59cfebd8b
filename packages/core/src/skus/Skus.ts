/**
 * Reads and changes the SKU masters of facilities (D17.4), over the port that stores them.
 *
 * Guarantee: to read a master, a client needs any permission at its facility; to change it, the permission for documents.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { AuthorizedCall, Principal, ReadScope } from "../access/Access.ts"
import { keepView } from "../access/Idempotency.ts"
import type { Keep, WriteCall } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { AnswerMemory, memoryCheck } from "../access/RequestLimits.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Place.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"
import type { ShipmentId } from "../values/Id.ts"
import { mapPage, namePage } from "../values/Page.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import { answerTextOf, decideDelete, decideSet, skuView } from "./Sku.ts"
import type { SetPlan, Sku, SkuFacts, SkuPlace, SkuPlan, SkuSnapshot, SkuView } from "./Sku.ts"
import type { deleteSkus, listSkus, setSkus } from "./SkuOperations.ts"

/** A slice of the SKUs of a facility, in their order: an offset and a limit. */
export interface SkuSlice {
  /** Only the SKU with this id, if it exists. */
  readonly id: string | undefined
  readonly offset: number
  readonly limit: number
}

/** The data of a SKU that items show. */
export interface SkuDescription extends Pick<SkuFacts, "description" | "casesPerPallet"> {
  readonly id: string
}

/**
 * Port: stores the SKU masters of facilities, in the order of the code points of the SKUs. A change loads a snapshot under a lock of the
 * facility's master, lets core decide, and applies the plan, all in one transaction: changes of one facility behave as if they came one
 * after another. `decide` is pure and may be called again when the transaction is repeated; it is not called when the key of `keep` is in
 * use (D5.2). Reads reserve the memory of their answer before they load many SKUs (`AnswerMemory`), and return no more text than a page
 * (`pageBudget`).
 */
export class SkuStore extends Context.Service<SkuStore, {
  /** Changes the master of a facility; `ids` are all SKUs that the change names, each once. */
  readonly change: <Plan extends SkuPlan, E, F = never>(
    place: SkuPlace,
    ids: ReadonlyArray<string>,
    decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>,
    keep?: Keep<Plan, F> | undefined
  ) => Effect.Effect<Plan, E | F | StorageUnavailable>
  /** A page of the SKUs of a facility. */
  readonly list: (
    place: SkuPlace,
    page: NamePageRequest
  ) => Effect.Effect<Page<Sku>, StorageUnavailable | Overloaded>
  /**
   * A slice of the SKUs of a facility, which ends early if it would hold too much text, and the number of all SKUs that the query selects.
   */
  readonly slice: (
    place: SkuPlace,
    slice: SkuSlice
  ) => Effect.Effect<
    { readonly skus: ReadonlyArray<Sku>; readonly total: number },
    StorageUnavailable | Overloaded
  >
  /**
   * The data of the SKUs with these ids, for a reader with these scopes. SKUs that the master of the shipment's facility lacks are left
   * out.
   */
  readonly descriptionsFor: (
    shipmentId: ShipmentId,
    ids: ReadonlyArray<string>,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<ReadonlyArray<SkuDescription>, StorageUnavailable>
}>()("@dockline/core/skus/SkuStore") {}

/** The function that handles an operation that changes a master. */
type MasterChange<Op extends Operation.AnyWrite> = WriteCall<
  [given: Operation.Input<Op>["body"]],
  Operation.Answer<Op>,
  Operation.Refusal<Op>
>

/** A slice of the SKUs of a facility, and the number of all SKUs that the query selects. */
export interface SkusAnswer {
  readonly skus: ReadonlyArray<SkuView>
  readonly total: number
}

/** Reads and changes SKU masters. */
export class Skus extends Context.Service<Skus, {
  /** The SKUs of a facility, in their order. */
  readonly list: Operation.Handler<typeof listSkus>
  /** A slice of the SKUs of a facility, with the number of all SKUs that the query selects. */
  readonly slice: AuthorizedCall<
    [place: SkuPlace, slice: SkuSlice],
    SkusAnswer,
    Authorize.PlaceError | Overloaded
  >
  /** Adds SKUs, and changes existing ones; refused if there is not enough memory for the answer. */
  readonly set: MasterChange<typeof setSkus>
  /** Deletes SKUs; a missing SKU is not an error. */
  readonly delete: MasterChange<typeof deleteSkus>
}>()("@dockline/core/skus/Skus") {
  /** The service over the stores. */
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
          // A text that the storage cannot compare is the id of no SKU.
          if (textFault(slice.id ?? "") !== undefined) return { skus: [], total: 0 }
          const { skus, total } = yield* store.slice(place, slice)
          return { skus: skus.map(skuView(place)), total }
        }),
        set: (input, principal, keep) =>
          Effect.gen(function*() {
            yield* mayWrite(principal, input)
            const checkMemory = memoryCheck(yield* AnswerMemory)
            const decideWithMemory = (snapshot: SkuSnapshot) =>
              checkMemory(decideSet(input, input.skus, snapshot), ({ skus }) => answerTextOf(skus))
            return yield* keepView(
              keep,
              ({ added, skus, updated }: SetPlan) =>
                Result.succeed({ added, updated, skus: skus.map(skuView(input)) }),
              (keep) => store.change(input, input.skus.map(({ id }) => id), decideWithMemory, keep)
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
