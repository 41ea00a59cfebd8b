/**
 * The events of a run, as observed from outside the service: the only basis for judging guarantees.
 *
 * A history is a list of events in the order in which they were recorded. Of each call, the `invoke` is recorded before its first byte is
 * sent and the outcome after its last byte came, so that events between the two may have happened at the same time, and all others came
 * before or after.
 */

type Texts = ReadonlyArray<string>

/** The tenant that a text belongs to, such as `acme/east`. Every text that a client writes contains it. */
export type Tag = string

/** Fields of an item that several clients merge into at once, each its own. */
export const markFields = ["purchaseOrder", "description", "upc"] as const
type MarkField = (typeof markFields)[number]

/** The value that a client writes into its field of a shared item. */
export type Mark = Readonly<{ order: string; lpn: string; field: MarkField; value: string }>

/** An item as it is shown or stored. A register's version is written in `lot`. */
export type ShownItem =
  & Readonly<{ id: string; lpn: string; lot: string; quantity: number }>
  & Readonly<Record<MarkField, string>>

type ShownOrder = Readonly<{ orderNumber: string; status: string; items: ReadonlyArray<ShownItem> }>

export interface ShownShipment {
  readonly id: number
  readonly shipmentNumber: string
  readonly status: string
  readonly orders: ReadonlyArray<ShownOrder>
}

/** The lpns that a document adds, by order number. */
export type Lpns = Readonly<Record<string, Texts>>

export type Direction = "LOADING" | "UNLOADING"

/**
 * The clock of a reported time: a day behind, ahead within the tolerance, weeks behind; or so wrong that the time is refused, however wrong
 * the clocks of instances are (D21.2).
 */
export type Clock = "usual" | "ahead" | "behind" | "far ahead" | "far behind"

/** The time of a step, if it is reported. */
type StepTime = Readonly<{ occurredAt?: string | undefined; clock?: Clock | undefined }>

/** The inputs of calls. A `contested` one may be refused, because another may come first. */
interface Operations {
  /** All items of all orders are replaced by items with this version; each order has this many items. */
  overwrite: { shipment: string; version: string; orders: Texts; items: number }
  /** Items are added that no other call adds; and one field is set of an item that several merge at once. */
  add: { shipment: string; own: Lpns; mark?: Mark | undefined; contested?: boolean | undefined }
  /** A partner's ship notice (856), under the control number of its interchange. No other call adds these items. */
  notice: { partner: string; control: string; shipment: string; own: Lpns }
  /** A shipment is read whole, or one of its orders. */
  read: { shipment: string; way: "list" | "id" | "graphql" | "order"; order?: string | undefined }
  arrive: { shipmentId: number; contested?: boolean | undefined } & StepTime
  depart: { shipmentId: number } & StepTime
  cancel: { shipmentId: number; contested?: boolean | undefined }
  /** An exception is reported. No two have one description. */
  report: { shipmentId: number; description: string }
  resolve: { shipmentId: number; exceptionId: number }
  /**
   * A pallet passes a dock, and is reported in time or late. Each event of a business has another `occurredAt`, which identifies its
   * message.
   */
  event: {
    eventId: string
    shipmentId: number
    occurredAt: string
    clock: Clock
    lpn: string
    direction: Direction
    way: "rest" | "graphql"
    late: boolean
  }
  /** A request for data of another tenant, which has to be refused. */
  snoop: { target: string }
  token: object
  /** The operator sets up or reads something. */
  operate: { target: string }
}

export type Operation = keyof Operations
export type AskedOf<O extends Operation> = { readonly operation: O } & Readonly<Operations[O]>
export type Asked = { [O in Operation]: AskedOf<O> }[Operation]

export type Counts = readonly [created: number, updated: number, removed: number]

/** The correlation id of a call, by which the record of documents identifies it. */
export const correlationOf = (call: number): string => `call-${call}`

/** The parts of an answer that are judged. */
export type Answered = Readonly<{
  shipments?: ReadonlyArray<ShownShipment>
  messageId?: number
  /** The kind of the verdict on a pallet, followed by `LATE` for a late one. */
  verdict?: string
  exceptionId?: number
  counts?: Counts
  /** The interchange of X12 that acknowledges a notice (997). */
  acknowledgment?: string
  digest?: string
  /** Whether it was the answer kept under an `Idempotency-Key`. */
  replayed?: boolean
}>

/** The types of messages, with their paths by webhook. */
export const messagePaths: Readonly<Record<string, string>> = {
  PALLET_EVENT: "/api/palletEvent",
  SHIPMENT_COMPLETE: "/api/shipmentComplete",
  SHIPMENT_ARRIVED: "/api/shipmentArrived",
  SHIPMENT_CANCELLED: "/api/shipmentCancelled",
  SHIPMENT_DISCREPANCIES: "/api/shipmentDiscrepancies",
  EXCEPTION_REPORTED: "/api/exceptionReported",
  EXCEPTION_RESOLVED: "/api/exceptionResolved"
}

export const messageTypes: Texts = Object.keys(messagePaths)

/** The type of documents with events of EPCIS, with their path by webhook. */
export const [epcisEvents, epcisPath] = ["EPCIS_EVENTS", "/capture"] as const

/** The path of receipts that are e-mails. */
export const mailPath = "mail"

/** The subject of an alert: its kind, and its name of the exception, the pallet or the shipment. */
export const thingOf = (kind: string, about: string | number): string => `${kind} ${about}`

/** An event of EPCIS, and whether it is declared wrong. */
export const epcisEventOf = (eventId: string, isWrong: boolean): string =>
  isWrong ? `${eventId} wrong` : eventId

interface Place {
  business: string
  facility: string
}

/** The messages that a reader gets: `facility` is null for the whole business, `types` is absent for all types. */
interface Subscription {
  business: string
  facility: string | null
  types?: Texts | undefined
}

/** What readers see and the log holds of a message; the digest is that of its payload, whatever the order of its keys. */
interface MessageFacts extends Place {
  id: number
  messageType: string
  digest: string
  tags: ReadonlyArray<Tag>
}

/** A pallet as messages carry it; a completion does not say when it passed. */
export type PalletFacts = Readonly<
  { palletId: string; direction: string; orders: Texts; occurredAt?: string | undefined }
>

/** The dock's data of a shipment: pallets by lpn, each with the messages of its events, and kind and lpn of discrepancies. */
export type DockFacts = Readonly<{
  expected: number
  passed: number
  missing: number
  unexpected: number
  pallets: ReadonlyArray<
    Readonly<{ lpn: string; isLoaded: boolean; isExpected: boolean; messageIds: ReadonlyArray<number> }>
  >
  discrepancies: Texts
}>

type Phase = "begin" | "end"

interface Events {
  /** A try of a request is about to be sent, by a client that may hang up at once, to the instance with that number. */
  invoke: Place & {
    call: number
    request: string
    /** Whether the service recognises the tries of one request as one: by `Idempotency-Key` or event id. */
    once: boolean
    hurried?: boolean | undefined
    client: string
    instance: number
    asked: Asked
  }
  /** 2xx: acknowledged. */
  ok: { call: number; status: number; tags: ReadonlyArray<Tag>; answer: Answered }
  /** Certainly not done: 4xx, or no connection was made (status 0). */
  refused: { call: number; status: number; code: string; tags: ReadonlyArray<Tag> }
  /** May have been done, or may yet be: no answer in time, a cut connection, 5xx. */
  unknown: { call: number; reason: string; tags: ReadonlyArray<Tag> }
  fault: { phase: Phase; kind: string; target?: string | undefined; details?: string | undefined }
  /** Particulars of a fault, for people. */
  told: { kind: string; details: string }
  /** A time without faults, during which every call is to be acknowledged; it begins when the system has recovered. */
  window: { phase: Phase }
  /** A probe of an instance that is attacked, and the duration of the answer; the status is 0 without one. */
  probe: { instance: number; status: number; millis: number }
  /** Another session of the database holds the row of a shipment while documents for it come to an instance. */
  held: Place & { phase: Phase; shipment: string; instance: number }
  /** One business demands as much as possible from an instance; the number of answered requests. Nothing else goes wrong there. */
  burden: {
    phase: Phase
    kind: "large-reads" | "many-spellings" | "many-clients" | "large-files"
    business: string
    instance: number
    answered?: number
  }
  /** The data of the database are copied as they are at one moment between beginning and end. */
  copied: { phase: Phase }
  /** The database is lost with everything after the copy, and in the end the copy serves, with these newest messages. */
  promoted: { phase: Phase; newest?: Readonly<Record<string, number>> }
  lost: MessageFacts
  /** A reader whose request came before the event `asked` was told that its cursor is beyond the newest id. */
  ahead: { reader: string; afterId: number; newestId: number; asked: number }
  /** The operator has advanced the ids of all logs beyond those that readers have seen. */
  advanced: { newestId: number }
  /** A standby that has confirmed every commit serves in place of a lost primary. */
  failover: { how: "kill" | "hang" | "isolation"; instances: number }
  /** The retention of messages. */
  retention: { millis: number }
  /** The number of messages that had expired when an instance was started, and of those left this much later. */
  swept: { instance: number; expired: number; left: number; millis: number }
  /** A message was dropped; its age if the clocks of the instances were right then. */
  dropped: { business: string; id: number; age: number | null }
  /** A reader was told that messages up to an id were dropped by age, and continued after it. */
  expired: { reader: string; afterId: number; droppedId: number }
  /** The system is healed for good, and ready: from here on everything has to succeed. */
  healed: object
  /** A reader of the log from its beginning. */
  reader: Subscription & { reader: string; client: string }
  seen: MessageFacts & { reader: string }
  /** An unexpected answer to a reader or client: a code that waiting does not cure. */
  strange: { client: string; text: string }
  /** An endpoint that receives the messages from the log's beginning on. */
  endpoint: Subscription & { endpoint: string }
  /** A rule by which people are told by e-mail about incidents of these kinds at a facility; receipts with that name are its e-mails. */
  rule: Place & { endpoint: string; kinds: Texts }
  /**
   * A page of the events of EPCIS of a business, by one who reads them from the beginning page by page, and had begun at the event
   * `begun`. The last one has no next.
   */
  page: { scan: number; business: string; begun: number; events: Texts; isLast: boolean }
  /** A partner is told about departures from a facility: of the shipments that its notices named, or of all. */
  partner: Place & { partner: string; client: string; tellsOf: "OWN" | "ALL" }
  /** A reader of the outbox saw an interchange for a partner, after earlier ones. At the end the reader is `all`. */
  outgoing: { reader: string; partner: string; id: number; text: string }
  receipt: {
    receipt: number
    endpoint: string
    path: string
    webhookId: string
    signed: boolean
    digest: string
    tags: ReadonlyArray<Tag>
    /** The subjects of an e-mail, or the events of a document of EPCIS. */
    things?: Texts | undefined
  }
  /** It is about to be answered with this status. */
  answered: { receipt: number; status: number }
  /** At the end: a message of the log, straight from the database. */
  log: MessageFacts & {
    shipmentId: number
    /** Milliseconds since 1970. */
    sentAt: number
    orders: Texts
    pallets: ReadonlyArray<PalletFacts>
    exception?: Readonly<{ id: number; description: string; priority?: string }> | undefined
    /** For a pallet: the kind of the verdict on it. */
    verdict?: string | undefined
    /** For a pallet: whether it came late. */
    late?: boolean | undefined
    /** Kind and license plate of each, sorted. */
    discrepancies?: Texts | undefined
  }
  /** At the end: a shipment, straight from the database. */
  stored: Place & { shipment: ShownShipment }
  /** At the end: the dock's data of a shipment, as REST shows it, with the kinds of verdicts on its pallets. */
  dock: DockFacts & {
    shipmentId: number
    verdicts: ReadonlyArray<readonly [messageId: number, kind: string]>
  }
  /** At the end: the exceptions of a shipment, as REST lists them. */
  exceptions: {
    shipmentId: number
    listed: ReadonlyArray<Readonly<{ id: number; description: string; isResolved: boolean }>>
  }
  /** At the end: a document of the record, as REST lists it. */
  recorded: Place & {
    client: string
    correlationId: string
    shipmentNumber: string
    outcome: string
    code: string
    counts: Counts
  }
  /** At the end: a delivery, as the operator sees it. */
  delivery: { endpoint: string; messageId: number; status: string; attempts: number }
  /** At the end: messages and deliveries of an endpoint that still wait, as the operator sees it. */
  backlog: { endpoint: string; count: number; enabled: boolean }
  /** The collection at the end is complete. */
  collected: object
}

export type EventType = keyof Events

/** An event of one kind, before it is recorded. */
export type Told<Type extends EventType> = { readonly type: Type } & Readonly<Events[Type]>

/** An event, before it is recorded. */
export type Occurrence = { [Type in EventType]: Told<Type> }[EventType]

export type Outcome = Told<"ok"> | Told<"refused"> | Told<"unknown">

/** The position of an event: `seq` grows by one with each, from 0; `at` is in milliseconds, by a clock that never goes back. */
export type Stamp = Readonly<{ seq: number; at: number }>

export type EventOf<Type extends EventType> = Told<Type> & Stamp

export type Event = Occurrence & Stamp

export type History = ReadonlyArray<Event>

export const eventsOf = <Type extends EventType>(
  history: History,
  type: Type
): ReadonlyArray<EventOf<Type>> =>
  // The type determines the form of its events.
  history.filter((event) => event.type === type) as ReadonlyArray<Event & EventOf<Type>>

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

/** Clients of only one facility, with that facility: to them the other facilities of their business are another tenant. */
export const facilityOf: Readonly<Record<string, string>> = { "acme-east-client": "east" }

/** Whether a reader or an endpoint has to get a message. */
export const isFor = (
  { business, facility, types }: Readonly<Subscription>,
  message: Pick<MessageFacts, "business" | "facility" | "messageType">
): boolean =>
  message.business === business && (facility === null || message.facility === facility) &&
  (types === undefined || types.includes(message.messageType))
