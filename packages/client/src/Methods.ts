/**
 * The types of the client's methods, which derive from the operations that core declares.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type { Operations } from "@dockline/core/operations/Operations"
import type { CallOptions, WriteOptions } from "./Calls.ts"
import type { AnswerOf, Name } from "./Declared.ts"

/** The id of a shipment, or of something of it, as answers have it or as text. */
export type ShipmentId = number | string

/** The body of an operation. */
export type Payload<Method extends Name> = BodyOf<Operations[Method]>

type BodyOf<Op> = Op extends Operation.AnyWrite ? Op["body"]["Type"] : never

/** The filters of a list. `after` is the `next` of the previous page; without it, or with `null`, the list starts at its beginning. */
export type Query<Method extends Name> = QueryOf<Operations[Method]>

type QueryOf<Op> = Op extends Operation.AnyList ? Lenient<Operation.Query<Op>> : never

type Lenient<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] | (Name extends "after" ? number | string | null : never)
}

/** The ids in a path, in its order. */
type Ids<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [id: ShipmentId, ...Ids<`/${Rest}`>]
  : Path extends `${string}/:${string}` ? [id: ShipmentId]
  : []

type Beside<Op> = Op extends Operation.AnyList ? Argument<QueryOf<Op>>
  : Op extends Operation.AnyWrite ? keyof Op["body"]["Type"] extends never ? [] : Argument<Op["body"]["Type"]>
  : []

/** An argument that may be left out where all its fields may be. */
type Argument<Value> = {} extends Value ? [argument?: Value] : [argument: Value]

/** The method of an operation: the ids of its path, then its query or its body. */
export type Method<Op extends Operation.Any> = (
  ...argument: [
    ...Ids<Op["rest"]>,
    ...Beside<Op>,
    options?: Op extends Operation.AnyWrite ? WriteOptions : CallOptions
  ]
) => Promise<AnswerOf<Op>>

/** The methods that derive from their declarations. */
export type Methods = {
  readonly [Name in keyof Operations as Exclude<Name, "submit" | "link">]: Method<Operations[Name]>
}
