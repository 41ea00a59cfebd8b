/**
 * Webhook endpoints: where a customer takes messages, how we sign in there, and how far it has got (D9.1, D11).
 *
 * Guarantee: what is secret about an endpoint is held sealed, apart from its other settings, and no view shows it.
 */
import { Context } from "effect"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { Sealed } from "./SecretsVault.ts"

/** One setting of an authentication scheme. Its value is a text. */
export interface SchemeField {
  readonly name: string
  readonly description: string
  /** A secret is stored sealed and never shown. */
  readonly secret: boolean
  /** What stands for it when it is absent; `undefined` where it must be given. */
  readonly default: string | undefined
  /** A `url` is held to the outbound policy, as base URLs are; a `words` list names all values it may have. */
  readonly kind: "text" | "url" | { readonly words: ReadonlyArray<string> }
  /** What is wrong with a value, or nothing; it must not repeat a secret. */
  readonly fault?: (value: string) => string | undefined
}

/** A way to authenticate toward a customer, as an operator sets it up. */
export interface AuthenticationScheme {
  readonly type: string
  readonly fields: ReadonlyArray<SchemeField>
  /**
   * What is wrong with values that are good each for itself, and the field to change, or nothing; it must not repeat a
   * secret. The settings are as they were sent, defaults filled in.
   */
  readonly fault?: (
    settings: Readonly<Record<string, unknown>>
  ) => { readonly field: string; readonly detail: string } | undefined
}

const text = (name: string, description: string, byDefault?: string): SchemeField => ({
  name,
  description,
  secret: false,
  default: byDefault,
  kind: "text"
})

/** RFC 7617, section 2: neither part of Basic credentials holds control characters. */
const controlFault = (value: string): string | undefined =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u001f\u007f]/.test(value) ? "must not contain control characters" : undefined

const username = text("username", "The user name agreed with the customer")

const password: SchemeField = {
  name: "password",
  description: "The password agreed with the customer",
  secret: true,
  default: undefined,
  kind: "text"
}

/** No authentication, Basic, and a token fetched at a login endpoint (D9.1, D9.2). */
export const defaultSchemes: ReadonlyArray<AuthenticationScheme> = [
  { type: "none", fields: [] },
  {
    type: "basic",
    fields: [
      // RFC 7617, section 2: the first ":" ends the user name.
      {
        ...username,
        fault: (value) => value.includes(":") ? "must not contain \":\"" : controlFault(value)
      },
      { ...password, fault: controlFault }
    ]
  },
  {
    type: "token",
    fields: [
      { ...text("loginUrl", "Where a token is fetched, by POST"), kind: "url" },
      username,
      password,
      text("usernameField", "The field of the login request that carries the user name", "username"),
      text("passwordField", "The field of the login request that carries the password", "password"),
      text("tokenPath", "Where the token stands in the login answer; dots lead inward", "access_token"),
      text("lifetimePath", "Where its lifetime in seconds stands, if it does", "expires_in"),
      {
        ...text("scheme", "What stands before the token in Authorization; \"\" for nothing", "Bearer"),
        fault: (value) =>
          /^[\x21-\x7e]*$/.test(value) ? undefined : "must be one word of printable ASCII characters"
      },
      {
        ...text("loginFormat", "How the login request is written", "json"),
        kind: { words: ["json", "form"] }
      }
    ],
    fault: ({ passwordField, usernameField }) =>
      passwordField === usernameField
        ? { field: "passwordField", detail: "must not be the name in usernameField" }
        : undefined
  }
]

/**
 * The schemes that endpoints may use; {@link defaultSchemes} unless provided. A service that agrees on another one
 * with its customer adds it here, and its implementation to the dispatcher's.
 */
export const AuthenticationSchemes: Context.Reference<ReadonlyArray<AuthenticationScheme>> = Context
  .Reference(
    "@dockline/core/AuthenticationSchemes",
    { defaultValue: () => defaultSchemes }
  )

/** How an endpoint authenticates us: a scheme and its settings. */
export interface EndpointAuthentication {
  readonly type: string
  /** The settings that are no secrets, by name, defaults filled in. */
  readonly settings: Readonly<Record<string, string>>
  /** The secret ones, by name. */
  readonly secrets: Readonly<Record<string, Sealed>>
}

/** A secret that deliveries are signed with. */
export interface SigningSecret {
  /** `whsec_` and base64, sealed. */
  readonly sealed: Sealed
  /** Until when it signs besides the newer one; `null` for the newest (D11: 24 h after a rotation). */
  readonly validUntil: Timestamp | null
}

/** Why an endpoint is disabled: by an operator, by its answer 410, by failing for 5 days (D9.3); `""` when enabled. */
export type DisabledReason = "" | "OPERATOR" | "GONE" | "FAILING"

/** Waiting for a login endpoint that fails (D9.3): no attempt of a delivery is used up by it. */
export interface LoginWait {
  /** How often it has failed in a row. */
  readonly failures: number
  readonly retryAt: Timestamp
  /** What went wrong last. */
  readonly error: string
}

/** What an operator decides about an endpoint. */
export interface EndpointSettings {
  /** Business slug. */
  readonly business: string
  /** Facility slug; `null` for all facilities. */
  readonly facility: string | null
  /** Without a trailing slash; the path of the message type is appended to it (D9.1). */
  readonly baseUrl: string
  /** At least one. */
  readonly messageTypes: ReadonlyArray<MessageType>
  readonly authentication: EndpointAuthentication
  /** The newest first; two at most. */
  readonly signingSecrets: ReadonlyArray<SigningSecret>
  readonly enabled: boolean
}

/** A webhook endpoint. */
export interface WebhookEndpoint extends EndpointSettings {
  readonly id: number
  /** Grows with each change an operator makes. */
  readonly version: number
  readonly createdAt: Timestamp
  readonly disabledReason: DisabledReason
  /** Every message up to this id is delivered, dead, or recorded as pending. */
  readonly cursorId: number
  /** Since when no delivery has succeeded, though some were tried; `null` when the last one did. */
  readonly failingSince: Timestamp | null
  readonly login: LoginWait | null
  /** Messages up to this id had been dropped by age before the endpoint could take them; `null` when none were. */
  readonly expiredUpTo: number | null
}

/** An endpoint with how much waits for it. */
export interface ShownEndpoint extends WebhookEndpoint {
  /** Messages that wait to be delivered: those recorded as pending, and those after the cursor; {@link backlogLimit} stands for more. */
  readonly backlog: number
}

/** The most messages of a backlog that are counted. */
export const backlogLimit = 1000

/** The path of each message type under the base URL of an endpoint (WIRE.md, customer-hosted endpoints; D9.1). */
export const messagePaths: Readonly<Record<MessageType, string>> = {
  PALLET_EVENT: "/api/palletEvent",
  SHIPMENT_COMPLETE: "/api/shipmentComplete"
}
