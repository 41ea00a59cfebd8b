/**
 * A story with canaries: all uses of secrets, right and wrong, on a server that runs as in production.
 */
import { recently } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { WebSocket } from "ws"
import { eventually } from "../../support/Eventually.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { EchoCustomer } from "../EchoCustomer.ts"
import type { Answering } from "../EchoCustomer.ts"
import { ServiceClient, tokenRequest } from "../ServiceClient.ts"
import { Canaries } from "./Canary.ts"

/** The last path of the contract comes after the base path of an endpoint. */
const answering = (loginToken: string) => ({ path }: { readonly path: string }): Answering => {
  if (path === "/login") return { status: 200, body: JSON.stringify({ access_token: loginToken }) }
  return { status: path.startsWith("/works") ? 200 : path.startsWith("/refuses") ? 401 : 500 }
}

/** The story. */
export class Story {
  readonly canaries: Canaries
  readonly server: ServerProcess.ServerProcess
  readonly client: ServiceClient
  readonly customer: EchoCustomer
  readonly #operator: string
  readonly #metricsToken: string

  private constructor(
    canaries: Canaries,
    server: ServerProcess.ServerProcess,
    customer: EchoCustomer,
    operator: string,
    metricsToken: string
  ) {
    this.canaries = canaries
    this.server = server
    this.customer = customer
    this.client = new ServiceClient(server.baseUrl)
    this.#operator = operator
    this.#metricsToken = metricsToken
  }

  /** The server and the customer end with the scope. */
  static readonly begin = Effect.fnUntraced(
    function*(database: URL, collector: EchoCustomer, logFormat: string) {
      const canaries = new Canaries()
      const loginToken = canaries.make("the customer's token")
      const operatorSecret = canaries.make("OPERATOR_CLIENT_SECRET")
      const metricsToken = canaries.make("METRICS_TOKEN")
      const env = {
        DATABASE_URL: database.href,
        DEMO: "true",
        LOG_LEVEL: "All",
        LOG_FORMAT: logFormat,
        OPERATOR_CLIENT_ID: "canary-operator",
        OPERATOR_CLIENT_SECRET: operatorSecret,
        SECRETS_KEY: canaries.add("SECRETS_KEY", randomBytes(32).toString("base64")),
        METRICS_TOKEN: metricsToken,
        // A format in which a secret would be readable.
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.baseUrl,
        OUTBOUND_ALLOW: "127.0.0.0/8"
      }
      canaries.add("the password of DATABASE_URL", database.password)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => ServerProcess.serve(env)),
        ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const customer = yield* EchoCustomer.open(answering(loginToken))
      const operator = yield* Effect.promise(() =>
        new ServiceClient(server.baseUrl).tokenOf("canary-operator", operatorSecret)
      )
      canaries.add("the operator's token", operator)
      return new Story(canaries, server, customer, operator, metricsToken)
    }
  )

  /** A client and its secrets, with requests for tokens: correct ones, and typical mistakes of clients. */
  async clients(): Promise<string> {
    const grants = [{ business: "acme", facilities: "*", permissions: ["documents:write", "messages:read"] }]
    const made = await this.client.make<{ readonly id: string; readonly clientSecret: string }>(
      "/v1/operator/clients",
      { token: this.#operator, body: { name: "Canary", grants } }
    )
    this.canaries.add("a client's secret", made.clientSecret)
    const added = await this.client.make<{ readonly clientSecret: string }>(
      `/v1/operator/clients/${made.id}/secrets`,
      { token: this.#operator }
    )
    this.canaries.add("a client's second secret", added.clientSecret)
    const token = await this.client.tokenOf(made.id, made.clientSecret)
    this.canaries.add("a client's token", token)
    this.canaries.add("the signature of a token", token.split(".")[2]!)
    await this.client.ask("GET", `/v1/operator/clients/${made.id}`, { token: this.#operator })
    await this.client.ask("GET", "/v1/operator/clients", { token: this.#operator })
    await this.mistakes(made.id)
    return token
  }

  /** Requests with a secret in a place that accepts none. */
  async mistakes(id: string): Promise<void> {
    const wrong = this.canaries.make("a secret that is wrong")
    const request = tokenRequest(this.server.baseUrl, id, wrong)
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const basic = `Basic ${Buffer.from(`${id}:${wrong}`).toString("base64")}`
    for (
      const asking of [
        { body: request },
        { body: { ...request, client_secret: [wrong] } },
        { body: { ...request, grant_type: wrong } },
        { body: { ...request, client_id: wrong } },
        { body: new URLSearchParams(request).toString(), headers: form },
        { body: "grant_type=client_credentials", headers: { ...form, authorization: basic } },
        { body: `client_secret=${wrong}&client_secret=${wrong}`, headers: form },
        { body: request, headers: { "content-type": "text/plain" } }
      ]
    ) await this.client.ask("POST", "/oauth/token", asking)
    const header = this.canaries.make("a header that is no token")
    for (
      const authorization of [
        header,
        `Bearer ${header}`,
        `Basic ${btoa(`x:${header}`)}`,
        `Bearer ${header} x`
      ]
    ) {
      for (const path of ["/v1/shipments", "/public_graphql?query={__typename}", "/metrics", "/nowhere"]) {
        await this.client.ask("GET", path, { headers: { authorization } })
      }
    }
    const query = this.canaries.make("a token in the query")
    for (const path of ["/v1/shipments", "/public_graphql", "/v1/docs/", "/metrics", "/nowhere"]) {
      await this.client.ask("GET", `${path}?access_token=${query}`)
    }
    const socket = this.canaries.make("a token of a socket")
    await refusedSocket(this.server.baseUrl, { authorization: `Bearer ${socket}` })
  }

  /** Endpoints that work, refuse and fail, with each kind of authentication, and their records. */
  async webhooks(): Promise<void> {
    const base = this.customer.baseUrl
    const token = this.#operator
    const ids: Array<string> = []
    for (const path of ["works", "refuses", "fails"]) {
      for (const type of ["basic", "token"]) {
        const password = this.canaries.make(`the ${type} password of what ${path}`)
        const login = type === "basic" ? {} : { loginUrl: `${base}/login` }
        const given = randomBytes(24).toString("base64")
        const signingSecret = this.canaries.add(
          `the signing secret of what ${path}, ${type}`,
          `whsec_${given}`
        )
        this.canaries.add(`${signingSecret}, its bytes`, given)
        const { id } = await this.client.make<{ readonly id: string }>("/v1/operator/webhook-endpoints", {
          token,
          body: {
            business: "acme",
            baseUrl: `${base}/${path}`,
            messageTypes: ["PALLET_EVENT"],
            authentication: { type, username: "dockline", password, ...login },
            signingSecret
          }
        })
        ids.push(id)
        const rotated = await this.client.make<{ readonly signingSecret: string }>(
          `/v1/operator/webhook-endpoints/${id}/rotate-secret`,
          { token },
          200
        )
        this.canaries.add(`the new signing secret of what ${path}, ${type}`, rotated.signingSecret)
        await this.badEndpoints(id)
      }
    }
    await this.pallet()
    for (const id of ids) await this.recorded(`/v1/operator/webhook-endpoints/${id}/deliveries`)
  }

  /** Refused endpoints, with secrets in the wrong places. */
  async badEndpoints(id: string): Promise<void> {
    const password = this.canaries.make("the password of an endpoint that is refused")
    const authentication = { type: "basic", username: "dockline", password }
    const good = {
      business: "acme",
      baseUrl: "https://a.example",
      messageTypes: ["PALLET_EVENT"],
      authentication
    }
    for (
      const body of [
        { ...good, baseUrl: `https://dockline:${password}@a.example` },
        { ...good, signingSecret: `whsec_${password}` },
        { ...good, authentication: { ...authentication, password: [password] } },
        { ...good, authentication: { type: "token", username: "a", password, loginUrl: password } },
        { ...good, authentication: { type: password } },
        { ...good, business: "nobody" }
      ]
    ) await this.client.ask("POST", "/v1/operator/webhook-endpoints", { token: this.#operator, body })
    const path = `/v1/operator/webhook-endpoints/${id}`
    await this.client.ask("PATCH", path, {
      token: this.#operator,
      body: { authentication, enabled: password }
    })
    await this.client.ask("GET", path, { token: this.#operator })
  }

  /** A message for all endpoints. */
  async pallet(): Promise<void> {
    const tower = this.canaries.add("the tower's token", await this.client.tokenOf("tower", "tower-secret"))
    const acme = this.canaries.add(
      "acme's token",
      await this.client.tokenOf("acme-client", "acme-client-secret")
    )
    const place = { business: "acme", facility: "east", dockSlug: "D1" }
    await this.client.ask("POST", "/v1/documents", {
      token: acme,
      body: { ...place, orderNumber: "CANARY", direction: "OUTBOUND" }
    })
    const recorded = await this.client.ask("POST", "/v1/pallet-events", {
      token: tower,
      body: {
        ...place,
        eventId: randomBytes(8).toString("hex"),
        direction: "LOADING",
        occurredAt: recently("17:00:00Z"),
        shipmentNumber: "CANARY",
        labels: []
      }
    })
    assert.strictEqual(recorded.status, 201, recorded.text)
  }

  /** Waits until the record has an attempt of the endpoint. */
  async recorded(path: string): Promise<void> {
    await eventually(`an attempt at ${path}`, async () => {
      const { text } = await this.client.ask("GET", path, { token: this.#operator })
      return /"attempts":\[\{/.test(text)
    })
  }

  /** Requests while the service cannot do its work: each causes an error of the server. */
  async broken(token: string, what: string): Promise<void> {
    const password = this.canaries.make(`the password of an endpoint made while ${what}`)
    const secret = this.canaries.make(`a secret asked with while ${what}`)
    const statuses: Array<number> = []
    for (
      const [method, path, asking] of [
        ["POST", "/oauth/token", { body: tokenRequest(this.server.baseUrl, "acme-client", secret) }],
        ["GET", "/v1/shipments", { token }],
        ["POST", "/public_graphql", { token, body: { query: "{ shipments { nodes { id } } }" } }],
        ["GET", "/v1/operator/webhook-endpoints", { token: this.#operator }],
        ["POST", "/v1/operator/webhook-endpoints", {
          token: this.#operator,
          body: {
            business: "acme",
            baseUrl: "https://a.example",
            messageTypes: ["PALLET_EVENT"],
            authentication: { type: "basic", username: "a", password }
          }
        }],
        ["GET", "/readyz", {}],
        ["GET", "/metrics", {}]
      ] as const
    ) statuses.push((await this.client.ask(method, path, asking)).status)
    assert.isTrue(statuses.some((status) => status >= 500), `${what}: ${statuses}`)
  }

  async end(): Promise<void> {
    const metrics = await this.client.ask("GET", "/metrics", { token: this.#metricsToken })
    assert.include(metrics.text, "dockline_webhook_", "the metrics are shown to whoever has the token")
    this.server.child.kill("SIGTERM")
    await this.server.ended
  }
}

/** Opens a socket with an invalid token, and waits until it is closed. */
const refusedSocket = (baseUrl: string, payload: object) =>
  new Promise<void>((resolve) => {
    const socket = new WebSocket(`${baseUrl.replace("http", "ws")}/public_graphql`, "graphql-transport-ws")
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload })))
    socket.on("close", () => resolve())
    socket.on("error", () => {})
  })
