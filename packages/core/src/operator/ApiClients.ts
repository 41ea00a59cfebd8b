/**
 * Manages API clients, their grants and secrets for operators (D10.3, D10.4, D11).
 *
 * Guarantee: an operator sees and changes only clients whose grants all lie within the businesses it operates, and grants
 * nothing beyond them. A secret has 256 random bits and is shown once; only its hash is stored, and never shown.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { checkOperator, operatorScope } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { auditing } from "../access/AuditLog.ts"
import type { AuditAction, AuditDraft, AuditLog } from "../access/AuditLog.ts"
import { ClientStore, isClientId } from "../access/Principals.ts"
import type { Client, ClientSecret } from "../access/Principals.ts"
import { expected } from "../input/Precondition.ts"
import { Directory } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { ClientNotFound, SecretNotFound, TooManySecrets } from "../values/OperatorErrors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { auditDraft, checkGrants, lessGrants, visible, withGrants } from "./internal/GrantRules.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { clientState, clientView } from "./OperatorView.ts"

/** The most secrets of a client (D10.4). */
export const maxSecrets = 2

/** Manages API clients: handles the operations on them. */
export class ApiClients extends Context.Service<
  ApiClients,
  OperatorHandlers<
    | "listClients"
    | "createClient"
    | "getClient"
    | "updateClient"
    | "addClientGrants"
    | "withdrawClientGrants"
    | "createSecret"
    | "deleteSecret"
  >
>()("@dockline/core/operator/ApiClients") {
  /** Manages the clients of the store. */
  static readonly layer: Layer.Layer<ApiClients, never, ClientStore | Directory | AuditLog> = Layer.effect(
    ApiClients,
    Effect.gen(function*() {
      const clients = yield* access
      return ApiClients.of({ ...ofClients(clients, yield* Directory), ...ofSecrets(clients) })
    })
  )
}

const makeSecret = Effect.gen(function*() {
  const clientSecret = yield* WebCrypto.randomBase64Url(32)
  const secret: ClientSecret = {
    id: yield* WebCrypto.randomId,
    hash: yield* WebCrypto.sha256(clientSecret),
    createdAt: yield* Timestamp.now
  }
  return { stored: secret, clientSecret: Redacted.make(clientSecret, { label: "clientSecret" }) }
})

const notFound = (id: string): ClientNotFound => new ClientNotFound({ id: clip(id) })

/** The access of operators to clients. A client that the operator may not see counts as missing. */
const access = Effect.gen(function*() {
  const store = yield* ClientStore
  const audit = yield* auditing

  const find = Effect.fnUntraced(function*(id: string, principal: Principal) {
    yield* Effect.fromResult(checkOperator(principal))
    const client = isClientId(id) ? yield* store.find(id) : null
    return yield* Effect.fromResult(visible(client, principal, notFound(id)))
  })

  /** Changes a client, with an entry in the record. */
  const change = Effect.fnUntraced(function*<E>(
    id: string,
    principal: Principal,
    f: (client: Client) => Result.Result<Client, E>,
    action: AuditAction,
    details: AuditDraft["details"],
    ...parts: ReadonlyArray<string>
  ) {
    yield* Effect.fromResult(checkOperator(principal))
    if (!isClientId(id)) return yield* notFound(id)
    const before: Array<Client> = []
    const update = store.update(id, (client): Result.Result<Client, E | ClientNotFound> => {
      before[0] = client
      return Result.flatMap(visible(client, principal, notFound(id)), f)
    })
    const clientOrRefusal = Effect.filterOrFail(update, (client) => client !== null, () => notFound(id))
    const draftOf = (after: Client) =>
      auditDraft(action, details, ["clients", id, ...parts], ...before, after)
    return yield* audit(principal, clientOrRefusal, draftOf)
  })

  return { store, audit, find, change }
})

type Access = Effect.Success<typeof access>

const ofClients = (
  { audit, change, find, store }: Access,
  directory: Directory["Service"]
): Omit<ApiClients["Service"], keyof ReturnType<typeof ofSecrets>> => ({
  listClients: Effect.fn("ApiClients.list")(function*(query, principal) {
    return mapPage(yield* store.list(yield* operatorScope(principal), namePage(query)), clientView)
  }),

  getClient: Effect.fn("ApiClients.get")(function*({ clientId }, principal) {
    return clientView(yield* find(clientId, principal))
  }),

  createClient: Effect.fn("ApiClients.create")(function*({ body }, principal) {
    const { enabled = true, grants, name } = body
    yield* checkGrants(directory, principal, grants)
    const { stored, clientSecret } = yield* makeSecret
    const client: Client = { id: yield* WebCrypto.randomId, name, enabled, secrets: [stored], grants }
    const create = Effect.filterOrElse(
      store.create(client),
      (isNew) => isNew,
      () => Effect.die(new Error(`A random id occurred twice: ${client.id}`))
    )
    const draft = auditDraft("CLIENT_CREATED", { name, enabled, grants }, ["clients", client.id], client)
    yield* audit(principal, create, () => draft)
    return { ...clientView(client), clientSecret }
  }),

  updateClient: Effect.fn("ApiClients.update")(function*({ body, clientId: id }, principal) {
    const { enabled, grants, name } = body
    // A client that the operator may not see counts as missing, so this check comes first.
    const client = yield* find(id, principal)
    const unchanged = yield* expected(clientState(clientView(client)))
    yield* checkGrants(directory, principal, grants)
    const changeOf = (client: Client) =>
      Result.map(unchanged(clientState(clientView(client))), () => ({
        ...client,
        name: name ?? client.name,
        grants: grants ?? client.grants,
        enabled: enabled ?? client.enabled
      }))
    return clientView(yield* change(id, principal, changeOf, "CLIENT_CHANGED", { name, enabled, grants }))
  }),

  addClientGrants: Effect.fn("ApiClients.addGrants")(function*({ body, clientId: id }, principal) {
    const { grants: additions } = body
    yield* find(id, principal)
    yield* checkGrants(directory, principal, additions)
    const changeOf = (client: Client) =>
      Result.map(withGrants(client.grants, additions), (grants) => ({ ...client, grants }))
    return clientView(yield* change(id, principal, changeOf, "CLIENT_CHANGED", { added: additions }))
  }),

  withdrawClientGrants: Effect.fn("ApiClients.withdrawGrants")(function*({ body, clientId: id }, principal) {
    const { grants: withdrawals } = body
    const changeOf = (client: Client) =>
      Result.map(
        lessGrants(client.grants, withdrawals, principal),
        (grants) => ({ ...client, grants })
      )
    return clientView(yield* change(id, principal, changeOf, "CLIENT_CHANGED", { withdrawn: withdrawals }))
  })
})

const ofSecrets = ({ change }: Access): OperatorHandlers<"createSecret" | "deleteSecret"> => ({
  createSecret: Effect.fn("ApiClients.addSecret")(function*({ clientId: id }, principal) {
    const { stored, clientSecret } = yield* makeSecret
    const changeOf = (client: Client) =>
      client.secrets.length >= maxSecrets
        ? Result.fail(new TooManySecrets({ clientId: client.id, limit: maxSecrets }))
        : Result.succeed({ ...client, secrets: [...client.secrets, stored] })
    yield* change(id, principal, changeOf, "SECRET_ADDED", {}, "secrets", stored.id)
    return { secretId: stored.id, clientSecret }
  }),

  deleteSecret: Effect.fn("ApiClients.removeSecret")(function*({ clientId: id, secretId }, principal) {
    const withoutSecret = (client: Client) => {
      const secrets = client.secrets.filter((secret) => secret.id !== secretId)
      return secrets.length === client.secrets.length
        ? Result.fail(new SecretNotFound({ id: clip(secretId) }))
        : Result.succeed({ ...client, secrets })
    }
    yield* change(id, principal, withoutSecret, "SECRET_REMOVED", {}, "secrets", secretId)
  })
})
