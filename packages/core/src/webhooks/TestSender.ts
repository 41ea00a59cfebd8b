/**
 * Port: sends test messages to endpoints, at once and outside the log (D9.9).
 *
 * Guarantee: a test is one request, and one more where a login comes before it. It ends within the time limits of
 * deliveries, and changes neither the endpoint nor its deliveries. No outcome shows a secret.
 */
import { Context, Effect } from "effect"
import * as Timestamp from "../values/Timestamp.ts"
import type { Content } from "./Delivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

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

/** What became of a test: the request, the answer, or why there is none. */
export interface TestOutcome {
  readonly at: Timestamp.Timestamp
  /** `null` when nothing was sent. */
  readonly request: SentRequest | null
  /** What kept the message from being sent: the login, or this service; `null` when it was sent. */
  readonly unsentBy: "LOGIN" | "SERVICE" | null
  /** `null` without an answer. */
  readonly status: number | null
  /** From the request to the answer, without the login. */
  readonly durationMs: number
  readonly answer: TestAnswer | null
  /** Why nothing was sent, why there was no answer, or why it was incomplete; `""` when nothing went wrong. */
  readonly error: string
}

/** The outcome of a test of which nothing was sent; `error` says why. */
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

/** Sends test messages; a service that sends no webhooks says so. */
export const TestSender = Context.Reference<Service>("@dockline/core/TestSender", {
  defaultValue: () => ({
    send: () => Effect.map(Timestamp.now, (now) => unsent(now, "SERVICE", "this service sends no webhooks"))
  })
})
