/** D9.9: a test message to a customer's server, over real sockets: the received message, and the operator's answer. */
import type { AuditView, TestView } from "@dockline/core/operator/OperatorView"
import { testsAtOnce } from "@dockline/core/operator/WebhookTests"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import * as CustomerServer from "../../../packages/webhook-adapter/test/CustomerServer.ts"
import { eventually } from "../../support/Eventually.ts"
import { messaging, privateName } from "../../support/TestMessaging.ts"
import { layerMemory, refusalOf } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { serving } from "../Serving.ts"
import {
  allOf,
  bodyOf,
  endpointNow,
  faultsOf,
  makeBusiness,
  makeClient,
  makeEndpoint,
  operate,
  operatorOf,
  vault
} from "./Operator.ts"

const sendTest = (id: string, body?: unknown, options?: RequestOptions) =>
  operate("POST", `webhook-endpoints/${id}/test`, body, options)

const tested = (id: string, body?: unknown) =>
  Effect.map(sendTest(id, body), (reply) => bodyOf<TestView>(reply, 200))

/** A disabled endpoint at an address, which is enough for a test. */
const at = (baseUrl: string, fields: Readonly<Record<string, unknown>> = {}) =>
  makeEndpoint("acme", { baseUrl, enabled: false, ...fields })

/** A receiver as a customer writes it: it verifies, and answers 204. */
const aReceiver = (secret: () => string) =>
  CustomerServer.http(({ body, headers }, response) => {
    try {
      new Webhook(secret()).verify(body, headers as Record<string, string>)
      response.writeHead(204).end()
    } catch (error) {
      response.writeHead(401, { "content-type": "text/plain" }).end(String(error))
    }
  })

const answering = (answer: (response: ServerResponse) => void) =>
  CustomerServer.http((_, response) => answer(response))

serving("D9.9 test messages", layerMemory(messaging(vault)), (test) => {
  test(
    "a receiver that verifies takes one, as a message of the endpoint's first type, and knows it for a test",
    function*(server) {
      let secret = ""
      const customer = yield* aReceiver(() => secret)
      yield* palletMessages(1)
      const made = yield* at(`${customer.url}/in`)
      secret = made.signingSecret
      const before = yield* endpointNow(made.id)
      const log = yield* server.messages("acme")
      const result = yield* tested(made.id)
      const [received, ...others] = customer.received
      assert.lengthOf(others, 0)
      assert.strictEqual(received!.url, "/in/api/palletEvent")
      assert.match(received!.headers["webhook-id"] as string, /^test_[0-9a-f-]{36}$/)
      const { occurredAt, ...payload } = JSON.parse(received!.body) as Record<string, unknown>
      assert.isAtMost(Math.abs(Date.parse(String(occurredAt)) - Date.now()), 60_000)
      assert.deepStrictEqual(payload, {
        businessSlug: "acme",
        facilitySlug: "",
        serviceShipmentId: "0",
        servicePalletId: "0",
        url: "http://localhost:8080/dashboard/shipments/0/pallets/0",
        direction: "LOADING",
        orders: [],
        dockId: "0",
        LPN: "",
        SKUs: [],
        LotNumber: "",
        ExpirationDate: "",
        test: true
      })
      assert.strictEqual(result.webhookId, received!.headers["webhook-id"])
      assert.deepStrictEqual(
        [result.isTaken, result.status, result.error, result.remedy, result.messageType],
        [true, 204, "", "", "PALLET_EVENT"]
      )
      assert.strictEqual(result.request!.url, `${customer.url}/in/api/palletEvent`)
      assert.strictEqual(result.request!.body, received!.body)
      for (const [name, value] of Object.entries(result.request!.headers)) {
        assert.strictEqual(received!.headers[name.toLowerCase()], value)
      }
      assert.strictEqual(result.answer!.body, "")
      assert.property(result.answer!.headers, "date")
      assert.deepStrictEqual(yield* server.messages("acme"), log)
      assert.deepStrictEqual(yield* endpointNow(made.id), before)
      assert.deepStrictEqual(yield* allOf(`webhook-endpoints/${made.id}/deliveries`, 100), [])
    }
  )

  test("a departure of one facility, if that is asked for and the endpoint gets it", function*() {
    const customer = yield* answering((response) => response.end("ok"))
    const made = yield* at(customer.url, { facility: "east" })
    const result = yield* tested(made.id, { messageType: "SHIPMENT_COMPLETE" })
    assert.deepStrictEqual([result.isTaken, result.answer!.body], [true, "ok"])
    assert.strictEqual(customer.received[0]!.url, "/api/shipmentComplete")
    assert.deepStrictEqual(JSON.parse(customer.received[0]!.body), {
      serviceShipmentId: "0",
      orders: [],
      url: "http://localhost:8080/dashboard/shipments/0",
      dockId: "0",
      pallets: [],
      test: true
    })
    const pallets = yield* at(customer.url, { messageTypes: ["PALLET_EVENT"] })
    const refused = yield* sendTest(pallets.id, { messageType: "SHIPMENT_COMPLETE" })
    assert.deepStrictEqual(refusalOf(refused), [422, "INVALID_REQUEST"])
    assert.deepStrictEqual(faultsOf(refused), {
      messageType: "must be one that the endpoint receives: PALLET_EVENT"
    })
    assert.lengthOf(customer.received, 1)
  })

  test("a receiver with another secret refuses it, and the remedy says what to compare", function*() {
    const customer = yield* aReceiver(() => `whsec_${Buffer.alloc(32, 7).toString("base64")}`)
    const result = yield* tested((yield* at(customer.url)).id)
    assert.deepStrictEqual([result.isTaken, result.status], [false, 401])
    assert.include(result.answer!.body, "No matching signature")
    assert.strictEqual(result.answer!.headers["content-type"], "text/plain")
    assert.include(result.remedy, "signing secret")
  })

  const answers: ReadonlyArray<
    readonly [title: string, answer: (response: ServerResponse) => void, status: number, remedy: string]
  > = [
    ["410", (response) => response.writeHead(410).end(), 410, "disables the endpoint"],
    [
      "a redirect",
      (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
      302,
      "redirects are not followed"
    ],
    ["404", (response) => response.writeHead(404).end(), 404, "base URL"],
    ["500", (response) => response.writeHead(500).end("oh"), 500, "its log"]
  ]
  for (const [title, answer, status, remedy] of answers) {
    test(`${title} is told with its remedy, and changes nothing at an endpoint that is enabled`, function*() {
      const customer = yield* answering(answer)
      const made = yield* at(customer.url, { enabled: true })
      const before = yield* endpointNow(made.id)
      const result = yield* tested(made.id)
      assert.deepStrictEqual([result.isTaken, result.status], [false, status])
      assert.include(result.remedy, remedy)
      assert.deepStrictEqual(yield* endpointNow(made.id), before)
      assert.lengthOf(customer.received, 1)
    })
  }

  test("what keeps an answer away is said in words", function*() {
    const silent = yield* CustomerServer.http(() => {})
    const gone = yield* Effect.scoped(CustomerServer.http(() => {}))
    const errors: ReadonlyArray<readonly [baseUrl: string, error: string]> = [
      [silent.url, "no answer within 2 s"],
      [gone.url, "connection refused"],
      [`https://${privateName}`, "10.0.0.1"]
    ]
    for (const [baseUrl, error] of errors) {
      const { answer, isTaken, remedy, request, status, ...rest } = yield* tested(
        (yield* at(baseUrl)).id
      )
      assert.include(rest.error, error, baseUrl)
      assert.deepStrictEqual([isTaken, status, answer], [false, null, null], baseUrl)
      assert.strictEqual(request!.url, `${baseUrl}/api/palletEvent`)
      assert.include(remedy, "base URL")
    }
  })

  test("a login that fails sends nothing; a login that succeeds is made anew for each test", function*() {
    let isRight = false
    const customer = yield* CustomerServer.http(({ url }, response) => {
      if (url === "/login") {
        response.writeHead(isRight ? 200 : 403).end(JSON.stringify({ access_token: "planted-token" }))
      } else response.end("thanks for planted-token")
    })
    const made = yield* at(customer.url, {
      authentication: {
        type: "token",
        loginUrl: `${customer.url}/login`,
        username: "us",
        password: "planted-password"
      },
      headers: [{ name: "X-Api-Key", value: "planted-key" }]
    })
    const failed = yield* tested(made.id)
    assert.deepStrictEqual([failed.request, failed.status, failed.isTaken], [null, null, false])
    assert.match(failed.error, /^signing in failed: .*403/)
    assert.include(failed.remedy, "login URL")
    assert.deepStrictEqual(customer.received.map(({ url }) => url), ["/login"])
    isRight = true
    const sent = yield* tested(made.id)
    yield* tested(made.id)
    assert.deepStrictEqual(customer.received.map(({ url }) => url), [
      "/login",
      "/login",
      "/api/palletEvent",
      "/login",
      "/api/palletEvent"
    ])
    assert.strictEqual(customer.received[2]!.headers.authorization, "Bearer planted-token")
    assert.strictEqual(sent.request!.headers["Authorization"], "Bearer ***")
    assert.strictEqual(customer.received[2]!.headers["x-api-key"], "planted-key")
    assert.strictEqual(sent.request!.headers["X-Api-Key"], "***")
    assert.strictEqual(sent.answer!.body, "thanks for ***")
    const text = JSON.stringify([failed, sent])
    for (const secret of ["planted-token", "planted-password", "planted-key"]) {
      assert.notInclude(text, secret)
    }
  })

  test("an endpoint is tested once at a time, and so many at once", function*() {
    const held: Array<ServerResponse> = []
    const customer = yield* answering((response) => held.push(response))
    const holds = (count: number) =>
      Effect.promise(() => eventually(`${count} are held`, () => held.length === count))
    const made = yield* Effect.forEach(
      Array.from({ length: testsAtOnce + 1 }, () => customer.url),
      (url) => at(url)
    )
    const [first, ...others] = made
    const under = yield* Effect.forkChild(tested(first!.id))
    yield* holds(1)
    const again = yield* sendTest(first!.id)
    assert.deepStrictEqual(refusalOf(again), [429, "TOO_MANY_TESTS"])
    assert.strictEqual(again.headers["retry-after"], "5")
    const rest = yield* Effect.forEach(others.slice(0, -1), ({ id }) => Effect.forkChild(tested(id)))
    yield* holds(testsAtOnce)
    const last = others.at(-1)!.id
    assert.deepStrictEqual(refusalOf(yield* sendTest(last)), [429, "TOO_MANY_TESTS"])
    for (const response of held.splice(0)) response.end()
    for (const { isTaken } of yield* Effect.forEach([under, ...rest], Fiber.join)) {
      assert.isTrue(isTaken)
    }
    const after = yield* Effect.forkChild(tested(last))
    yield* holds(1)
    held[0]!.end()
    assert.isTrue((yield* Fiber.join(after)).isTaken)
  })

  test("stands in the record; a refusal sends nothing", function*() {
    const customer = yield* answering((response) => response.end())
    const business = yield* makeBusiness
    const { as, id: clientId } = yield* makeClient(operatorOf(business))
    const stranger = yield* makeClient(operatorOf(yield* makeBusiness))
    const reader = yield* makeClient({
      business,
      facilities: "*",
      permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
    })
    const { id } = yield* makeEndpoint(business, { baseUrl: customer.url, enabled: false })
    assert.deepStrictEqual(refusalOf(yield* sendTest(id, undefined, stranger.as)), [
      404,
      "WEBHOOK_ENDPOINT_NOT_FOUND"
    ])
    assert.deepStrictEqual(refusalOf(yield* sendTest(id, undefined, reader.as)), [403, "FORBIDDEN"])
    assert.deepStrictEqual(refusalOf(yield* sendTest(id, { message: "x" }, as)), [400, "MALFORMED_REQUEST"])
    assert.lengthOf(customer.received, 0)
    const { webhookId } = bodyOf<TestView>(yield* sendTest(id, {}, as), 200)
    const entries = yield* allOf<AuditView>(`audit?clientId=${clientId}`, 100)
    assert.deepStrictEqual(
      entries.map(({ action, business, details, subject }) => [action, business, subject, details]),
      [["WEBHOOK_TESTED", business, `webhook-endpoints/${id}`, {
        messageType: "PALLET_EVENT",
        webhookId
      }]]
    )
  })
})
