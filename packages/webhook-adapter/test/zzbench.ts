import * as Memory from "@dockline/core/Memory"
import { Directory } from "@dockline/core/Directory"
import { MessageLog } from "@dockline/core/MessageLog"
import { DeliveryStore } from "@dockline/core/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import { CustomerAuth } from "@dockline/webhook-adapter/CustomerAuth"
import { Placement } from "@dockline/webhook-adapter/Placement"
import * as UndiciHttp from "@dockline/webhook-adapter/UndiciHttp"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Effect, Layer } from "effect"
import { fork } from "node:child_process"
import { secret, vault } from "./DispatchWorld.ts"

const child = fork("/tmp/h5bench/sink.mjs")
const port = await new Promise<number>((resolve) => child.once("message", (m: { port: number }) => resolve(m.port)))
const total = Number(process.argv[2] ?? 20000)
const endpoints = Number(process.argv[3] ?? 1)
const shipments = Number(process.argv[4] ?? 1000)
const counts = { take: 0, settle: 0, ready: 0, parked: 0, results: 0 }
const program = Effect.gen(function*() {
  yield* (yield* Directory).put([{ slug: "acme", name: "acme", fieldMap: [], facilities: [{ slug: "east", name: "e", docks: [] }] }])
  const store = yield* WebhookEndpointStore
  for (let n = 0; n < endpoints; n++) {
    yield* store.create({ business: "acme", facility: null, baseUrl: `http://127.0.0.1:${port}/${n}`, messageTypes: ["PALLET_EVENT"], authentication: { type: "none", settings: {}, secrets: {} }, signingSecrets: [{ sealed: secret, validUntil: null }], enabled: true, fromId: 1, now: new Date().toISOString() })
  }
  const log = yield* MessageLog
  const payload = { messageType: "PALLET_EVENT", text: "x".repeat(600) }
  for (let n = 0; n < total / endpoints; n += 1000) {
    yield* log.append(Array.from({ length: Math.min(1000, total / endpoints - n) }, (_, k) => ({ business: "acme", facility: "east", type: "PALLET_EVENT" as const, payload: { ...payload, n: n + k }, shipmentId: (n + k) % shipments })))
  }
  const deliveries = yield* DeliveryStore
  let done: () => void = () => {}
  const finished = new Promise<void>((resolve) => { done = resolve })
  const latency = Number(process.env["LATENCY"] ?? 0)
  const slow = <A, E>(effect: Effect.Effect<A, E>) => latency > 0 ? Effect.delay(effect, latency) : Effect.andThen(Effect.promise(() => new Promise<void>((r) => setImmediate(r))), effect)
  const wrapped = DeliveryStore.of({
    ...deliveries,
    ready: (...a) => { counts.ready++; return slow(deliveries.ready(...a)) },
    take: (...a) => { counts.take++; return slow(deliveries.take(...a)) },
    settle: (s, now) => {
      counts.settle++
      for (const one of s) { counts.results += one.results.length; counts.parked += one.parked.length }
      if (counts.results >= total) done()
      return slow(deliveries.settle(s, now))
    }
  })
  const begun = performance.now()
  const cpu = process.cpuUsage()
  yield* Effect.scoped(Effect.gen(function*() {
    yield* Layer.build(WebhookAdapter.layer(defaultWebhookConfig).pipe(
      Layer.provide(CustomerAuth.layer()),
      Layer.provide([UndiciHttp.layer({ allow: ["127.0.0.0/8"], timeoutMillis: 15000 }), vault, Placement.layerSingle]),
      Layer.provide(Layer.succeed(DeliveryStore, wrapped))
    ))
    yield* Effect.promise(() => finished)
  }))
  const ms = performance.now() - begun
  const used = process.cpuUsage(cpu)
  console.log(`${total} deliveries, ${endpoints} endpoints: ${Math.round(total / ms * 1000)}/s, cpu ${Math.round((used.user + used.system) / 1000)} of ${Math.round(ms)} ms, rss ${Math.round(process.memoryUsage().rss / 1e6)} MB`, JSON.stringify(counts))
})
await Effect.runPromise(program.pipe(Effect.provide(Memory.layer)) as Effect.Effect<void>)
child.kill()
