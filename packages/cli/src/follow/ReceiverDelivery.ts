/**
 * Sends messages to a receiver as the service sends webhooks: with the paths, the headers and the signature that an endpoint
 * gets (D9.5).
 */
import type { PayloadProfile } from "@dockline/core/places/PayloadProfile"
import type { DeliveryBody } from "@dockline/core/webhooks/Delivery"
import { Clock, Effect, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import * as Http from "../Http.ts"

/** As long as the service waits for an endpoint. */
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
  /** The value of `Authorization`, where the receiver asks for one. */
  readonly authorization?: Redacted.Redacted | undefined
}

/** A message to sign. */
interface SignedBody extends DeliveryBody {
  readonly webhookId: string
  /** The time of the signature, in milliseconds since 1970. */
  readonly millis: number
}

/** The headers of a delivery but for `Authorization`. */
export const headersOf = (
  { body, contentType, millis, webhookId }: SignedBody,
  secret: Redacted.Redacted
) => {
  const seconds = String(Math.floor(millis / 1000))
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${webhookId}.${seconds}.${body}`).digest("base64")
  return {
    "content-type": contentType,
    "user-agent": `dockline/${Http.version}`,
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

/** What became of a request. */
export interface Outcome {
  /** `null` without an answer. */
  readonly status: number | null
  /** Why there was no answer; `""` where there was one. */
  readonly error: string
  readonly durationMs: number
}

/** Sends a request once. Redirects are not followed. */
export const send = Effect.fnUntraced(function*(
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
    catch: Http.reasonOf
  }))
  const durationMs = (yield* Clock.currentTimeMillis) - startedAt
  return answer._tag === "Success"
    ? { status: answer.success, error: "", durationMs } satisfies Outcome
    : { status: null, error: answer.failure, durationMs } satisfies Outcome
})
