/**
 * The types of the façade's methods, which derive from the declared operations.
 */
import type { Principal } from "../../access/Access.ts"
import type * as Operation from "../../access/Operation.ts"
import type * as Capability from "../../capability/Capability.ts"
import type * as Extension from "../../capability/Extension.ts"
import type { Operations } from "../../operations/Operations.ts"
import type { InvalidRequest, MalformedRequest, StorageUnavailable } from "../../values/Errors.ts"

/** The result of a call: a value, or an error, which its `_tag` and its `code` identify. */
export type Answer<A, E> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: E }

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: the promise rejects with the signal's reason. The operation may have taken place nevertheless. */
  readonly signal?: AbortSignal | undefined
}

/** The id of a shipment, as in answers or as text. */
export type ShipmentId = number | string

/** The filters and the page of a list; `after` is the `next` of the previous page. */
export type Listing<Query> = Omit<Query, "after"> & { readonly after?: number | string | null | undefined }

/** The ids in a path, in its order. */
type Ids<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [id: ShipmentId, ...Ids<`/${Rest}`>]
  : Path extends `${string}/:${string}` ? [id: ShipmentId]
  : []

/** What a method takes beside ids: the query of a list, or the body of a write that has fields. */
type Beside<Op extends Operation.Any> = Op extends Operation.AnyList ? [query: Listing<Operation.Query<Op>>]
  : Op extends Operation.AnyWrite ? keyof Op["body"]["Type"] extends never ? [] : [given: unknown]
  : []

/** The errors of reading what a method takes. */
type Unreadable<Op extends Operation.Any> = Beside<Op> extends [] ? never : MalformedRequest | InvalidRequest

/** The method of an operation: the ids of its path, its query or its body, and on whose behalf it is called. */
export type Method<Op extends Operation.Any> = (
  ...rest: [...Ids<Op["rest"]>, ...Beside<Op>, principal: Principal, options?: CallOptions]
) => Promise<
  Answer<Operation.Answer<Op>, Operation.Refusal<Op> | StorageUnavailable | Unreadable<Op>>
>

/** The methods of the declared operations, but for documents and messages, which `Dockline` takes and gives in other forms. */
export type OperationMethods = {
  readonly [Name in keyof Operations as Exclude<Name, "messages" | "submit">]: Method<Operations[Name]>
}

/** The method of an operation, with what capabilities add to what it answers. */
type ExtendedOf<Op, Name, Addition> = Name extends keyof Addition
  ? Extension.ExtendedOperation<Op, Addition[Name]> extends infer Wide extends Operation.Any ? Method<Wide>
  : never
  : Op extends Operation.Any ? Method<Op>
  : never

/** The methods of the operations of capabilities. */
export type CapabilityMethods<Capabilities extends Capability.List> = {
  readonly [Name in keyof Capability.OperationsOf<Capabilities>]: ExtendedOf<
    Capability.OperationsOf<Capabilities>[Name],
    Name,
    Capability.AddedOf<Capabilities>
  >
}

/** The methods of the lists and reads of the contract that capabilities extend. */
export type ExtendedMethods<Capabilities extends Capability.List> = {
  readonly [Name in keyof Capability.AddedOf<Capabilities> & keyof Operations]: ExtendedOf<
    Operations[Name],
    Name,
    Capability.AddedOf<Capabilities>
  >
}
