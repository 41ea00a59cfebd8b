/**
 * The types of the client's methods, and the operations of a capability that a client calls (D20.1).
 *
 * Guarantee: only types of the capability are imported, so no code of the service becomes part of a program that uses the client. The
 * compiler rejects a route that differs from its declaration, and a declared operation without a route.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Extension from "@dockline/core/capability/Extension"
import type { Operations } from "@dockline/core/operations/Operations"
import type { CallOptions, WriteOptions } from "./Calls.ts"
import type { AnswerOf, Name } from "./Declared.ts"

/** An id in a path: a number as in answers, or a text. */
export type PathId = number | string

/** The body of an operation. */
export type Payload<MethodName extends Name> = BodyOf<Operations[MethodName]>

type BodyOf<Op> = Op extends Operation.AnyWrite ? Op["body"]["Type"] : never

/** The filters of a list. `after` is the `next` of the previous page; without it, or with `null`, the list starts at its beginning. */
export type Query<MethodName extends Name> = QueryOf<Operations[MethodName]>

type QueryOf<Op> = Op extends Operation.AnyList ? Lenient<Operation.Query<Op>> : never

type Lenient<Fields> = {
  readonly [Key in keyof Fields]: Fields[Key] | (Key extends "after" ? number | string | null : never)
}

/** The ids in a path, in its order. */
type Ids<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [id: PathId, ...Ids<`/${Rest}`>]
  : Path extends `${string}/:${string}` ? [id: PathId]
  : []

/** The argument after the ids of a path: the query of a list, or the body of a write. */
type QueryOrBody<Op> = Op extends Operation.AnyList ? Argument<QueryOf<Op>>
  : Op extends Operation.AnyWrite ? keyof Op["body"]["Type"] extends never ? [] : Argument<Op["body"]["Type"]>
  : []

/** An argument that may be left out if all its fields are optional. */
type Argument<Value> = {} extends Value ? [argument?: Value] : [argument: Value]

/** The method of an operation: the ids of its path, then its query or its body. */
export type Method<Op extends Operation.Any> = (
  ...argument: [
    ...Ids<Op["rest"]>,
    ...QueryOrBody<Op>,
    options?: Op extends Operation.AnyWrite ? WriteOptions : CallOptions
  ]
) => Promise<AnswerOf<Op>>

/** The methods that derive from their declarations. `submit` and `link` have signatures of their own in `Client.ts`. */
export type Methods = {
  readonly [Key in keyof Operations as Exclude<Key, "submit" | "link">]: Method<Operations[Key]>
}

/** Operations by the names of their methods. */
type Table = Readonly<Record<string, Operation.AnyRead | Operation.AnyList | Operation.AnyWrite>>

/** The routes of the operations of a capability: kind, method and path. */
export interface ClientCapability<Own extends Table = Table, Extensions = {}> {
  readonly routes: {
    readonly [Key in keyof Own]: `${Own[Key]["kind"]} ${Own[Key]["rest"]}`
  }
  /** Never set: its type carries the operations. */
  readonly operations?: Own
  /** Never set: its type carries the fields that the capability adds to the contract. */
  readonly extensions?: Extensions
}

/** A list of capabilities. */
export type List = ReadonlyArray<ClientCapability<never> | ClientCapability>

/** Makes the client's part of a capability. */
export const make = <Capability extends { readonly operations: Table; readonly extensions?: object }>() =>
(
  routes: ClientCapability<Capability["operations"]>["routes"]
): ClientCapability<Capability["operations"], Exclude<Capability["extensions"], undefined>> => ({ routes })

type OperationsOf<Each> = Each extends { readonly operations?: infer Own } ? Exclude<Own, undefined>
  : never

type ExtensionsOf<Each> = Each extends { readonly extensions?: infer Extensions }
  ? Exclude<Extensions, undefined>
  : never

/** The intersection of the members of a union; `{}` without members. */
type Intersection<Union> = [Union] extends [never] ? {}
  : (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void ? All
  : never

/** The method of an operation, with the fields that capabilities add to its answer. */
type ExtendedMethod<Op, Key, Extensions> = Key extends keyof Extensions
  ? Extension.ExtendedOperation<Op, Extension.AddedBy<Extensions[Key]>> extends
    infer Wide extends Operation.Any ? Method<Wide> : never
  : Op extends Operation.Any ? Method<Op>
  : never

/** The methods of the operations of capabilities. */
export type MethodsOf<Capabilities extends List> = Intersection<OperationsOf<Capabilities[number]>> extends
  infer Own ? {
    readonly [Key in keyof Own]: ExtendedMethod<
      Own[Key],
      Key,
      Intersection<ExtensionsOf<Capabilities[number]>>
    >
  }
  : never

/** The methods of the lists and reads of the contract that capabilities extend. */
export type ExtendedMethodsOf<Capabilities extends List> =
  Intersection<ExtensionsOf<Capabilities[number]>> extends infer Extensions ? {
      readonly [Key in keyof Extensions & keyof Operations]: ExtendedMethod<
        Operations[Key],
        Key,
        Extensions
      >
    }
    : never
