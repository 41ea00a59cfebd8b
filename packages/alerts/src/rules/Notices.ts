/**
 * What rules tell of messages of the log (D26.2): a pure function of the message, of what the storage knows of it, and of the rules.
 *
 * Guarantee: a notice is about one thing, whose key is the same whichever message tells of it.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Option, Schema } from "effect"
import type { AlertKind, AlertRule } from "../domain/AlertRule.ts"
import type { NoticeDraft, PalletFacts, PalletMessage } from "../domain/AlertStore.ts"
import { noticeOf } from "../domain/Notice.ts"
import type { Notice } from "../domain/Notice.ts"
import { dueAt } from "./QuietTime.ts"

/** The types of messages that rules tell of. */
export const noticeTypes: ReadonlyArray<string> = [
  "EXCEPTION_REPORTED",
  "PALLET_EVENT",
  "SHIPMENT_DISCREPANCIES"
]

/** The most pallets that a text names. */
const palletLimit = 10

/** Something that rules of a kind tell of. */
interface Occurrence {
  readonly kind: AlertKind
  readonly key: string
  readonly notice: Notice
}

const time = Schema.String.check(
  Schema.makeFilter((text) => Timestamp.isTimestamp(text) ? undefined : "must be a timestamp")
).pipe(Schema.brand("Timestamp"))

const Shared = { occurredAt: time, url: Schema.String }

const ExceptionReport = Schema.Struct({
  ...Shared,
  exception: Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    priority: Schema.String,
    lpn: Schema.String,
    description: Schema.String,
    shipmentNumber: Schema.String
  })
})

const Departure = Schema.Struct({
  ...Shared,
  shipmentNumber: Schema.String,
  discrepancies: Schema.Array(Schema.Struct({ kind: Schema.String, lpn: Schema.String }))
})

const PalletEvent = Schema.Struct({ ...Shared, servicePalletId: Schema.String })

const exceptionOf = Schema.decodeUnknownOption(ExceptionReport)
const departureOf = Schema.decodeUnknownOption(Departure)
const palletEventOf = Schema.decodeUnknownOption(PalletEvent)

/** Verdicts with which a pallet may go on. */
const fineVerdicts = new Set(["EXPECTED", "REPEATED"])

const exceptionOccurrence = (payload: unknown): Occurrence | undefined => {
  const { exception, occurredAt, url } = Option.getOrUndefined(exceptionOf(payload)) ?? {}
  if (exception === undefined || exception.priority !== "HIGH") return undefined
  const { description, id, kind, lpn, shipmentNumber } = exception
  const what = lpn === "" ? kind : `${kind}, pallet ${lpn}`
  return {
    kind: "URGENT_PROBLEM",
    key: `exception:${id}`,
    notice: noticeOf(
      occurredAt!,
      `Urgent problem: shipment ${shipmentNumber}`,
      `${what}: ${description}`,
      url!
    )
  }
}

const shortDeparture = (shipmentId: number, payload: unknown): Occurrence | undefined => {
  const departure = Option.getOrUndefined(departureOf(payload))
  const missing = departure?.discrepancies.filter(({ kind }) => kind === "SHORT") ?? []
  if (departure === undefined || missing.length === 0) return undefined
  const names = missing.slice(0, palletLimit).map(({ lpn }) => lpn).join(", ")
  const more = missing.length > palletLimit ? ` and ${missing.length - palletLimit} more` : ""
  const count = missing.length === 1 ? "1 expected pallet is" : `${missing.length} expected pallets are`
  return {
    kind: "SHORT_DEPARTURE",
    key: `departure:${shipmentId}`,
    notice: noticeOf(
      departure.occurredAt,
      `Short at departure: shipment ${departure.shipmentNumber}`,
      `${count} missing: ${names}${more}`,
      departure.url
    )
  }
}

const wrongPallet = (payload: unknown, facts: PalletFacts | undefined): Occurrence | undefined => {
  const event = Option.getOrUndefined(palletEventOf(payload))
  if (event === undefined || facts === undefined || fineVerdicts.has(facts.verdict.kind)) return undefined
  const { dock, lpn, shipmentNumber, verdict } = facts
  return {
    kind: "WRONG_PALLET",
    key: `pallet:${event.servicePalletId}`,
    notice: noticeOf(
      event.occurredAt,
      `Wrong pallet at dock ${dock}: ${lpn === "" ? "without LPN" : lpn}, shipment ${shipmentNumber}`,
      verdict.text,
      event.url
    )
  }
}

const occurrenceOf = (
  message: Message,
  pallets: ReadonlyMap<number, PalletFacts>
): Occurrence | undefined => {
  const payload = payloadOf(message)
  switch (message.type) {
    case "EXCEPTION_REPORTED":
      return exceptionOccurrence(payload)
    case "SHIPMENT_DISCREPANCIES":
      return shortDeparture(message.shipmentId, payload)
    case "PALLET_EVENT":
      return wrongPallet(payload, pallets.get(message.id))
    default:
      return undefined
  }
}

/** Whether a rule tells of a kind at a facility. */
const tells = (rule: AlertRule, kind: AlertKind, facility: string): boolean =>
  rule.enabled && rule.facility === facility && rule.kinds.includes(kind)

/** The pallet events among messages that a rule may tell of. */
export const palletMessages = (
  messages: ReadonlyArray<Message>,
  rules: ReadonlyArray<AlertRule>
): ReadonlyArray<PalletMessage> =>
  messages.filter(({ facility, type }) =>
    type === "PALLET_EVENT" && rules.some((rule) => tells(rule, "WRONG_PALLET", facility))
  ).map((message) => ({
    messageId: message.id,
    shipmentId: message.shipmentId,
    palletId: Number(payloadOf(message)["servicePalletId"] ?? 0)
  }))

/** The notices of messages of a business, in the order of the messages. */
export const noticesOf = (
  messages: ReadonlyArray<Message>,
  pallets: ReadonlyMap<number, PalletFacts>,
  rules: ReadonlyArray<AlertRule>,
  now: Timestamp.Timestamp
): ReadonlyArray<NoticeDraft> =>
  messages.flatMap((message) => {
    const occurrence = occurrenceOf(message, pallets)
    if (occurrence === undefined) return []
    const { key, kind, notice } = occurrence
    return rules.filter((rule) => message.id > rule.fromId && tells(rule, kind, message.facility))
      .map((rule) => ({ rule: rule.slug, key, dueAt: dueAt(rule, now), notice }))
  })
