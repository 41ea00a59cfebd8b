/**
 * One trace for each request, through storage and delivery, as a collector receives it from the instances of a service.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebhookCustomer } from "../server/WebhookCustomer.ts"
import { OtlpCollector } from "../support/OtlpCollector.ts"
import type { CollectedSpan } from "../support/OtlpCollector.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { anEndpoint, aShipment, instance, palletEvent, signIn } from "./Instances.ts"
import type { Env, Send } from "./Instances.ts"

const closing = <A extends { readonly close: () => void }>(open: () => Promise<A>) =>
  Effect.acquireRelease(Effect.promise(open), (opened) => Effect.sync(() => opened.close()))

/** The settings of an instance with which its spans soon arrive here. */
const tracing = (collector: OtlpCollector, service: string): Env => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.baseUrl,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_SERVICE_NAME: service
})

/** The server span of a request, once it has arrived. */
const requestOf = (collector: OtlpCollector, correlationId: string) =>
  collector.until(() =>
    collector.spans.find(({ attributes, kind }) =>
      kind === 2 && attributes["correlation.id"] === correlationId
    )
  )

const deliveriesOf = (spans: ReadonlyArray<CollectedSpan>) =>
  spans.filter(({ name }) => name === "deliver PALLET_EVENT")

/** The names of a span and of its ancestors. */
const lineage = (spans: ReadonlyArray<CollectedSpan>, span: CollectedSpan): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent === undefined ? [span.name] : [span.name, ...lineage(spans, parent)]
}

/** Two instances on one database that send their spans to a collector, and a customer. */
const service = Effect.gen(function*() {
  const collector = yield* closing(() => OtlpCollector.open())
  const customer = yield* closing(() => WebhookCustomer.open())
  const { url } = yield* TestDatabase.createMigrated
  const [a, b] = yield* Effect.all(
    [instance(url, tracing(collector, "a")), instance(url, tracing(collector, "b"))],
    { concurrency: 2 }
  )
  return { a, b, collector, customer }
})

/** Sends pallet events until the other instance has delivered one of them, and returns its trace. */
const crossing = async (
  collector: OtlpCollector,
  endpoints: number,
  record: (correlationId: string) => Promise<void>
): Promise<ReadonlyArray<CollectedSpan>> => {
  for (let n = 0;; n++) {
    const correlationId = `crossing-${n}`
    await record(correlationId)
    const { traceId } = await requestOf(collector, correlationId)
    await collector.until(() =>
      deliveriesOf(collector.traceOf(traceId)).length === endpoints ? true : undefined
    )
    const trace = collector.traceOf(traceId)
    // The instances may not have divided the partitions yet.
    if (deliveriesOf(trace).some(({ service }) => service === "b")) return trace
  }
}

const mutation = `mutation Record($event: PalletEventInput!) {
  recordPalletEvent(input: $event) { messageId }
}`

describe("a pallet event that instance A takes", () => {
  it.live(
    "is one trace: request, append, and the delivery by instance B, over REST and GraphQL",
    () =>
      Effect.gen(function*() {
        const { a, collector, customer } = yield* service
        yield* Effect.promise(async () => {
          const [operator, owner, tower] = await Promise.all(
            ["operator", "acme-client", "tower"].map((id) => signIn(a, id))
          ) as [Send, Send, Send]
          const endpoints = 16
          for (let n = 0; n < endpoints; n++) await anEndpoint(operator, `${customer.baseUrl}/${n}`)
          const shipmentId = await aShipment(owner)
          const rest = await crossing(collector, endpoints, async (correlationId) => {
            const { status } = await tower("/v1/pallet-events", palletEvent(shipmentId), {
              "correlation-id": correlationId
            })
            assert.strictEqual(status, 201)
          })
          const request = rest.find(({ kind }) => kind === 2)!
          assert.strictEqual(request.name, "POST /v1/pallet-events")
          assert.deepInclude(request.attributes, {
            "http.request.method": "POST",
            "http.route": "/v1/pallet-events",
            "http.response.status_code": 201,
            "url.path": "/v1/pallet-events",
            "dockline.client.id": "tower"
          })
          const append = rest.find(({ name }) => name === "dockline.pallet_apply")!
          assert.deepStrictEqual(lineage(rest, append), [
            "dockline.pallet_apply",
            "Pallets.record",
            "POST /v1/pallet-events"
          ])
          const delivery = deliveriesOf(rest).find(({ service }) => service === "b")!
          assert.strictEqual(delivery.kind, 4)
          assert.deepStrictEqual(lineage(rest, delivery).slice(1), lineage(rest, append).slice(1))
          assert.deepInclude(delivery.attributes, {
            "dockline.delivery.outcome": "delivered",
            "http.response.status_code": 200
          })
          assert.isTrue(rest.every(({ attributes }) => !JSON.stringify(attributes).includes("Bearer")))

          const { body } = await tower("/public_graphql", {
            query: mutation,
            variables: { event: palletEvent(shipmentId) }
          }, { "correlation-id": "over-graphql" })
          assert.notProperty(body, "errors", JSON.stringify(body))
          const { traceId } = await requestOf(collector, "over-graphql")
          await collector.until(() =>
            deliveriesOf(collector.traceOf(traceId)).length === endpoints ? true : undefined
          )
          const graphql = collector.traceOf(traceId)
          const applied = graphql.find(({ name }) => name === "dockline.pallet_apply")!
          assert.deepStrictEqual(lineage(graphql, applied).slice(1), [
            "Pallets.record",
            "GraphQL mutation",
            "POST /public_graphql"
          ])
          const operation = graphql.find(({ name }) => name === "GraphQL mutation")!
          assert.deepInclude(operation.attributes, {
            "graphql.operation.type": "mutation",
            "graphql.operation.name": "Record"
          })
        })
      }),
    120_000
  )
})

describe("an instance with a collector", () => {
  it.live(
    "goes on with the caller's trace, and begins its own where there is none or a malformed one; polls make none",
    () =>
      Effect.gen(function*() {
        const { a, collector } = yield* service
        yield* Effect.promise(async () => {
          const owner = await signIn(a, "acme-client")
          const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
          const send = async (correlationId: string, traceparent: string) => {
            await owner("/v1/documents", {}, { "correlation-id": correlationId, traceparent })
          }
          await send("sampled", `00-${traceId}-00f067aa0ba902b7-01`)
          await send("unsampled", `00-${"a".repeat(32)}-00f067aa0ba902b7-00`)
          for (
            const [n, bad] of ["", "x", `00-${traceId}-0-01`, `00-${"0".repeat(32)}-00f067aa0ba902b7-01`]
              .entries()
          ) {
            await send(`malformed-${n}`, bad)
          }
          // Headers of another tracing system, without a trace.
          await owner("/v1/documents", {}, {
            "correlation-id": "malformed-4",
            b3: `${"0".repeat(32)}-${"0".repeat(16)}-1`
          })
          const sampled = await requestOf(collector, "sampled")
          assert.deepStrictEqual([sampled.traceId, sampled.parentSpanId], [traceId, "00f067aa0ba902b7"])
          for (let n = 0; n < 5; n++) {
            const own = await requestOf(collector, `malformed-${n}`)
            assert.notInclude([traceId, "0".repeat(32)], own.traceId)
            assert.isUndefined(own.parentSpanId || undefined)
          }
          assert.isUndefined(
            collector.spans.find(({ attributes }) => attributes["correlation.id"] === "unsampled")
          )
          // Several polls of everything. There is no event to wait for, because nothing must happen.
          await new Promise((resolve) => setTimeout(resolve, 1500))
          await fetch(`${a.baseUrl}/healthz`)
          await send("last", "")
          await requestOf(collector, "last")
          const first = collector.spans.filter(({ parentSpanId }) => (parentSpanId ?? "") === "")
          assert.deepStrictEqual(
            first.filter(({ kind }) => kind !== 2).map(({ name }) => name),
            []
          )
          assert.isFalse(collector.spans.some(({ name }) => name.includes("healthz")))
        })
      }),
    120_000
  )

  it.live("sends what is left as it is told to stop", () =>
    Effect.gen(function*() {
      const collector = yield* closing(() => OtlpCollector.open())
      const { url } = yield* TestDatabase.createMigrated
      const a = yield* instance(url, { ...tracing(collector, "a"), OTEL_BSP_SCHEDULE_DELAY: "600000" })
      yield* Effect.promise(async () => {
        const owner = await signIn(a, "acme-client")
        await owner("/v1/documents", {}, { "correlation-id": "the-last-one" })
        assert.deepStrictEqual(collector.spans, [])
        a.child.kill("SIGTERM")
        assert.strictEqual(await a.ended, 0)
        await requestOf(collector, "the-last-one")
      })
    }))
})
