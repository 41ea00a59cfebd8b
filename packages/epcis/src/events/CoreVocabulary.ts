/**
 * The words of the Core Business Vocabulary (CBV 2.0) in the service's events, and the messages that make events with them.
 */
import type { MessageType } from "@dockline/core/values/Vocabulary"

/** The types of events. */
export const eventTypes = ["ObjectEvent", "AggregationEvent", "AssociationEvent"] as const

/** A type of events. */
export type EventType = (typeof eventTypes)[number]

/** The types of events in the standard; the service makes only some of them. */
export const standardEventTypes = [...eventTypes, "TransactionEvent", "TransformationEvent"] as const

/** A step of business. */
export type BizStep = "arriving" | "departing" | "loading" | "unloading"

/** The state of the objects of an event after it. */
export type Disposition = "in_progress" | "in_transit"

/** The actions of the standard. */
export const actions = ["ADD", "OBSERVE", "DELETE"] as const

/** The words of the events of a type of messages. */
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
