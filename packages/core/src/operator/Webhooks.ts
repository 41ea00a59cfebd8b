/**
 * Creates, changes, shows and removes webhook endpoints for operators (D9.1, D9.2, D9.7, D11).
 *
 * Guarantee: an operator sees and changes only the endpoints of the businesses it operates. Passwords and signing secrets
 * are sealed for their business before they reach the store; only the answer that creates a signing secret shows it. An
 * address that `OutboundUrls` faults is refused, and so is a new address if the secrets to send there are not given with it. The values of
 * headers (D15.3) are sealed, too. A secret is kept only for the addresses for which it was entered.
 */
import { Context, Effect, Layer, Redacted, Result, Struct } from "effect"
import { checkOperator, operates, operatorScope } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { auditing, subjectOf } from "../access/AuditLog.ts"
import type { AuditAction, AuditDraft } from "../access/AuditLog.ts"
import { expected } from "../input/Precondition.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Place.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"
import { withDefaults } from "../values/Defaults.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { SecretsKeyMissing, WebhookEndpointNotFound } from "../values/OperatorErrors.ts"
import { idOf, idPage } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { secretsContext, SecretsVault } from "../webhooks/SecretsVault.ts"
import type { SealedText } from "../webhooks/SecretsVault.ts"
import {
  AuthenticationSchemes,
  checkSchemes,
  OutboundUrls,
  WebhookEndpointStore
} from "../webhooks/WebhookEndpoint.ts"
import type {
  EndpointAuthentication,
  EndpointChange,
  EndpointHeader,
  EndpointSettings,
  ShownEndpoint,
  WebhookEndpoint
} from "../webhooks/WebhookEndpoint.ts"
import type { AuthenticationInput, EndpointPatch, HeaderInput } from "../webhooks/WebhookInput.ts"
import { operatedFacility } from "./Businesses.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { endpointState, endpointView } from "./OperatorView.ts"
import type { EndpointView } from "./OperatorView.ts"

/** How long a signing secret stays valid after a rotation, in milliseconds: 24 hours (D11). */
export const rotationMillis = 86_400_000

/** The most signing secrets of an endpoint, the newest included. Each adds a signature to a header of every message (D11). */
export const maxSigningSecrets = 8

/** Manages webhook endpoints: handles the operations on them. An id that is not a decimal number matches no endpoint. */
export class Webhooks extends Context.Service<
  Webhooks,
  OperatorHandlers<
    | "listWebhookEndpoints"
    | "createWebhookEndpoint"
    | "getWebhookEndpoint"
    | "updateWebhookEndpoint"
    | "deleteWebhookEndpoint"
    | "rotateSigningSecret"
  >
>()("@dockline/core/operator/Webhooks") {
  /** Manages the endpoints of the store, with the {@link AuthenticationSchemes} in force; dies if two schemes declare one type. */
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function*() {
      checkSchemes(yield* AuthenticationSchemes)
      const parts = yield* makeParts
      return Webhooks.of({ ...ofEndpoints(parts, yield* Directory), ...ofChanges(parts) })
    })
  )
}

const notFound = (id: string): WebhookEndpointNotFound => new WebhookEndpointNotFound({ id: clip(id) })

/** Finds endpoints for operators; an endpoint of a business that the principal does not operate counts as missing. */
export const endpointFinder = Effect.map(
  WebhookEndpointStore,
  (store) =>
    Effect.fnUntraced(function*(id: string, principal: Principal) {
      yield* Effect.fromResult(checkOperator(principal))
      const number = idOf(id)
      const endpoint = number === undefined ? null : yield* store.find(number)
      if (endpoint === null || !operates(principal, endpoint.business)) return yield* notFound(id)
      return endpoint
    })
)

const show = (endpoint: ShownEndpoint): Effect.Effect<EndpointView> =>
  Effect.map(Timestamp.now, (now) => endpointView(endpoint, now))

const makeSigningSecret = Effect.map(
  WebCrypto.randomBase64(32),
  (text) => Redacted.make(`whsec_${text}`, { label: "signingSecret" })
)

const auditOf = (
  action: AuditAction,
  { business, id }: Pick<WebhookEndpoint, "business" | "id">,
  details: AuditDraft["details"] = {}
): AuditDraft => ({ action, business, subject: subjectOf("webhook-endpoints", id), details })

/** The settings of an endpoint that may be shown, without passwords and signing secrets. */
const settingsOf = ({ authentication, headers, ...endpoint }: WebhookEndpoint) => ({
  ...Struct.pick(endpoint, ["facility", "baseUrl", "messageTypes"]),
  authentication: { ...authentication.settings, type: authentication.type },
  headers: headers.map(({ name }) => name),
  ...Struct.pick(endpoint, ["ratePerSecond", "signatures", "payloadProfile", "enabled"])
})

/** The parts that creating and changing endpoints share. */
const makeParts = Effect.gen(function*() {
  return {
    store: yield* WebhookEndpointStore,
    seal: yield* sealer,
    authenticate: yield* authenticationOf,
    sealHeaders: yield* headersOf,
    checkUrls: yield* urlCheck,
    checkKeys: yield* keyCheck,
    find: yield* endpointFinder,
    audit: yield* auditing
  }
})

type Parts = Effect.Success<typeof makeParts>

const ofEndpoints = (
  { audit, authenticate, checkKeys, checkUrls, find, seal, sealHeaders, store }: Parts,
  directory: Directory["Service"]
): Omit<Webhooks["Service"], keyof ReturnType<typeof ofChanges>> => ({
  listWebhookEndpoints: Effect.fn("Webhooks.list")(function*(query, principal) {
    const scope = yield* operatorScope(principal)
    const { items, next } = yield* store.list(scope, yield* Effect.fromResult(idPage(query)))
    return { items: yield* Effect.forEach(items, show), next }
  }),

  getWebhookEndpoint: Effect.fn("Webhooks.get")(function*({ endpointId }, principal) {
    return yield* show(yield* find(endpointId, principal))
  }),

  createWebhookEndpoint: Effect.fn("Webhooks.create")(function*({ body: input }, principal) {
    // Only operators may probe which addresses can be called.
    yield* Effect.fromResult(checkOperator(principal))
    yield* checkUrls(input)
    yield* checkKeys(input)
    const { authentication, headers, signingSecret = yield* makeSigningSecret, ...settings } = input
    const { business, facility, baseUrl } = settings
    if (facility === null) yield* Authorize.operatorOf(directory, principal, business)
    else yield* operatedFacility(directory, principal, business, facility)
    const join = yield* authenticate(authentication, business)
    const joinHeaders = yield* sealHeaders(headers, business)
    const draft = {
      ...settings,
      authentication: yield* Effect.fromResult(join(undefined, baseUrl)),
      headers: yield* Effect.fromResult(joinHeaders(undefined, baseUrl)),
      signingSecrets: [{ sealed: yield* seal(signingSecret, business), validUntil: null }],
      now: yield* Timestamp.now
    }
    const draftOf = (endpoint: WebhookEndpoint) => auditOf("WEBHOOK_CREATED", endpoint, settingsOf(endpoint))
    const endpoint = yield* audit(principal, store.create(draft), draftOf)
    return { ...(yield* show(endpoint)), signingSecret }
  }),

  deleteWebhookEndpoint: Effect.fn("Webhooks.remove")(function*({ endpointId: id }, principal) {
    const endpoint = yield* find(id, principal)
    yield* audit(
      principal,
      Effect.filterOrFail(store.remove(endpoint.id), (isRemoved) => isRemoved, () => notFound(id)),
      () => auditOf("WEBHOOK_REMOVED", endpoint, settingsOf(endpoint))
    )
  })
})

/** The changed settings of an endpoint; `undefined` for settings that stay. */
type Changes = { readonly [Name in keyof EndpointChange]?: EndpointChange[Name] | undefined }

const ofChanges = (
  { audit, authenticate, checkKeys, checkUrls, find, seal, sealHeaders, store }: Parts
): OperatorHandlers<"updateWebhookEndpoint" | "rotateSigningSecret"> => {
  const change = Effect.fnUntraced(function*<E>(
    id: string,
    principal: Principal,
    f: (endpoint: WebhookEndpoint, now: Timestamp.Timestamp) => Result.Result<Changes, E>,
    draftOf: (endpoint: WebhookEndpoint) => AuditDraft
  ) {
    const update = store.update(
      Number(id),
      yield* Timestamp.givenNow,
      (endpoint, now) =>
        Result.map(f(endpoint, now), (changes) => withDefaults(settingsIn(endpoint), changes))
    )
    const endpointOrRefusal = Effect.filterOrFail(update, (endpoint) => endpoint !== null, () => notFound(id))
    return yield* audit(principal, endpointOrRefusal, draftOf)
  })

  return {
    updateWebhookEndpoint: Effect.fn("Webhooks.update")(
      function*({ body: patch, endpointId: id }, principal) {
        yield* Effect.fromResult(checkOperator(principal))
        yield* checkUrls(patch)
        yield* checkKeys(patch)
        const endpoint = yield* find(id, principal)
        const { business } = endpoint
        const now = yield* Timestamp.now
        const stateOf = (endpoint: WebhookEndpoint): unknown =>
          endpointState(endpointView({ ...endpoint, backlog: 0 }, now))
        const unchanged = yield* expected(stateOf(endpoint))
        const { authentication, headers, ...settings } = patch
        const { enabled } = settings
        const join = authentication && (yield* authenticate(authentication, business))
        const joinHeaders = headers && (yield* sealHeaders(headers, business))
        const after = yield* change(id, principal, (endpoint) => {
          const { baseUrl = endpoint.baseUrl } = patch
          const secretParts = Result.all({
            authentication: join?.(endpoint, baseUrl) ?? authenticationAt(endpoint, baseUrl),
            headers: joinHeaders?.(endpoint, baseUrl) ?? headersAt(endpoint, baseUrl)
          })
          const reason = enabled === undefined
            ? {}
            : { disabledReason: enabled ? "" as const : "OPERATOR" as const }
          return Result.flatMap(
            unchanged(stateOf(endpoint)),
            () => Result.map(secretParts, (parts) => ({ ...settings, ...parts, ...reason }))
          )
        }, (endpoint) => {
          const fields = Object.entries(settingsOf(endpoint)).filter(([name]) =>
            patch[name as keyof EndpointPatch] !== undefined
          )
          return auditOf("WEBHOOK_CHANGED", endpoint, Object.fromEntries(fields))
        })
        return yield* show(after)
      }
    ),

    rotateSigningSecret: Effect.fn("Webhooks.rotateSecret")(function*({ endpointId: id }, principal) {
      const { business } = yield* find(id, principal)
      const signingSecret = yield* makeSigningSecret
      const ciphertext = yield* seal(signingSecret, business)
      yield* change(id, principal, (endpoint, now) => {
        const validUntil = Timestamp.fromMillis(Date.parse(now) + rotationMillis)
        const previous = endpoint.signingSecrets
          .map((secret) => ({ ...secret, validUntil: secret.validUntil ?? validUntil }))
          .filter((secret) => secret.validUntil > now)
        return Result.succeed({
          signingSecrets: [{ sealed: ciphertext, validUntil: null }, ...previous].slice(0, maxSigningSecrets)
        })
      }, (endpoint) => auditOf("WEBHOOK_SECRET_ROTATED", endpoint))
      return { signingSecret }
    })
  }
}

/** Picks the settings by name, because a store keeps every member that it gets, and an endpoint has more than settings. */
const settingsIn = (endpoint: WebhookEndpoint): EndpointChange =>
  Struct.pick(endpoint, [
    "baseUrl",
    "messageTypes",
    "authentication",
    "signingSecrets",
    "headers",
    "ratePerSecond",
    "signatures",
    "payloadProfile",
    "enabled",
    "disabledReason"
  ])

/** Refuses signatures that the service has no key for. */
const keyCheck = Effect.map(
  SecretsVault,
  ({ webhookKeys }) => ({ signatures = [] }: Pick<EndpointPatch, "signatures">) =>
    signatures.includes("v1a") && webhookKeys("").length === 0
      ? Effect.fail(new SecretsKeyMissing())
      : Effect.void
)

/** Refuses addresses that must not be called, as far as this can be decided without resolving names. */
const urlCheck = Effect.gen(function*() {
  const urls = yield* OutboundUrls
  const schemes = yield* AuthenticationSchemes
  return Effect.fnUntraced(function*(
    { baseUrl, authentication }: Pick<EndpointPatch, "baseUrl" | "authentication">
  ) {
    const fields = schemes.find(({ type }) => type === authentication?.type)?.fields ?? []
    const addresses: Record<string, string | undefined> = { baseUrl }
    for (const { kind, name } of fields) {
      if (kind === "url") addresses[`authentication.${name}`] = authentication?.settings[name]
    }
    const errors = Object.entries(addresses).flatMap(([path, url = ""]): ReadonlyArray<FieldError> => {
      const detail = url === "" ? undefined : urls.fault(url)
      return detail === undefined ? [] : [{ path, detail }]
    })
    if (errors.length > 0) return yield* new InvalidRequest({ errors })
  })
})

/** Makes the function that encrypts a secret of a business with the vault, so that stores keep no secret in clear text. */
const sealer = Effect.map(
  SecretsVault,
  (vault) => (secret: Redacted.Redacted, business: string): Effect.Effect<SealedText, SecretsKeyMissing> =>
    vault.seal(secret, secretsContext(business))
)

/** The parts of an endpoint that decide where its secrets are sent. */
type SecretHolder = Pick<EndpointSettings, "authentication" | "baseUrl">

/** The fault of a request that must send a stored secret again. */
const again = "must be sent again: an address changes, and a stored secret is never sent to another address"

const wholeAgain = again.replace(":", ", with the whole authentication:")

/** Refuses settings by their paths. */
const refusal = (details: Readonly<Record<string, string>>): Result.Result<never, InvalidRequest> =>
  Result.fail(
    new InvalidRequest({ errors: Object.entries(details).map(([path, detail]) => ({ path, detail })) })
  )

const pathOf = (name: string): string => `authentication.${name}`

/** The unchanged authentication of an endpoint; refused when its secrets would be sent to another address. */
const authenticationAt = (
  { authentication, baseUrl: before }: SecretHolder,
  baseUrl: string
): Result.Result<EndpointAuthentication, InvalidRequest> => {
  const names = baseUrl === before ? [] : Object.keys(authentication.secrets)
  return names.length === 0
    ? Result.succeed(authentication)
    : refusal(Object.fromEntries(names.map((name) => [pathOf(name), wholeAgain])))
}

/**
 * Seals the secrets of an authentication. The returned function merges it with the endpoint's previous authentication of the same type:
 * secrets that the input leaves out stay.
 */
const authenticationOf = Effect.gen(function*() {
  const schemes = yield* AuthenticationSchemes
  const seal = yield* sealer
  return Effect.fnUntraced(function*({ type, settings, secrets }: AuthenticationInput, business: string) {
    const fields = schemes.find((scheme) => scheme.type === type)?.fields ?? []
    const own: Record<string, SealedText> = {}
    const standIns: Record<string, SealedText> = {}
    for (const { name, default: standIn } of fields.filter(({ secret }) => secret)) {
      if (secrets[name] !== undefined) own[name] = yield* seal(secrets[name], business)
      if (standIn !== undefined) standIns[name] = yield* seal(Redacted.make(standIn), business)
    }
    const addresses = fields.filter(({ kind }) => kind === "url").map(({ name }) => name)
    return (
      before: SecretHolder | undefined,
      baseUrl: string
    ): Result.Result<EndpointAuthentication, InvalidRequest> => {
      const existing = before?.authentication.type === type ? before.authentication : undefined
      const present = existing?.secrets ?? {}
      const isMoved = before?.baseUrl !== baseUrl ||
        addresses.some((name) => existing?.settings[name] !== settings[name])
      const secrets = { ...standIns, ...present, ...own }
      const details: Record<string, string> = {}
      for (const { name } of fields.filter(({ secret }) => secret)) {
        if (secrets[name] === undefined) details[pathOf(name)] = "is required"
        else if (isMoved && present[name] !== undefined && own[name] === undefined) {
          details[pathOf(name)] = wholeAgain
        }
      }
      return Object.keys(details).length === 0
        ? Result.succeed({ type, settings, secrets })
        : refusal(details)
    }
  })
})

type Before = Pick<EndpointSettings, "headers" | "baseUrl">

/** The unchanged headers of an endpoint at a base URL; refused when their values would be sent to another address. */
const headersAt = (
  { baseUrl: before, headers }: Before,
  baseUrl: string
): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> =>
  baseUrl === before || headers.length === 0 ? Result.succeed(headers) : refusal({ headers: again })

/**
 * Seals the values of headers. The returned function merges the headers with the endpoint's previous headers: values that the input leaves
 * out stay, and headers that the input does not name are removed.
 */
const headersOf = Effect.gen(function*() {
  const seal = yield* sealer
  return Effect.fnUntraced(function*(inputs: ReadonlyArray<HeaderInput>, business: string) {
    const references: Array<{ readonly name: string; readonly sealed: SealedText | undefined }> = []
    for (const { name, value } of inputs) {
      references.push({ name, sealed: value === undefined ? undefined : yield* seal(value, business) })
    }
    return (
      before: Before | undefined,
      baseUrl: string
    ): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> => {
      const headers: Array<EndpointHeader> = []
      for (const [index, { name, sealed }] of references.entries()) {
        const present = before?.headers.find((each) => each.name.toLowerCase() === name.toLowerCase())
        const path = `headers[${index}].value`
        if (sealed !== undefined) headers.push({ name, sealed })
        else if (present === undefined) return refusal({ [path]: "is required" })
        else if (before?.baseUrl !== baseUrl) return refusal({ [path]: again })
        else headers.push({ name, sealed: present.sealed })
      }
      return Result.succeed(headers)
    }
  })
})
