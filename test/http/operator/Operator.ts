/**
 * The operations of operators: requests under `/v1/operator`, and new clients for them.
 */
import type { Grant } from "@dockline/core/access/Access"
import type {
  BusinessView,
  EndpointView,
  NewClientView,
  NewEndpointView
} from "@dockline/core/operator/OperatorView"
import { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { Effect, Layer, Redacted } from "effect"
import { assert } from "vitest"
import { baseUrl, TestServer, unique } from "../../support/TestServer.ts"
import type { PageView, RequestOptions } from "../../support/TestServer.ts"
import { send } from "../Sending.ts"
import type { Reply } from "../Wire.ts"

/** Seals reversibly, so that a test can search for secrets that must not be shown. */
export const vault = Layer.succeed(
  SecretsVault,
  SecretsVault.of({
    seal: (secret, context) => Effect.sync(() => sealedOf(Redacted.value(secret), context)),
    open: (sealed, context) => {
      const prefix = sealedOf("", context)
      return sealed.startsWith(prefix)
        ? Effect.succeed(Redacted.make(Buffer.from(sealed.slice(prefix.length), "base64url").toString()))
        : Effect.fail(new SecretUnreadable({ reason: "another context" }))
    },
    webhookKeys: () => []
  })
)

const sealedOf = (secret: string, context: string): SealedText =>
  `${context}|${Buffer.from(secret).toString("base64url")}` as SealedText

/** Sends a request of an operator: a value as JSON, text and bytes unchanged. */
export const operate = (
  method: string,
  path: string,
  body?: unknown,
  options: RequestOptions = {}
): Effect.Effect<Reply, never, TestServer> =>
  send(method, `/v1/operator/${path}`, body, { client: "operator", ...options })

/** Sends a request without a body. */
export const get = (path: string, options?: RequestOptions) => operate("GET", path, undefined, options)

/** The body of an answer, which must have this status. */
export const bodyOf = <A>(reply: Reply, status: number): A => {
  assert.strictEqual(reply.status, status, reply.text)
  return reply.body as A
}

/** The faults of a refusal, by path. */
export const faultsOf = (reply: Reply): Readonly<Record<string, string>> => {
  const { errors = [] } = reply.body as {
    readonly errors?: ReadonlyArray<{ readonly path: string; readonly detail: string }>
  }
  return Object.fromEntries(errors.map(({ path, detail }) => [path, detail]))
}

/** A request for a token. */
const askForToken = (id: string, secret: string): Effect.Effect<Reply, never, TestServer> =>
  Effect.flatMap(TestServer, ({ request }) =>
    request("POST", "/oauth/token", {
      client: null,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: id,
        client_secret: secret,
        audience: audienceOf(baseUrl),
        grant_type: "client_credentials"
      })
    }))

/** A client, with the headers of its requests. */
interface MadeClient {
  readonly id: string
  readonly secret: string
  readonly as: RequestOptions
}

/** The headers of a client's requests. */
const asClient = Effect.fnUntraced(function*(id: string, secret: string) {
  const { access_token } = bodyOf<{ readonly access_token: string }>(yield* askForToken(id, secret), 200)
  return { client: null, headers: { authorization: `Bearer ${access_token}` } } satisfies RequestOptions
})

/** Makes a client with these grants. */
export const makeClient = Effect.fnUntraced(function*(...grants: ReadonlyArray<Grant>) {
  const made = bodyOf<NewClientView>(
    yield* operate("POST", "clients", { name: unique("Client"), grants }),
    201
  )
  const { id, clientSecret: secret } = made
  return { id, secret, as: yield* asClient(id, secret) } satisfies MadeClient
})

/** The grant of an operator of one business. */
export const operatorOf = (business: string): Grant => ({
  business,
  facilities: "*",
  permissions: ["operator"]
})

/** Makes a business with a facility `main`, and returns its slug. */
export const makeBusiness = Effect.gen(function*() {
  const slug = unique("biz")
  const { slug: made } = bodyOf<BusinessView>(
    yield* operate("POST", "businesses", { slug, name: "A business" }),
    201
  )
  bodyOf(yield* operate("POST", `businesses/${slug}/facilities`, { slug: "main", name: "Main" }), 201)
  return made
})

/** An endpoint without authentication for all messages of a business. */
export const endpointOf = (business: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  business,
  baseUrl: "https://hooks.example",
  messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
  authentication: { type: "none" },
  ...fields
})

/** Makes an endpoint. */
export const makeEndpoint = (business: string, fields?: Readonly<Record<string, unknown>>) =>
  Effect.map(
    operate("POST", "webhook-endpoints", endpointOf(business, fields)),
    (reply) => bodyOf<NewEndpointView>(reply, 201)
  )

/** The present state of an endpoint. */
export const endpointNow = (id: string) =>
  Effect.map(get(`webhook-endpoints/${id}`), (reply) => bodyOf<EndpointView>(reply, 200))

/** All entities of a list, page by page; every page except the last must be full. */
export const allOf = Effect.fnUntraced(function*<A>(path: string, limit: number, options?: RequestOptions) {
  const items: Array<A> = []
  for (let after: string | null = "";;) {
    const query: string = `${path.includes("?") ? "&" : "?"}limit=${limit}&after=${encodeURIComponent(after)}`
    const page: PageView<A> = bodyOf(yield* get(`${path}${query}`, options), 200)
    items.push(...page.items)
    if (page.next === null) return items
    assert.lengthOf(page.items, limit)
    after = page.next
  }
})
