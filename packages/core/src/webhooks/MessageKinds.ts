/**
 * The types of messages and of outbox entries for people and programs: name, occasion, schema, and a test message about no real entity, for
 * receivers (D9.9).
 *
 * {@link TestSender} sends test messages to endpoints, at once and outside the log; {@link remedyOf} has the remedies for a message that
 * was not accepted. A test sends one request, after one more request if the endpoint needs a login. It ends within the time limits of
 * deliveries, and changes neither the endpoint nor its deliveries. No outcome shows a secret.
 */
import { Context, Effect } from "effect"
import type { Schema } from "effect"
import type { MessagePayload } from "../messages/Message.ts"
import {
  CompletionMessage,
  DiscrepanciesMessage,
  PalletMessage,
  palletPayload,
  ShipmentMessage,
  shipmentPayload,
  shipmentUrl
} from "../movement/ShipmentMessage.ts"
import type { MessageShipment, PayloadSettings } from "../movement/ShipmentMessage.ts"
import { testFieldName } from "../places/MessageField.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { MessageType, messageTypes, WebhookType } from "../values/Vocabulary.ts"
import type { Content, OutboxText } from "./Delivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** Ids begin at 1, so no entity has this one. */
export const noId = 0

const noDock = { id: noId, slug: "" }

/** A shipment that does not exist, at a place. */
export const noShipment = ({ business, facility }: SlugsOfPlace): MessageShipment => ({
  business,
  facility,
  id: noId,
  number: "",
  dock: noDock,
  orders: []
})

/** Makes a payload with every field of its type, about a shipment that does not exist (D9.9). */
export type AboutNothing = (
  place: SlugsOfPlace,
  now: Timestamp.Timestamp,
  settings: PayloadSettings
) => MessagePayload

const testPallet: AboutNothing = (place, now, settings) =>
  palletPayload(
    {
      ...place,
      shipmentId: noId,
      palletId: noId,
      direction: "LOADING",
      orders: [],
      dock: noDock,
      labels: []
    },
    now,
    settings
  )

const testCompletion: AboutNothing = (_place, _now, { dashboardUrl }) => ({
  serviceShipmentId: String(noId),
  orders: [],
  url: shipmentUrl(dashboardUrl, noId),
  dockId: String(noId),
  pallets: []
} satisfies typeof CompletionMessage.Type)

const testShipment: AboutNothing = (place, now, { dashboardUrl }) =>
  shipmentPayload(noShipment(place), now, dashboardUrl)

const testDiscrepancies: AboutNothing = (place, now, settings) => ({
  ...testShipment(place, now, settings),
  discrepancies: []
})

/** A type of message: its name for people, its occasion, and its payloads. */
export interface MessageKind {
  /** The name of its schema in contracts for machines. */
  readonly name: string
  readonly title: string
  /** Its subject, in a few words. */
  readonly about: string
  readonly when: string
  readonly schema: Schema.Top
  readonly aboutNothing: AboutNothing
}

/** The types of messages of the contract. */
export const messageKinds = {
  PALLET_EVENT: {
    name: "PalletMessage",
    title: "Pallet message",
    about: "A pallet was loaded or unloaded at a dock",
    when:
      "A pallet has passed a dock: the message is sent each time that a tower or a lift camera sees the pallet.",
    schema: PalletMessage,
    aboutNothing: testPallet
  },
  SHIPMENT_COMPLETE: {
    name: "CompletionMessage",
    title: "Shipment-completion message",
    about: "A shipment has departed",
    when: "A shipment has departed: the message lists the pallets that remain on the truck.",
    schema: CompletionMessage,
    aboutNothing: testCompletion
  },
  SHIPMENT_ARRIVED: {
    name: "ArrivalMessage",
    title: "Arrival message",
    about: "A shipment has arrived",
    when: "A shipment has arrived at its dock: its arrival was reported, or its first pallet has passed.",
    schema: ShipmentMessage,
    aboutNothing: testShipment
  },
  SHIPMENT_CANCELLED: {
    name: "CancellationMessage",
    title: "Cancellation message",
    about: "A shipment was cancelled",
    when: "A shipment was cancelled before it arrived, and its orders with it.",
    schema: ShipmentMessage,
    aboutNothing: testShipment
  },
  SHIPMENT_DISCREPANCIES: {
    name: "DiscrepanciesMessage",
    title: "Discrepancies message",
    about: "A shipment has departed, and pallets were missing, unexpected or at the wrong place",
    when:
      "A shipment has departed, and the pallets that passed differ from the expected ones. It follows the \
shipment-completion message, and is sent again if a late pallet changes the discrepancies; a shipment without discrepancies has none.",
    schema: DiscrepanciesMessage,
    aboutNothing: testDiscrepancies
  }
} as const satisfies Readonly<Record<(typeof messageTypes)[number], MessageKind>>

/** Types of messages, by their names. */
export type Kinds = Readonly<Record<string, MessageKind>>

/** The types of messages of a service, from the contract and from its capabilities; {@link messageKinds} unless provided. */
export const MessageKinds: Context.Reference<Kinds> = Context.Reference("@dockline/core/MessageKinds", {
  defaultValue: (): Kinds => messageKinds
})

/** A type of outbox entries, as people and contracts for machines describe it. */
export interface OutboxKind extends Omit<OutboxText, "text"> {
  /** Its name in contracts for machines. */
  readonly name: string
  readonly title: string
  /** The content of its entries, as it follows the name of the type and "for": `interchanges for partners`. */
  readonly about: string
  readonly when: string
  /** A sentence that describes the text. */
  readonly content: string
  readonly example: string
  /** Makes the text of a test, about no real entity (D9.9). */
  readonly aboutNothing: (now: Timestamp.Timestamp) => string
}

/** Types of outbox entries, by their names. */
export type OutboxKinds = Readonly<Record<string, OutboxKind>>

/** The outboxes of a service, from its capabilities; none unless provided. */
export const Outboxes: Context.Reference<OutboxKinds> = Context.Reference("@dockline/core/Outboxes", {
  defaultValue: (): OutboxKinds => ({})
})

/**
 * The payload of a test message (D9.9): it has every field of a message of its type and the field `test`, and is about a shipment that does
 * not exist. For a type that is not among the kinds, it has only the field `test`.
 */
export const testPayload = (
  type: MessageType,
  place: SlugsOfPlace,
  now: Timestamp.Timestamp,
  settings: PayloadSettings,
  kinds: Kinds = messageKinds
): MessagePayload => ({ ...kinds[type]?.aboutNothing(place, now, settings), [testFieldName]: true })

/** The content of a test of a type: its {@link testPayload}, or the test text of its outbox. */
export const testContent = (
  type: WebhookType,
  place: SlugsOfPlace,
  now: Timestamp.Timestamp,
  settings: PayloadSettings,
  { kinds, outboxes }: { readonly kinds: Kinds; readonly outboxes: OutboxKinds }
): Content => {
  const outbox = outboxes[type]
  return outbox === undefined
    ? { type, json: JSON.stringify(testPayload(type, place, now, settings, kinds)) }
    : { type, path: outbox.path, mediaType: outbox.mediaType, text: outbox.aboutNothing(now) }
}

/** A message for a test. */
export interface TestMessage {
  /** The header `webhook-id`: `test_` and a UUID, where a message of the log has `msg_` and its number. */
  readonly webhookId: string
  readonly content: Content
}

/** A request as it was sent, with `***` in place of the credentials. */
export interface SentRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The beginning of an answer, with `***` in place of secrets that it repeats. */
export interface TestAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** At most `responseLimit` characters. */
  readonly body: string
}

/** The outcome of a test: the request, and the answer or the reason why it is missing. */
export interface TestOutcome {
  readonly at: Timestamp.Timestamp
  /** `null` when nothing was sent. */
  readonly request: SentRequest | null
  /** The reason why the message was not sent: the login, or this service; `null` when it was sent. */
  readonly unsentBy: "LOGIN" | "SERVICE" | null
  /** `null` without an answer. */
  readonly status: number | null
  /** From the request to the answer, without the login. */
  readonly durationMs: number
  readonly answer: TestAnswer | null
  /** The reason why nothing was sent, or why the answer is missing or incomplete; `""` when nothing went wrong. */
  readonly error: string
}

/** The outcome of a test that was not sent; `error` says why. */
export const unsent = (
  at: Timestamp.Timestamp,
  unsentBy: TestOutcome["unsentBy"],
  error: string
): TestOutcome => ({
  at,
  request: null,
  unsentBy,
  status: null,
  durationMs: 0,
  answer: null,
  error
})

interface Service {
  readonly send: (endpoint: WebhookEndpoint, message: TestMessage) => Effect.Effect<TestOutcome>
}

/** Sends test messages. By default it answers that the service sends no webhooks. */
export const TestSender = Context.Reference<Service>("@dockline/core/TestSender", {
  defaultValue: () => ({
    send: () => Effect.map(Timestamp.now, (now) => unsent(now, "SERVICE", "this service sends no webhooks"))
  })
})

/** Whether an outcome is a success: any 2xx (D9.3). */
export const isTaken = ({ status }: Pick<TestOutcome, "status">): boolean =>
  status !== null && status >= 200 && status < 300

const byStatus: Readonly<Record<number, string>> = {
  400: "The receiver does not accept the body: it should recognize a test by its webhook-id, and answer 2xx.",
  401:
    "Compare the signing secret, the user name and the password; see whether the receiver's clock is right, and \
whether a proxy changes the body.",
  403:
    "Check the user name and the password, and whether a firewall of the receiver refuses the service's address.",
  404: "Check the base URL: the path of the message type is appended to it.",
  405: "Check the base URL: the receiver accepts no POST there.",
  408: "The receiver expects more data than was sent: check whether a proxy changes the body.",
  410:
    "410 tells the service to stop: as the answer to a message it disables the endpoint, but not as the answer to a test.",
  413: "Raise the limit of the receiver and of its proxy: a completion may be several MiB large.",
  415: "The receiver should accept the content type of the request.",
  429: "The receiver is overloaded; messages are repeated after its Retry-After."
}

/** The remedy, in one or two sentences; `""` for a test that was accepted. */
export const remedyOf = (outcome: Pick<TestOutcome, "status" | "unsentBy">): string => {
  const { status, unsentBy } = outcome
  if (isTaken(outcome)) return ""
  if (unsentBy === "SERVICE") return "The operators of the service have to fix this."
  if (unsentBy === "LOGIN") {
    return "Compare the login URL, the user name and the password of the endpoint; with OAuth 2.0 the token URL, the client id and \
its secret."
  }
  if (status === null) {
    return "Compare the base URL; see whether its address is public and speaks https with a valid certificate, and whether \
a firewall lets the service's address through. OUTBOUND_ALLOW opens other networks, for development."
  }
  if (status < 400) return "Check the base URL: redirects are not followed."
  return byStatus[status] ??
    (status < 500
      ? "The receiver refuses the message: its log should say why."
      : "The receiver, or a proxy before it, failed: its log should say why. Messages are repeated.")
}
