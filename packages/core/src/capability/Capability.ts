/**
 * A capability as a value (D20.1): a part beyond the contract that can be left out. A program takes a list of capabilities. Its interfaces
 * serve the operations of the contract and of these capabilities, and the types of the façade follow the list.
 *
 * Guarantee: a capability knows the contract, and the contract knows no capability. Its layers need only ports and services that their
 * types name, so the compiler finds missing ones.
 *
 * ```ts
 * const capabilities = [trace] as const
 * const dockline = await Dockline.open({ storage: Memory.layerWith(capabilities), capabilities })
 * await dockline.trace({ lot: "L-1" }, principal)
 * ```
 */
import type { Effect } from "effect"
import { Layer } from "effect"
import type * as Operation from "../access/Operation.ts"
import type { MemoryDatabase } from "../memory/MemoryDatabase.ts"
import type { MessagePayload } from "../messages/Message.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import type { ShipmentCounts } from "../shipment/ShipmentCounts.ts"
import type { MessageKind, OutboxKinds } from "../webhooks/MessageKinds.ts"
import type * as Extension from "./Extension.ts"
import type { IncidentKinds } from "./Incident.ts"
import type * as OperatorPart from "./OperatorPart.ts"

/** Operations by the names of their methods. */
export type OperationTable = Readonly<
  Record<string, Operation.AnyRead | Operation.AnyList | Operation.AnyWrite>
>

/** The work of each operation, by the name of its method. */
export type HandlersOf<Operations extends OperationTable> = {
  readonly [Method in keyof Operations]: Operation.Handler<Operations[Method]>
}

/** Examples of the responses of REST to operations, or of entries of their lists. */
export type AnswersOf<Operations extends OperationTable> = {
  readonly [Method in keyof Operations]: Operation.AnswerExample<Operations[Method]>
}

/** Examples of the requests of operations that change something, by their names. */
export type RequestsOf<Operations extends OperationTable> = {
  readonly [
    Method in keyof Operations as Operations[Method] extends Operation.AnyWrite ? Method : never
  ]: Operations[Method] extends Operation.AnyWrite
    ? Readonly<Record<string, Operation.RequestExample<Operations[Method]["body"]["Encoded"]>>>
    : never
}

/** A capability. */
export interface Capability<
  Name extends string,
  Operations extends OperationTable,
  Service,
  Port,
  Contract,
  Extensions extends Extension.Table
> {
  /** Its name in settings (`CAPABILITIES`), in lower case. */
  readonly name: Name
  /** The title of its operations in the references. */
  readonly title: string
  /** The purpose of its operations, in a sentence. */
  readonly description: string
  readonly operations: Operations
  /** Its services, over its own ports and the services and ports of the contract. */
  readonly services: Layer.Layer<Service, never, Port | Contract>
  /** The work of its operations. */
  readonly handlers: Effect.Effect<HandlersOf<Operations>, never, Service>
  /** Its ports in memory. */
  readonly memory: Layer.Layer<Port, never, MemoryDatabase>
  readonly answers: AnswersOf<Operations>
  /** Examples of the requests of the operations that change something; none by default. */
  readonly requests?: Partial<RequestsOf<Operations>>
  /** The fields that it adds to lists and reads of the contract, by their methods; none by default. */
  readonly extensions?: Extensions
  /** The types of messages that it adds to the log, by their names; none by default. Webhooks deliver each at `webhookPath`. */
  readonly messages?: Messages
  /**
   * The types of its outbox messages by their names; none by default. Endpoints that subscribe to them receive these messages, readers of
   * the log do not.
   */
  readonly outbox?: OutboxKinds
  /** The actions that it adds to the audit log; none by default. */
  readonly audit?: ReadonlyArray<string>
  /** Texts that the references show in addition to those of its schemas; none by default. */
  readonly notes?: Notes
  /** Profiles of payloads that endpoints may use in addition to the contract's; none by default. */
  readonly payloadProfiles?: ReadonlyArray<PayloadProfile>
  /** Its operations for operators (`OperatorPart.make`); none by default. */
  readonly operators?: OperatorPart.Any<Service>
  /** Its counts of shipments, for capabilities that total them over many shipments; none by default. */
  readonly counts?: CountsOf<Port>
  /** The kinds of incidents that it reports, by their names; none by default. */
  readonly incidents?: IncidentKinds<Port>
}

/** The counts of shipments that a capability provides, from its port. */
export interface CountsOf<Port> {
  readonly names: ReadonlyArray<string>
  /** Makes the function that counts, over the port. */
  readonly countsOf: Effect.Effect<ShipmentCounts["countsOf"], never, Port>
}

/** A type of message that a capability adds to the log, with an example of its payload. */
export interface Message extends MessageKind {
  readonly example: MessagePayload
}

/** Types of messages, by their names. */
export type Messages = Readonly<Record<string, Message>>

/** Texts that the references add to the schemas of a capability. */
export interface Notes {
  /**
   * Texts of GraphQL, by the names of types, their fields and their words: `ExceptionKind`, `ExceptionKind.DAMAGED`. An enum is named
   * after the type and the field that has it.
   */
  readonly descriptions?: Readonly<Record<string, string>>
  /** The GraphQL types of fields whose types have other names than the fields, by type and field: `{ "Photo.state": "PhotoState" }`. */
  readonly names?: Readonly<Record<string, string>>
  /** The enums of fields of inputs in GraphQL, by type and field: `{ "ReportExceptionInput.kind": "ExceptionKind" }`. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Other names of schemas in OpenAPI, where their own clash with classes of most languages. */
  readonly schemaNames?: Readonly<Record<string, string>>
}

/** Makes a capability from its slots. */
export const make = <
  const Name extends string,
  const Operations extends OperationTable,
  Service,
  Port,
  Contract,
  const Extensions extends Extension.Table = {}
>(
  name: Name,
  slots: Omit<Capability<Name, Operations, Service, Port, Contract, Extensions>, "name">
): Capability<Name, Operations, Service, Port, Contract, Extensions> => ({ name, ...slots })

/** Any capability. The types of its services and handlers are erased. */
export interface Any {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operations: OperationTable
  readonly services: Layer.Layer<never, never, unknown>
  readonly handlers: Effect.Effect<object, never, unknown>
  readonly memory: Layer.Layer<never, never, MemoryDatabase>
  readonly answers: Readonly<Record<string, unknown>>
  readonly requests?: Readonly<Record<string, object>>
  readonly extensions?: Extension.Table
  readonly messages?: Messages
  readonly outbox?: OutboxKinds
  readonly audit?: ReadonlyArray<string>
  readonly notes?: Notes
  readonly payloadProfiles?: ReadonlyArray<PayloadProfile>
  readonly operators?: OperatorPart.Any
  readonly counts?: CountsOf<unknown>
  readonly incidents?: IncidentKinds
}

/** A list of capabilities. */
export type List = ReadonlyArray<Any>

/** The operations of the capabilities of a list, by the names of their methods. */
export type OperationsOf<Capabilities extends List> = Intersection<Capabilities[number]["operations"]>

/** The services of the capabilities of a list. */
export type ServicesOf<Capabilities extends List> = Layer.Success<Capabilities[number]["services"]>

/** The ports of the capabilities of a list, which the storage must provide. */
export type PortsOf<Capabilities extends List> = Layer.Success<Capabilities[number]["memory"]>

/** The services and ports that the services of the capabilities of a list need. */
export type NeedsOf<Capabilities extends List> = Layer.Services<Capabilities[number]["services"]>

/** The extensions of a capability. */
type ExtensionsOf<Each> = Each extends { readonly extensions?: infer Extensions } ?
  Exclude<Extensions, undefined>
  : never

/** The services that the extensions of the capabilities of a list need. */
export type ExtensionNeedsOf<Capabilities extends List> = Extension.NeedsOf<
  Intersection<ExtensionsOf<Capabilities[number]>>
>

/** The lists and reads of the contract that the capabilities of a list extend, with the added fields. */
export type AddedOf<Capabilities extends List> = Intersection<
  Capabilities[number] extends infer Each ? Each extends Any ? Additions<ExtensionsOf<Each>> : never : never
>

/** A list of unknown members adds no known fields. */
type Additions<Extensions> = string extends keyof Extensions ? {} : {
  readonly [Method in keyof Extensions as undefined extends Extensions[Method] ? never : Method]:
    Extension.AddedBy<Extensions[Method]>
}

/** The intersection of the members of a union; `{}` for no members. */
type Intersection<Union> = [Union] extends [never] ? {}
  : (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void ? All
  : never

/** The operations of capabilities, by the names of their methods. */
export const operationsOf = (capabilities: List): OperationTable =>
  Object.assign({}, ...capabilities.map(({ operations }) => operations))

/** The extensions of the operation of a method. */
export const extensionsOf = (
  capabilities: List,
  method: string
): ReadonlyArray<Extension.Any | Extension.AnyView> =>
  capabilities.flatMap(({ extensions = {} }) =>
    Object.entries(extensions).filter(([name]) => name === method).map(([, each]) => each)
  )

/** The services of capabilities. The cast restores the types of the members, which merging layers in a loop loses. */
export const servicesOf = <const Capabilities extends List>(capabilities: Capabilities) =>
  Layer.mergeAll(Layer.empty, ...capabilities.map(({ services }) => services)) as Layer.Layer<
    ServicesOf<Capabilities>,
    never,
    NeedsOf<Capabilities>
  >
