/**
 * Port: authentication toward a customer (WIRE.md, authentication). None, Basic and a fetched token are implemented
 * beside it; a service that agrees on another scheme with its customer implements this and gives it to `CustomerAuth`.
 */
import { Schema } from "effect"
import type { Effect, Redacted } from "effect"

/** What a request carries to be let in. */
export interface Authorization {
  /** The value of the header `Authorization`; `undefined` when the scheme sends none. */
  readonly header: string | undefined
  /**
   * What of it is secret, and what it was obtained with: no record shows it, however an answer encodes it. The whole
   * header when absent.
   */
  readonly secrets?: ReadonlyArray<string>
}

/** No authorization can be had at the moment. No delivery is to blame: the endpoint waits (D9.3). */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  /** Why, in words for operators and without secrets. */
  error: Schema.String
}) {
  override get message(): string {
    return `Signing in failed: ${this.error}`
  }
}

/** How one endpoint lets us in. It may hold a token, so one is shared by all deliveries of the endpoint. */
export interface EndpointAuth {
  /** The authorization that is at hand and still good; `undefined` when one must be obtained. */
  readonly current: () => Authorization | undefined
  /** The one at hand, or a new one. Whoever asks while one is being fetched gets the same. */
  readonly obtain: Effect.Effect<Authorization, LoginFailed>
  /**
   * Says that the customer answered 401 to this authorization: it is not used again. True when the request is worth
   * sending once more with what `obtain` gives then (D9.2). One that was replaced meanwhile discards nothing.
   */
  readonly refused: (authorization: Authorization) => boolean
}

/** One scheme. The settings and secrets have the fields that core's `AuthenticationScheme` of this type declares. */
export interface AuthenticationProvider {
  readonly type: string
  /** Prepares an endpoint: calls nobody yet. */
  readonly open: (
    settings: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, Redacted.Redacted>>
  ) => Effect.Effect<EndpointAuth>
}
