/** The health of an endpoint (D9.3), which operators see and settlements write. Each change logs one line. */
import type { MessageId } from "@dockline/core/values/Id"
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { DeliveryResult, DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { Settlement } from "@dockline/core/webhooks/DeliveryStore"
import type { LoginWait, WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect } from "effect"
import type { OperatorEvent } from "../OperatorEvents.ts"
import type { RetrySettings } from "../WebhookConfig.ts"
import { countLoginFailure } from "../WebhookMetrics.ts"
import * as Retry from "./Retry.ts"
import { lastOf } from "./Sending.ts"
import type { LoginFault, SendResult } from "./Sending.ts"

type Health = Pick<Settlement, "failingSince" | "login" | "disable" | "expiredUpTo">

/** The wait after the first failed login, in milliseconds; it doubles with each further failure (D9.3). */
const firstLoginWait = 5_000

const longestLoginWait = 5 * 60_000

/**
 * The time for which an endpoint must fail before operators are notified, in milliseconds: many failures end with the next try. The second
 * repetition of a delivery comes four minutes after the first failure at the earliest.
 */
const failingNewsMillis = 4 * 60_000

/** The number of failed logins after which operators are notified. By the waits above, this is five minutes after the first failure. */
const loginNewsFailures = 7

export class EndpointState {
  readonly #settings: RetrySettings
  readonly #name: string
  readonly #log: (line: Effect.Effect<void>) => void
  readonly #tell: (event: Omit<OperatorEvent, "endpoint">) => void
  #health: Health
  #loginHasFailed = false

  constructor(
    { business, failingSince, id, login }: WebhookEndpoint,
    settings: RetrySettings,
    log: (line: Effect.Effect<void>) => void,
    tell: (event: OperatorEvent) => void
  ) {
    this.#settings = settings
    this.#name = `Webhook endpoint ${id} of ${business}`
    this.#log = log
    this.#tell = ({ text, ...event }) =>
      tell({ ...event, endpoint: { business, id }, text: `${this.#name} ${text}` })
    this.#health = { failingSince, login, disable: undefined, expiredUpTo: undefined }
  }

  get health(): Health {
    return this.#health
  }

  /** Whether no more deliveries may begin, because the endpoint is to be disabled or waits for its login. */
  get isStopped(): boolean {
    return this.#loginHasFailed || this.#health.disable !== undefined
  }

  /** Decides the consequences of an attempt; `chance` is as in `Retry`. */
  resultOf(
    { message, progress }: DueDelivery,
    sendResult: SendResult,
    now: number,
    chance: number
  ): DeliveryResult {
    const { attempts, isCut, loginFault, retryAfter } = sendResult
    const { error, status } = lastOf(sendResult)
    const { id: messageId, shipmentId, type: messageType } = message
    const result = { messageId, messageType, shipmentId, attempts }
    if (loginFault !== undefined || isCut) {
      const next = loginFault === undefined ? fromMillis(now) : this.loginFailed(loginFault, now).retryAt
      return { ...result, ...progress, status: "PENDING", nextAttemptAt: next }
    }
    const { failingSince } = this.#health
    const ended = { progress, failingSince, status, retryAfter, now, chance }
    const { disable, failingSince: since, ...verdict } = Retry.decide(this.#settings, ended)
    const why = status === null ? error : `it answered ${status}`
    this.#fails(since, why)
    if (since !== null && now - Date.parse(since) >= failingNewsMillis) {
      this.#tell({ type: "endpoint.failing", text: `has failed since ${since}: ${why}` })
    }
    if (verdict.status === "DEAD") {
      this.#tell({
        type: "delivery.dead",
        messageId,
        text: `has not accepted message ${messageId}, which is given up: ${why}`
      })
    }
    if (disable !== undefined) this.#disable(disable)
    return { ...result, ...verdict }
  }

  /** Sets the time since which the endpoint fails. `why` describes the failure of the last attempt. */
  #fails(since: Timestamp | null, why: string): void {
    const before = this.#health.failingSince
    if (since === before) return
    this.#health = { ...this.#health, failingSince: since }
    if (before === null) this.#warn(`fails: ${why}`)
    else if (since === null) this.#log(Effect.logInfo(`${this.#name} takes deliveries again`))
  }

  #disable(reason: "GONE" | "FAILING"): void {
    if (this.#health.disable !== undefined) return
    this.#health = { ...this.#health, disable: reason }
    const text = reason === "GONE"
      ? "is disabled: it answered 410"
      : `is disabled: it has failed since ${this.#health.failingSince}`
    this.#warn(text)
    this.#tell({ type: "endpoint.disabled", text })
  }

  /** Counts a failed login, which is no failure of a delivery, and returns the wait that follows. */
  loginFailed({ error, retryAfter }: LoginFault, now: number): LoginWait {
    const before = this.#health.login
    // Deliveries that were under way at the same time have the same failure.
    if (this.#loginHasFailed && before !== null) return before
    this.#loginHasFailed = true
    const failures = (before?.failures ?? 0) + 1
    const delay = Math.min(firstLoginWait * 2 ** (failures - 1), longestLoginWait)
    const wait = Math.max(delay, Retry.retryAfter(retryAfter, now) ?? 0)
    const login = { failures, retryAt: fromMillis(now + wait), error }
    this.#health = { ...this.#health, login }
    this.#log(countLoginFailure)
    const text = `waits, because signing in to it failed: ${error}`
    if (failures === 1) this.#warn(text)
    if (failures >= loginNewsFailures) this.#tell({ type: "endpoint.failing", text })
    return login
  }

  signedIn(): void {
    if (this.#health.login === null) return
    this.#health = { ...this.#health, login: null }
    this.#log(Effect.logInfo(`${this.#name} can be signed in to again`))
  }

  /** Records that the messages up to this id expired before the endpoint could take them. */
  expired(upTo: number): void {
    this.#health = { ...this.#health, expiredUpTo: upTo }
    const text =
      `has missed messages up to id ${upTo}: they were dropped by age before they could be delivered`
    this.#warn(text)
    this.#tell({ type: "delivery.dead", messageId: upTo, text })
  }

  /** Notifies operators that a message expired before it could be delivered. */
  tellDrop(messageId: MessageId): void {
    this.#tell({
      type: "delivery.dead",
      messageId,
      text: `has not accepted message ${messageId}, which was dropped by age`
    })
  }

  #warn(what: string): void {
    this.#log(Effect.logWarning(`${this.#name} ${what}`))
  }
}
