/**
 * The operations of a capability that a client calls (D20.1).
 *
 * Guarantee: only types of the capability are imported, so nothing of the service is in a program that uses the client. The compiler
 * refuses a route that is not the declared one, and asks for each that is declared.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Extension from "@dockline/core/capability/Extension"
import type { Operations } from "@dockline/core/operations/Operations"
import type { Method } from "./Methods.ts"

/** Operations by the names of their methods. */
type Table = Readonly<Record<string, Operation.AnyRead | Operation.AnyList | Operation.AnyWrite>>

/** The routes of the operations of a capability: kind, method and path. */
export interface ClientCapability<Operations extends Table = Table, Extensions = {}> {
  readonly routes: {
    readonly [Name in keyof Operations]: `${Operations[Name]["kind"]} ${Operations[Name]["rest"]}`
  }
  /** Its operations are in its type alone. */
  readonly operations?: Operations
  /** What it adds to lists of the contract is in its type alone. */
  readonly extensions?: Extensions
}

/** A list of capabilities. */
export type List = ReadonlyArray<ClientCapability<never> | ClientCapability>

/** Makes the part of a capability that a client has. */
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

/** All of a union at once; of no member, nothing. */
type Intersection<Union> = [Union] extends [never] ? {}
  : (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void ? All
  : never

/** The method of an operation, with what capabilities add to what it answers. */
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
