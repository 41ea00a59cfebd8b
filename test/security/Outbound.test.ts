/**
 * Server-side request forgery, on a server that runs as in production: whatever address an operator enters, and wherever a customer's
 * server or name leads, nothing in the service's own network is called (D9.7).
 */
import { recently } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../operations/Service.ts"
import { eventually } from "../support/Eventually.ts"
import type * as ServerProcess from "../support/ServerProcess.ts"
import { EchoCustomer } from "./EchoCustomer.ts"
import { ServiceClient } from "./ServiceClient.ts"

/** An allowed network, as in development; the service's own address, 127.0.0.1, is not in it. */
const open = "127.0.0.2"

/** One address of each kind that must not be called; `packages/webhook-adapter` tests every kind and spelling. */
const refusedHosts = [
  "127.0.0.1",
  "2130706433",
  "0.0.0.0",
  "10.0.0.1",
  "169.254.169.254",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[fd00:ec2::254]",
  "１２７.０.０.１"
]

/** Names that lead to the same machine wherever they are resolved, so that endpoints with them are refused. */
const localNames = ["localhost", "LOCALHOST", "localhost.", "customer.localhost"]

/** Names that lead to the same machine if it knows them. */
const names = ["ip6-localhost", "ip6-loopback"]

interface Attempted {
  readonly attempts: ReadonlyArray<{ readonly status: number | null; readonly error: string }>
}

/** An operator who can be tricked into any address. */
class Operator {
  readonly #client: ServiceClient
  readonly #token: string

  private constructor(client: ServiceClient, token: string) {
    this.#client = client
    this.#token = token
  }

  static async of(server: ServerProcess.ServerProcess): Promise<Operator> {
    const client = new ServiceClient(server.baseUrl)
    return new Operator(client, await client.tokenOf("operator", "operator-secret"))
  }

  make(baseUrl: string, authentication: object = { type: "none" }) {
    return this.#client.ask("POST", "/v1/operator/webhook-endpoints", {
      token: this.#token,
      body: { business: "acme", baseUrl, messageTypes: ["PALLET_EVENT"], authentication }
    })
  }

  async made(baseUrl: string, authentication?: object): Promise<string> {
    const { status, text } = await this.make(baseUrl, authentication)
    assert.strictEqual(status, 201, text)
    return (JSON.parse(text) as { readonly id: string }).id
  }

  /** The error of the first attempt of an endpoint. */
  attempt(id: string): Promise<Attempted["attempts"][number]> {
    return eventually("what came of the delivery", async () => {
      const path = `/v1/operator/webhook-endpoints/${id}/deliveries`
      const { text } = await this.#client.ask("GET", path, { token: this.#token })
      const { items } = JSON.parse(text) as { readonly items: ReadonlyArray<Attempted> }
      return items[0]?.attempts[0]
    })
  }

  /** The error of an endpoint's login. */
  loginError(id: string): Promise<string> {
    return eventually("what came of the delivery", async () => {
      const { text } = await this.#client.ask("GET", `/v1/operator/webhook-endpoints/${id}`, {
        token: this.#token
      })
      return (JSON.parse(text) as { readonly login: { readonly error: string } | null }).login?.error
    })
  }

  async pallet(): Promise<void> {
    const acme = await this.#client.tokenOf("acme-client", "acme-client-secret")
    const tower = await this.#client.tokenOf("tower", "tower-secret")
    const place = { business: "acme", facility: "east", dockSlug: "D1" }
    const body = { ...place, orderNumber: "SO-1", direction: "OUTBOUND" }
    await this.#client.ask("POST", "/v1/documents", { token: acme, body })
    const event = {
      ...place,
      eventId: "1",
      direction: "LOADING",
      occurredAt: recently("17:00:00Z"),
      shipmentNumber: "SO-1",
      labels: []
    }
    const { status, text } = await this.#client.ask("POST", "/v1/pallet-events", {
      token: tower,
      body: event
    })
    assert.strictEqual(status, 201, text)
  }
}

describe(
  "the service calls nobody of its own network",
  () => {
    // @threat calls.1 calls.3
    it.live(
      "by addresses, names, redirects, logins and ports, at creation or at delivery",
      () =>
        Effect.gen(function*() {
          const inside = yield* EchoCustomer.open(() => ({ status: 200, body: `{"access_token":"stolen"}` }))
          const elsewhere = (path: string) => ({ location: `http://127.0.0.1:${inside.port}${path}` })
          const customer = yield* EchoCustomer.open(
            ({ path }) =>
              path.startsWith("/works") ? { status: 200 } : { status: 307, headers: elsewhere(path) },
            open
          )
          const server = yield* Service.process({ OUTBOUND_ALLOW: `${open}/32` })
          yield* Effect.promise(() => attack(server, customer.port, inside.port))
          assert.deepStrictEqual(inside.got, [])
          assert.isAtLeast(customer.got.length, 2)
        }),
      60_000
    )
  }
)

const attack = async (server: ServerProcess.ServerProcess, port: number, insidePort: number) => {
  const operator = await Operator.of(server)
  for (const host of [...refusedHosts, ...localNames]) {
    for (const scheme of ["http", "https"]) {
      const address = `${scheme}://${host}:${insidePort}`
      const login = { type: "token", loginUrl: `${address}/login`, username: "u", password: "p" }
      assert.include([400, 422], (await operator.make(address)).status, address)
      assert.include([400, 422], (await operator.make(`http://${open}:${port}`, login)).status, address)
    }
  }
  for (const scheme of ["file", "ftp", "gopher", "data", "javascript", "unix", "blob", "ws"]) {
    assert.include([400, 422], (await operator.make(`${scheme}://127.0.0.1:${insidePort}/`)).status, scheme)
  }
  const works = await operator.made(`http://${open}:${port}/works`)
  const redirected = await operator.made(`http://${open}:${port}/away`)
  const redirectedLogin = await operator.made(`http://${open}:${port}/works`, {
    type: "token",
    loginUrl: `http://${open}:${port}/login`,
    username: "u",
    password: "p"
  })
  const local = await operator.make(`https://localhost:${insidePort}`)
  assert.match(local.text, /loopback.*OUTBOUND_ALLOW.*dockline listen/)
  const named = await Promise.all(names.map((name) => operator.made(`https://${name}:${insidePort}`)))
  const namedLogins = await Promise.all(names.map((name) =>
    operator.made(`http://${open}:${port}/works`, {
      type: "token",
      loginUrl: `https://${name}:${insidePort}/login`,
      username: "u",
      password: "p"
    })
  ))
  await operator.pallet()
  assert.strictEqual((await operator.attempt(works)).status, 200)
  assert.strictEqual((await operator.attempt(redirected)).status, 307)
  assert.match(
    await operator.loginError(redirectedLogin),
    /307, a redirect to http:\S+; redirects are not followed$/
  )
  // A machine may not know all of the names.
  const refused = /(not allowed|resolve|found|known|no address)/i
  for (const id of named) {
    const { error, status } = await operator.attempt(id)
    assert.match(error, refused)
    assert.isNull(status)
  }
  for (const id of namedLogins) assert.match(await operator.loginError(id), refused)
}
