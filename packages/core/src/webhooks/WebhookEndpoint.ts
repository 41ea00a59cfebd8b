/**
 * Webhook endpoints: the customer's address, the authentication there, and the state of delivery (D9.1, D11); and the port that stores
 * endpoints with the settings that operators choose. `DeliveryStore.ts` stores their cursors and deliveries, over the same data.
 *
 * Guarantee: an endpoint holds its secrets only sealed, and its authentication holds them separate from its other settings.
 */
import { Context, Effect } from "effect"
import type { Result } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import { contractProfile } from "../places/MessageField.ts"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "../values/Errors.ts"
import type { EndpointId, MessageId } from "../values/Id.ts"
import type { TooManyEntries } from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import type { SealedText } from "./SecretsVault.ts"

/** One setting of an authentication scheme. Its value is a text. */
export interface SchemeField {
  readonly name: string
  readonly description: string
  /** A secret is stored sealed and never shown. */
  readonly secret: boolean
  /** `undefined` for a required setting. */
  readonly default: string | undefined
  /** The outbound policy checks a `url`, as it checks base URLs; `words` lists all permitted values. */
  readonly kind: "text" | "url" | { readonly words: ReadonlyArray<string> }
  /** The fault of a value; `undefined` if valid. The text must not quote a secret. */
  readonly fault?: (value: string) => string | undefined
}

/** A way to authenticate at a customer, as an operator sets it up. */
export interface AuthenticationScheme {
  readonly type: string
  readonly fields: ReadonlyArray<SchemeField>
  /**
   * The fault of a combination of values, with defaults filled in, and the field to change. The text must not quote a
   * secret.
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
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  /[\u0000-\u001f\u007f]/.test(value) ? "must not contain control characters" : undefined

const username = text("username", "The user name agreed on with the customer")

const password = { ...text("password", "The password agreed on with the customer"), secret: true }

/** RFC 6749, section 3.3: words of printable ASCII without quotes and backslashes, one blank between them. */
const scopeFault = (value: string): string | undefined =>
  /^(?:[!#-[\]-~]+(?: [!#-[\]-~]+)*)?$/.test(value)
    ? undefined
    : "must be words of printable ASCII without quotes and backslashes, with one blank between them"

/** The schemes none, Basic, a token fetched at a login endpoint, and OAuth 2.0 (D9.1, D9.2, D15.3). */
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
      { ...text("loginUrl", "URL at which a token is fetched, by POST"), kind: "url" },
      username,
      password,
      text("usernameField", "The field of the login request that carries the user name", "username"),
      text("passwordField", "The field of the login request that carries the password", "password"),
      text("tokenPath", "Path of the token in the login answer; dots separate nested fields", "access_token"),
      text("lifetimePath", "Path of the token's lifetime in seconds, which may be missing", "expires_in"),
      {
        ...text("scheme", "Word before the token in Authorization; \"\" for none", "Bearer"),
        fault: (value) =>
          /^[\x21-\x7e]*$/.test(value) ? undefined : "must be one word of printable ASCII characters"
      },
      {
        ...text("loginFormat", "Format of the login request", "json"),
        kind: { words: ["json", "form"] }
      }
    ],
    fault: ({ passwordField, usernameField }) =>
      passwordField === usernameField
        ? { field: "passwordField", detail: "must not be the name in usernameField" }
        : undefined
  },
  {
    type: "oauth2",
    fields: [
      {
        ...text("tokenUrl", "URL of the token endpoint, which is asked for client credentials by POST"),
        kind: "url"
      },
      { ...text("clientId", "The client id agreed on with the customer"), fault: controlFault },
      {
        ...text("clientSecret", "The client secret agreed on with the customer"),
        secret: true,
        fault: controlFault
      },
      { ...text("scope", "The scopes to ask for, with blanks between them", ""), fault: scopeFault },
      text("audience", "The audience to ask for, if the provider requires one", "")
    ]
  }
]

/**
 * The schemes that endpoints may use; {@link defaultSchemes} unless provided. A service that agrees on another scheme with its customer
 * adds it here, and its provider to the dispatcher. A type that is declared twice is an error at startup.
 */
export const AuthenticationSchemes = Context.Reference<ReadonlyArray<AuthenticationScheme>>(
  "@dockline/core/AuthenticationSchemes",
  { defaultValue: () => defaultSchemes }
)

/** The first type that is declared twice. */
export const repeatedType = (declarations: ReadonlyArray<{ readonly type: string }>): string | undefined => {
  const types = declarations.map(({ type }) => type)
  return types.find((type, index) => types.indexOf(type) < index)
}

/** Throws a `TypeError` that names the type that two of the schemes declare. */
export const checkSchemes = (schemes: ReadonlyArray<AuthenticationScheme>): void => {
  const type = repeatedType(schemes)
  if (type !== undefined) throw new TypeError(`AuthenticationSchemes declare the type ${type} twice`)
}

/** The authentication at an endpoint: a scheme and its settings. */
export interface EndpointAuthentication {
  readonly type: string
  /** The settings that are not secret, by name, with defaults filled in. */
  readonly settings: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, SealedText>>
}

/**
 * The kinds of signatures of Standard Webhooks: `v1` by the secrets of an endpoint, `v1a` by the keys of the service, which everybody
 * can verify (D9.5, D15.3).
 */
export const signatureKinds = ["v1", "v1a"] as const

/** A kind of signature. */
export type SignatureKind = (typeof signatureKinds)[number]

/** A secret that signs deliveries. */
export interface SigningSecret {
  /** `whsec_` and base64, sealed. */
  readonly sealed: SealedText
  /** The time until which an older secret still signs, 24 hours after its replacement; `null` for the newest secret (D11). */
  readonly validUntil: Timestamp | null
}

/** A header that requests to an endpoint carry in addition to the service's headers (D15.3). */
export interface EndpointHeader {
  readonly name: string
  /** Its value, which is secret. */
  readonly sealed: SealedText
}

/** Why an endpoint is disabled: an operator, its answer 410, or failures for 5 days (D9.3); `""` when it is enabled. */
export type DisabledReason = "" | "OPERATOR" | "GONE" | "FAILING"

/** A wait for a login endpoint that fails (D9.3). It uses up no attempt of a delivery. */
export interface LoginWait {
  /** The failures in a row. */
  readonly failures: number
  readonly retryAt: Timestamp
  readonly error: string
}

/** The settings of an endpoint, which operators decide. */
export interface EndpointSettings {
  /** Business slug. */
  readonly business: string
  /** Facility slug; `null` for all facilities. */
  readonly facility: string | null
  /** Without a trailing slash; the path of the message type is appended to it (D9.1). */
  readonly baseUrl: string
  /** At least one. */
  readonly messageTypes: ReadonlyArray<WebhookType>
  readonly authentication: EndpointAuthentication
  /** The newest first. */
  readonly signingSecrets: ReadonlyArray<SigningSecret>
  /** In the order in which the operator named them. */
  readonly headers: ReadonlyArray<EndpointHeader>
  /** The most requests in any second; 0 for no limit. */
  readonly ratePerSecond: number
  /** In the order of {@link signatureKinds}; `v1` always. */
  readonly signatures: ReadonlyArray<SignatureKind>
  /** The name of a profile (`MessageField.ts`). */
  readonly payloadProfile: string
  readonly enabled: boolean
}

/** The defaults of the optional settings of an endpoint. */
export const plainSettings = {
  headers: [],
  ratePerSecond: 0,
  signatures: ["v1"],
  payloadProfile: contractProfile.name
} as const satisfies Partial<EndpointSettings>

/** The types of messages that an endpoint receives by default (D15.1). */
export const defaultMessageTypes: ReadonlyArray<WebhookType> = ["PALLET_EVENT"]

/**
 * The deviations of an endpoint from the contract, for people to judge. By the contract, completions use Basic authentication. Customers
 * may agree on another scheme, so it is not a fault.
 */
export const warningsOf = (
  { authentication, messageTypes }: Pick<EndpointSettings, "authentication" | "messageTypes">
): ReadonlyArray<string> =>
  messageTypes.includes("SHIPMENT_COMPLETE") && authentication.type !== "basic"
    ? [
      `The contract says Basic for /api/shipmentComplete, and the authentication of this endpoint is ${authentication.type}: make sure that the customer has agreed, or give completions an endpoint of their own.`
    ]
    : []

/** A webhook endpoint. */
export interface WebhookEndpoint extends EndpointSettings {
  readonly id: EndpointId
  /** The version grows with each change by an operator. */
  readonly version: number
  readonly createdAt: Timestamp
  readonly disabledReason: DisabledReason
  /** Every message up to this id is delivered, dead, or recorded as pending. */
  readonly cursorId: MessageId
  /** The time since which all attempts have failed; `null` when the last delivery succeeded. */
  readonly failingSince: Timestamp | null
  readonly login: LoginWait | null
  /** Messages up to this id were dropped by age before they were delivered to the endpoint; `null` when none were. */
  readonly expiredUpTo: MessageId | null
}

/** An endpoint with its backlog. */
export interface ShownEndpoint extends WebhookEndpoint {
  /** The messages that wait: pending ones in the record, and those after the cursor; at most {@link backlogLimit}. */
  readonly backlog: number
}

/** The most messages of a backlog that are counted. */
export const backlogLimit = 1000

/**
 * Port: checks the URLs that operators enter for customers, before they are stored (D9.7). The IP addresses of host names are checked at
 * each call. In a program without webhooks, the port refuses all URLs.
 */
export class OutboundUrls extends Context.Service<OutboundUrls, {
  /**
   * The fault of an absolute URL with its remedy: its scheme, user info, an IP address that must not be called, or a name of the machine
   * itself; `undefined` for a permitted one.
   */
  readonly fault: (url: string) => string | undefined
}>()("@dockline/core/OutboundUrls") {}

/** A new endpoint. */
export interface EndpointDraft extends EndpointSettings {
  /** The first message that it receives; `null` for messages from now on (D9.3). */
  readonly fromId: MessageId | null
  readonly now: Timestamp
}

/** The new settings of an endpoint; business and facility stay. */
export interface EndpointChange extends Omit<EndpointSettings, "business" | "facility"> {
  readonly disabledReason: DisabledReason
}

/** The most endpoints of a business. */
export const endpointLimit = 1000

/** Stores webhook endpoints. */
export class WebhookEndpointStore extends Context.Service<WebhookEndpointStore, {
  /**
   * Creates an endpoint; a business has at most {@link endpointLimit}, however many are created at once. Fails
   * with `HistoryExpired` when messages from `fromId` on have been dropped, and with `CursorAhead` when `fromId` lies beyond
   * the next id of the log.
   */
  readonly create: (
    draft: EndpointDraft
  ) => Effect.Effect<
    ShownEndpoint,
    BusinessNotFound | FacilityNotFound | HistoryExpired | CursorAhead | TooManyEntries | StorageUnavailable
  >
  /** The endpoint with this id, or `null`. */
  readonly find: (id: number) => Effect.Effect<ShownEndpoint | null, StorageUnavailable>
  /** The endpoints of the businesses in scope, in id order. */
  readonly list: (
    scope: BusinessScope,
    page: PageRequest
  ) => Effect.Effect<Page<ShownEndpoint>, StorageUnavailable>
  /**
   * Changes an endpoint atomically; `null` when it does not exist. The endpoint no longer waits for its login, because the change may have
   * corrected it. If the change enables the endpoint, its state is reset: its pending deliveries are due now with a new schedule, it is not
   * failing, and its lease has ended. `change` gets the time `now`; for `null`, the time of the storage.
   */
  readonly update: <E>(
    id: number,
    now: Timestamp | null,
    change: (endpoint: WebhookEndpoint, now: Timestamp) => Result.Result<EndpointChange, E>
  ) => Effect.Effect<ShownEndpoint | null, E | StorageUnavailable>
  /** Removes an endpoint with its delivery record; `false` when it does not exist. */
  readonly remove: (id: number) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/webhooks/WebhookEndpointStore") {}
