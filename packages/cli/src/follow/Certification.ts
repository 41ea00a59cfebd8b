/**
 * `dockline webhook certify`: sends test messages to a receiver, some of them wrong on purpose, and concludes from the answers whether the
 * receiver is ready for freight (D20.3).
 *
 * Guarantee: a check passes only by the answers of the receiver. A check that is impossible from outside is `UNSEEN`, and explains how the
 * user does it. Every message is a test: its `webhook-id` begins with `test_`, and its shipment does not exist.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { webhookPath } from "@dockline/core/values/Vocabulary"
import type { WebhookType } from "@dockline/core/values/Vocabulary"
import { deliveryBody } from "@dockline/core/webhooks/Delivery"
import { isTaken, remedyOf, testContent } from "@dockline/core/webhooks/MessageKinds"
import { Clock, Effect, Stream } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import type { Chunk } from "../Pages.ts"
import type { Columns } from "../Table.ts"
import type { MessageWords } from "./Following.ts"
import * as ReceiverDelivery from "./ReceiverDelivery.ts"
import type { Receiver } from "./ReceiverDelivery.ts"

/**
 * `UNSIGNED` leaves the signature out, `WRONG_SIGNATURE` sends random bytes as the signature, `ALTERED_BODY` changes the body after it was
 * signed, and `OLD_TIMESTAMP` signs for a time {@link oldMillis} ago.
 */
type Defect = "UNSIGNED" | "WRONG_SIGNATURE" | "ALTERED_BODY" | "OLD_TIMESTAMP"

/** Twice the age that libraries of Standard Webhooks accept, in milliseconds. */
const oldMillis = 600_000

/** A message to send, and the answer that it should get. */
interface Check {
  readonly name: string
  /** The requirement on the receiver. */
  readonly asks: string
  readonly expects: "TAKEN" | "REFUSED"
  readonly defect?: Defect
  readonly type: WebhookType
  /** Whether the message repeats the `webhook-id` of the first message. */
  readonly isRepeat?: true
  /** The age of the event in the message, in milliseconds. */
  readonly ageMillis?: number
  /** The pause before the message, in milliseconds. */
  readonly pauseMillis?: number
}

/** `NOT_SENT`: the first check has failed, so that the answers to the others would mean nothing. */
type Verdict = "PASSED" | "FAILED" | "NOT_SENT" | "UNSEEN"

/** The result of a check. */
export interface CheckResult extends Pick<Check, "name" | "asks"> {
  readonly verdict: Verdict
  /** `""` for a message that was not sent. */
  readonly webhookId: string
  /** `null` without an answer. */
  readonly status: number | null
  readonly durationMs: number
  /** Why the check has failed, with the remedy; `""` if it has passed. */
  readonly detail: string
}

const marks: Readonly<Record<Verdict, string>> = {
  PASSED: "passed",
  FAILED: "FAILED",
  NOT_SENT: "not sent",
  UNSEEN: "check yourself"
}

export const columns: Columns<CheckResult> = {
  check: ({ name }) => name,
  verdict: ({ verdict }) => marks[verdict],
  answer: ({ status }) => status === null ? "-" : String(status),
  took: ({ durationMs, webhookId }) => webhookId === "" ? "-" : `${durationMs} ms`,
  asks: ({ asks }) => asks
}

/** The checks in order: all checks with messages of the first type, and then one signed message of each other type. */
const checksOf = (
  { outboxes, types: [first, ...others] }: Pick<Options, "outboxes" | "types">
): readonly [Check, ...ReadonlyArray<Check>] => {
  const acceptance = (name: string, asks: string) => ({ name, asks, expects: "TAKEN", type: first }) as const
  const rejection = (defect: Defect, asks: string) =>
    ({ name: defect, asks, expects: "REFUSED", defect, type: first }) as const
  return [
    acceptance("SIGNED", "A signed message is taken"),
    rejection("UNSIGNED", "A message without a signature is refused"),
    rejection("WRONG_SIGNATURE", "A message with a wrong signature is refused"),
    rejection("ALTERED_BODY", "A message that was changed after it was signed is refused"),
    rejection("OLD_TIMESTAMP", "A message that was signed ten minutes ago is refused"),
    { ...acceptance("DUPLICATE", "The same webhook-id again is acknowledged"), isRepeat: true },
    {
      ...acceptance("OUT_OF_ORDER", "A message of an hour ago is taken after newer ones"),
      ageMillis: 3_600_000
    },
    { ...acceptance("AFTER_PAUSE", "A message after a pause is taken"), pauseMillis: 1500 },
    ...others.map((type): Check => ({
      name: `SIGNED_${type}`,
      asks: `A signed message is taken at ${outboxes[type]?.path ?? webhookPath(type)} too`,
      expects: "TAKEN",
      type
    }))
  ]
}

/** Rows of all checks, from which the columns get their widths before the first message is sent. */
export const expected = (options: Pick<Options, "outboxes" | "types">) =>
  checksOf(options).map((check): CheckResult => ({ ...resultOf(check), verdict: "UNSEEN", status: 200 }))

const resultOf = ({ asks, name }: Pick<Check, "asks" | "name">): CheckResult => ({
  name,
  asks,
  verdict: "NOT_SENT",
  webhookId: "",
  status: null,
  durationMs: 0,
  detail: ""
})

/** The checks whose results only the user can see; `repeatedId` is the `webhook-id` that was sent twice. */
const unseen = (repeatedId: string): ReadonlyArray<CheckResult> => [
  {
    ...resultOf({ name: "COUNTED_ONCE", asks: "A message that comes twice is counted once" }),
    verdict: "UNSEEN",
    detail: `This cannot be seen from outside: check that your system has ${repeatedId} at most once.`
  },
  {
    ...resultOf({
      name: "RESUMED",
      asks: "A follower of the log resumes at its cursor, and understands HISTORY_EXPIRED (410)"
    }),
    verdict: "UNSEEN",
    detail:
      "This cannot be seen from outside: stop your follower, let a pallet pass, and check that it comes once the follower is \
back. Receivers of webhooks alone need no cursor."
  }
]

/** Answers of 4xx that do not mean a refusal of the message. */
const notRefusals: ReadonlySet<number> = new Set([408, 410, 429])

/** Judges the answer to a check. */
const judge = (
  { expects, name }: Check,
  { error, status }: ReceiverDelivery.Outcome
): Pick<CheckResult, "verdict" | "detail"> => {
  const isPassed = expects === "TAKEN"
    ? isTaken({ status })
    : status !== null && status >= 400 && status < 500 && !notRefusals.has(status)
  if (isPassed) return { verdict: "PASSED", detail: "" }
  const detail = expects === "TAKEN"
    ? [error, remedyOf({ status, unsentBy: null })].filter((text) => text !== "").join(". ")
    : isTaken({ status })
    ? forgeryDetail(name)
    : `Refuse it with 401. ${error}`.trim()
  return { verdict: "FAILED", detail }
}

const forgeryDetail = (name: string): string =>
  name === "OLD_TIMESTAMP"
    ? "It took a message that someone may have recorded and sent again: refuse messages older than five minutes."
    : "It took a message that anyone could have sent: verify webhook-signature over the raw bytes."

/** The request of a check, at a time in milliseconds since 1970. */
const requestOf = (
  { ageMillis = 0, defect, type }: Check,
  webhookId: string,
  now: number,
  { kinds, outboxes, place, receiver }: Options
): ReceiverDelivery.DeliveryRequest => {
  const occurredAt = Timestamp.fromMillis(now - ageMillis)
  const settings = { dashboardUrl: place.dashboardUrl, fieldMap: [] }
  const content = testContent(type, place, occurredAt, settings, { kinds, outboxes })
  const delivery = deliveryBody(receiver.profile, content)
  const message = { webhookId, ...delivery, millis: defect === "OLD_TIMESTAMP" ? now - oldMillis : now }
  const headers = ReceiverDelivery.headersOf(message, receiver.secret)
  const { "webhook-signature": _, ...unsignedHeaders } = headers
  const request = { path: delivery.path, headers, body: delivery.body }
  switch (defect) {
    case "UNSIGNED":
      return { ...request, headers: unsignedHeaders }
    case "WRONG_SIGNATURE":
      return {
        ...request,
        headers: { ...headers, "webhook-signature": `v1,${randomBytes(32).toString("base64")}` }
      }
    case "ALTERED_BODY":
      return { ...request, body: delivery.body.replace(/\}?$/, (end) => `,"altered":true${end}`) }
    default:
      return request
  }
}

/** The receiver, the types of messages to send, and the business and facility in the messages. */
export interface Options extends Pick<MessageWords, "kinds" | "outboxes"> {
  readonly receiver: Receiver
  readonly types: readonly [WebhookType, ...ReadonlyArray<WebhookType>]
  readonly place: { readonly business: string; readonly facility: string; readonly dashboardUrl: string }
}

/** Runs the checks one after the other. When the first has failed, no other is sent. */
export const certify = (options: Options): Stream.Stream<Chunk<CheckResult>> => {
  const [first, ...others] = checksOf(options)
  const run = Effect.fnUntraced(function*(check: Check, repeatedId?: string) {
    if (check.pauseMillis !== undefined) yield* Effect.sleep(check.pauseMillis)
    const webhookId = (check.isRepeat ? repeatedId : undefined) ?? `test_${randomUUID()}`
    const now = yield* Clock.currentTimeMillis
    const outcome = yield* ReceiverDelivery.sendDelivery(
      requestOf(check, webhookId, now, options),
      options.receiver
    )
    const { durationMs, status } = outcome
    return { ...resultOf(check), webhookId, status, durationMs, ...judge(check, outcome) }
  })
  return Stream.unwrap(Effect.map(run(first), (result) => {
    const rest = result.verdict === "PASSED"
      ? Stream.concat(
        Stream.mapEffect(Stream.fromIterable(others), (check) => run(check, result.webhookId)),
        Stream.fromIterable(unseen(result.webhookId))
      )
      : Stream.fromIterable(others.map((check): CheckResult => ({
        ...resultOf(check),
        detail: "It is sent once the first check has passed."
      })))
    return Stream.concat(Stream.succeed(result), rest)
  })).pipe(Stream.map((result) => ({ items: [result], bodies: [result], next: null })))
}
