/**
 * How one endpoint is got into: its secrets opened, and an authorization at hand or on its way (D9.2).
 */
import type { WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Effect, Exit } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { EndpointAccess, EndpointAccesses } from "./EndpointAccess.ts"
import { reasonOf } from "./Sending.ts"

/** Runs an effect and tells how it ended, unless nobody wants to know any more. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void

/** Who waits to get in. */
export interface Waiting {
  /** Something has changed: it may be asked again. */
  readonly moved: () => void
  /** There is no way in for now. */
  readonly failed: (error: string) => void
}

/** The way into one endpoint. */
export class Admission {
  readonly #accesses: EndpointAccesses["Service"]
  readonly #run: Run
  readonly #waiting: Waiting
  #endpoint: WebhookEndpoint | undefined
  #access: EndpointAccess | undefined
  #signingIn = false

  constructor(accesses: EndpointAccesses["Service"], run: Run, waiting: Waiting) {
    this.#accesses = accesses
    // Signing in is for all messages to come: it belongs to the trace of none.
    this.#run = (effect, then) => run(Effect.withTracerEnabled(effect, false), then)
    this.#waiting = waiting
  }

  /** The endpoint with its secrets; `undefined` while they are being opened. */
  get access(): EndpointAccess | undefined {
    return this.#access
  }

  /** Whether it is being waited for. */
  get isPending(): boolean {
    return this.#access === undefined || this.#signingIn
  }

  /** Opens the endpoint, or what has become of it. */
  open(endpoint: WebhookEndpoint): void {
    const before = this.#access
    this.#endpoint = endpoint
    this.#access = undefined
    this.#run(this.#accesses.open(endpoint, before), (exit) => {
      if (this.#endpoint !== endpoint) return
      if (Exit.isSuccess(exit)) this.#access = exit.value
      else this.#waiting.failed(reasonOf(exit))
      this.#waiting.moved()
    })
  }

  /** The authorization that is at hand; signs in when there is none. */
  authorization(): Authorization | undefined {
    const access = this.#access
    if (access === undefined || this.#signingIn) return undefined
    const authorization = access.auth.current()
    if (authorization === undefined) this.#signIn(access)
    return authorization
  }

  #signIn(access: EndpointAccess): void {
    this.#signingIn = true
    this.#run(access.auth.obtain, (exit) => {
      this.#signingIn = false
      if (Exit.isFailure(exit) && this.#access === access) this.#waiting.failed(reasonOf(exit))
      this.#waiting.moved()
    })
  }
}
