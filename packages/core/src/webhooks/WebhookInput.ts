/**
 * What operators send about webhook endpoints (D9.1, D9.2, D11).
 *
 * Guarantee: as of `RequestInput.ts`. What is secret is wrapped as it is read, and no fault repeats it.
 */
import { Redacted, Schema } from "effect"
import { isRecord } from "../input/DocumentCheck.ts"
import type { Faults } from "../input/DocumentCheck.ts"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import { defaultSchemes } from "./WebhookEndpoint.ts"
import type { AuthenticationScheme, SchemeField } from "./WebhookEndpoint.ts"

/** How an endpoint authenticates us, as an operator gives it. */
export interface AuthenticationInput {
  readonly type: string
  /** The settings that are no secrets, by name, defaults filled in. */
  readonly settings: Readonly<Record<string, string>>
  /** The secret ones that were given, by name. */
  readonly secrets: Readonly<Record<string, Redacted.Redacted>>
}

/** An endpoint to be made. */
export interface EndpointInput {
  /** Business slug. */
  readonly business: string
  /** Facility slug; `null` for all facilities. */
  readonly facility: string | null
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly messageTypes: ReadonlyArray<MessageType>
  readonly authentication: AuthenticationInput
  /** `undefined` for one that the service makes. */
  readonly signingSecret: Redacted.Redacted | undefined
  readonly enabled: boolean
  /** The first message it gets; `null` for those that come from now on. */
  readonly fromId: number | null
}

/** A change of an endpoint: what is `undefined` stays. */
export interface EndpointPatch {
  readonly baseUrl: string | undefined
  readonly messageTypes: ReadonlyArray<MessageType> | undefined
  /** Replaces all settings; of an unchanged type, secrets that are not given stay, unless an address changes. */
  readonly authentication: AuthenticationInput | undefined
  readonly enabled: boolean | undefined
}

const optional = Schema.optionalKey

/** A name without a user, a password, spaces and control characters in it, and a path: addresses are shown, and hold no secrets. */
const urlPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i

const urlFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  return urlPattern.test(text)
    ? undefined
    : "must be an absolute URL without user name, password, query and fragment, such as https://example.com:8443"
}

const baseUrl = Field.stringField(
  "Where the customer takes messages; the path of the message type is appended to it",
  urlFault,
  { format: "uri", minLength: 1, examples: ["https://customer.example:8443"] }
)

const types = Schema.Array(Schema.Literals(messageTypes)).check(Schema.makeFilter(
  (list: ReadonlyArray<unknown>) => list.length > 0 || "must name at least one type",
  { toJsonSchema: () => ({ minItems: 1, uniqueItems: true }) }
)).annotate({ description: "The types of messages that it gets" })

/** What the schema cannot tell of an endpoint, or of a change. */
const checkWhole = (schemes: ReadonlyArray<AuthenticationScheme>) =>
(
  { authentication, messageTypes }: Readonly<Record<string, unknown>>,
  faults: Faults
): void => {
  if (Array.isArray(messageTypes) && new Set(messageTypes).size < messageTypes.length) {
    faults.add("must name each type once", "messageTypes")
  }
  if (!isRecord(authentication)) return
  const scheme = schemes.find(({ type }) => type === authentication["type"])
  const settings = Object.fromEntries(
    (scheme?.fields ?? []).map(({ name, default: standIn }) => [name, authentication[name] ?? standIn])
  )
  const fault = scheme?.fault?.(settings)
  if (fault !== undefined) faults.add(fault.detail, "authentication", fault.field)
}

const fieldSchema = ({ kind, description, default: standIn, fault }: SchemeField) => {
  const stated = standIn === undefined || standIn === ""
    ? description
    : `${description}; ${standIn} when absent`
  return Field.stringField(stated, (text) => {
    if (text === "" && standIn === undefined) return "is required"
    if (kind === "url") return urlFault(text) ?? fault?.(text)
    if (kind !== "text" && !kind.words.includes(text)) return `must be one of ${kind.words.join(", ")}`
    return fault?.(text)
  }, {
    ...(standIn === undefined ? { minLength: 1 } : {}),
    ...(kind === "url" ? { format: "uri" } : kind === "text" ? {} : { enum: kind.words })
  })
}

/** A secret that is left out of a change may be one that stays. */
const mustBeGiven = ({ default: standIn, secret }: SchemeField, isChange: boolean): boolean =>
  standIn === undefined && !(secret && isChange)

const schemeSchema = ({ type, fields }: AuthenticationScheme, isChange: boolean) =>
  Schema.Struct({
    type: Schema.Literal(type),
    ...Object.fromEntries(fields.map((field) => {
      const schema = fieldSchema(field)
      return [field.name, mustBeGiven(field, isChange) ? schema : optional(schema)] as const
    }))
  })

/** The JSON form of an authentication: its type, and the settings of that type. */
export type AuthenticationBody = { readonly type: string } & { readonly [name: string]: string }

const authenticationSchema = (
  schemes: ReadonlyArray<AuthenticationScheme>,
  isChange: boolean
): Schema.Codec<AuthenticationBody> =>
  // The members are made of data, so that their type cannot be told from the code.
  Schema.Union(schemes.map((scheme) => schemeSchema(scheme, isChange))).annotate({
    description: "How the service signs in at the endpoint, as agreed with the customer"
  }) as unknown as Schema.Codec<AuthenticationBody>

const enabled = Field.flag("Whether messages are delivered; true for a new one. Otherwise they wait")

const signingSecretFault = (text: string): string | undefined => {
  const [, encoded, padding] = /^whsec_([A-Za-z0-9+/]*)(={0,2})$/.exec(text) ?? []
  const characters = encoded === undefined ? 0 : encoded.length + padding!.length
  const bytes = characters * 3 / 4 - (padding?.length ?? 0)
  return characters % 4 === 0 && bytes >= 24 && bytes <= 64
    ? undefined
    : "must be whsec_ and 24 to 64 bytes in base64; leave it out to have one made"
}

/** The schema of a new endpoint's JSON form. */
export const endpointSchema = (schemes: ReadonlyArray<AuthenticationScheme> = defaultSchemes) =>
  Schema.Struct({
    business: Field.slug("Business slug"),
    facility: optional(Field.text("Facility slug; all facilities when absent")),
    baseUrl,
    messageTypes: types,
    authentication: authenticationSchema(schemes, false),
    signingSecret: optional(
      Field.stringField(
        "The secret that deliveries are signed with: whsec_ and base64; made by the service when absent",
        signingSecretFault,
        { pattern: "^whsec_[A-Za-z0-9+/]+={0,2}$" }
      )
    ),
    enabled: optional(enabled),
    fromId: optional(
      Field.id("Id of the first message that it gets; when absent it gets those that come from now on")
    )
  }).annotate({ identifier: "CreateWebhookEndpoint" })

/** The schema of the JSON form of a change: what is absent stays. */
export const endpointChangeSchema = (schemes: ReadonlyArray<AuthenticationScheme> = defaultSchemes) =>
  Schema.Struct({
    baseUrl: optional(baseUrl),
    messageTypes: optional(types),
    authentication: optional(authenticationSchema(schemes, true)),
    enabled: optional(enabled)
  }).annotate({ identifier: "ChangeWebhookEndpoint" })

/** Makes the reader of new endpoints that use these schemes. */
export const endpointReader = (
  schemes: ReadonlyArray<AuthenticationScheme> = defaultSchemes
): RequestInput.Reader<EndpointInput> => {
  const read = RequestInput.reader(endpointSchema(schemes), "a webhook endpoint", checkWhole(schemes))
  return RequestInput.mapped(read, (input): EndpointInput => ({
    business: input.business,
    facility: input.facility === undefined || input.facility === "" ? null : input.facility,
    baseUrl: withoutSlashes(input.baseUrl),
    messageTypes: input.messageTypes,
    authentication: toAuthentication(input.authentication, schemes),
    signingSecret: input.signingSecret === undefined ? undefined : Redacted.make(input.signingSecret),
    enabled: input.enabled ?? true,
    fromId: input.fromId ?? null
  }))
}

/** Makes the reader of changes of endpoints that use these schemes. */
export const endpointPatchReader = (
  schemes: ReadonlyArray<AuthenticationScheme> = defaultSchemes
): RequestInput.Reader<EndpointPatch> => {
  const read = RequestInput.reader(
    endpointChangeSchema(schemes),
    "a change of a webhook endpoint",
    checkWhole(schemes)
  )
  return RequestInput.mapped(read, ({ baseUrl, messageTypes, authentication, enabled }): EndpointPatch => ({
    baseUrl: baseUrl === undefined ? undefined : withoutSlashes(baseUrl),
    messageTypes,
    authentication: authentication === undefined ? undefined : toAuthentication(authentication, schemes),
    enabled
  }))
}

const withoutSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}

const toAuthentication = (
  body: AuthenticationBody,
  schemes: ReadonlyArray<AuthenticationScheme>
): AuthenticationInput => {
  const settings: Record<string, string> = {}
  const secrets: Record<string, Redacted.Redacted> = {}
  for (
    const { name, secret, default: standIn } of schemes.find(({ type }) => type === body.type)?.fields ?? []
  ) {
    const value = body[name]
    if (!secret) settings[name] = value ?? standIn ?? ""
    else if (value !== undefined) secrets[name] = Redacted.make(value)
  }
  return { type: body.type, settings, secrets }
}
