/**
 * `dockline listen`: forwards the messages of a business to an address that the service itself cannot reach, as webhooks:
 * with the paths, the headers and the signature that a webhook endpoint gets (D9.5).
 *
 * Guarantee: messages go out one after another in the order of their ids, each once; a failed one is shown, and not
 * sent again.
 */
import { testPayload } from "@dockline/core/internal/webhooks/MessageKinds"
import { profiled } from "@dockline/core/internal/webhooks/PayloadProfile"
import type { PayloadProfile } from "@dockline/core/internal/webhooks/PayloadProfile"
import type { MessageView } from "@dockline/core/MessageView"
import * as Timestamp from "@dockline/core/Timestamp"
import { messagePaths, messageTypes } from "@dockline/core/Vocabulary"
import { Clock, Effect, Redacted, Stream } from "effect"
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import * as Http from "../Http.ts"
import type { Chunk } from "../Pages.ts"
import type { Columns } from "../Table.ts"

/** A message of the log, or a test, which has no number. */
interface Outgoing extends Pick<MessageView, "message" | "messageType"> {
  readonly id: number | null
}

interface Forwarded {
  /** `null` for a test. */
  readonly id: number | null
  readonly messageType: MessageView["messageType"]
  readonly path: string
  /** `null` without an answer. */
  readonly status: number | null
  readonly error: string
  readonly durationMs: number
}

export const columns: Columns<Forwarded> = {
  id: ({ id }) => String(id ?? "test"),
  path: ({ path }) => path,
  answer: ({ error, status }) => status === null ? error : String(status),
  took: ({ durationMs }) => `${durationMs} ms`
}

/** A row for each type of message, so that the columns have room for all paths before the first long one comes. */
export const expected: ReadonlyArray<Forwarded> = messageTypes.map((messageType) => ({
  id: null,
  messageType,
  path: messagePaths[messageType],
  status: 200,
  error: "",
  durationMs: 0
}))

/** As long as the service waits for an endpoint. */
const timeoutMillis = 15_000

const prefix = "whsec_"

/** Whether a text is a signing secret, as Standard Webhooks writes it. */
export const isSecret = (text: string): boolean => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)

export const newSecret = (): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64")}`)

const headersOf = (webhookId: string, millis: number, body: string, secret: Redacted.Redacted) => {
  const seconds = String(Math.floor(millis / 1000))
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${webhookId}.${seconds}.${body}`).digest("base64")
  return {
    "content-type": "application/json",
    "user-agent": `dockline/${Http.version}`,
    "webhook-id": webhookId,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`
  }
}

export interface Receiver {
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
  readonly profile: PayloadProfile
}

const forward = ({ baseUrl, profile, secret }: Receiver) =>
  Effect.fnUntraced(function*({ id, message, messageType }: Outgoing) {
    const path = messagePaths[messageType]
    const now = yield* Clock.currentTimeMillis
    const body = profiled(profile, messageType, JSON.stringify(message))
    const answer = yield* Effect.result(Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${baseUrl}${path}`, {
          method: "POST",
          headers: headersOf(id === null ? `test_${randomUUID()}` : `msg_${id}`, now, body, secret),
          body,
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)])
        })
        await response.body?.cancel()
        return response.status
      },
      catch: Http.reasonOf
    }))
    const durationMs = (yield* Clock.currentTimeMillis) - now
    const outcome = answer._tag === "Success"
      ? { status: answer.success, error: "" }
      : { status: null, error: answer.failure }
    return { id, messageType, path, ...outcome, durationMs } satisfies Forwarded
  })

/** A test message of each type, as the service sends it to an endpoint of a business without a field map (D9.9). */
export const testsOf = (business: string, facility: string, dashboardUrl: string) =>
  Effect.map(Timestamp.now, (now) =>
    messageTypes.map((messageType): Outgoing => ({
      id: null,
      messageType,
      message: testPayload(messageType, { business, facility }, now, { dashboardUrl, fieldMap: [] })
    })))

/** Sends these and then each message to the address, and tells what became of it. */
export const to = (receiver: Receiver, first: ReadonlyArray<Outgoing> = []) => {
  const send = forward(receiver)
  return <E, R>(messages: Stream.Stream<Chunk<MessageView>, E, R>) =>
    Stream.concat(
      Stream.fromIterable(first),
      Stream.flatMap(messages, ({ items }) => Stream.fromIterable<Outgoing>(items))
    ).pipe(
      Stream.mapEffect(send),
      Stream.map((item): Chunk<Forwarded> => ({ items: [item], bodies: [item], next: null }))
    )
}
