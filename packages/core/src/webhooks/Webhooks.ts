/**
 * Webhook endpoints on behalf of an operator (D9.1, D9.2, D9.7, D11).
 *
 * Guarantee: an operator sees and changes the endpoints of the businesses it operates, and no others. Passwords and
 * signing secrets are sealed before they reach the store, for their business alone, and are shown by nothing but the
 * answer that makes a signing secret. An address that must not be called is refused, and so is another address without
 * the secrets that would go there.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import type { Principal } from "../access/Access.ts"
import { checkOperator, idOf, idPage, notOperator, operates, operatorScope } from "../operator/Operators.ts"
import type { PageQuery } from "../operator/Operators.ts"
import { endpointView } from "../operator/OperatorView.ts"
import type { EndpointView } from "../operator/OperatorView.ts"
import { Directory } from "../places/Directory.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound, InvalidRequest } from "../values/Errors.ts"
import type {
  CursorAhead,
  FieldError,
  Forbidden,
  HistoryExpired,
  InvalidParameter,
  StorageUnavailable
} from "../values/Errors.ts"
import { WebhookEndpointNotFound } from "../values/OperatorErrors.ts"
import type { SecretsKeyMissing, TooManyEntries } from "../values/OperatorErrors.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { OutboundUrls } from "./OutboundUrls.ts"
import { authenticationAt, authenticationOf, sealer } from "./SealedAuthentication.ts"
import type { Sealed, SecretsVault } from "./SecretsVault.ts"
import { AuthenticationSchemes } from "./WebhookEndpoint.ts"
import type { ShownEndpoint, SigningSecret, WebhookEndpoint } from "./WebhookEndpoint.ts"
import { WebhookEndpointStore } from "./WebhookEndpointStore.ts"
import type { EndpointChange } from "./WebhookEndpointStore.ts"
import type { EndpointInput, EndpointPatch } from "./WebhookInput.ts"

/** How long a signing secret stays valid beside the one that a rotation made, in milliseconds: 24 hours (D11). */
export const rotationMillis = 86_400_000

/** An endpoint that was just made, with its signing secret. */
export interface NewEndpoint extends EndpointView {
  readonly signingSecret: Redacted.Redacted
}

/** Why an endpoint is refused to an operator. */
export type EndpointRefusal = WebhookEndpointNotFound | Forbidden | StorageUnavailable

/** Why a new endpoint is refused. */
export type CreateEndpointError =
  | InvalidRequest
  | BusinessNotFound
  | FacilityNotFound
  | Forbidden
  | HistoryExpired
  | CursorAhead
  | TooManyEntries
  | SecretsKeyMissing
  | StorageUnavailable

/**
 * Webhook endpoints. Ids are decimal text, as they come in a path; text that is no id names no endpoint. Inputs are as
 * `WebhookInput.ts` reads them.
 */
export class Webhooks extends Context.Service<Webhooks, {
  /** The endpoints of the businesses that the operator operates, in id order. */
  readonly list: (
    query: PageQuery,
    principal: Principal
  ) => Effect.Effect<Page<EndpointView>, InvalidParameter | Forbidden | StorageUnavailable>
  /** One endpoint and how it fares, without its secrets. */
  readonly get: (id: string, principal: Principal) => Effect.Effect<EndpointView, EndpointRefusal>
  /** Makes an endpoint, with a signing secret if none is given. */
  readonly create: (
    input: EndpointInput,
    principal: Principal
  ) => Effect.Effect<NewEndpoint, CreateEndpointError>
  /**
   * Changes what is given. One that is enabled by it goes on with its backlog, in order. Secrets stay as long as they go
   * where they went: with another address they are given again.
   */
  readonly update: (
    id: string,
    patch: EndpointPatch,
    principal: Principal
  ) => Effect.Effect<EndpointView, EndpointRefusal | InvalidRequest | SecretsKeyMissing>
  /** Removes an endpoint with its backlog and the record of its deliveries. */
  readonly remove: (id: string, principal: Principal) => Effect.Effect<void, EndpointRefusal>
  /** Makes a new signing secret; the one before signs beside it for {@link rotationMillis}, older ones no more. */
  readonly rotateSecret: (
    id: string,
    principal: Principal
  ) => Effect.Effect<{ readonly signingSecret: Redacted.Redacted }, EndpointRefusal | SecretsKeyMissing>
}>()("@dockline/core/Webhooks") {
  /** Endpoints of the store, of the {@link AuthenticationSchemes} in force. */
  static readonly layer: Layer.Layer<
    Webhooks,
    never,
    WebhookEndpointStore | Directory | SecretsVault | OutboundUrls
  > = Layer.effect(
    Webhooks,
    Effect.gen(function*() {
      return Webhooks.of({ ...(yield* reads), ...(yield* creation), ...(yield* changes) })
    })
  )
}

const notFound = (id: string): WebhookEndpointNotFound => new WebhookEndpointNotFound({ id: clip(id) })

/** Finds endpoints for operators: one of a business that the principal does not operate is not there. */
export const endpointFinder = Effect.map(
  WebhookEndpointStore,
  (store) =>
    Effect.fnUntraced(
      function*(id: string, principal: Principal): Effect.fn.Return<ShownEndpoint, EndpointRefusal> {
        yield* Effect.fromResult(checkOperator(principal))
        const number = idOf(id)
        const found = number === undefined ? null : yield* store.find(number)
        if (found === null || !operates(principal, found.business)) return yield* notFound(id)
        return found
      }
    )
)

const show = (endpoint: ShownEndpoint): Effect.Effect<EndpointView> =>
  Effect.map(Timestamp.now, (now) => endpointView(endpoint, now))

const reads = Effect.gen(function*() {
  const store = yield* WebhookEndpointStore
  const find = yield* endpointFinder
  return {
    list: Effect.fn("Webhooks.list")(function*(query: PageQuery, principal: Principal) {
      const scope = yield* operatorScope(principal)
      const { items, next } = yield* store.list(scope, yield* Effect.fromResult(idPage(query)))
      return { items: yield* Effect.forEach(items, show), next }
    }),

    get: Effect.fn("Webhooks.get")(function*(id: string, principal: Principal) {
      return yield* show(yield* find(id, principal))
    }),

    remove: Effect.fn("Webhooks.remove")(function*(id: string, principal: Principal) {
      const found = yield* find(id, principal)
      if (!(yield* store.remove(found.id))) return yield* notFound(id)
    })
  }
})

const makeSigningSecret = Effect.map(
  WebCrypto.randomBase64(32),
  (text) => Redacted.make(`whsec_${text}`, { label: "signingSecret" })
)

const creation = Effect.gen(function*() {
  const store = yield* WebhookEndpointStore
  const directory = yield* Directory
  const seal = yield* sealer
  const authenticate = yield* authenticationOf
  const checkUrls = yield* urlCheck

  const checkPlace = Effect.fnUntraced(
    function*({ business, facility }: EndpointInput, principal: Principal) {
      const named = slugPattern.test(business)
        ? yield* directory.lookup(business, facility ?? "")
        : { business: null, facility: null }
      if (named.business === null) return yield* new BusinessNotFound({ business: clip(business) })
      if (!operates(principal, business)) return yield* notOperator(business)
      if (facility !== null && named.facility === null) {
        return yield* new FacilityNotFound({ business, facility: clip(facility) })
      }
    }
  )

  return {
    create: Effect.fn("Webhooks.create")(function*(input: EndpointInput, principal: Principal) {
      // Which addresses may be called is nothing that others can try out.
      yield* Effect.fromResult(checkOperator(principal))
      yield* checkUrls(input)
      yield* checkPlace(input, principal)
      const { business, facility, baseUrl, messageTypes, enabled, fromId } = input
      const signingSecret = input.signingSecret ?? (yield* makeSigningSecret)
      const made = yield* store.create({
        business,
        facility,
        baseUrl,
        messageTypes,
        authentication: yield* Effect.flatMap(
          authenticate(input.authentication, business),
          (join) => Effect.fromResult(join(undefined, baseUrl))
        ),
        signingSecrets: [{ sealed: yield* seal(signingSecret, business), validUntil: null }],
        enabled,
        fromId,
        now: yield* Timestamp.now
      })
      return { ...(yield* show(made)), signingSecret }
    })
  }
})

const changes = Effect.gen(function*() {
  const store = yield* WebhookEndpointStore
  const seal = yield* sealer
  const authenticate = yield* authenticationOf
  const checkUrls = yield* urlCheck
  const find = yield* endpointFinder

  const change = Effect.fnUntraced(function*<E>(
    id: string,
    f: (endpoint: WebhookEndpoint, now: Timestamp.Timestamp) => Result.Result<EndpointChange, E>
  ) {
    const now = yield* Timestamp.now
    const changed = yield* store.update(Number(id), now, (endpoint) => f(endpoint, now))
    return changed ?? (yield* notFound(id))
  })

  return {
    update: Effect.fn("Webhooks.update")(function*(id: string, patch: EndpointPatch, principal: Principal) {
      yield* Effect.fromResult(checkOperator(principal))
      yield* checkUrls(patch)
      const { business } = yield* find(id, principal)
      const join = patch.authentication === undefined
        ? undefined
        : yield* authenticate(patch.authentication, business)
      const changed = yield* change(id, (endpoint) => {
        const baseUrl = patch.baseUrl ?? endpoint.baseUrl
        return Result.map(
          join?.(endpoint, baseUrl) ?? authenticationAt(endpoint, baseUrl),
          (authentication): EndpointChange => ({
            ...unchanged(endpoint),
            baseUrl,
            messageTypes: patch.messageTypes ?? endpoint.messageTypes,
            authentication,
            ...enabling(patch.enabled)
          })
        )
      })
      return yield* show(changed)
    }),

    rotateSecret: Effect.fn("Webhooks.rotateSecret")(function*(id: string, principal: Principal) {
      const { business } = yield* find(id, principal)
      const signingSecret = yield* makeSigningSecret
      const sealed = yield* seal(signingSecret, business)
      yield* change(
        id,
        (endpoint, now) =>
          Result.succeed({
            ...unchanged(endpoint),
            signingSecrets: rotate(sealed, endpoint.signingSecrets, now)
          })
      )
      return { signingSecret }
    })
  }
})

const unchanged = (
  { baseUrl, messageTypes, authentication, signingSecrets, enabled, disabledReason }: WebhookEndpoint
): EndpointChange => ({ baseUrl, messageTypes, authentication, signingSecrets, enabled, disabledReason })

const enabling = (enabled: boolean | undefined): Partial<EndpointChange> =>
  enabled === undefined ? {} : { enabled, disabledReason: enabled ? "" : "OPERATOR" }

const rotate = (
  sealed: Sealed,
  [newest]: ReadonlyArray<SigningSecret>,
  now: Timestamp.Timestamp
): ReadonlyArray<SigningSecret> => {
  const validUntil = Timestamp.fromMillis(Date.parse(now) + rotationMillis)
  const made: SigningSecret = { sealed, validUntil: null }
  return newest === undefined ? [made] : [made, { ...newest, validUntil }]
}

/** Refuses addresses that must not be called, as far as they can be told without asking what a name resolves to. */
const urlCheck = Effect.gen(function*() {
  const urls = yield* OutboundUrls
  const schemes = yield* AuthenticationSchemes
  return Effect.fnUntraced(function*(
    { baseUrl, authentication }: Pick<EndpointPatch, "baseUrl" | "authentication">
  ) {
    const fields = schemes.find(({ type }) => type === authentication?.type)?.fields ?? []
    const given: ReadonlyArray<readonly [path: string, url: string | undefined]> = [
      ["baseUrl", baseUrl],
      ...fields.filter(({ kind }) => kind === "url").map(({ name }) =>
        [`authentication.${name}`, authentication?.settings[name]] as const
      )
    ]
    const errors = given.flatMap(([path, url]): ReadonlyArray<FieldError> => {
      const detail = url === undefined || url === "" ? undefined : urls.fault(url)
      return detail === undefined ? [] : [{ path, detail }]
    })
    if (errors.length > 0) return yield* new InvalidRequest({ errors })
  })
})
