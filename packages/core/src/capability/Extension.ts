/**
 * Fields that a capability adds to views of the contract: to the rows of a list, and to the view of a read with the views in it (ADR 31).
 *
 * Guarantee: {@link extending} loads the fields once for each view, and once for each page that has rows, after the page or view itself, so
 * the contract reads nothing for them. The declaration and the example have the same fields ({@link declarationOf}, {@link exampleWith}).
 */
import { Effect, Predicate, Record, Schema, SchemaAST, Struct } from "effect"
import type { Principal } from "../access/Access.ts"
import * as Operation from "../access/Operation.ts"
import type { MethodOf, Operations } from "../operations/Operations.ts"
import type { CatalogueError } from "../values/CatalogueError.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"

/** The methods of the lists of the contract. */
export type ListMethod = MethodOf<Operation.AnyList>

/** The methods of the reads of the contract. */
export type ReadMethod = MethodOf<Operation.AnyRead>

type ViewOf<Method extends ReadMethod> = Operations[Method]["view"]["Type"]

type RowOf<Method extends ListMethod> = Operations[Method]["row"]["Type"]

/** Loads the fields of the rows of a page, in the order of the rows, for the principal that reads the page. */
export type Load<Method extends ListMethod, Addition extends Operation.Fields> = (
  input: Operation.Input<Operations[Method]>,
  rows: ReadonlyArray<RowOf<Method>>,
  principal: Principal
) => Effect.Effect<ReadonlyArray<Schema.Struct.Type<Addition>>, StorageUnavailable>

/** The fields that a capability adds to the rows of a list. */
export interface Extension<Method extends ListMethod, Addition extends Operation.Fields, Need> {
  /** The fields with their descriptions, which follow the row's own. Tables have a column of the same name for each. */
  readonly fields: Addition
  /** Their values in the entries of the example answer. */
  readonly example: ReadonlyArray<Schema.Struct.Type<Addition>>
  /** Makes the function that loads the fields. */
  readonly load: Effect.Effect<Load<Method, Addition>, never, Need>
}

/** The fields that a capability adds to the view of a read, and to the views within it. */
export interface ViewExtension<Method extends ReadMethod, View extends ViewOf<Method>, Need> {
  /** The fields with their descriptions, by the identifier of the schema that they extend. */
  readonly views: Readonly<Record<string, Operation.Fields>>
  /** The example of an answer with the fields. */
  readonly example: Operation.Json<View>
  /** Makes the function that loads the fields. */
  readonly load: Effect.Effect<
    (
      input: Operation.Input<Operations[Method]>,
      view: ViewOf<Method>,
      principal: Principal
    ) => Effect.Effect<View, StorageUnavailable>,
    never,
    Need
  >
}

/** Any extension. The type of its rows is erased. */
export interface Any {
  readonly fields: Operation.Fields
  readonly example: ReadonlyArray<object>
  /** Makes the function that loads the fields; absent if the service of the list gets them from the capability itself. */
  readonly load?: Effect.Effect<AnyLoad, never, unknown>
}

/** Loads the fields of the rows of a page. */
type AnyLoad = {
  of(
    input: object,
    rows: ReadonlyArray<object>,
    principal: Principal
  ): Effect.Effect<ReadonlyArray<object>, CatalogueError>
}["of"]

/** Any extension of a read. The type of its view is erased. */
export interface AnyView {
  readonly views: Readonly<Record<string, Operation.Fields>>
  readonly example: object
  /** Makes the function that loads the fields. */
  readonly load: Effect.Effect<AnyViewLoad, never, unknown>
}

/** Adds the fields to a view. */
type AnyViewLoad = {
  of(input: object, view: object, principal: Principal): Effect.Effect<object, CatalogueError>
}["of"]

/**
 * Extensions by the methods of lists and reads. The methods of the contract are typed. The method of another capability is any text,
 * because a service may leave that capability out.
 */
export type Table =
  & Readonly<Partial<Record<ListMethod, Any> & Record<ReadMethod, AnyView>>>
  & Readonly<Record<string, Any | AnyView>>

/** Makes the extension of the list of a method. */
export const make = <Method extends ListMethod>() =>
<const Addition extends Operation.Fields, Need>(
  slots: Extension<Method, Addition, Need>
): Extension<Method, Addition, Need> => slots

/** Makes the extension of a list whose own service loads the fields, such as counts of shipments. */
export const ofFields = <const Addition extends Operation.Fields>(slots: {
  readonly fields: Addition
  readonly example: ReadonlyArray<Schema.Struct.Type<Addition>>
}): { readonly fields: Addition; readonly example: ReadonlyArray<Schema.Struct.Type<Addition>> } => slots

/** Makes the extension of the read of a method. */
export const view =
  <Method extends ReadMethod, View extends ViewOf<Method>>() =>
  <Need>(slots: ViewExtension<Method, View, Need>): ViewExtension<Method, View, Need> => slots

/** The services that the loading functions of extensions need. */
export type NeedsOf<Extensions> = {
  readonly [Method in keyof Extensions]: Extensions[Method] extends
    { readonly load: Effect.Effect<infer _Load, never, infer Need> } ? Need : never
}[keyof Extensions]

/** A list with the fields of extensions in its rows. */
export type ExtendedList<Op extends Operation.AnyList, Addition> = Omit<Op, "row"> & {
  readonly row: Schema.Codec<Op["row"]["Type"] & Addition, unknown>
}

/** A read with the view of an extension. */
export type ExtendedView<Op extends Operation.AnyRead, View> = Omit<Op, "view"> & {
  readonly view: Schema.Codec<View, unknown>
}

/** The fields that an extension of a list adds, or the extended view of a read. */
export type AddedBy<Each> = Each extends { readonly example: ReadonlyArray<infer Addition> } ? Addition
  : Each extends ViewExtension<infer _Method, infer View, infer _Need> ? View
  : never

/** An operation with an extension. */
export type ExtendedOperation<Op, Addition> = Op extends Operation.AnyList ? ExtendedList<Op, Addition>
  : Op extends Operation.AnyRead ? ExtendedView<Op, Addition>
  : never

/** A list with the fields and the columns of extensions. */
const extend = (operation: Operation.AnyList, extensions: ReadonlyArray<Any>): Operation.AnyList => {
  const { row } = operation
  if (extensions.length === 0) return operation
  const fields: Operation.Fields = Object.assign({}, ...extensions.map(({ fields }) => fields))
  return {
    ...operation,
    // The rows of lists are structs, but the types of declarations do not say so.
    row: Schema.Struct({ ...(row as Schema.Struct<Operation.Fields>).fields, ...fields })
      .annotate({ ...SchemaAST.resolve(row.ast) }),
    columns: [...operation.columns, ...Operation.columns(...Struct.keys(fields))]
  }
}

interface Parts {
  readonly fields?: Operation.Fields
  readonly value?: Schema.Top
}

/** A schema with fields added to the views within it, by identifier; the same schema if it contains none of these views. */
const withFields = (schema: Schema.Top, views: AnyView["views"]): Schema.Top => {
  const { fields, value } = schema as Schema.Top & Parts
  const annotations = { ...SchemaAST.resolve(schema.ast) }
  if (value !== undefined && schema.ast._tag === "Arrays") {
    const entry = withFields(value, views)
    return entry === value ? schema : Schema.Array(entry).annotate(annotations)
  }
  if (fields === undefined) return schema
  const own = views[SchemaAST.resolveIdentifier(schema.ast) ?? ""]
  const allFields = { ...Record.map(fields, (field) => withFields(field as Schema.Top, views)), ...own }
  return own === undefined && Struct.keys(fields).every((name) => allFields[name] === fields[name])
    ? schema
    : Schema.Struct(allFields).annotate(annotations)
}

/** A read with the fields of extensions in its view. */
const extendedView = (
  operation: Operation.AnyRead,
  extensions: ReadonlyArray<AnyView>
): Operation.AnyRead =>
  extensions.reduce(
    (operation, { views }) => Object.assign({}, operation, { view: withFields(operation.view, views) }),
    operation
  )

/** An operation with the fields of its extensions; the same operation if it has none. */
export const declarationOf = (
  operation: Operation.Any,
  extensions: ReadonlyArray<Any | AnyView>
): Operation.Any =>
  operation.kind === "list"
    ? extend(operation, extensions.flatMap((each) => "views" in each ? [] : [each]))
    : operation.kind === "read"
    ? extendedView(operation, extensions.flatMap((each) => "views" in each ? [each] : []))
    : operation

type Loading = Effect.Success<Exclude<Any["load"], undefined>>

/** Makes the handler of a read with its extensions, which run one after another, each on the view of the previous extension. */
const withViews = (
  handler: Operation.AnyHandler,
  loads: ReadonlyArray<Effect.Success<AnyView["load"]>>
): Operation.AnyHandler =>
  loads.reduce<Operation.AnyHandler>(
    (handler, load) => (input, principal) =>
      Effect.flatMap(handler(input, principal), (view) => load(input, view, principal)),
    handler
  )

/** Makes the handler of a list with its extensions, which run concurrently, once for each page that has rows. */
const withLoads = (
  handler: Operation.AnyHandler,
  loads: ReadonlyArray<Loading>
): Operation.AnyHandler =>
  loads.length === 0 ? handler : (input, principal) =>
    Effect.gen(function*() {
      // A list answers pages, by its declaration.
      const page = (yield* handler(input, principal)) as Page<object>
      if (page.items.length === 0) return page
      const additions = yield* Effect.forEach(loads, (load) => load(input, page.items, principal), {
        concurrency: "unbounded"
      })
      const items = page.items.map((row, at): object =>
        Object.assign({}, row, ...additions.map((rows) => rows[at]))
      )
      return { ...page, items }
    })

/** Makes the handler of an operation with its extensions. */
export const extending = (
  handler: Operation.AnyHandler,
  extensions: ReadonlyArray<Any | AnyView>
): Effect.Effect<Operation.AnyHandler, never, unknown> =>
  Effect.gen(function*() {
    const ofRows = yield* Effect.all(
      extensions.flatMap((each) => "views" in each || each.load === undefined ? [] : [each.load])
    )
    const ofViews = yield* Effect.all(extensions.flatMap((each) => "views" in each ? [each.load] : []))
    return withViews(withLoads(handler, ofRows), ofViews)
  })

/** Merges two values. If one list is longer, the last entry of the other list is merged with each remaining entry. */
const merge = (value: unknown, addition: unknown): unknown =>
  Array.isArray(value) && Array.isArray(addition) && addition.length > 0
    ? value.map((entry, at) => merge(entry, addition[Math.min(at, addition.length - 1)]))
    : Predicate.isObject(value) && Predicate.isObject(addition)
    ? Object.assign({}, value, Record.map(addition, (member, name) => merge(value[name], member)))
    : addition ?? value

/** The example answer of an operation with the fields of its extensions. */
export const exampleWith = (
  example: unknown,
  extensions: ReadonlyArray<Any | AnyView>
): unknown =>
  extensions.reduce(
    (example, extension) => example === undefined ? undefined : merge(example, extension.example),
    example
  )
