/**
 * A workload over a real server, whose metrics count exactly what was done.
 */
import { recently } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { WebhookCustomer } from "../server/WebhookCustomer.ts"
import { eventually } from "../support/Eventually.ts"
import { sumOf } from "./Scrape.ts"
import type { Family } from "./Scrape.ts"
import { start } from "./Service.ts"
import type { Service } from "./Service.ts"

const document = (orderNumber: string, items: number) => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  shipmentNumber: `S-${orderNumber}`,
  orderNumber,
  dockSlug: "D1",
  items: Array.from({ length: items }, (_, n) => ({
    lpn: `${orderNumber}-${n}`,
    sku: "SKU-1",
    quantity: 1,
    quantityUnit: "CASE"
  }))
})

const pallet = (eventId: string, lpn: string) => ({
  eventId,
  occurredAt: recently("08:00:00Z"),
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  labels: [{ name: "lpn", value: lpn }]
})

/** Follows the pallets of acme over a socket, and counts the messages. */
const subscribe = async (service: Service) => {
  const socket = new WebSocket(
    `${service.baseUrl.replace("http", "ws")}/public_graphql`,
    "graphql-transport-ws"
  )
  const frames: Array<{ readonly type: string }> = []
  socket.on("message", (data) => frames.push(JSON.parse(String(data)) as { readonly type: string }))
  await new Promise((resolve) => socket.once("open", resolve))
  const token = await service.token("acme-client")
  socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }))
  await eventually(
    "the acknowledgement",
    () => frames.some(({ type }) => type === "connection_ack")
  )
  const query = "subscription { pushMessage(filter: { businessSlug: \"acme\" }) { id } }"
  socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }))
  return { socket, received: () => frames.filter(({ type }) => type === "next").length, frames }
}

type Scraped = ReadonlyMap<string, Family>

/** Compares samples with their expected values. */
const holds = (
  scraped: Scraped,
  expected: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, number]>
) =>
  assert.deepStrictEqual(
    expected.map(([name, labels]) => [name, labels, sumOf(scraped, name, labels)]),
    expected.map((row) => [...row])
  )

const documents = async (service: Service): Promise<number> => {
  const shipment = await service.call("acme-client", { path: "/v1/documents", body: document("A", 2) })
  assert.strictEqual(shipment.status, 201, JSON.stringify(shipment.body))
  for (const [orderNumber, items] of [["B", 3], ["C", 1]] as const) {
    const { status } = await service.call("acme-client", {
      path: "/v1/documents",
      body: document(orderNumber, items)
    })
    assert.strictEqual(status, 201)
  }
  const again = { ...document("A", 2), orderItemUpdateStrategy: "MERGE" }
  await service.call("acme-client", { path: "/v1/documents", body: again })
  await service.call("acme-client", { path: "/v1/documents?dryRun=true", body: document("D", 9) })
  await service.call("acme-client", { path: "/v1/documents", body: "{" })
  await service.call("acme-client", {
    path: "/v1/documents",
    body: { ...document("A", 1), direction: "INBOUND" }
  })
  await service.call("globex-client", { path: "/v1/documents", body: document("E", 1) })
  return Number((shipment.body["shipment"] as { readonly id: string }).id)
}

describe("what the metrics say of a workload", () => {
  it.live(
    "is what was done, neither more nor less",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const service = yield* start()
        const customer = yield* Effect.acquireRelease(
          Effect.promise(() => WebhookCustomer.open()),
          (open) => Effect.sync(() => open.close())
        )
        const dead = yield* Effect.acquireRelease(
          Effect.promise(() => WebhookCustomer.open()),
          (open) => Effect.sync(() => open.close())
        )
        dead.beforeAnswer = () => Promise.resolve("silence")
        yield* Effect.promise(async () => {
          const before = await service.scrape()
          holds(before, [
            ["dockline_documents_total", {}, 0],
            ["dockline_pallet_events_total", {}, 0],
            ["dockline_webhook_deliveries_total", {}, 0]
          ])
          const id = await documents(service)
          for (const [client, secret] of [["acme-client", "wrong"], ["nobody", "x"]] as const) {
            assert.strictEqual((await service.askToken(client, secret)).status, 401)
          }
          const endpoints: Array<string> = []
          for (const { baseUrl } of [customer, dead]) {
            const made = await service.call("operator", {
              path: "/v1/operator/webhook-endpoints",
              body: {
                business: "acme",
                baseUrl,
                messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
                authentication: { type: "none" },
                enabled: true
              }
            })
            assert.strictEqual(made.status, 201, JSON.stringify(made.body))
            endpoints.push(String(made.body["id"]))
          }
          const follower = await subscribe(service)
          await eventually("a subscription among the metrics", async () =>
            sumOf(await service.scrape(), "dockline_graphql_subscriptions") === 1)
          for (const n of [1, 2, 2]) {
            const { status, body } = await service.call("tower", {
              path: "/v1/pallet-events",
              body: pallet(`E-${n}`, "A-0")
            })
            assert.isBelow(status, 300, JSON.stringify(body))
          }
          await service.call("tower", {
            path: "/v1/pallet-events",
            body: { ...pallet("E-9", "unknown-lpn"), dockSlug: "D2" }
          })
          for (let n = 0; n < 2; n++) {
            await service.call("tower", { path: `/v1/shipments/${id}/depart`, body: {} })
          }
          await customer.until(() =>
            customer.received.length === 3
          )
          await eventually("two messages at the follower", () => follower.received() === 2)
          const query = {
            query:
              "{ pushMessages(input: { businessSlug: \"acme\", since: \"2020-01-01T00:00:00Z\", limit: 1 }) { id } }"
          }
          await service.call("acme-client", { path: "/public_graphql", body: query })
          await eventually("three deliveries among the metrics", async () => {
            const scraped = await service.scrape()
            return sumOf(scraped, "dockline_webhook_deliveries_total", { outcome: "delivered" }) === 3 &&
              sumOf(scraped, "dockline_webhook_deliveries_total", { outcome: "retry" }) >= 1
          })
          const after = await service.scrape()
          holds(after, [
            ["dockline_documents_total", { outcome: "created" }, 3],
            ["dockline_documents_total", { outcome: "updated" }, 1],
            ["dockline_documents_total", { outcome: "dry_run" }, 1],
            ["dockline_documents_total", { outcome: "conflict" }, 1],
            ["dockline_documents_total", { outcome: "refused" }, 1],
            ["dockline_documents_total", {}, 7],
            ["dockline_document_items_total", {}, 2 + 3 + 1 + 2],
            ["dockline_pallet_events_total", { outcome: "recorded" }, 2],
            ["dockline_pallet_events_total", { outcome: "repeated" }, 1],
            ["dockline_pallet_events_total", { outcome: "conflict" }, 1],
            ["dockline_shipment_steps_total", { step: "depart", outcome: "done" }, 1],
            ["dockline_shipment_steps_total", { step: "depart", outcome: "unchanged" }, 1],
            ["dockline_messages_appended_total", { type: "PALLET_EVENT" }, 2],
            ["dockline_messages_appended_total", { type: "SHIPMENT_COMPLETE" }, 1],
            ["dockline_refusals_total", { code: "MALFORMED_DOCUMENT" }, 1],
            ["dockline_refusals_total", { code: "SHIPMENT_CONFLICT" }, 1],
            ["dockline_refusals_total", { code: "PALLET_NOT_MATCHED" }, 1],
            ["dockline_refusals_total", { code: "FORBIDDEN" }, 1],
            ["dockline_token_requests_total", { outcome: "invalid_client" }, 2],
            ["dockline_token_requests_total", { outcome: "issued" }, 4],
            ["dockline_storage_operation_duration_seconds_count", { operation: "document" }, 6],
            ["dockline_storage_operation_duration_seconds_count", { operation: "pallet" }, 4],
            ["dockline_http_request_duration_seconds_count", { route: "/v1/documents", status: "2xx" }, 5],
            ["dockline_http_request_duration_seconds_count", { route: "/v1/documents", status: "4xx" }, 3],
            ["dockline_http_request_duration_seconds_count", { route: "/v1/shipments/:id/depart" }, 2],
            ["dockline_graphql_operation_duration_seconds_count", { type: "query", outcome: "ok" }, 1],
            ["dockline_graphql_operation_duration_seconds_count", { type: "subscription", outcome: "ok" }, 1],
            ["dockline_graphql_connections", { transport: "websocket" }, 1],
            ["dockline_subscription_messages_sent_total", { transport: "websocket" }, 2],
            ["dockline_subscription_lag_seconds", { business: "acme", client: "acme-client" }, 0],
            ["dockline_webhook_deliveries_total", { outcome: "delivered" }, 3],
            ["dockline_webhook_attempts_total", { status: "2xx" }, 3],
            ["dockline_database_up", {}, 1]
          ])
          assert.isAtLeast(sumOf(after, "dockline_webhook_attempts_total", { status: "none" }), 1)
          assert.isAtMost(sumOf(after, "dockline_subscription_delivery_seconds_count"), 2)
          // Values that only the database knows are read again after a while.
          await eventually("the backlogs of both endpoints", async () => {
            const scraped = await service.scrape()
            const backlog = (endpoint: string | undefined) =>
              sumOf(scraped, "dockline_webhook_endpoint_backlog_messages", { endpoint: endpoint ?? "" })
            return backlog(endpoints[0]) === 0 && backlog(endpoints[1]) === 3 &&
              sumOf(scraped, "dockline_webhook_endpoint_lag_seconds", { endpoint: endpoints[1]! }) > 0 &&
              sumOf(scraped, "dockline_webhook_endpoints", { state: "failing" }) === 1
          })
          follower.socket.close()
          await eventually("no subscription among the metrics", async () => {
            const scraped = await service.scrape()
            return sumOf(scraped, "dockline_graphql_subscriptions") === 0 &&
              sumOf(scraped, "dockline_graphql_connections") === 0 &&
              scraped.get("dockline_subscription_lag_seconds") === undefined
          })
        })
      })),
    60_000
  )
})
