/**
 * Port: authentication at a customer (WIRE.md, authentication). This package implements the schemes none, Basic,
 * token and OAuth 2.0. A service that agrees on another scheme with its customer implements this port and passes it to `CustomerAuth`.
 */
import { Schema } from "effect"
import type { Effect, Redacted } from "effect"

/** The authorization of a request. */
export interface Authorization {
  /** The value of the header `Authorization`; `undefined` when the scheme sends none. */
  readonly header: string | undefined
  /**
   * The secrets in the header, and those that obtained it. The delivery record hides them in the
   * answer. The whole header when absent.
   */
  readonly secrets?: ReadonlyArray<string>
}

/** Signing in failed. This counts as no failure of a delivery: the endpoint waits (D9.3). */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  /** The reason, for operators, without secrets. */
  error: Schema.String,
  /** The header `Retry-After` of the answer, which the endpoint heeds when it waits. */
  retryAfter: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `Signing in failed: ${this.error}`
  }
}

/** The authentication at one endpoint. All deliveries of the endpoint share it, as it may hold a token. */
export interface EndpointAuth {
  /** The present authorization while it is valid; `undefined` when one must be obtained. */
  readonly current: () => Authorization | undefined
  /** Returns the present authorization or obtains a new one. Concurrent calls share one login. */
  readonly obtain: Effect.Effect<Authorization, LoginFailed>
  /**
   * Notes that the customer answered 401 to this authorization, which is then not used again. Returns whether the request
   * should be sent once more with the authorization that `obtain` then gives (D9.2). An authorization that has been
   * replaced meanwhile discards nothing.
   */
  readonly discard: (authorization: Authorization) => boolean
}

/**
 * Implements one scheme. The settings and secrets have the fields that core's `AuthenticationScheme` of this type
 * declares.
 */
export interface AuthenticationProvider {
  readonly type: string
  /** Prepares the authentication of an endpoint, without a call. */
  readonly open: (
    settings: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, Redacted.Redacted>>
  ) => Effect.Effect<EndpointAuth>
}
