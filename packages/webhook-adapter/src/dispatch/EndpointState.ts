/**
 * How an endpoint fares, apart from its messages: whether it fails, waits for its login, is to be disabled, has missed
 * something (D9.3). Each turn of it is one line of the log.
 */
import type { Settlement } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import type { Timestamp } from "@dockline/core/Timestamp"
import type { LoginWait, WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Effect } from "effect"
import type { LoginDelays } from "../WebhookConfig.ts"
import { countLoginFailure } from "../WebhookMetrics.ts"

/** How an endpoint fares. */
export class EndpointState {
  readonly #name: string
  readonly #log: (line: Effect.Effect<void>) => void
  #failingSince: Timestamp | null
  #login: LoginWait | null
  #disable: "GONE" | "FAILING" | undefined
  #expiredUpTo: number | undefined

  constructor(
    { business, failingSince, id, login }: WebhookEndpoint,
    log: (line: Effect.Effect<void>) => void
  ) {
    this.#name = `Webhook endpoint ${id} of ${business}`
    this.#log = log
    this.#failingSince = failingSince
    this.#login = login
  }

  /** Since when no delivery has succeeded. */
  get failingSince(): Timestamp | null {
    return this.#failingSince
  }

  /** What is waited for, if the login fails. */
  get login(): LoginWait | null {
    return this.#login
  }

  /** What is to be written of it. */
  get written(): Pick<Settlement, "failingSince" | "login" | "disable" | "expiredUpTo"> {
    return {
      failingSince: this.#failingSince,
      login: this.#login,
      disable: this.#disable,
      expiredUpTo: this.#expiredUpTo
    }
  }

  /** Since when it fails now, after an attempt that went wrong as `why` says. */
  fails(since: Timestamp | null, why: string): void {
    const before = this.#failingSince
    this.#failingSince = since
    if (before === null && since !== null) this.#warn(`fails: ${why}`)
    if (before !== null && since === null) this.#log(Effect.logInfo(`${this.#name} takes deliveries again`))
  }

  /** It is to be disabled. */
  disable(reason: "GONE" | "FAILING"): void {
    if (this.#disable !== undefined) return
    this.#disable = reason
    this.#warn(
      reason === "GONE" ? "is disabled: it answered 410" : `is disabled: it fails since ${this.#failingSince}`
    )
  }

  /** The login has failed once more: how long it is waited for. */
  loginFailed(error: string, delays: LoginDelays, now: number): LoginWait {
    const failures = (this.#login?.failures ?? 0) + 1
    const wait = Math.min(delays.first * 2 ** (failures - 1), delays.most)
    this.#log(countLoginFailure)
    this.#login = { failures, retryAt: fromMillis(now + wait), error }
    if (failures === 1) this.#warn(`waits, as it cannot be signed in to: ${error}`)
    return this.#login
  }

  /** It can be signed in to, which is written with what follows. */
  signedIn(): void {
    if (this.#login === null) return
    this.#login = null
    this.#log(Effect.logInfo(`${this.#name} can be signed in to again`))
  }

  /** Messages up to this id were dropped by age before they could be taken. */
  expired(upTo: number): void {
    this.#expiredUpTo = upTo
    this.#warn(
      `has missed messages up to id ${upTo}: they were dropped by age before they could be delivered`
    )
  }

  #warn(what: string): void {
    this.#log(Effect.logWarning(`${this.#name} ${what}`))
  }
}
