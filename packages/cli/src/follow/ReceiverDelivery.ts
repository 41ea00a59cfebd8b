/**
 * Sends messages to a receiver as the service sends webhooks: with the paths, the headers and the signature that an endpoint
 * gets (D9.5).
 */
import type { MessageView } from "@dockline/core/messages/MessageView"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { webhookPath } from "@dockline/core/values/Vocabulary"
import { deliveryBody } from "@dockline/core/webhooks/Delivery"
import type { DeliveryBody } from "@dockline/core/webhooks/Delivery"
import { testPayload } from "@dockline/core/webhooks/MessageKinds"
import { Clock, Effect, Redacted, Stream } from "effect"
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import type { Chunk } from "../Pages.ts"
import * as ServiceCalls from "../ServiceCalls.ts"
import type { Columns } from "../Table.ts"
import type { MessageWords } from "./Following.ts"

/** The time limit for an answer, the same as that of the service. */
const timeoutMillis = 15_000

const prefix = "whsec_"

/** Whether a text is a signing secret, as Standard Webhooks writes it. */
export const isSecret = (text: string): boolean => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)

export const newSecret = (): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64")}`)

export interface Receiver {
  /** Without a slash at its end; the paths of webhooks are appended. */
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
  readonly profile: PayloadProfile
  /** The value of `Authorization`, if the receiver requires one. */
  readonly authorization?: Redacted.Redacted | undefined
}

/** A message to sign. */
interface SignedBody extends DeliveryBody {
  readonly webhookId: string
  /** The time of the signature, in milliseconds since 1970. */
  readonly millis: number
}

/** The headers of a delivery without `Authorization`. */
export const headersOf = (
  { body, contentType, millis, webhookId }: SignedBody,
  secret: Redacted.Redacted
) => {
  const seconds = String(Math.floor(millis / 1000))
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${webhookId}.${seconds}.${body}`).digest("base64")
  return {
    "content-type": contentType,
    "user-agent": `dockline/${ServiceCalls.version}`,
    "webhook-id": webhookId,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`
  }
}

export interface DeliveryRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The outcome of a request. */
export interface Outcome {
  /** `null` without an answer. */
  readonly status: number | null
  /** Why there was no answer; `""` if there was one. */
  readonly error: string
  readonly durationMs: number
}

/** Sends a request once. Redirects are not followed. */
export const sendDelivery = Effect.fnUntraced(function*(
  { body, headers, path }: DeliveryRequest,
  { authorization, baseUrl }: Pick<Receiver, "authorization" | "baseUrl">
) {
  const startedAt = yield* Clock.currentTimeMillis
  const answer = yield* Effect.result(Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: authorization === undefined
          ? headers
          : { ...headers, authorization: Redacted.value(authorization) },
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)])
      })
      await response.body?.cancel()
      return response.status
    },
    catch: ServiceCalls.reasonOf
  }))
  const durationMs = (yield* Clock.currentTimeMillis) - startedAt
  return answer._tag === "Success"
    ? { status: answer.success, error: "", durationMs } satisfies Outcome
    : { status: null, error: answer.failure, durationMs } satisfies Outcome
})

/** A message of the log, or a test message, which has no id. */
interface Outgoing extends Pick<MessageView, "message" | "messageType"> {
  readonly id: number | null
}

interface ForwardedDelivery extends Outcome {
  /** `null` for a test. */
  readonly id: number | null
  readonly messageType: MessageView["messageType"]
  readonly path: string
}

/** The columns of `dockline listen`. */
export const columns: Columns<ForwardedDelivery> = {
  id: ({ id }) => String(id ?? "test"),
  path: ({ path }) => path,
  answer: ({ error, status }) => status === null ? error : String(status),
  took: ({ durationMs }) => `${durationMs} ms`
}

/** A row for each type of message, from which the columns get their widths before the first delivery. */
export const expectedOf = ({ types }: MessageWords): ReadonlyArray<ForwardedDelivery> =>
  types.map((messageType) => ({
    id: null,
    messageType,
    path: webhookPath(messageType),
    status: 200,
    error: "",
    durationMs: 0
  }))

const forward = (receiver: Receiver) =>
  Effect.fnUntraced(function*({ id, message, messageType }: Outgoing) {
    const delivery = deliveryBody(receiver.profile, {
      type: messageType,
      json: JSON.stringify(message)
    })
    const webhookId = id === null ? `test_${randomUUID()}` : `msg_${id}`
    const millis = yield* Clock.currentTimeMillis
    const headers = headersOf({ webhookId, millis, ...delivery }, receiver.secret)
    const { body, path } = delivery
    const outcome = yield* sendDelivery({ path, headers, body }, receiver)
    return { id, messageType, path, ...outcome } satisfies ForwardedDelivery
  })

/** A test message of each type, as the service sends it to an endpoint of a business without a field map (D9.9). */
export const testsOf = (
  { kinds, types }: MessageWords,
  place: { readonly business: string; readonly facility: string },
  dashboardUrl: string
) =>
  Effect.map(Timestamp.now, (now) =>
    types.map((messageType): Outgoing => ({
      id: null,
      messageType,
      message: testPayload(messageType, place, now, { dashboardUrl, fieldMap: [] }, kinds)
    })))

/**
 * `dockline listen`: forwards messages, those in `first` and then each new one, to an address that the service itself cannot reach, as
 * webhooks with the paths, the headers and the signature that a webhook endpoint gets (D9.5).
 *
 * Guarantee: messages are sent one after another in the order of their ids, each once. A failed delivery is shown, and not repeated.
 */
export const to = (receiver: Receiver, first: ReadonlyArray<Outgoing> = []) => {
  const send = forward(receiver)
  return <E, R>(messages: Stream.Stream<Chunk<MessageView>, E, R>) =>
    Stream.concat(
      Stream.fromIterable(first),
      Stream.flatMap(messages, ({ items }) => Stream.fromIterable<Outgoing>(items))
    ).pipe(
      Stream.mapEffect(send),
      Stream.map((item): Chunk<ForwardedDelivery> => ({ items: [item], bodies: [item], next: null }))
    )
}
