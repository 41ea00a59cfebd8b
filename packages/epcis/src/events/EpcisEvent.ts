/**
 * The events and documents of EPCIS 2.0 in JSON-LD that the service makes (D24), with their words of the Core Business Vocabulary (CBV
 * 2.0), and the messages that make events.
 */
import type { MessageId } from "@dockline/core/values/Id"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { MessageType } from "@dockline/core/values/Vocabulary"

/** The types of events. */
export const eventTypes = ["ObjectEvent", "AggregationEvent", "AssociationEvent"] as const

/** A type of events. */
export type EventType = (typeof eventTypes)[number]

/** The types of events in the standard; the service makes only some of them. */
export const standardEventTypes = [...eventTypes, "TransactionEvent", "TransformationEvent"] as const

/** A business step of CBV. */
export type BizStep = "arriving" | "departing" | "loading" | "unloading"

/** The state of objects after an event. */
export type Disposition = "in_progress" | "in_transit"

/** The actions of the standard. */
export const actions = ["ADD", "OBSERVE", "DELETE"] as const

/** The words in the events that a type of messages makes. */
interface Shape {
  readonly message: MessageType
  readonly eventTypes: ReadonlyArray<EventType>
  readonly bizSteps: ReadonlyArray<BizStep>
}

/** The messages that make events, with the words of these events. */
const shapes: ReadonlyArray<Shape> = [
  { message: "PALLET_EVENT", eventTypes: ["ObjectEvent"], bizSteps: ["loading", "unloading"] },
  { message: "SHIPMENT_ARRIVED", eventTypes: ["ObjectEvent"], bizSteps: ["arriving"] },
  { message: "SHIPMENT_COMPLETE", eventTypes, bizSteps: ["departing", "unloading"] }
]

/** The types of messages that may make an event of one of these types and steps; `undefined` does not filter. */
export const messageTypesOf = (
  types: ReadonlyArray<string> | undefined,
  steps: ReadonlyArray<string> | undefined
): ReadonlyArray<MessageType> =>
  shapes.filter(({ bizSteps, eventTypes }) =>
    (types === undefined || eventTypes.some((type) => types.includes(type))) &&
    (steps === undefined || bizSteps.some((step) => steps.includes(step)))
  ).map(({ message }) => message)

/** The types of messages that make events. */
export const eventMessageTypes: ReadonlyArray<MessageType> = messageTypesOf(undefined, undefined)

const prefixes = {
  bizStep: ["https://ref.gs1.org/cbv/BizStep-", "urn:epcglobal:cbv:bizstep:"],
  disposition: ["https://ref.gs1.org/cbv/Disp-", "urn:epcglobal:cbv:disp:"]
} as const

/** The short form of a word in a vocabulary, from any of its three forms. */
export const shortWord = (vocabulary: keyof typeof prefixes, word: string): string => {
  const prefix = prefixes[vocabulary].find((prefix) => word.startsWith(prefix)) ?? ""
  return word.slice(prefix.length)
}

/** The declaration that an event did not occur. */
export interface ErrorDeclaration {
  readonly declarationTime: Timestamp
  readonly reason: "did_not_occur"
}

/** A business transaction to which an event belongs. */
export interface BizTransaction {
  readonly type: "desadv" | "po"
  readonly bizTransaction: string
}

interface Place {
  readonly id: string
}

/** The content of an event, without its id, its time of recording and its error declaration. */
export interface EventBody {
  readonly type: EventType
  readonly eventTime: Timestamp
  /** The offset of the facility's clocks from UTC at that time, such as `-05:00`. */
  readonly eventTimeZoneOffset: string
  readonly action: "ADD" | "DELETE" | "OBSERVE"
  readonly bizStep: BizStep
  readonly disposition: Disposition
  readonly epcList?: ReadonlyArray<string>
  readonly parentID?: string
  readonly childEPCs?: ReadonlyArray<string>
  readonly readPoint?: Place
  readonly bizLocation: Place
  readonly bizTransactionList: ReadonlyArray<BizTransaction>
}

/** An event without its id, which follows from its message and its number among the events of that message. */
export interface EventDraft {
  readonly messageId: MessageId
  readonly number: number
  readonly body: EventBody
  readonly errorDeclaration?: ErrorDeclaration
}

/** An event. */
export interface EpcisEvent extends EventBody {
  readonly eventID: string
  readonly recordTime: Timestamp
  readonly errorDeclaration?: ErrorDeclaration
}

const context = ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"] as const

const head = <Type extends string>(type: Type, creationDate: Timestamp) => ({
  "@context": context,
  type,
  schemaVersion: "2.0" as const,
  creationDate
})

/** A capture document, as endpoints get it. */
export const captureDocument = <Event extends object>(
  eventList: ReadonlyArray<Event>,
  creationDate: Timestamp
) => ({
  ...head("EPCISDocument", creationDate),
  epcisBody: { eventList }
})

/** The answer to a query. */
export const queryDocument = (eventList: ReadonlyArray<EpcisEvent>, creationDate: Timestamp) => ({
  ...head("EPCISQueryDocument", creationDate),
  epcisBody: { queryResults: { queryName: "SimpleEventQuery" as const, resultsBody: { eventList } } }
})
