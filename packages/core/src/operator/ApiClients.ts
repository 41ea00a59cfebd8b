/**
 * API clients, their grants and secrets, on behalf of an operator (D10.3, D10.4, D11).
 *
 * Guarantee: an operator sees and changes the clients all of whose grants lie within what it operates, and grants
 * nothing beyond. A secret is 256 random bits, shown once; only its hash is stored, and nothing shows that.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { everything, operatedBusinesses } from "../access/Access.ts"
import type { Grant, Principal } from "../access/Access.ts"
import { ClientStore, isWithin } from "../access/ClientStore.ts"
import type { Client, ClientSecret } from "../access/ClientStore.ts"
import { maxFaults } from "../input/DocumentCheck.ts"
import { Directory } from "../places/Directory.ts"
import { clip } from "../values/Clip.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { FieldError, Forbidden, StorageUnavailable } from "../values/Errors.ts"
import { ClientNotFound, SecretNotFound, TooManySecrets } from "../values/OperatorErrors.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import type { ClientChange, ClientInput } from "./ClientInput.ts"
import { checkOperator, namePage, notOperator, operates, operatorScope } from "./Operators.ts"
import type { PageQuery } from "./Operators.ts"
import { clientView } from "./OperatorView.ts"
import type { ClientView } from "./OperatorView.ts"

/** The most secrets of a client (D10.4). */
export const maxSecrets = 2

/** A client that was just made, with its secret. */
export interface NewClient extends ClientView {
  readonly clientSecret: Redacted.Redacted
}

/** A secret that was just made. */
export interface NewSecret {
  readonly secretId: string
  readonly clientSecret: Redacted.Redacted
}

/** Why a client is refused to an operator. */
export type ClientRefusal = ClientNotFound | Forbidden | StorageUnavailable

/** API clients. Inputs are as `ClientInput.ts` reads them. */
export class ApiClients extends Context.Service<ApiClients, {
  /** The clients that the operator may see, in id order. */
  readonly list: (
    query: PageQuery,
    principal: Principal
  ) => Effect.Effect<Page<ClientView>, Forbidden | StorageUnavailable>
  /** One client, without its secrets. */
  readonly get: (id: string, principal: Principal) => Effect.Effect<ClientView, ClientRefusal>
  /** Makes a client with one secret. */
  readonly create: (
    input: ClientInput,
    principal: Principal
  ) => Effect.Effect<NewClient, Forbidden | InvalidRequest | StorageUnavailable>
  /** Changes what is given; grants are replaced whole. */
  readonly update: (
    id: string,
    change: ClientChange,
    principal: Principal
  ) => Effect.Effect<ClientView, ClientRefusal | InvalidRequest>
  /** Makes another secret, {@link maxSecrets} at most. */
  readonly addSecret: (
    id: string,
    principal: Principal
  ) => Effect.Effect<NewSecret, ClientRefusal | TooManySecrets>
  /** Removes a secret; tokens that were fetched with it stay valid until they expire. */
  readonly removeSecret: (
    id: string,
    secretId: string,
    principal: Principal
  ) => Effect.Effect<void, ClientRefusal | SecretNotFound>
}>()("@dockline/core/ApiClients") {
  /** Clients of the store. */
  static readonly layer: Layer.Layer<ApiClients, never, ClientStore | Directory> = Layer.effect(
    ApiClients,
    Effect.gen(function*() {
      const store = yield* ClientStore
      const directory = yield* Directory
      return ApiClients.of({ ...clients(store, directory), ...secrets(store) })
    })
  )
}

type Store = (typeof ClientStore)["Service"]

const makeSecret = Effect.gen(function*() {
  const clientSecret = yield* WebCrypto.randomBase64Url(32)
  const stored: ClientSecret = {
    id: yield* WebCrypto.randomId,
    hash: yield* WebCrypto.sha256(clientSecret),
    createdAt: yield* Timestamp.now
  }
  return { stored, clientSecret: Redacted.make(clientSecret, { label: "clientSecret" }) }
})

const notFound = (id: string): ClientNotFound => new ClientNotFound({ id: clip(id) })

/** RFC 6749, appendix A.1, with a bound: no other id can be that of a client. */
const isClientId = (id: string): boolean => /^[\x20-\x7e]{1,256}$/.test(id)

/** The client, if the principal may see it; one that it may not see is not there. */
const visible = (
  client: Client | null,
  id: string,
  principal: Principal
): Result.Result<Client, ClientNotFound> =>
  client !== null && isWithin(client, operatedBusinesses(principal))
    ? Result.succeed(client)
    : Result.fail(notFound(id))

/** Refuses grants beyond what the principal operates; who operates the whole service may also grant nothing. */
const checkReach = (grants: ReadonlyArray<Grant>, principal: Principal): Result.Result<void, Forbidden> => {
  const reach = grants.length === 0 ? [everything] : grants.map(({ business }) => business)
  const beyond = reach.find((business) => !operates(principal, business))
  return beyond === undefined ? Result.void : Result.fail(notOperator(clip(beyond)))
}

/** Refuses grants at businesses and facilities that do not exist. */
const checkPlaces = Effect.fnUntraced(function*(
  directory: (typeof Directory)["Service"],
  grants: ReadonlyArray<Grant>
) {
  const named = new Set(grants.map(({ business }) => business).filter((slug) => slugPattern.test(slug)))
  const known = named.size === 0
    ? new Map<string, ReadonlySet<string>>()
    : yield* directory.facilitySlugs([...named])
  const errors = grants.flatMap(({ business, facilities }, index): ReadonlyArray<FieldError> => {
    if (business === everything) return []
    const slugs = known.get(business)
    if (slugs === undefined) {
      return [{ path: `grants[${index}].business`, detail: `Unknown business: ${clip(business)}` }]
    }
    return facilities === everything ? [] : facilities.flatMap((facility, at) =>
      slugs.has(facility)
        ? []
        : [{
          path: `grants[${index}].facilities[${at}]`,
          detail: `Unknown facility: ${clip(facility)} of business ${business}`
        }]
    )
  })
  if (errors.length > 0) return yield* new InvalidRequest({ errors: errors.slice(0, maxFaults) })
})

/** A client that the principal may see. */
const find = Effect.fnUntraced(function*(store: Store, id: string, principal: Principal) {
  yield* Effect.fromResult(checkOperator(principal))
  const found = isClientId(id) ? yield* store.find(id) : null
  return yield* Effect.fromResult(visible(found, id, principal))
})

/** Changes a client that the principal may see. */
const change = Effect.fnUntraced(function*<E>(
  store: Store,
  id: string,
  principal: Principal,
  f: (client: Client) => Result.Result<Client, E>
) {
  yield* Effect.fromResult(checkOperator(principal))
  if (!isClientId(id)) return yield* notFound(id)
  const changed = yield* store.update(
    id,
    (client): Result.Result<Client, E | ClientNotFound> => Result.flatMap(visible(client, id, principal), f)
  )
  return changed ?? (yield* notFound(id))
})

const clients = (store: Store, directory: (typeof Directory)["Service"]) => ({
  list: Effect.fn("ApiClients.list")(function*(query: PageQuery, principal: Principal) {
    const { items, next } = yield* store.list(yield* operatorScope(principal), namePage(query))
    return { items: items.map(clientView), next }
  }),

  get: Effect.fn("ApiClients.get")(function*(id: string, principal: Principal) {
    return clientView(yield* find(store, id, principal))
  }),

  create: Effect.fn("ApiClients.create")(function*(
    { name, grants, enabled = true }: ClientInput,
    principal: Principal
  ) {
    yield* Effect.fromResult(checkReach(grants, principal))
    yield* checkPlaces(directory, grants)
    const { stored, clientSecret } = yield* makeSecret
    const client: Client = { id: yield* WebCrypto.randomId, name, enabled, secrets: [stored], grants }
    if (!(yield* store.create(client))) {
      return yield* Effect.die(new Error(`A random id came twice: ${client.id}`))
    }
    return { ...clientView(client), clientSecret }
  }),

  update: Effect.fn("ApiClients.update")(function*(
    id: string,
    { name, grants, enabled }: ClientChange,
    principal: Principal
  ) {
    // A client that is not seen is not there, whatever is to become of it.
    yield* find(store, id, principal)
    if (grants !== undefined) {
      yield* Effect.fromResult(checkReach(grants, principal))
      yield* checkPlaces(directory, grants)
    }
    const changed = yield* change(store, id, principal, (client) =>
      Result.succeed({
        ...client,
        name: name ?? client.name,
        grants: grants ?? client.grants,
        enabled: enabled ?? client.enabled
      }))
    return clientView(changed)
  })
})

const secrets = (store: Store) => ({
  addSecret: Effect.fn("ApiClients.addSecret")(function*(id: string, principal: Principal) {
    const { stored, clientSecret } = yield* makeSecret
    yield* change(store, id, principal, (client) =>
      client.secrets.length >= maxSecrets
        ? Result.fail(new TooManySecrets({ clientId: client.id, limit: maxSecrets }))
        : Result.succeed({ ...client, secrets: [...client.secrets, stored] }))
    return { secretId: stored.id, clientSecret }
  }),

  removeSecret: Effect.fn("ApiClients.removeSecret")(function*(
    id: string,
    secretId: string,
    principal: Principal
  ) {
    yield* change(store, id, principal, (client) => {
      const secrets = client.secrets.filter((secret) => secret.id !== secretId)
      return secrets.length === client.secrets.length
        ? Result.fail(new SecretNotFound({ id: clip(secretId) }))
        : Result.succeed({ ...client, secrets })
    })
  })
})
