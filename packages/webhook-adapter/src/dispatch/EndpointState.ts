/**
 * The health of an endpoint (D9.3), shown to operators and written with settlements. Each change logs one line.
 */
import type { DeliveryResult, DueDelivery } from "@dockline/core/Delivery"
import type { Settlement } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import type { Timestamp } from "@dockline/core/Timestamp"
import type { LoginWait, WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Effect } from "effect"
import type { RetrySettings } from "../WebhookConfig.ts"
import { countLoginFailure } from "../WebhookMetrics.ts"
import * as Retry from "./Retry.ts"
import { lastOf } from "./Sending.ts"
import type { Sent } from "./Sending.ts"

type Health = Pick<Settlement, "failingSince" | "login" | "disable" | "expiredUpTo">

/** The wait after the first failed login, in milliseconds; it doubles with each further failure (D9.3). */
const firstLoginWait = 5_000

const longestLoginWait = 5 * 60_000

export class EndpointState {
  readonly #settings: RetrySettings
  readonly #name: string
  readonly #log: (line: Effect.Effect<void>) => void
  #health: Health
  #loginHasFailed = false

  constructor(
    { business, failingSince, id, login }: WebhookEndpoint,
    settings: RetrySettings,
    log: (line: Effect.Effect<void>) => void
  ) {
    this.#settings = settings
    this.#name = `Webhook endpoint ${id} of ${business}`
    this.#log = log
    this.#health = { failingSince, login, disable: undefined, expiredUpTo: undefined }
  }

  get health(): Health {
    return this.#health
  }

  /** Whether the endpoint is to be disabled or waits for its login, so no more deliveries may begin. */
  get isStopped(): boolean {
    return this.#loginHasFailed || this.#health.disable !== undefined
  }

  /** Decides what follows from a delivery that was sent; `chance` is as in `Retry`. */
  resultOf({ message, progress }: DueDelivery, sent: Sent, now: number, chance: number): DeliveryResult {
    const { attempts, isCut, loginError, retryAfter } = sent
    const { error, status } = lastOf(sent)
    const { id: messageId, shipmentId, type: messageType } = message
    const result = { messageId, messageType, shipmentId, attempts }
    if (loginError !== undefined || isCut) {
      const next = loginError === undefined ? fromMillis(now) : this.loginFailed(loginError, now).retryAt
      return { ...result, ...progress, status: "PENDING", nextAttemptAt: next }
    }
    const { failingSince } = this.#health
    const ended = { progress, failingSince, status, retryAfter, now, chance }
    const { disable, failingSince: since, ...verdict } = Retry.decide(this.#settings, ended)
    this.#fails(since, status === null ? error : `it answered ${status}`)
    if (disable !== undefined) this.#disable(disable)
    return { ...result, ...verdict }
  }

  /** `why` says how the last attempt failed. */
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
    this.#warn(
      reason === "GONE"
        ? "is disabled: it answered 410"
        : `is disabled: it has failed since ${this.#health.failingSince}`
    )
  }

  /** Counts one more failed login, which is no failure of a delivery, and returns the wait that follows. */
  loginFailed(error: string, now: number): LoginWait {
    const known = this.#health.login
    // Deliveries that were under way together meet the same failure.
    if (this.#loginHasFailed && known !== null) return known
    this.#loginHasFailed = true
    const failures = (known?.failures ?? 0) + 1
    const wait = Math.min(firstLoginWait * 2 ** (failures - 1), longestLoginWait)
    const login = { failures, retryAt: fromMillis(now + wait), error }
    this.#health = { ...this.#health, login }
    this.#log(countLoginFailure)
    if (failures === 1) this.#warn(`waits, because signing in to it failed: ${error}`)
    return login
  }

  signedIn(): void {
    if (this.#health.login === null) return
    this.#health = { ...this.#health, login: null }
    this.#log(Effect.logInfo(`${this.#name} can be signed in to again`))
  }

  /** The messages up to this id were dropped by age before the endpoint could take them. */
  expired(upTo: number): void {
    this.#health = { ...this.#health, expiredUpTo: upTo }
    this.#warn(
      `has missed messages up to id ${upTo}: they were dropped by age before they could be delivered`
    )
  }

  #warn(what: string): void {
    this.#log(Effect.logWarning(`${this.#name} ${what}`))
  }
}
