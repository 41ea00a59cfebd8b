/**
 * Reads the bodies with which operators create and change webhook endpoints (D9.1, D9.2, D11). Secrets are wrapped when
 * they are read, and no fault quotes them. A header of an endpoint never replaces a header that the service or HTTP sets (D15.3).
 */
import { Redacted, Schema } from "effect"
import type { OpenWords } from "../access/OpenWords.ts"
import type { Faults } from "../input/Faults.ts"
import * as RequestInput from "../input/RequestInput.ts"
import { isRecord } from "../input/RequestInput.ts"
import { contractProfile } from "../places/MessageField.ts"
import { withoutSlashes } from "../values/Clip.ts"
import * as Field from "../values/Field.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import {
  checkSchemes,
  defaultMessageTypes,
  defaultSchemes,
  plainSettings,
  signatureKinds
} from "./WebhookEndpoint.ts"
import type {
  AuthenticationScheme,
  EndpointAuthentication,
  EndpointDraft,
  SchemeField,
  SignatureKind
} from "./WebhookEndpoint.ts"

/** The authentication at an endpoint as an operator enters it, with secrets. */
export interface AuthenticationInput extends Omit<EndpointAuthentication, "secrets"> {
  readonly secrets: Readonly<Record<string, Redacted.Redacted>>
}

/** A new endpoint from a body, with defaults for settings that the body leaves out. */
export interface EndpointInput
  extends Omit<EndpointDraft, "authentication" | "headers" | "signingSecrets" | "now">
{
  readonly authentication: AuthenticationInput
  readonly headers: ReadonlyArray<HeaderInput>
  /** `undefined` to let the service create a secret. */
  readonly signingSecret: Redacted.Redacted | undefined
}

/**
 * A change of an endpoint; absent settings stay. `authentication` and `headers` replace the stored ones, but absent secrets stay: the
 * values of headers unless the base URL changes, and the secrets of an authentication of the same type unless an address changes.
 */
export type EndpointPatch = Partial<Omit<EndpointInput, "business" | "facility" | "fromId" | "signingSecret">>

type Schemes = ReadonlyArray<AuthenticationScheme>

/** The words of settings: types that endpoints receive, with the purpose of each type of an outbox, and profiles of payloads. */
type Words = Pick<OpenWords, "webhookTypes" | "outboxes" | "payloadProfiles">

const contractWords: Words = {
  webhookTypes: messageTypes,
  outboxes: {},
  payloadProfiles: [contractProfile.name]
}

const optional = Schema.optionalKey

/**
 * A host without user and password, and a path; without spaces and control characters. Addresses are shown, so they must
 * not hold secrets.
 */
const urlPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i

const urlFault = (text: string): string | undefined => {
  if (urlPattern.test(text)) return undefined
  return text === ""
    ? "is required"
    : "must be an absolute URL without user name, password, query and fragment, such as https://example.com:8443"
}

const baseUrl = Field.stringField(
  "Base URL at which the customer receives messages; the path of the message type is appended",
  urlFault,
  { format: "uri", minLength: 1, examples: ["https://customer.example:8443"] }
)

const typesOf = ({ outboxes, webhookTypes }: Words) =>
  Schema.Array(Schema.Literals<ReadonlyArray<WebhookType>>(webhookTypes)).check(Schema.makeFilter(
    (list: ReadonlyArray<unknown>) => list.length > 0 || "must name at least one type",
    { toJsonSchema: () => ({ minItems: 1, uniqueItems: true }) }
  )).annotate({
    description: [
      "The types of messages that the endpoint receives",
      ...Object.entries(outboxes).map(([type, about]) => `${type} for ${about}`)
    ].join("; ")
  })

const newTypesOf = (words: Words) =>
  typesOf(words).annotate({
    description: `The types of messages that the endpoint receives; ${
      defaultMessageTypes.join(", ")
    } when absent`
  })

const headers = (isChange: boolean) =>
  Schema.Array(
    Schema.Struct({
      name: Field.stringField("The header's name, in any case", headerNameFault, {
        minLength: 1,
        examples: ["X-Api-Key"]
      }),
      value: optional(
        Field.stringField(
          isChange
            ? "Its value, which is not shown again; the stored one stays when absent"
            : "Its value, which is not shown again",
          headerValueFault,
          { minLength: 1 }
        )
      )
    }).annotate({ identifier: isChange ? "ChangeEndpointHeader" : "EndpointHeaderInput" })
  ).check(Field.atMost(maxHeaders)).annotate({
    description:
      "Headers that requests carry in addition to those of the service, such as a key for a gateway"
  })

const maxRatePerSecond = 1000

const ratePerSecond = Schema.Number.check(
  Schema.makeFilter(
    (rate: number) =>
      Number.isInteger(rate) && rate >= 0 && rate <= maxRatePerSecond ||
      `must be a whole number from 1 to ${maxRatePerSecond}, or 0 for no limit`,
    { toJsonSchema: () => ({ type: "integer", minimum: 0, maximum: maxRatePerSecond }) }
  ),
  // The filter above refuses non-finite numbers; without this check the JSON Schema would permit the text "NaN".
  Schema.isFinite()
).annotate({ description: "The most requests in any second; 0 or absent for no limit" })

const signatures = Schema.Array(Schema.Literals(signatureKinds)).check(Field.atMost(signatureKinds.length))
  .annotate({
    description:
      "The signatures of deliveries: v1, by the endpoint's secret, is always included; v1a, by the service's key, is added on request. The \
public key is at /.well-known/webhook-keys?business=. Only v1 when absent"
  })

const payloadProfile = ({ payloadProfiles }: Words) =>
  Schema.Literals(payloadProfiles).annotate({
    description: "How the fields of messages are named: dockline, as in this reference, when absent"
  })

const checkSignatures = (signatures: ReadonlyArray<unknown>, faults: Faults): void => {
  if (!signatures.includes("v1")) faults.add("must name v1", "signatures")
  if (new Set(signatures).size < signatures.length) faults.add("must name each kind once", "signatures")
}

/** Makes the function that checks the rules that the schema of an endpoint cannot express. */
const checkWhole = (schemes: Schemes) =>
(
  { authentication, headers, messageTypes, signatures }: Readonly<Record<string, unknown>>,
  faults: Faults
): void => {
  if (Array.isArray(signatures)) checkSignatures(signatures, faults)
  if (Array.isArray(headers)) checkHeaders(headers, faults)
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
  const fullDescription = standIn === undefined || standIn === ""
    ? description
    : `${description}; ${standIn} when absent`
  return Field.stringField(fullDescription, (text) => {
    if (text === "" && standIn === undefined) return "is required"
    if (kind === "url") return urlFault(text) ?? fault?.(text)
    if (kind !== "text" && !kind.words.includes(text)) return `must be one of ${kind.words.join(", ")}`
    return fault?.(text)
  }, {
    ...(standIn === undefined ? { minLength: 1 } : {}),
    ...(kind === "url" ? { format: "uri" } : kind === "text" ? {} : { enum: kind.words })
  })
}

/** The name of the schema of a scheme. A change has a schema of its own if it may leave out secrets. */
const schemeName = ({ type, fields }: AuthenticationScheme, isChange: boolean): string =>
  `${isChange && fields.some(({ secret }) => secret) ? "Change" : ""}${capital(type)}Authentication`

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const schemeSchema = (scheme: AuthenticationScheme, isChange: boolean) =>
  Schema.Struct({
    type: Schema.Literal(scheme.type).annotate({ description: "The scheme" }),
    ...Object.fromEntries(scheme.fields.map((field) => {
      const schema = fieldSchema(field)
      // A change may leave out a secret, because the stored secret may stay.
      const isRequired = field.default === undefined && !(field.secret && isChange)
      return [field.name, isRequired ? schema : optional(schema)] as const
    }))
  }).annotate({ identifier: schemeName(scheme, isChange) })

/** The JSON form of an authentication: its type, and the settings of that type. */
type AuthenticationBody = { readonly type: string } & { readonly [name: string]: string }

const authenticationSchema = (schemes: Schemes, isChange: boolean): Schema.Codec<AuthenticationBody> => {
  checkSchemes(schemes)
  // The members come from data, so their type cannot be inferred.
  return Schema.Union(schemes.map((scheme) => schemeSchema(scheme, isChange))).annotate({
    description: "How the service authenticates at the endpoint, as agreed on with the customer"
  }) as Schema.Codec<AuthenticationBody>
}

/** The settings that new endpoints and changes share. */
const delivery = (words: Words) => ({
  ratePerSecond: optional(ratePerSecond),
  signatures: optional(signatures),
  payloadProfile: optional(payloadProfile(words)),
  enabled: optional(
    Field.flag("Whether messages are delivered; otherwise they wait. True for a new endpoint")
  )
})

/** The fault of a signing secret by the rules of Standard Webhooks; `undefined` for a valid one. */
export const signingSecretFault = (text: string): string | undefined => {
  const [, base64, padding] = /^whsec_([A-Za-z0-9+/]*)(={0,2})$/.exec(text) ?? []
  const characters = base64 === undefined ? 0 : base64.length + padding!.length
  const bytes = characters * 3 / 4 - (padding?.length ?? 0)
  return characters % 4 === 0 && bytes >= 24 && bytes <= 64
    ? undefined
    : "must be whsec_ and 24 to 64 bytes in base64; leave it out, and the service makes a secret"
}

/** The JSON form of a new endpoint, with these schemes of authentication and words. */
export const endpointSchema = (
  schemes: Schemes = defaultSchemes,
  words: Words = contractWords
) =>
  Schema.Struct({
    business: Field.slug("Business slug"),
    facility: optional(Field.text("Facility slug; all facilities when absent")),
    baseUrl,
    messageTypes: optional(newTypesOf(words)),
    authentication: authenticationSchema(schemes, false),
    signingSecret: optional(
      Field.stringField(
        "The secret that signs deliveries: whsec_ and base64; created by the service when absent",
        signingSecretFault,
        { pattern: "^whsec_[A-Za-z0-9+/]+={0,2}$" }
      )
    ),
    headers: optional(headers(false)),
    ...delivery(words),
    fromId: optional(
      Field.id("Id of the first message that the endpoint receives; the next new message when absent")
    )
  }).annotate({ identifier: "CreateWebhookEndpoint" })

/** The schema of a change's JSON form; absent settings stay. */
export const endpointChangeSchema = (
  schemes: Schemes = defaultSchemes,
  words: Words = contractWords
) =>
  Schema.Struct({
    baseUrl: optional(baseUrl),
    messageTypes: optional(typesOf(words)),
    authentication: optional(authenticationSchema(schemes, true)),
    headers: optional(headers(true)),
    ...delivery(words)
  }).annotate({ identifier: "ChangeWebhookEndpoint" })

/**
 * Makes the reader of a new endpoint. Settings that the body leaves out have their defaults (D9.1); slashes at the end of URLs are dropped.
 */
export const endpointReader = (
  schemes: Schemes = defaultSchemes,
  words: Words = contractWords
): RequestInput.Reader<EndpointInput> =>
  RequestInput.map(
    RequestInput.reader(endpointSchema(schemes, words), "a webhook endpoint", checkWhole(schemes)),
    ({ authentication, baseUrl, facility = "", headers = [], signatures, signingSecret, ...fields }) => ({
      ...plainSettings,
      messageTypes: defaultMessageTypes,
      enabled: true,
      fromId: null,
      ...fields,
      facility: facility === "" ? null : facility,
      baseUrl: withoutSlashes(baseUrl),
      authentication: toAuthentication(authentication, schemes),
      signingSecret: signingSecret === undefined ? undefined : Redacted.make(signingSecret),
      headers: toHeaders(headers),
      signatures: toSignatures(signatures ?? plainSettings.signatures)
    })
  )

/** Makes the reader of a change of an endpoint. Settings that the body leaves out stay as they are. */
export const endpointPatchReader = (
  schemes: Schemes = defaultSchemes,
  words: Words = contractWords
): RequestInput.Reader<EndpointPatch> =>
  RequestInput.map(
    RequestInput.reader(
      endpointChangeSchema(schemes, words),
      "a change of a webhook endpoint",
      checkWhole(schemes)
    ),
    ({ authentication, baseUrl, headers, signatures, ...fields }) => ({
      ...fields,
      ...(baseUrl === undefined ? {} : { baseUrl: withoutSlashes(baseUrl) }),
      ...(authentication === undefined ? {} : { authentication: toAuthentication(authentication, schemes) }),
      ...(headers === undefined ? {} : { headers: toHeaders(headers) }),
      ...(signatures === undefined ? {} : { signatures: toSignatures(signatures) })
    })
  )

const toSignatures = (kinds: ReadonlyArray<SignatureKind>): ReadonlyArray<SignatureKind> =>
  signatureKinds.filter((kind) => kinds.includes(kind))

const toHeaders = (
  headers: ReadonlyArray<{ readonly name: string; readonly value?: string }>
): ReadonlyArray<HeaderInput> =>
  headers.map(({ name, value }) => ({ name, value: value === undefined ? undefined : Redacted.make(value) }))

const toAuthentication = (body: AuthenticationBody, schemes: Schemes): AuthenticationInput => {
  const settings: Record<string, string> = {}
  const secrets: Record<string, Redacted.Redacted> = {}
  const fields = schemes.find(({ type }) => type === body.type)?.fields ?? []
  for (const { name, secret, default: standIn } of fields) {
    const value = body[name]
    if (!secret) settings[name] = value ?? standIn ?? ""
    else if (value !== undefined) secrets[name] = Redacted.make(value)
  }
  return { type: body.type, settings, secrets }
}

/** A header as an operator enters it. Without a value, the stored value stays. */
export interface HeaderInput {
  readonly name: string
  readonly value: Redacted.Redacted | undefined
}

/** The most headers that an endpoint adds to each webhook. */
const maxHeaders = 10

const maxHeaderName = 64

/** Names, and prefixes of names that end with `-`, by the party that sets these headers. */
const clashes: ReadonlyArray<readonly [names: ReadonlyArray<string>, detail: string]> = [
  [
    ["content-type", "user-agent", "webhook-", "traceparent", "tracestate"],
    "is set by the service; choose another name"
  ],
  [["authorization"], "is set by the authentication; configure the sign-in there"],
  [
    [
      "accept-encoding",
      "connection",
      "content-encoding",
      "content-length",
      "date",
      "expect",
      "host",
      "http2-settings",
      "keep-alive",
      "proxy-",
      "te",
      "trailer",
      "transfer-encoding",
      "upgrade",
      "via"
    ],
    "belongs to HTTP itself; choose another name"
  ]
]

/** The fault of a header's name with its remedy; `undefined` for a valid one. */
const headerNameFault = (name: string): string | undefined => {
  if (name === "") return "is required"
  if (name.length > maxHeaderName) return `must be at most ${maxHeaderName} characters long`
  if (!/^[a-z][\w.-]*$/i.test(name)) {
    return "must begin with a letter, and hold letters, digits, hyphens, periods and underscores only"
  }
  const lower = name.toLowerCase()
  return clashes.find(([names]) =>
    names.some((each) => each.endsWith("-") ? lower.startsWith(each) : lower === each)
  )?.[1]
}

/** The fault of a header's value. It does not quote the value. */
const headerValueFault = (value: string): string | undefined =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(value)
    ? undefined
    : "must be printable ASCII characters, without blanks at its ends"

/** Adds the faults of a list of headers: a repeated name, ignoring case. */
const checkHeaders = (headers: ReadonlyArray<unknown>, faults: Faults): void => {
  const names = new Set<string>()
  for (const [index, header] of headers.entries()) {
    const name = Object(header).name
    if (typeof name !== "string") continue
    if (names.has(name.toLowerCase())) {
      faults.add("is the name of an earlier header; choose another name", "headers", index, "name")
    }
    names.add(name.toLowerCase())
  }
}
