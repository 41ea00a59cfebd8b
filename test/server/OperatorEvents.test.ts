/** D15.4: a server with an address of its operators in its settings sends them events about problems. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import * as CustomerServer from "../../packages/webhook-adapter/test/CustomerServer.ts"
import { Service } from "../operations/Service.ts"
import * as DatabaseWay from "../support/database/DatabaseWay.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

interface Event {
  readonly type: string
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

const call = async (
  { baseUrl }: ServerProcess.ServerProcess,
  clientId: string,
  path: string,
  body: object
) => {
  const answer = await new Service(baseUrl).call(clientId, { path, body })
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body
}

/** Makes an endpoint for cancelled shipments, and a message for it. */
const cancelledShipment = async (server: ServerProcess.ServerProcess, baseUrl: string) => {
  const { id } = await call(server, "operator", "/v1/operator/webhook-endpoints", {
    business: "acme",
    baseUrl,
    messageTypes: ["SHIPMENT_CANCELLED"],
    authentication: { type: "none" }
  })
  const { shipment } = await call(server, "acme-client", "/v1/documents", {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "SO-1"
  })
  await call(server, "acme-client", `/v1/shipments/${(shipment as { readonly id: string }).id}/cancel`, {})
  return id
}

it.live(
  "D15.4 the operators of a server are told of an endpoint that is disabled, and of a database that is away",
  () =>
    Effect.gen(function*() {
      const events: Array<Event> = []
      const operators = yield* CustomerServer.http(({ body, headers }, response) => {
        events.push(new Webhook(secret).verify(body, headers as Record<string, string>) as Event)
        response.writeHead(204).end()
      })
      const customer = yield* CustomerServer.http((_, response) => response.writeHead(410).end())
      const { url } = yield* TestDatabase.create
      const way = yield* DatabaseWay.make(new URL(Redacted.value(url)))
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          ServerProcess.serve({
            DATABASE_URL: way.url.href,
            DEMO: "true",
            OUTBOUND_ALLOW: "127.0.0.0/8",
            SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
            OPERATOR_WEBHOOK_URL: `${operators.url}/events?team=docks`,
            OPERATOR_WEBHOOK_SECRET: secret
          })
        ),
        ({ child, ended }) =>
          Effect.promise(async () => {
            child.kill("SIGKILL")
            await ended
          })
      )
      yield* Effect.promise(async () => {
        const event = (type: string) =>
          eventually(`the event ${type}`, () => events.find((each) => each.type === type))
        const id = await cancelledShipment(server, customer.url)
        const { data, text } = await event("endpoint.disabled")
        assert.strictEqual(text, `Webhook endpoint ${id} of acme is disabled: it answered 410`)
        assert.deepStrictEqual(data, {
          business: "acme",
          endpointId: id,
          url: `${server.baseUrl}/dashboard/webhooks/${id}`
        })
        assert.strictEqual(operators.received[0]!.url, "/events?team=docks")
        await Effect.runPromise(way.cut)
        assert.deepStrictEqual((await event("storage.unavailable")).data, {})
      })
    }),
  90_000
)
