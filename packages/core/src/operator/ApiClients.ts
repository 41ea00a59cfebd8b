/**
 * Manages API clients, their grants and secrets for operators (D10.3, D10.4, D11).
 *
 * Guarantee: an operator sees and changes only clients whose grants all lie within the businesses it operates, and grants
 * nothing beyond them. A secret has 256 random bits and is shown once; only its hash is stored, and never shown.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { operatedBusinesses } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import type { AuditAction, AuditDraft } from "../access/AuditEntry.ts"
import { audited, businessOf, subjectOf } from "../access/AuditLog.ts"
import type { Audited, AuditLog } from "../access/AuditLog.ts"
import { ClientStore, isClientId, isWithin } from "../access/ClientStore.ts"
import type { Client, ClientSecret } from "../access/ClientStore.ts"
import { checkOperator, operatorScope } from "../access/Operators.ts"
import { Directory } from "../places/Directory.ts"
import { clip } from "../values/Clip.ts"
import { ClientNotFound, SecretNotFound, TooManySecrets } from "../values/OperatorErrors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { checkGrants } from "./GrantRules.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { clientView } from "./OperatorView.ts"

/** The most secrets of a client (D10.4). */
export const maxSecrets = 2

/** Manages API clients: does the work of the operations on them. */
export class ApiClients extends Context.Service<
  ApiClients,
  OperatorHandlers<
    "listClients" | "createClient" | "getClient" | "updateClient" | "createSecret" | "deleteSecret"
  >
>()("@dockline/core/ApiClients") {
  /** Manages the clients of the store. */
  static readonly layer: Layer.Layer<ApiClients, never, ClientStore | Directory | AuditLog> = Layer.effect(
    ApiClients,
    Effect.gen(function*() {
      const store = yield* ClientStore
      const directory = yield* Directory
      const audit = yield* audited
      return ApiClients.of({ ...clients(store, directory, audit), ...secrets(store, audit) })
    })
  )
}

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

/** The client, if the principal may see it; another client counts as missing. */
const visible = (client: Client | null, id: string, principal: Principal) =>
  client !== null && isWithin(client, operatedBusinesses(principal))
    ? Result.succeed(client)
    : Result.fail(notFound(id))

/** A client that the principal may see. */
const find = Effect.fnUntraced(function*(store: ClientStore["Service"], id: string, principal: Principal) {
  yield* Effect.fromResult(checkOperator(principal))
  const found = isClientId(id) ? yield* store.find(id) : null
  return yield* Effect.fromResult(visible(found, id, principal))
})

/** A change of a client, for the audit log; the client before and after say which businesses it concerns. */
const drafted = (
  action: AuditAction,
  details: AuditDraft["details"],
  clients: ReadonlyArray<Client>,
  ...parts: ReadonlyArray<string>
): AuditDraft => ({
  action,
  business: businessOf(...clients.flatMap(({ grants }) => grants)),
  subject: subjectOf("clients", clients[0]!.id, ...parts),
  details
})

/** Changes a client that the principal may see, with an entry in the record. */
const change = Effect.fnUntraced(function*<E>(
  store: ClientStore["Service"],
  audit: Audited,
  id: string,
  principal: Principal,
  f: (client: Client) => Result.Result<Client, E>,
  draftOf: (before: Client, after: Client) => AuditDraft
) {
  yield* Effect.fromResult(checkOperator(principal))
  if (!isClientId(id)) return yield* notFound(id)
  let before: Client | undefined
  const update = store.update(id, (client): Result.Result<Client, E | ClientNotFound> => {
    before = client
    return Result.flatMap(visible(client, id, principal), f)
  })
  const found = Effect.filterOrFail(update, (client) => client !== null, () => notFound(id))
  return yield* audit(principal, found, (after) => draftOf(before!, after))
})

const clients = (
  store: ClientStore["Service"],
  directory: Directory["Service"],
  audit: Audited
): Omit<ApiClients["Service"], keyof ReturnType<typeof secrets>> => ({
  listClients: Effect.fn("ApiClients.list")(function*(query, principal) {
    return mapPage(yield* store.list(yield* operatorScope(principal), namePage(query)), clientView)
  }),

  getClient: Effect.fn("ApiClients.get")(function*({ clientId }, principal) {
    return clientView(yield* find(store, clientId, principal))
  }),

  createClient: Effect.fn("ApiClients.create")(function*({ body }, principal) {
    const { enabled = true, grants, name } = body
    yield* checkGrants(directory, principal, grants)
    const { stored, clientSecret } = yield* makeSecret
    const client: Client = { id: yield* WebCrypto.randomId, name, enabled, secrets: [stored], grants }
    const create = Effect.filterOrElse(
      store.create(client),
      (isNew) => isNew,
      () => Effect.die(new Error(`A random id came twice: ${client.id}`))
    )
    yield* audit(principal, create, () => drafted("CLIENT_CREATED", { name, enabled, grants }, [client]))
    return { ...clientView(client), clientSecret }
  }),

  updateClient: Effect.fn("ApiClients.update")(function*({ body, clientId: id }, principal) {
    const { enabled, grants, name } = body
    // A client that the operator may not see counts as missing, so this check comes first.
    yield* find(store, id, principal)
    yield* checkGrants(directory, principal, grants)
    const changed = yield* change(
      store,
      audit,
      id,
      principal,
      (client) =>
        Result.succeed({
          ...client,
          name: name ?? client.name,
          grants: grants ?? client.grants,
          enabled: enabled ?? client.enabled
        }),
      (...clients) => drafted("CLIENT_CHANGED", { name, enabled, grants }, clients)
    )
    return clientView(changed)
  })
})

const secrets = (
  store: ClientStore["Service"],
  audit: Audited
): OperatorHandlers<"createSecret" | "deleteSecret"> => ({
  createSecret: Effect.fn("ApiClients.addSecret")(function*({ clientId: id }, principal) {
    const { stored, clientSecret } = yield* makeSecret
    yield* change(
      store,
      audit,
      id,
      principal,
      (client) =>
        client.secrets.length >= maxSecrets
          ? Result.fail(new TooManySecrets({ clientId: client.id, limit: maxSecrets }))
          : Result.succeed({ ...client, secrets: [...client.secrets, stored] }),
      (...clients) => drafted("SECRET_ADDED", {}, clients, "secrets", stored.id)
    )
    return { secretId: stored.id, clientSecret }
  }),

  deleteSecret: Effect.fn("ApiClients.removeSecret")(function*({ clientId: id, secretId }, principal) {
    const remove = (client: Client) => {
      const secrets = client.secrets.filter((secret) => secret.id !== secretId)
      return secrets.length === client.secrets.length
        ? Result.fail(new SecretNotFound({ id: clip(secretId) }))
        : Result.succeed({ ...client, secrets })
    }
    yield* change(
      store,
      audit,
      id,
      principal,
      remove,
      (...clients) => drafted("SECRET_REMOVED", {}, clients, "secrets", secretId)
    )
  })
})
