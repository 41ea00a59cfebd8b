/**
 * A capability as a value (D20.1): a part beyond the contract that can be left out. A program takes a list of capabilities. Its interfaces
 * serve the operations of the contract and of these capabilities, and the types of the façade follow the list.
 *
 * Guarantee: the contract knows no capability. The types of the layers of a capability name the ports and services that they need, so the
 * compiler finds missing ones. A capability gives an incident the same key each time, because people are notified once for each key.
 *
 * ```ts
 * const capabilities = [trace] as const
 * const dockline = await Dockline.open({ storage: Memory.layerWith(capabilities), capabilities })
 * await dockline.trace({ lot: "L-1" }, principal)
 * ```
 */
import { Context, Effect, Layer, Predicate } from "effect"
import type { OpenWords } from "../access/OpenWords.ts"
import type * as Operation from "../access/Operation.ts"
import type { MemoryDatabase } from "../memory/MemoryDatabase.ts"
import type { Message as LoggedMessage, MessagePayload } from "../messages/Message.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import { isTimestamp } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { MessageKind, OutboxKinds } from "../webhooks/MessageKinds.ts"
import type * as Extension from "./Extension.ts"

/** Numbers of a shipment, by their names. */
export type Counts = Readonly<Record<string, number>>

/** The counts of shipments by a capability. */
export interface ShipmentCounts {
  /** The names of its counts. */
  readonly names: ReadonlyArray<string>
  /** Counts for shipments of a facility. A shipment that the result leaves out has zeros. */
  readonly countsOf: (
    place: { readonly business: string; readonly facility: string },
    shipmentIds: ReadonlyArray<ShipmentId>
  ) => Effect.Effect<ReadonlyMap<number, Counts>, StorageUnavailable>
}

/** The counts of all capabilities of the service; none by default. */
export const AllShipmentCounts: Context.Reference<ReadonlyArray<ShipmentCounts>> = Context.Reference(
  "@dockline/core/capability/AllShipmentCounts",
  { defaultValue: (): ReadonlyArray<ShipmentCounts> => [] }
)

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
  /** Texts that the references show in addition to the texts of its schemas; none by default. */
  readonly notes?: Notes
  /** Profiles of payloads that endpoints may use in addition to the contract's; none by default. */
  readonly payloadProfiles?: ReadonlyArray<PayloadProfile>
  /** Its operations for operators (`makeOperatorPart`); none by default. */
  readonly operators?: AnyOperatorPart<Service>
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
  readonly operators?: AnyOperatorPart
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

/** A problem of which people can be notified. */
export interface Incident {
  /** The subject of the incident, unique among all incidents of a business: `exception:7`. */
  readonly key: string
  /** The slug of its facility; `null` if it concerns all facilities of the business. */
  readonly facility: string | null
  readonly at: Timestamp
  /** The incident in a few words. */
  readonly title: string
  readonly text: string
  /** The address of its page on the dashboard; `""` if there is none. */
  readonly url: string
}

/** Finds incidents in messages of the log, at most one in each message. */
export interface IncidentsOfMessages {
  readonly types: ReadonlyArray<MessageType>
  /** The incidents of messages of a business, by the ids of the messages. */
  readonly ofMessages: (
    business: string,
    messages: ReadonlyArray<LoggedMessage>
  ) => Effect.Effect<ReadonlyMap<number, Incident>, StorageUnavailable>
}

/** Finds incidents in the stored state, which is queried every few seconds. */
export interface IncidentsOfState {
  /** The incidents of a business that began at a time or later, in the order of their times. If there are too many, only the latest. */
  readonly since: (
    business: string,
    time: Timestamp
  ) => Effect.Effect<ReadonlyArray<Incident>, StorageUnavailable>
}

/** A kind of incidents. */
export interface IncidentKind<Port = unknown> {
  /** The subject of its notifications: `a problem that was reported with high priority`. */
  readonly about: string
  /** Makes the source that finds the incidents, over the port of the capability. */
  readonly source: Effect.Effect<IncidentsOfMessages | IncidentsOfState, never, Port>
}

/** Kinds of incidents by their names, in capitals. */
export type IncidentKinds<Port = unknown> = Readonly<Record<string, IncidentKind<Port>>>

/** Finds the incident of each message by the message alone. */
export const eachMessage = (
  types: ReadonlyArray<MessageType>,
  incidentOf: (message: LoggedMessage) => Incident | undefined
): IncidentsOfMessages => ({
  types,
  ofMessages: (_, messages) =>
    Effect.succeed(
      new Map(messages.flatMap((message) => {
        const incident = incidentOf(message)
        return incident === undefined ? [] : [[message.id, incident] as const]
      }))
    )
})

/** The time of the event that a message reports: its `occurredAt`, else the time when it was sent. */
export const occurredAt = ({ sentAt }: LoggedMessage, { occurredAt }: MessagePayload): Timestamp =>
  Predicate.isString(occurredAt) && isTimestamp(occurredAt) ? occurredAt : sentAt

/** The sources of the incidents of a service, by the names of their kinds. */
export type Sources = ReadonlyMap<string, IncidentsOfMessages | IncidentsOfState>

/** The sources of the capabilities of a service; none by default. */
export const IncidentSources: Context.Reference<Sources> = Context.Reference(
  "@dockline/core/capability/IncidentSources",
  { defaultValue: (): Sources => new Map() }
)

/**
 * Operations for operators, by their names (D11). Interfaces serve them in the same way as the operations of `operator/OperatorOperations`.
 */
export type OperatorTable = Readonly<Record<string, Operation.AnyOfOperators>>

/** The handlers of operations for operators, by the names of the operations. */
export type OperatorHandlersOf<Operations extends OperatorTable> = {
  readonly [Name in keyof Operations]: Operation.OperatorHandler<Operations[Name]>
}

/** Examples of the requests of operations that take a body, by the names of the operations. */
export type OperatorRequestsOf<Operations extends OperatorTable> = {
  readonly [
    Name in keyof Operations as [Operation.BodyJson<Operations[Name]>] extends [never] ? never : Name
  ]: Readonly<
    Record<string, Operation.RequestExample<Operation.BodyJson<Operations[Name]>>>
  >
}

/** Examples of the answers of operations that have an answer, by the names of the operations. */
export type OperatorAnswersOf<Operations extends OperatorTable> = {
  readonly [
    Name in keyof Operations as [Operation.AnswerView<Operations[Name]>] extends [void] ? never : Name
  ]: Operation.Json<Operation.AnswerView<Operations[Name]>>
}

/** The part of a capability for operators. */
export interface OperatorPart<Operations extends OperatorTable, Service> {
  /** The name of its group in REST, in camel case. */
  readonly name: string
  /** The title of its group in the reference. */
  readonly title: string
  /** The purpose of its operations, in a sentence. */
  readonly description: string
  readonly operations: Operations
  /** Makes the operations with the words of a service. Without this function, `operations` has them all. */
  readonly withWords?: (words: OpenWords) => Operations
  /** The handlers of its operations. */
  readonly handlers: Effect.Effect<OperatorHandlersOf<Operations>, never, Service>
  readonly requests: OperatorRequestsOf<Operations>
  readonly answers: OperatorAnswersOf<Operations>
}

/** Makes an operator part from its slots. */
export const makeOperatorPart = <const Operations extends OperatorTable, Service>(
  slots: OperatorPart<Operations, Service>
): OperatorPart<Operations, Service> => slots

/** Any operator part, without the types of its operations and handlers. */
export interface AnyOperatorPart<Service = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operations: OperatorTable
  /** Makes the operations with the words of a service. */
  readonly withWords?: (words: OpenWords) => OperatorTable
  /** The handlers of its operations. */
  readonly handlers: Effect.Effect<object, never, Service>
  readonly requests: Readonly<Record<string, object>>
  readonly answers: Readonly<Record<string, object>>
}
