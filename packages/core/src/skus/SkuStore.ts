/**
 * Port: the SKU master of facilities (D17.4). A change loads a snapshot under a lock of the facility's master, lets core decide, and
 * applies the plan, all in one transaction.
 *
 * Guarantee: changes of one facility behave as if they came one after another. `decide` is pure and may be called again when the
 * transaction is repeated; it is not called when the key of `keep` is taken (D5.2). Reads take the room of their answer before they
 * load much (`AnswerRoom`), and show no more text than a page (`pageBudget`).
 */
import { Context, Effect, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Keep } from "../access/Keep.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import type { Sku, SkuFacts, SkuPlace, SkuPlan, SkuSnapshot } from "./Sku.ts"

/** A part of the SKUs of a facility, in their order: after so many, and at most as many as the limit. */
export interface SkuSlice {
  /** Only the SKU of this id, if it is there. */
  readonly id: string | undefined
  readonly offset: number
  readonly limit: number
}

/** What the SKU master says of items of its SKU. */
export interface SkuWords extends Pick<SkuFacts, "description" | "casesPerPallet"> {
  readonly id: string
}

/** Stores the SKU masters of facilities. SKUs stand in the order of their code points. */
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
  /** A slice of the SKUs of a facility, which ends early where it held too much text, and how many there are before it is cut. */
  readonly slice: (
    place: SkuPlace,
    slice: SkuSlice
  ) => Effect.Effect<
    { readonly skus: ReadonlyArray<Sku>; readonly total: number },
    StorageUnavailable | Overloaded
  >
  /** What the master of the facility of a shipment says of those of these SKUs that it has, for who may read these scopes. */
  readonly wordsFor: (
    shipmentId: number,
    ids: ReadonlyArray<string>,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<ReadonlyArray<SkuWords>, StorageUnavailable>
}>()("@dockline/core/skus/SkuStore") {}
