/**
 * An operation as a value: what it takes, what it answers, why it is refused, and its name in each interface. REST with its
 * OpenAPI document and CSV, GraphQL, the façade, the client and the command line derive from it, so that a fact about an
 * operation stands in one place.
 *
 * Guarantee: a declaration is data. It says nothing of how an interface carries it, and importing it loads no server.
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
 * A function of a part of an operation that only its declaration knows. As parameters of methods are compared in both directions, an
 * operation of any types is one of {@link Any}.
 */
export type Method<Part, A> = {
  /** The function. */
  of(part: Part): A
}["of"]

/** What a cell of a table shows: of a place its slug, and of a list its entries. */
export type Cell = string | number | boolean | null | { readonly slug: string } | ReadonlyArray<string>

/** The columns of a list: their names, and how each is read from an entry. */
export type Table<Row> = ReadonlyArray<readonly [column: string, cellOf: Method<Row, Cell>]>

/** Columns that show fields as they are. */
export const columns = <Name extends string>(
  ...names: ReadonlyArray<Name>
): Table<Readonly<Record<Name, Cell>>> => names.map((name) => [name, (row) => row[name]])

/** Columns that show all fields of a view, but some, as they are. */
export const columnsOf = <Name extends string>(
  { fields }: { readonly fields: Readonly<Record<Name, unknown>> },
  ...without: ReadonlyArray<Name>
): Table<Readonly<Record<Name, Cell>>> =>
  columns(...Struct.keys(fields).filter((name) => !without.includes(name)))

/** What every operation declares. */
export interface Declaration<Name, Rest, Params, Errors> {
  /** Its name, which identifies it in every interface. */
  readonly name: Name
  readonly rest: Rest
  /** The parameters of the path, in the order of the path. */
  readonly params: Params
  /** Why it is refused, beside what may befall any request. */
  readonly errors: Errors
  /** What it does, as a title. */
  readonly summary: string
  /** What it does, in sentences. */
  readonly description: string
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
  /** What it reads, where an interface has it as a thing and not as an action; as `description` unless given. */
  readonly entity?: string
  /** The part of the view that a change expects to find as it was read; absent where no change expects anything. */
  stateOf?(view: View["Type"]): unknown
  /** The version of what it shows, where that is counted. */
  versionOf?(view: View["Type"]): number
}

/** How pages follow one another: by the last entry's id, its name, its position or its message, or by the number of entries before. */
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
  /** What narrows the list; an optional filter that is `""` or absent filters nothing. */
  readonly filters: Filters
  readonly cursor: Of
  readonly row: Row
  /** The name of its pages, such as `ShipmentPage`. */
  readonly page: string
  /** What its pages hold, in the plural, and in which order, for people; the order is that of ids unless given. */
  readonly holds?: readonly [what: string, order?: string] | undefined
  /** Its columns where it is shown as a table that a program reads. What has no cell of its own is counted or left out. */
  readonly columns: Table<Row["Type"]>
}

interface PlaceSlugs {
  readonly business: string
  readonly facility: string
}

/** A part of an answer for an interface that shows no more of it. */
interface Receipt<Done, View extends Schema.Top> {
  readonly view: View
  of(done: Done): View["Type"]
}

/** What all operations that change something declare. */
interface Change<
  Name,
  Rest,
  Params,
  View extends Schema.Top,
  Done,
  Errors
> extends Declaration<Name, Rest, Params, Errors> {
  readonly kind: "write"
  /** Whether a request without a body means `{}`. Not so unless given. */
  readonly isBodyOptional?: boolean
  /** What clients see of what was done; `Schema.Void` for nothing. */
  readonly view: View
  /** Shows what was done; as it is when absent. */
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
  /** Its body as clients send it. */
  readonly body: Body
  /** Reads a body into what the operation takes. */
  readonly read: Reader<Input>
  /** What REST shows instead of the view. */
  readonly receipt?: Receipt<NoInfer<Done>, Short>
  /** What success means, in a sentence for the references; what its status means unless given. */
  readonly success?: string
  /** Whether something was created: always, never, or according to what was done. */
  readonly creates: boolean | Method<NoInfer<Done>, boolean>
  /** Whether it only adds: it ends nothing, and takes nothing back. Not so unless given. */
  readonly isAdditive?: boolean
  /** Whether repeating it changes nothing, also without a key. Not so unless given. */
  readonly isRepeatable?: boolean
  /** Each of them suffices. */
  readonly may: ReadonlyArray<Permission>
  /** The place where it was done. A repetition takes one of the permissions there. */
  placeOf(done: NoInfer<Done>, body: NoInfer<Input>): PlaceSlugs
}

/**
 * Changes something each time it is asked for, for operators (D11). It takes no `Idempotency-Key`, as no answer of it is kept: the answer
 * may hold a secret, which is shown once.
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
  /** Its body as operators send it; it takes none when absent. */
  readonly body?: Body
  /** Reads the body into what the operation takes. */
  readonly read?: Reader<Input>
  /** The field of the view that names what is created below the path of the request; `null` if it has no path of its own. */
  readonly creates?: keyof View["Type"] & string | null
  /** The part of the view that has a version, which a request may expect unless it creates; absent where nothing has one. */
  stateOf?(view: View["Type"]): unknown
  /** Whether its work goes on after the answer. Not so unless given. */
  readonly isAccepted?: boolean
}

/** Takes a body in several forms, or a file, which interfaces read and pass on by hand; a repetition is as that of a write. */
export interface Upload<
  Name extends string,
  Rest extends Route,
  View extends Schema.Top,
  Errors extends ReadonlyArray<ErrorClass>
> extends Declaration<Name, Rest, {}, Errors> {
  readonly kind: "upload"
  readonly view: View
  /** The version of what it changed, where that is counted. */
  versionOf?(view: View["Type"]): number
  /** Whether something was created. */
  creates(done: View["Type"]): boolean
  /** Each of them suffices. */
  readonly may: ReadonlyArray<Permission>
}

/** The place of an entity that shows its place. */
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

/** Declares an operation that takes a body in several forms. */
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
    /** The field of the view that names what is created. */
    readonly creates?: string | null
  }

/** Any operation that takes a body in several forms. */
export type AnyUpload = Upload<string, Route, Schema.Top, ReadonlyArray<ErrorClass>>

/** Any operation of operators. */
export type AnyOfOperators = AnyRead | AnyList | AnyKeylessWrite

/** Any operation of clients. */
export type Any = AnyRead | AnyList | AnyWrite | AnyUpload

/** The same fields, of which optional ones may also be `undefined`. */
type Loose<A> = { readonly [K in keyof A]: {} extends Pick<A, K> ? A[K] | undefined : A[K] }

type Struct<F extends Fields> = Schema.Struct.Type<F>

interface Positions {
  readonly id: { readonly after?: number | undefined }
  readonly name: { readonly after?: string | undefined }
  readonly position: { readonly after?: string | undefined }
  readonly message: { readonly afterId?: number | undefined }
  readonly count: { readonly after?: number | undefined }
}

/** The filters and the page that a list is asked for. */
export type Query<Op extends Pick<AnyList, "filters" | "cursor">> =
  & Loose<Struct<Op["filters"]>>
  & Positions[Op["cursor"]]
  & { readonly limit?: number | undefined }

/** The parameters of the path of an operation, as texts. */
export type Params<Op extends { readonly params: Fields }> = {
  readonly [Name in keyof Op["params"]]: string
}

/** What the body of an operation says; `never` of one that takes none. */
export type InputOf<Op> = Op extends { readonly kind: "write"; readonly read?: Reader<infer Body> } ? Body
  : never

/** What an operation takes: the parameters of its path, with the query of a list or a body beside them. */
export type Input<Op extends { readonly params: Fields }> =
  & Params<Op>
  & (Op extends AnyList ? Query<Op> : unknown)
  & ([InputOf<Op>] extends [never] ? unknown : { readonly body: InputOf<Op> })

/** A change that says where it was made. */
interface ToldWithPlace<Done> {
  readonly placeOf: (done: Done, body: never) => unknown
}

/** A change that shows what was done by a function of its own. */
interface ShownByItself<Done> {
  readonly takesKey: false
  show?(done: Done): unknown
}

/** What an operation answers, before it is shown. */
export type Answer<Op> = Op extends AnyList ? Page<Op["row"]["Type"]>
  : Op extends ToldWithPlace<infer Done> ? Done
  : Op extends ShownByItself<infer Done> ? Done
  : Op extends { readonly view: Schema.Top } ? Op["view"]["Type"]
  : never

/** What REST answers to an operation that changes something. */
export type RestView<Op extends AnyWrite> = Op extends
  { readonly receipt?: { readonly view: infer View extends Schema.Top } | undefined } ? View
  : Op["view"]

/** A value as JSON has it that a module imports: the compiler knows its members, and not their words. */
export type Json<A> = A extends string ? string : A extends number ? number : A extends boolean ? boolean
: { readonly [Member in keyof A]: Json<A[Member]> }

/** An example of the answer of REST to an operation, or of an entry of what it lists. */
export type AnswerExample<Op extends Any> = Op extends AnyWrite ? Json<RestView<Op>["Type"]>
  : Op extends AnyList ? Json<Op["row"]["Type"]> | ReadonlyArray<Json<Op["row"]["Type"]>>
  : Op extends AnyRead ? Json<Op["view"]["Type"]>
  : never

/** Why an operation is refused, by its declaration. */
export type Refusal<Op extends { readonly errors: ReadonlyArray<ErrorClass> }> = ErrorOf<Op["errors"]>

/** The body of a request as JSON; `never` of an operation that takes none. */
export type BodyJson<Op> = Op extends { readonly body?: infer Body extends Schema.Top } ? Body["Encoded"]
  : never

/** A request as clients write it: the parameters of its path, with the query of a list or the JSON form of a body. */
export type Request<Op extends AnyOfOperators> = Op extends AnyKeylessWrite
  ? Params<Op> & ([BodyJson<Op>] extends [never] ? unknown : { readonly body: BodyJson<Op> })
  : Input<Op>

/** What clients see of the answer of an operation. */
export type AnswerView<Op> = Op extends AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: infer View extends Schema.Top } ? View["Type"]
  : never

/** What an operation does. */
export type Handler<Op extends AnyRead | AnyList | AnyWrite> = Op extends AnyWrite
  ? WriteCall<[input: Input<Op>], Answer<Op>, Refusal<Op>>
  : (input: Input<Op>, principal: Principal) => Effect.Effect<Answer<Op>, Refusal<Op>>

/** What an operation of operators does; any of them may find the storage away. */
export type OperatorHandler<Op extends AnyOfOperators> = (
  input: Input<Op>,
  principal: Principal
) => Effect.Effect<Answer<Op>, Refusal<Op> | StorageUnavailable>

/**
 * What any operation does, for interfaces that have read the input as the operation is declared. What writes keeps its answer where it is
 * asked to.
 */
export type AnyHandler = {
  /** Does it for the principal; it fails with a row of the catalogue, or with what `keep` fails with. */
  of<F = never>(
    input: object,
    principal: Principal,
    keep?: Keep<object, F>
  ): Effect.Effect<object, CatalogueError | F>
}["of"]

/** What any operation of operators does. */
export type AnyOperatorHandler = {
  /** Does it for the principal; it fails with a row of the catalogue. */
  of(input: object, principal: Principal): Effect.Effect<unknown, CatalogueError>
}["of"]

/** An example of what the body of an operation says. */
export interface RequestExample<A> {
  readonly summary: string
  readonly description?: string
  readonly value: A
}

/** Makes an example of what the body of an operation says. */
export const example = <const A>(summary: string, value: A, description?: string): RequestExample<A> => ({
  summary,
  ...(description === undefined ? {} : { description }),
  value
})

/** The parameter of a path that holds the id of an entity; text that is no id names nothing. */
export const id = (description: string) => Schema.String.annotate({ description })

const wordsKey = "@dockline/core/Operation/words"

/** A filter by a word of a known set, whose name GraphQL takes for its enum. */
export const word = <const Word extends string>(
  name: string,
  words: ReadonlyArray<Word>,
  description: string
) => Schema.Literals([...words, ""]).annotate({ description, [wordsKey]: { name, words } })

/** The name of the set of words that a filter takes, and the words; {@link word} alone writes them. */
export const wordsOf = (
  ast: SchemaAST.AST
): { readonly name: string; readonly words: ReadonlyArray<string> } | undefined =>
  SchemaAST.resolve(ast)?.[wordsKey] as ReturnType<typeof wordsOf>

/** A declaration whose views and filters have the words of a service; itself where it has none to which others are added. */
export const withWords = <
  Op extends {
    readonly view?: Schema.Top | undefined
    readonly row?: Schema.Top | undefined
    readonly filters?: Fields | undefined
  }
>(operation: Op, words: OpenWords): Op => {
  const { filters, row, view } = operation
  const anew = {
    ...(view === undefined ? {} : { view: widen(view, words) }),
    ...(row === undefined ? {} : { row: widen(row, words) }),
    ...(filters === undefined ? {} : { filters: widenedFields(filters, words) })
  }
  return anew.view === view && anew.row === row && anew.filters === filters
    ? operation
    : { ...operation, ...anew }
}
