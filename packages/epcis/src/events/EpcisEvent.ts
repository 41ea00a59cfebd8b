/**
 * Events and documents of EPCIS 2.0 in JSON-LD, restricted to those that the service makes (D24).
 */
import type { MessageId } from "@dockline/core/values/Id"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { BizStep, Disposition, EventType } from "./CoreVocabulary.ts"

/** An event's declaration that it is wrong. */
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

/** The content of an event, without its ids and the time at which it was recorded. */
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
