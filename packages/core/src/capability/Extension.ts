/**
 * Fields that a capability adds to the rows of a list of the contract, such as what the SKU master says of items (ADR 31).
 *
 * Guarantee: they are loaded once for a page, after it, so that the contract reads nothing for them. Every interface shows them beside the
 * row's own, and none where the capability is left out.
 */
import { Effect, Schema, SchemaAST, Struct } from "effect"
import type { Principal } from "../access/Access.ts"
import * as Operation from "../access/Operation.ts"
import type { MethodOf, Operations } from "../operations/Operations.ts"
import type { CatalogueError } from "../values/CatalogueError.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"

/** The methods of the lists of the contract. */
export type ListMethod = MethodOf<Operation.AnyList>

type RowOf<Method extends ListMethod> = Operations[Method]["row"]["Type"]

/** Loads the fields of the rows of a page, in their order, for who has read the page. */
export type Load<Method extends ListMethod, Added extends Operation.Fields> = (
  input: Operation.Input<Operations[Method]>,
  rows: ReadonlyArray<RowOf<Method>>,
  principal: Principal
) => Effect.Effect<ReadonlyArray<Schema.Struct.Type<Added>>, StorageUnavailable>

/** What a capability adds to the rows of a list. */
export interface Extension<Method extends ListMethod, Added extends Operation.Fields, Need> {
  /** The fields, which come after those of the row, with their descriptions. Tables show them in columns of their names. */
  readonly fields: Added
  /** What they are in the example of an answer. */
  readonly example: Schema.Struct.Type<Added>
  /** Makes the loading of the fields. */
  readonly load: Effect.Effect<Load<Method, Added>, never, Need>
}

/** Any extension. Only its own types know its rows. */
export interface Any {
  readonly fields: Operation.Fields
  readonly example: object
  /** Makes the loading of the fields. */
  readonly load: Effect.Effect<AnyLoad, never, unknown>
}

/** Loads the fields of the rows of a page. */
type AnyLoad = {
  of(
    input: object,
    rows: ReadonlyArray<object>,
    principal: Principal
  ): Effect.Effect<ReadonlyArray<object>, CatalogueError>
}["of"]

/** Extensions by the methods of the lists. */
export type Table = Readonly<Partial<Record<ListMethod, Any>>>

/** Makes the extension of the list of a method. */
export const make = <Method extends ListMethod>() =>
<const Added extends Operation.Fields, Need>(
  slots: Extension<Method, Added, Need>
): Extension<Method, Added, Need> => slots

/** What the loads of extensions need. */
export type NeedsOf<Extensions> = {
  readonly [Method in keyof Extensions]: Extensions[Method] extends
    { readonly load: Effect.Effect<unknown, never, infer Need> } ? Need : never
}[keyof Extensions]

/** A list with the fields of extensions in its rows. */
export type Extended<Op extends Operation.AnyList, Added> = Omit<Op, "row"> & {
  readonly row: Schema.Codec<Op["row"]["Type"] & Added, unknown>
}

/** The fields that an extension adds. */
export type AddedBy<Each> = Each extends { readonly example: infer Added } ? Added : never

/** A list with the fields and the columns of extensions. */
export const extended = (operation: Operation.AnyList, extensions: ReadonlyArray<Any>): Operation.AnyList => {
  const { row } = operation
  if (extensions.length === 0) return operation
  const fields: Operation.Fields = Object.assign({}, ...extensions.map(({ fields }) => fields))
  return {
    ...operation,
    // The rows of lists are structs, of which the types of a declaration do not tell.
    row: Schema.Struct({ ...(row as Schema.Struct<Operation.Fields>).fields, ...fields })
      .annotate({ ...SchemaAST.resolve(row.ast) }),
    columns: [...operation.columns, ...Operation.columns(...Struct.keys(fields))]
  }
}

type Loading = Effect.Success<Any["load"]>

/** Makes the work of a list with the loads of extensions, which run side by side, once for a page that has rows. */
export const withLoads = (
  handler: Operation.AnyHandler,
  loads: ReadonlyArray<Loading>
): Operation.AnyHandler =>
  loads.length === 0 ? handler : (input, principal) =>
    Effect.gen(function*() {
      // What reads a list answers pages, by its declaration.
      const page = (yield* handler(input, principal)) as Page<object>
      if (page.items.length === 0) return page
      const added = yield* Effect.forEach(loads, (load) => load(input, page.items, principal), {
        concurrency: "unbounded"
      })
      const items = page.items.map((row, at): object =>
        Object.assign({}, row, ...added.map((rows) => rows[at]))
      )
      return { ...page, items }
    })
