/**
 * The operations of a capability that a client calls (D20.1).
 *
 * Guarantee: only types of the capability are imported, so no code of the service becomes part of a program that uses the client. The
 * compiler rejects a route that differs from its declaration, and a declared operation without a route.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Extension from "@dockline/core/capability/Extension"
import type { Operations } from "@dockline/core/operations/Operations"
import type { CallOptions, WriteOptions } from "./Calls.ts"
import type { AnswerOf, Name } from "./Declared.ts"

/** The id of a shipment or of a part of it, such as a pallet: as in answers, or as text. */
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

/** An argument that may be left out if all its fields are optional. */
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

/** Operations by the names of their methods. */
type Table = Readonly<Record<string, Operation.AnyRead | Operation.AnyList | Operation.AnyWrite>>

/** The routes of the operations of a capability: kind, method and path. */
export interface ClientCapability<Operations extends Table = Table, Extensions = {}> {
  readonly routes: {
    readonly [Name in keyof Operations]: `${Operations[Name]["kind"]} ${Operations[Name]["rest"]}`
  }
  /** Never set: its type carries the operations. */
  readonly operations?: Operations
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

type OperationsOf<Each> = Each extends { readonly operations?: infer Operations }
  ? Exclude<Operations, undefined>
  : never

type ExtensionsOf<Each> = Each extends { readonly extensions?: infer Extensions }
  ? Exclude<Extensions, undefined>
  : never

/** The intersection of the members of a union; `{}` without members. */
type Intersection<Union> = [Union] extends [never] ? {}
  : (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void ? All
  : never

/** The method of an operation, with the fields that capabilities add to its answer. */
type ExtendedMethod<Op, Name, Extensions> = Name extends keyof Extensions
  ? Extension.ExtendedOperation<Op, Extension.AddedBy<Extensions[Name]>> extends
    infer Wide extends Operation.Any ? Method<Wide> : never
  : Op extends Operation.Any ? Method<Op>
  : never

/** The methods of the operations of capabilities. */
export type MethodsOf<Capabilities extends List> = Intersection<OperationsOf<Capabilities[number]>> extends
  infer Own ? {
    readonly [Name in keyof Own]: ExtendedMethod<
      Own[Name],
      Name,
      Intersection<ExtensionsOf<Capabilities[number]>>
    >
  }
  : never

/** The methods of the lists and reads of the contract that capabilities extend. */
export type ExtendedMethodsOf<Capabilities extends List> =
  Intersection<ExtensionsOf<Capabilities[number]>> extends infer Extensions ? {
      readonly [Name in keyof Extensions & keyof Operations]: ExtendedMethod<
        Operations[Name],
        Name,
        Extensions
      >
    }
    : never
