/** Opens the secrets of an endpoint, and obtains an authorization when there is none (D9.2). */
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Exit } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { EndpointCredentials, OpenCredentials } from "./EndpointCredentials.ts"
import { loginFaultOf } from "./Sending.ts"
import type { LoginFault } from "./Sending.ts"

/** Runs an effect and passes on its exit, unless the worker has ended meanwhile. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void

export class SignIn {
  readonly #open: OpenCredentials
  readonly #run: Run
  readonly #failed: (fault: LoginFault) => void
  readonly #changed: () => void
  #endpoint: WebhookEndpoint | undefined
  #credentials: EndpointCredentials | undefined
  #signingIn = false

  /** Calls `changed` whenever `authorization` may be asked again. */
  constructor(open: OpenCredentials, run: Run, onFailure: (fault: LoginFault) => void, onChange: () => void) {
    this.#open = open
    // The authorization serves all later messages, so signing in belongs to no message's trace.
    this.#run = (effect, then) => run(Effect.withTracerEnabled(effect, false), then)
    this.#failed = onFailure
    this.#changed = onChange
  }

  get credentials(): EndpointCredentials | undefined {
    return this.#credentials
  }

  get isPending(): boolean {
    return this.#credentials === undefined || this.#signingIn
  }

  open(endpoint: WebhookEndpoint): void {
    const before = this.#credentials
    this.#endpoint = endpoint
    this.#credentials = undefined
    this.#run(this.#open(endpoint, before), (exit) => {
      if (this.#endpoint !== endpoint) return
      if (Exit.isSuccess(exit)) this.#credentials = exit.value
      else this.#failed(loginFaultOf(exit))
      this.#changed()
    })
  }

  /** The present authorization; starts to sign in when there is none. */
  authorization(): Authorization | undefined {
    const credentials = this.#credentials
    if (credentials === undefined || this.#signingIn) return undefined
    const authorization = credentials.auth.current()
    if (authorization === undefined) this.#signIn(credentials)
    return authorization
  }

  #signIn(credentials: EndpointCredentials): void {
    this.#signingIn = true
    this.#run(credentials.auth.obtain, (exit) => {
      this.#signingIn = false
      if (Exit.isFailure(exit) && this.#credentials === credentials) this.#failed(loginFaultOf(exit))
      this.#changed()
    })
  }
}
