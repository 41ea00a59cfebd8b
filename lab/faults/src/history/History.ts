/**
 * What happened in a run, as everybody outside of the service saw it: the one thing that promises are judged by.
 *
 * A history is a list of events in the order in which they were recorded. Of each call the `invoke` is recorded before
 * its first byte is sent and the outcome after its last byte came, so that what lies between them in the list may have
 * happened at the same time, and what does not lie so came one after another.
 */

/** Milliseconds since the recorder was made, of a clock that never goes back. */
export type Millis = number

/** The tenant that a text belongs to: `acme/east`. Every text that a client writes says it. */
export type Tag = string

/** An item as it is shown or stored. */
export interface ShownItem {
  readonly id: string
  readonly lpn: string
  /** The field `lot`, in which a register's version is written. */
  readonly lot: string
  readonly quantity: number
  /** Fields that clients merge into one item, each its own. */
  readonly marks: Readonly<Record<MarkField, string>>
}

/** Fields of an item that several clients write at once. */
export const markFields = ["purchaseOrder", "description", "upc"] as const

/** One of them. */
export type MarkField = (typeof markFields)[number]

/** What a client writes into its field of a shared item. */
export interface Mark {
  readonly order: string
  readonly lpn: string
  readonly field: MarkField
  readonly value: string
}

/** An order as it is shown or stored. */
export interface ShownOrder {
  readonly orderNumber: string
  readonly status: string
  readonly items: ReadonlyArray<ShownItem>
}

/** A shipment as it is shown or stored. */
export interface ShownShipment {
  readonly id: number
  readonly shipmentNumber: string
  readonly status: string
  readonly orders: ReadonlyArray<ShownOrder>
}

/** Items by order number: the lpns that a document adds. */
export type Lpns = Readonly<Record<string, ReadonlyArray<string>>>

/** What a call asks for. */
export type Asked =
  /** All items of all orders of a shipment are replaced by ones that say this version. */
  | {
    readonly operation: "overwrite"
    readonly shipment: string
    readonly version: string
    readonly orders: ReadonlyArray<string>
    /** Items in each order. */
    readonly items: number
  }
  /** Items are added that nobody else adds; and one field is set of an item that several merge at once. */
  | {
    readonly operation: "add"
    readonly shipment: string
    readonly own: Lpns
    readonly mark?: Mark
    /** Whether the shipment may be cancelled by then, so that it may be refused. */
    readonly contested?: true
  }
  /** A partner's ship notice (856), under a control number of its own. Nobody else adds these items. */
  | {
    readonly operation: "notice"
    readonly partner: string
    /** Of its interchange; that of its group is the same. */
    readonly control: string
    readonly shipment: string
    readonly own: Lpns
  }
  /** A shipment is read whole, or one of its orders. */
  | {
    readonly operation: "read"
    readonly shipment: string
    readonly way: "list" | "id" | "graphql" | "order"
    /** The order that is read alone. */
    readonly order?: string
  }
  /** `contested` where the shipment may be cancelled at the same time, so that it may be refused. */
  | { readonly operation: "arrive"; readonly shipmentId: number; readonly contested?: true }
  | { readonly operation: "depart"; readonly shipmentId: number }
  /** `contested` where the shipment may arrive at the same time, so that it may be refused. */
  | { readonly operation: "cancel"; readonly shipmentId: number; readonly contested?: true }
  /** An exception is reported. No two have one description. */
  | { readonly operation: "report"; readonly shipmentId: number; readonly description: string }
  | { readonly operation: "resolve"; readonly shipmentId: number; readonly exceptionId: number }
  /** A pallet passes a dock. No two events of a business have one `occurredAt`, by which their messages are known. */
  | {
    readonly operation: "event"
    readonly eventId: string
    readonly shipmentId: number
    readonly occurredAt: string
    readonly lpn: string
    readonly direction: "LOADING" | "UNLOADING"
    readonly way: "rest" | "graphql"
    /** Whether the shipment may depart at the same time, so that it may be refused. */
    readonly late: boolean
  }
  /** Something of another tenant is asked for: to be refused. */
  | { readonly operation: "snoop"; readonly target: string }
  | { readonly operation: "token" }
  /** The operator sets something up or looks at something. */
  | { readonly operation: "operate"; readonly target: string }

/** How many entities were created, updated and removed. */
export type Counts = readonly [created: number, updated: number, removed: number]

/** The correlation id of a call, by which the record of documents knows it. */
export const correlationOf = (call: number): string => `call-${call}`

/** What an answer said that is judged. */
export interface Answered {
  readonly shipments?: ReadonlyArray<ShownShipment>
  readonly messageId?: number
  /** The kind of the verdict on a pallet. */
  readonly verdict?: string
  readonly exceptionId?: number
  /** How many entities a document created, updated and removed. */
  readonly counts?: Counts
  /** The interchange of X12 that acknowledges a notice (997). */
  readonly acknowledgment?: string
  /** Of the whole answer. */
  readonly digest?: string
  /** Whether it was the answer kept under an `Idempotency-Key`. */
  readonly replayed?: boolean
}

/** A call is about to be sent. */
export interface Invoke {
  readonly type: "invoke"
  /** One try. */
  readonly call: number
  /** What is wanted, the same in each try. */
  readonly request: string
  /** Whether the service knows the tries of one request for one: by `Idempotency-Key` or event id. */
  readonly once: boolean
  /** Whether the client hangs up within some milliseconds. */
  readonly hurried?: true
  readonly client: string
  readonly business: string
  readonly facility: string
  /** The instance, by its place in the list of addresses. */
  readonly instance: number
  readonly asked: Asked
}

/** How a call ended. */
export type Outcome =
  /** 2xx: acknowledged. */
  | {
    readonly type: "ok"
    readonly call: number
    readonly status: number
    readonly tags: ReadonlyArray<Tag>
    readonly answer: Answered
  }
  /** Surely not done: 4xx, or no connection was made (status 0). */
  | {
    readonly type: "refused"
    readonly call: number
    readonly status: number
    readonly code: string
    readonly tags: ReadonlyArray<Tag>
  }
  /** May have been done, or may yet be: no answer in time, a cut connection, 5xx. */
  | {
    readonly type: "unknown"
    readonly call: number
    readonly reason: string
    readonly tags: ReadonlyArray<Tag>
  }

/** The types of messages, and where each comes by webhook. */
export const messagePaths: Readonly<Record<string, string>> = {
  PALLET_EVENT: "/api/palletEvent",
  SHIPMENT_COMPLETE: "/api/shipmentComplete",
  SHIPMENT_ARRIVED: "/api/shipmentArrived",
  SHIPMENT_CANCELLED: "/api/shipmentCancelled",
  SHIPMENT_DISCREPANCIES: "/api/shipmentDiscrepancies",
  EXCEPTION_REPORTED: "/api/exceptionReported",
  EXCEPTION_RESOLVED: "/api/exceptionResolved"
}

/** The types that customers of the workload ask for. */
export const messageTypes: ReadonlyArray<string> = Object.keys(messagePaths)

/** What readers see and the log holds of a message. */
export interface MessageFacts {
  readonly id: number
  readonly business: string
  readonly facility: string
  readonly messageType: string
  /** Of the payload, whatever the order of its keys. */
  readonly digest: string
  readonly tags: ReadonlyArray<Tag>
}

/** A pallet as messages carry it. */
export interface PalletFacts {
  readonly palletId: string
  readonly direction: string
  readonly orders: ReadonlyArray<string>
  /** Absent in a completion. */
  readonly occurredAt?: string
}

/** What the dock knows of a shipment. */
export interface DockFacts {
  readonly expected: number
  readonly passed: number
  readonly missing: number
  readonly unexpected: number
  /** Sorted by license plate. */
  readonly pallets: ReadonlyArray<{
    readonly lpn: string
    readonly isLoaded: boolean
    readonly isExpected: boolean
    /** The ids of the messages of its events, in order of occurrence. */
    readonly messageIds: ReadonlyArray<number>
  }>
  /** Kind and license plate of each, sorted. */
  readonly discrepancies: ReadonlyArray<string>
}

/** An event, before it is recorded. */
export type Occurrence =
  | Invoke
  | Outcome
  | {
    readonly type: "fault"
    readonly phase: "begin" | "end"
    readonly kind: string
    readonly target?: string
    readonly details?: string
  }
  /** What was particular about a fault, for people. */
  | { readonly type: "told"; readonly kind: string; readonly details: string }
  /** A time without faults, during which every call is to be acknowledged; it begins when the system has recovered. */
  | { readonly type: "window"; readonly phase: "begin" | "end" }
  /** A question whether an instance lives, while it is attacked; `status` is 0 when no answer came. */
  | {
    readonly type: "probe"
    readonly instance: number
    readonly status: number
    /** How long the answer took, or how long it was waited for. */
    readonly millis: Millis
  }
  /** The row of a shipment is kept by another session of the database while documents for it come to an instance. */
  | {
    readonly type: "held"
    readonly phase: "begin" | "end"
    readonly business: string
    readonly facility: string
    readonly shipment: string
    readonly instance: number
  }
  /** One client of a business asks an instance for as much as it can get. Nothing else goes wrong there meanwhile. */
  | {
    readonly type: "burden"
    readonly phase: "begin" | "end"
    readonly kind: "large-reads" | "many-spellings"
    readonly business: string
    readonly instance: number
    /** At the end: how many of its requests were answered. */
    readonly answered?: number
  }
  /** The data of the database are copied as they are at one moment between beginning and end. */
  | { readonly type: "copied"; readonly phase: "begin" | "end" }
  /** The database is gone with all that it did after the copy, and the copy serves in its place at the end. */
  | { readonly type: "promoted"; readonly phase: "begin" }
  | {
    readonly type: "promoted"
    readonly phase: "end"
    /** The newest message of each business that the copy has. */
    readonly newest: Readonly<Record<string, number>>
  }
  /** A message of the log that is gone with the first database. */
  | ({ readonly type: "lost" } & MessageFacts)
  /** A reader was told that its cursor is beyond the newest id. */
  | {
    readonly type: "ahead"
    readonly reader: string
    readonly afterId: number
    readonly newestId: number
    /** The `seq` of the next event when it asked: a subscription may have begun long before it was told. */
    readonly asked: number
  }
  /** The operator has moved the ids of all logs beyond what readers have seen. */
  | { readonly type: "advanced"; readonly newestId: number }
  /** A standby that has confirmed every commit serves in the place of a primary that was lost. */
  | {
    readonly type: "failover"
    readonly how: "kill" | "hang" | "isolation"
    readonly instances: number
  }
  /** Messages are kept for this long only. */
  | { readonly type: "retention"; readonly millis: Millis }
  /** An instance was started: how many messages that had expired by then were left some time after it. */
  | {
    readonly type: "swept"
    readonly instance: number
    /** How many there were when it was started. */
    readonly expired: number
    readonly left: number
    /** Until none was left, or for how long it was waited. */
    readonly millis: Millis
  }
  /** A message was dropped; `age` is how old it was, where the clocks of the instances were right then. */
  | {
    readonly type: "dropped"
    readonly business: string
    readonly id: number
    readonly age: Millis | null
  }
  /** A reader was told that messages up to an id were dropped by age, and went on after it. */
  | {
    readonly type: "expired"
    readonly reader: string
    readonly afterId: number
    readonly droppedId: number
  }
  /** The system is healed for good, and ready: from here on everything is to succeed. */
  | { readonly type: "healed" }
  /** A reader of the log from its beginning; `facility` is null for all of the business. */
  | {
    readonly type: "reader"
    readonly reader: string
    readonly client: string
    readonly business: string
    readonly facility: string | null
    /** The types that it asks for, if not for all. */
    readonly types?: ReadonlyArray<string>
  }
  | ({ readonly type: "seen"; readonly reader: string } & MessageFacts)
  /** Something that reader or client was told that it cannot have expected: a code that waiting does not cure. */
  | { readonly type: "strange"; readonly client: string; readonly text: string }
  /** An endpoint that takes the messages from the log's beginning on. */
  | {
    readonly type: "endpoint"
    readonly endpoint: string
    readonly business: string
    readonly facility: string | null
  }
  /** A partner is told of what departs from a facility: of the shipments that its notices named, or of all. */
  | {
    readonly type: "partner"
    readonly partner: string
    readonly client: string
    readonly business: string
    readonly facility: string
    readonly tellsOf: "OWN" | "ALL"
  }
  /** A reader of the outbox saw what is to be sent to a partner, after what it saw before. At the end the reader is `all`. */
  | {
    readonly type: "outgoing"
    readonly reader: string
    readonly partner: string
    readonly id: number
    /** The interchange of X12. */
    readonly text: string
  }
  /** A webhook came, whole. */
  | {
    readonly type: "receipt"
    readonly receipt: number
    readonly endpoint: string
    readonly path: string
    readonly webhookId: string
    readonly signed: boolean
    readonly digest: string
    readonly tags: ReadonlyArray<Tag>
  }
  /** It is about to be answered with this status. */
  | { readonly type: "answered"; readonly receipt: number; readonly status: number }
  /** At the end: a message of the log, straight from the database. */
  | ({
    readonly type: "log"
    readonly shipmentId: number
    /** Milliseconds since 1970. */
    readonly sentAt: number
    readonly orders: ReadonlyArray<string>
    readonly pallets: ReadonlyArray<PalletFacts>
    /** Of a message about an exception. */
    readonly exception?: { readonly id: number; readonly description: string }
    /** Kind and license plate of each, sorted, of a message that tells them. */
    readonly discrepancies?: ReadonlyArray<string>
  } & MessageFacts)
  /** At the end: a shipment, straight from the database. */
  | {
    readonly type: "stored"
    readonly business: string
    readonly facility: string
    readonly shipment: ShownShipment
  }
  /** At the end: what the dock knows of a shipment, as REST shows it. */
  | ({
    readonly type: "dock"
    readonly shipmentId: number
    /** The kinds of the verdicts on its pallets, by the messages of their events. */
    readonly verdicts: ReadonlyArray<readonly [messageId: number, kind: string]>
  } & DockFacts)
  /** At the end: the exceptions of a shipment, as REST lists them. */
  | {
    readonly type: "exceptions"
    readonly shipmentId: number
    readonly listed: ReadonlyArray<{
      readonly id: number
      readonly description: string
      readonly isResolved: boolean
    }>
  }
  /** At the end: a document of the record, as REST lists it. */
  | {
    readonly type: "recorded"
    readonly business: string
    readonly facility: string
    readonly client: string
    readonly correlationId: string
    readonly shipmentNumber: string
    readonly outcome: string
    readonly code: string
    readonly counts: Counts
  }
  /** At the end: a delivery, as the operator sees it. */
  | {
    readonly type: "delivery"
    readonly endpoint: string
    readonly messageId: number
    readonly status: string
    readonly attempts: number
  }
  /** At the end: messages and deliveries of an endpoint that still wait, as the operator sees it. */
  | { readonly type: "backlog"; readonly endpoint: string; readonly count: number; readonly enabled: boolean }
  /** Everything there was to collect has been collected. */
  | { readonly type: "collected" }

/** Where an event stands. */
export interface Stamp {
  /** Grows by one with each event, from 0. */
  readonly seq: number
  readonly at: Millis
}

/** An event of a history. */
export type Event = Occurrence & Stamp

/** Events in the order in which they were recorded. */
export type History = ReadonlyArray<Event>

/** The events of one kind. */
export type EventOf<Type extends Occurrence["type"]> = Extract<Occurrence, { readonly type: Type }> & Stamp

/** The events of one kind, in their order. */
export const eventsOf = <Type extends Occurrence["type"]>(
  history: History,
  type: Type
): ReadonlyArray<EventOf<Type>> =>
  history.filter((event): event is Event & EventOf<Type> => event.type === type)

/** The tenants named in a text. */
export const tagsOf = (text: string): ReadonlyArray<Tag> => [
  ...new Set(
    Array.from(
      text.matchAll(/\bT-([a-z]+)-([a-z]+)-/g),
      ([, business, facility]) => `${business}/${facility}`
    )
  )
]

/** The beginning of every text of a tenant. */
export const markOf = (business: string, facility: string): string => `T-${business}-${facility}-`

/** Clients of one facility only, and which: to them the other facilities of their business are another tenant. */
export const facilityOf: Readonly<Record<string, string>> = { "acme-east-client": "east" }

/** Whether a message is one of those that a reader or an endpoint is to get. */
export const isFor = (
  { business, facility, types }: Pick<EventOf<"reader">, "business" | "facility" | "types">,
  message: Pick<EventOf<"log">, "business" | "facility" | "messageType">
): boolean =>
  message.business === business && (facility === null || message.facility === facility) &&
  (types === undefined || types.includes(message.messageType))
