/**
 * An operation as a value: its input, its answer, its errors, and its name in each interface. REST with its OpenAPI document and CSV,
 * GraphQL, the façade, the client, the tools of MCP and the command line derive from this value, so each fact about an operation is written
 * once.
 *
 * Guarantee: a declaration contains data and functions over data. It contains no code of an interface, and importing it loads no server.
 */
import { Schema, SchemaAST, Struct } from "effect"
import type { Effect } from "effect"
import type { Reader } from "../input/RequestInput.ts"
import type { CatalogueError, ErrorClass, ErrorOf } from "../values/CatalogueError.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"
import type { Permission, Principal } from "./Access.ts"
import type { Keep, WriteCall } from "./Idempotency.ts"
import { widen, widenedFields } from "./OpenWords.ts"
import type { OpenWords } from "./OpenWords.ts"

/** Fields of a query, of a path or of a body. */
export type Fields = Schema.Struct.Fields

/** A method and a path, whose parameters begin with a colon: `GET /v1/shipments/:id`. */
export type Route = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`

/**
 * A function over a part of an operation. Only the declaration knows the type of that part. TypeScript compares parameters of methods in
 * both directions, so an operation of any types is assignable to {@link Any}.
 */
export type Method<Part, A> = {
  /** The function. */
  of(part: Part): A
}["of"]

/** The content of a table cell; a place appears as its slug, and a list as its entries. */
export type Cell = string | number | boolean | null | { readonly slug: string } | ReadonlyArray<string>

/** The columns of a list: their names, and how each is read from an entry. */
export type Table<Row> = ReadonlyArray<readonly [column: string, cellOf: Method<Row, Cell>]>

/** Columns that show fields as they are. */
export const columns = <Name extends string>(
  ...names: ReadonlyArray<Name>
): Table<Readonly<Record<Name, Cell>>> => names.map((name) => [name, (row) => row[name]])

/** Columns that show all fields of a view except some, as they are. */
export const columnsOf = <Name extends string>(
  { fields }: { readonly fields: Readonly<Record<Name, unknown>> },
  ...without: ReadonlyArray<Name>
): Table<Readonly<Record<Name, Cell>>> =>
  columns(...Struct.keys(fields).filter((name) => !without.includes(name)))

/** Texts and fields for the pages of operators, in addition to the texts and fields of the declaration. */
export interface Presentation {
  /** A sentence below the title. */
  readonly lead?: string
  /** The title and the text of an empty list. */
  readonly empty?: readonly [title: string, text: string]
  /** Names of fields of the view, or of each row, in the order to show; by default all. Names separated by a blank share a cell. */
  readonly fields?: ReadonlyArray<string>
}

/** The part of a declaration that all kinds of operations share. */
export interface Declaration<Name, Rest, Params, Errors> {
  /** Its name, which identifies it in every interface. */
  readonly name: Name
  readonly rest: Rest
  /** The parameters of the path, in the order of the path. */
  readonly params: Params
  /** Its errors, in addition to those that any request may get. */
  readonly errors: Errors
  /** Its title. */
  readonly summary: string
  /** Its description, in sentences. */
  readonly description: string
  readonly presentation?: Presentation
}

/** Reads one entity. */
export interface Read<
  Name extends string = string,
  Rest extends Route = Route,
  Params extends Fields = Fields,
  View extends Schema.Top = Schema.Top,
  Errors extends ReadonlyArray<ErrorClass> = ReadonlyArray<ErrorClass>
> extends Declaration<Name, Rest, Params, Errors> {
  readonly kind: "read"
  readonly view: View
  /** A description of the entity, for interfaces that show it as a thing and not as an action; `description` by default. */
  readonly entity?: string
  /** The part of the view that a conditional change compares; absent if no change is conditional. */
  stateOf?(view: View["Type"]): unknown
  /** The version of the entity, if its versions are counted. */
  versionOf?(view: View["Type"]): number
}

/** How pages follow one another: by the last entry's id, name, position or message, or by the number of earlier entries. */
export type Cursor = "id" | "name" | "position" | "message" | "count"

/** Reads a list, page by page. */
export interface List<
  Name extends string,
  Rest extends Route,
  Params extends Fields,
  Filters extends Fields,
  Row extends Schema.Top,
  Of extends Cursor,
  Errors extends ReadonlyArray<ErrorClass>
> extends Declaration<Name, Rest, Params, Errors> {
  readonly kind: "list"
  /** The filters of the list; an optional filter that is `""` or absent has no effect. */
  readonly filters: Filters
  readonly cursor: Of
  readonly row: Row
  /** The name of its pages, such as `ShipmentPage`. */
  readonly page: string
  /** The plural noun for its entries, and their order, for people; ordered by id by default. */
  readonly holds?: readonly [what: string, order?: string] | undefined
  /** Its columns as a table that programs read. A field that does not fit in a cell is counted, shortened or left out. */
  readonly columns: Table<Row["Type"]>
}

interface PlaceSlugs {
  readonly business: string
  readonly facility: string
}

/** A shorter view of an answer, for an interface that shows only this part. */
interface Receipt<Done, View extends Schema.Top> {
  readonly view: View
  of(done: Done): View["Type"]
}

/** The declaration that all operations that change something share. */
interface Change<
  Name,
  Rest,
  Params,
  View extends Schema.Top,
  Done,
  Errors
> extends Declaration<Name, Rest, Params, Errors> {
  readonly kind: "write"
  /** Whether a request without a body means `{}`; `false` by default. */
  readonly isBodyOptional?: boolean
  /** Whether the operation only adds: it ends, removes and reverts nothing; `false` by default. */
  readonly isAdditive?: boolean
  /** The view of the result; `Schema.Void` for none. */
  readonly view: View
  /** Maps the result to its view. Without this function, the result is the view. */
  show?(done: Done): View["Type"]
}

/** Changes something; a repetition under the same key gets the first answer (D5.2). */
export interface Write<
  Name extends string,
  Rest extends Route,
  Params extends Fields,
  Body extends Schema.Top,
  Input,
  View extends Schema.Top,
  Done,
  Short extends Schema.Top,
  Errors extends ReadonlyArray<ErrorClass>
> extends Change<Name, Rest, Params, View, Done, Errors> {
  readonly takesKey: true
  /** The schema of its body as clients send it. */
  readonly body: Body
  /** Reads a body into the input of the operation. */
  readonly read: Reader<Input>
  /** The view that REST shows instead of `view`. */
  readonly receipt?: Receipt<NoInfer<Done>, Short>
  /** The meaning of success, in a sentence for the references; by default the meaning of its status. */
  readonly success?: string
  /** Whether it creates something: always, never, or depending on the result. */
  readonly creates: boolean | Method<NoInfer<Done>, boolean>
  /** Whether repeating it changes nothing, also without a key; `false` by default. */
  readonly isRepeatable?: boolean
  /** Any one of these permissions suffices. */
  readonly may: ReadonlyArray<Permission>
  /** The place of the change. A repetition needs one of the permissions there. */
  placeOf(done: NoInfer<Done>, body: NoInfer<Input>): PlaceSlugs
}

/**
 * A change by operators (D11). A repeated request makes the change again. The operation accepts no `Idempotency-Key`, because its answer is
 * not kept: the answer may hold a secret, which is shown only once.
 */
export interface KeylessWrite<
  Name extends string,
  Rest extends Route,
  Params extends Fields,
  Body extends Schema.Top,
  Input,
  View extends Schema.Top,
  Done,
  Errors extends ReadonlyArray<ErrorClass>
> extends Change<Name, Rest, Params, View, Done, Errors> {
  readonly takesKey: false
  /** The schema of its body as operators send it; absent for an operation without a body. */
  readonly body?: Body
  /** Reads the body into the input of the operation. */
  readonly read?: Reader<Input>
  /** The field of the view that names the created entity below the path of the request; `null` if the entity has no path of its own. */
  readonly creates?: keyof View["Type"] & string | null
  /** The part of the view that conditional requests compare, if the operation changes an existing entity that has a version. */
  stateOf?(view: View["Type"]): unknown
  /** Whether its work continues after the answer; `false` by default. */
  readonly isAccepted?: boolean
}

/**
 * Accepts a body in several formats, or a file. Each interface has its own code to read it and pass it on. A repetition under the same key
 * gets the first answer, as for a {@link Write}.
 */
export interface Upload<
  Name extends string,
  Rest extends Route,
  View extends Schema.Top,
  Errors extends ReadonlyArray<ErrorClass>
> extends Declaration<Name, Rest, {}, Errors> {
  readonly kind: "upload"
  readonly view: View
  /** The version of the changed entity, if its versions are counted. */
  versionOf?(view: View["Type"]): number
  /** Whether something was created. */
  creates(done: View["Type"]): boolean
  /** Any one of these permissions suffices. */
  readonly may: ReadonlyArray<Permission>
}

/** The place of a change whose result contains its business and facility. */
export const ownPlace = (
  { business, facility }: { readonly business: WithSlug; readonly facility: WithSlug }
): PlaceSlugs => ({ business: business.slug, facility: facility.slug })

interface WithSlug {
  readonly slug: string
}

/** The place that a body names. */
export const givenPlace = (_done: unknown, { business, facility }: PlaceSlugs): PlaceSlugs => ({
  business,
  facility
})

/** Declares an operation that reads one entity. */
export const read = <
  const Name extends string,
  const Rest extends Route,
  const Params extends Fields,
  View extends Schema.Top,
  const Errors extends ReadonlyArray<ErrorClass>
>(
  name: Name,
  slots: Omit<Read<Name, Rest, Params, View, Errors>, "kind" | "name">
): Read<Name, Rest, Params, View, Errors> => ({ kind: "read", name, ...slots })

/** Declares an operation that reads a list. */
export const list = <
  const Name extends string,
  const Rest extends Route,
  const Params extends Fields,
  const Filters extends Fields,
  Row extends Schema.Top,
  const Of extends Cursor,
  const Errors extends ReadonlyArray<ErrorClass>
>(
  name: Name,
  slots: Omit<List<Name, Rest, Params, Filters, Row, Of, Errors>, "kind" | "name">
): List<Name, Rest, Params, Filters, Row, Of, Errors> => ({ kind: "list", name, ...slots })

/** Declares an operation that changes something. */
export const write = <
  const Name extends string,
  const Rest extends Route,
  const Params extends Fields,
  Body extends Schema.Top,
  Input,
  View extends Schema.Top,
  const Errors extends ReadonlyArray<ErrorClass>,
  Done = View["Type"],
  Short extends Schema.Top = View
>(
  name: Name,
  slots: Omit<
    Write<Name, Rest, Params, Body, Input, View, Done, Short, Errors>,
    "kind" | "name" | "takesKey"
  >
): Write<Name, Rest, Params, Body, Input, View, Done, Short, Errors> => ({
  kind: "write",
  takesKey: true,
  name,
  ...slots
})

/** Declares an operation that changes something for operators, without a key. */
export const keylessWrite = <
  const Name extends string,
  const Rest extends Route,
  const Params extends Fields,
  View extends Schema.Top,
  const Errors extends ReadonlyArray<ErrorClass>,
  Body extends Schema.Top = never,
  Input = never,
  Done = View["Type"]
>(
  name: Name,
  slots: Omit<
    KeylessWrite<Name, Rest, Params, Body, Input, View, Done, Errors>,
    "kind" | "name" | "takesKey"
  >
): KeylessWrite<Name, Rest, Params, Body, Input, View, Done, Errors> => ({
  kind: "write",
  takesKey: false,
  name,
  ...slots
})

/** Declares an operation that accepts a body in several formats. */
export const upload = <
  const Name extends string,
  const Rest extends Route,
  View extends Schema.Top,
  const Errors extends ReadonlyArray<ErrorClass>
>(
  name: Name,
  slots: Omit<Upload<Name, Rest, View, Errors>, "kind" | "name">
): Upload<Name, Rest, View, Errors> => ({ kind: "upload", name, ...slots })

/** Any operation that reads one entity. */
export type AnyRead = Read

/** Any operation that reads a list. */
export type AnyList = List<string, Route, Fields, Fields, Schema.Top, Cursor, ReadonlyArray<ErrorClass>>

/** Any operation that changes something. */
export type AnyWrite = Write<
  string,
  Route,
  Fields,
  Schema.Top,
  unknown,
  Schema.Top,
  object,
  Schema.Top,
  ReadonlyArray<ErrorClass>
>

/** Any operation that changes something without a key. */
export type AnyKeylessWrite =
  & Omit<
    KeylessWrite<string, Route, Fields, Schema.Top, unknown, Schema.Top, unknown, ReadonlyArray<ErrorClass>>,
    "creates"
  >
  & {
    /** The field of the view that names the created entity. */
    readonly creates?: string | null
  }

/** Any operation that accepts a body in several formats. */
export type AnyUpload = Upload<string, Route, Schema.Top, ReadonlyArray<ErrorClass>>

/** Any operation of operators. */
export type AnyOfOperators = AnyRead | AnyList | AnyKeylessWrite

/** Any operation of clients. */
export type Any = AnyRead | AnyList | AnyWrite | AnyUpload

/** The same fields, where optional ones may also be `undefined`. */
type Loose<A> = { readonly [K in keyof A]: {} extends Pick<A, K> ? A[K] | undefined : A[K] }

type Struct<F extends Fields> = Schema.Struct.Type<F>

interface Positions {
  readonly id: { readonly after?: number | undefined }
  readonly name: { readonly after?: string | undefined }
  readonly position: { readonly after?: string | undefined }
  readonly message: { readonly afterId?: number | undefined }
  readonly count: { readonly after?: number | undefined }
}

/** The filters and the page of a request for a list. */
export type Query<Op extends Pick<AnyList, "filters" | "cursor">> =
  & Loose<Struct<Op["filters"]>>
  & Positions[Op["cursor"]]
  & { readonly limit?: number | undefined }

/** The parameters of the path of an operation, as texts. */
export type Params<Op extends { readonly params: Fields }> = {
  readonly [Name in keyof Op["params"]]: string
}

/** The decoded body of an operation; `never` for an operation without a body. */
export type InputOf<Op> = Op extends { readonly kind: "write"; readonly read?: Reader<infer Body> } ? Body
  : never

/** The input of an operation: the parameters of its path, and the query of a list or the body. */
export type Input<Op extends { readonly params: Fields }> =
  & Params<Op>
  & (Op extends AnyList ? Query<Op> : unknown)
  & ([InputOf<Op>] extends [never] ? unknown : { readonly body: InputOf<Op> })

/** A change with a place. */
interface ChangeWithPlace<Done> {
  readonly placeOf: (done: Done, body: never) => unknown
}

/** A change with a function for its view. */
interface ChangeWithShow<Done> {
  readonly takesKey: false
  show?(done: Done): unknown
}

/** The result of an operation, before it becomes a view. */
export type Answer<Op> = Op extends AnyList ? Page<Op["row"]["Type"]>
  : Op extends ChangeWithPlace<infer Done> ? Done
  : Op extends ChangeWithShow<infer Done> ? Done
  : Op extends { readonly view: Schema.Top } ? Op["view"]["Type"]
  : never

/** The response of REST to an operation that changes something. */
export type RestView<Op extends AnyWrite> = Op extends
  { readonly receipt?: { readonly view: infer View extends Schema.Top } | undefined } ? View
  : Op["view"]

/** The type of an imported JSON value: the compiler knows its members, but infers `string` for literals. */
export type Json<A> = A extends string ? string : A extends number ? number : A extends boolean ? boolean
: { readonly [Member in keyof A]: Json<A[Member]> }

/** An example of the response of REST to an operation, or of an entry of its list. */
export type AnswerExample<Op extends Any> = Op extends AnyWrite ? Json<RestView<Op>["Type"]>
  : Op extends AnyList ? Json<Op["row"]["Type"]> | ReadonlyArray<Json<Op["row"]["Type"]>>
  : Op extends AnyRead ? Json<Op["view"]["Type"]>
  : never

/** The errors that an operation declares. */
export type Refusal<Op extends { readonly errors: ReadonlyArray<ErrorClass> }> = ErrorOf<Op["errors"]>

/** The body of a request as JSON; `never` for an operation without a body. */
export type BodyJson<Op> = Op extends { readonly body?: infer Body extends Schema.Top } ? Body["Encoded"]
  : never

/** A request as clients write it: the parameters of its path, with the query of a list or the JSON form of a body. */
export type Request<Op extends AnyOfOperators> = Op extends AnyKeylessWrite
  ? Params<Op> & ([BodyJson<Op>] extends [never] ? unknown : { readonly body: BodyJson<Op> })
  : Input<Op>

/** The answer of an operation as clients see it. */
export type AnswerView<Op> = Op extends AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: infer View extends Schema.Top } ? View["Type"]
  : never

/** The function that handles an operation. */
export type Handler<Op extends AnyRead | AnyList | AnyWrite> = Op extends AnyWrite
  ? WriteCall<[input: Input<Op>], Answer<Op>, Refusal<Op>>
  : (input: Input<Op>, principal: Principal) => Effect.Effect<Answer<Op>, Refusal<Op>>

/** The function that handles an operation of operators. Each may fail because the storage is unavailable. */
export type OperatorHandler<Op extends AnyOfOperators> = (
  input: Input<Op>,
  principal: Principal
) => Effect.Effect<Answer<Op>, Refusal<Op> | StorageUnavailable>

/**
 * The handler of any operation, for interfaces that have read the input by the declaration. An operation that writes keeps its answer if
 * `keep` is passed.
 */
export type AnyHandler = {
  /** Runs the operation for the principal. It fails with a row of the catalogue or with the failure of `keep`. */
  of<F = never>(
    input: object,
    principal: Principal,
    keep?: Keep<object, F>
  ): Effect.Effect<object, CatalogueError | F>
}["of"]

/** The handler of any operation of operators. */
export type AnyOperatorHandler = {
  /** Runs the operation for the principal. It fails with a row of the catalogue. */
  of(input: object, principal: Principal): Effect.Effect<unknown, CatalogueError>
}["of"]

/** An example of the body of an operation. */
export interface RequestExample<A> {
  readonly summary: string
  readonly description?: string
  readonly value: A
}

/** Makes an example of the body of an operation. */
export const example = <const A>(summary: string, value: A, description?: string): RequestExample<A> => ({
  summary,
  ...(description === undefined ? {} : { description }),
  value
})

/** A path parameter with the id of an entity; text that is not an id matches nothing. */
export const id = (description: string) => Schema.String.annotate({ description })

const wordsKey = "@dockline/core/Operation/words"

/** A filter by a word of a fixed set. GraphQL uses the name of the set for its enum. */
export const word = <const Word extends string>(
  name: string,
  words: ReadonlyArray<Word>,
  description: string
) => Schema.Literals([...words, ""]).annotate({ description, [wordsKey]: { name, words } })

/** The name and the words of the set that a filter accepts, as annotated by {@link word}. */
export const wordsOf = (
  ast: SchemaAST.AST
): { readonly name: string; readonly words: ReadonlyArray<string> } | undefined =>
  SchemaAST.resolve(ast)?.[wordsKey] as ReturnType<typeof wordsOf>

/** The declaration with the words of a service in its views and filters; the same declaration if none of its fields is open. */
export const withWords = <
  Op extends {
    readonly view?: Schema.Top | undefined
    readonly row?: Schema.Top | undefined
    readonly filters?: Fields | undefined
  }
>(operation: Op, words: OpenWords): Op => {
  const { filters, row, view } = operation
  const widerParts = {
    ...(view === undefined ? {} : { view: widen(view, words) }),
    ...(row === undefined ? {} : { row: widen(row, words) }),
    ...(filters === undefined ? {} : { filters: widenedFields(filters, words) })
  }
  return widerParts.view === view && widerParts.row === row && widerParts.filters === filters
    ? operation
    : { ...operation, ...widerParts }
}
