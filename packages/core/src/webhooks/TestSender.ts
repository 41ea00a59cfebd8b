/**
 * Port: sends test messages to endpoints, at once and outside the log (D9.9), and the remedies for a message that was not accepted.
 *
 * Guarantee: a test sends one request, after one more request if the endpoint needs a login. It ends within the time limits of deliveries,
 * and changes neither the endpoint nor its deliveries. No outcome shows a secret.
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
