/**
 * Tenant isolation over REST: who may do everything at one business learns and changes nothing of another, on any
 * route. The routes are those of the API itself: one that has no probe here fails. Those of the operator side have
 * theirs in `test/http/operator/OperatorAccess.test.ts`, which is held against the API likewise.
 */
import { Api } from "@dockline/http-adapter/Api"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { palletEvent } from "../../http/facility/Facility.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { order } from "../../http/Sample.ts"
import type { Reply } from "../../http/Wire.ts"
import { once, storages, TestServer, unique } from "../../support/TestServer.ts"
import type { PageView } from "../../support/TestServer.ts"
import { everythingAtGlobex, makeVictim, mark, stateOf } from "./Intruder.ts"
import type { Victim } from "./Intruder.ts"

/** A request of the intruder. */
interface Probe {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
  readonly status: number
}

/** What an intruder has: the victim's ids and slugs, and a shipment of its own. */
interface Known extends Victim {
  readonly ownShipmentId: number
}

type Probes = (known: Known) => ReadonlyArray<Probe>

const read = (path: string, status: number): Probe => ({ method: "GET", path, status })

const send = (path: string, body: unknown, status: number): Probe => ({ method: "POST", path, body, status })

const lists = (path: string, number: string): Probes => ({ orderNumber, shipmentId }) => [
  read(path, 200),
  read(`${path}?business=acme`, 403),
  read(`${path}?business=acme&facility=west`, 403),
  read(`${path}?business=globex&facility=west`, 404),
  read(`${path}?facility=west`, 200),
  read(`${path}?${number}=${orderNumber}`, 200),
  read(`${path}?after=${shipmentId - 1}`, 200),
  read(`${path}?business=globex&after=${shipmentId - 1}&limit=1`, 200)
]

const event = (fields: Readonly<Record<string, unknown>>) =>
  palletEvent({ business: "globex", facility: "main", ...fields })

const exception = { kind: "OTHER", priority: "LOW", description: "Wet" }

/** What stands in for the intruder's requests on each route; `public` says the same to everybody. */
const probes: Readonly<Record<string, Probes | "public">> = {
  submitDocument: ({ orderNumber }) => [
    send("/v1/documents", order({ business: "acme", facility: "west", orderNumber }), 403),
    send("/v1/documents?dryRun=true", order({ business: "acme", facility: "west", orderNumber }), 403),
    send("/v1/documents", order({ business: "globex", facility: "west", orderNumber }), 404),
    send("/v1/documents", order({ business: "ACME", facility: "west", orderNumber }), 404),
    // The same numbers at one's own place are another order.
    send("/v1/documents", order({ business: "globex", facility: "main", orderNumber, dockSlug: "D1" }), 201)
  ],
  getDocument: ({ documentId }) => [read(`/v1/documents/${documentId}`, 404)],
  listDocuments: ({ documentId, orderNumber }) => [
    read("/v1/documents?business=acme", 403),
    read("/v1/documents?business=acme&facility=west", 403),
    read("/v1/documents?business=globex&facility=west", 404),
    read("/v1/documents?facility=west", 200),
    read(`/v1/documents?orderNumber=${orderNumber}`, 200),
    read(`/v1/documents?shipmentNumber=${orderNumber}`, 200),
    read("/v1/documents?outcome=CREATED", 200),
    read("/v1/documents?from=2020-01-01T00:00:00Z", 200),
    read(`/v1/documents?after=${documentId + 1}`, 200)
  ],
  recordPalletEvent: ({ eventId, orderNumber, shipmentId }) => [
    send("/v1/pallet-events", event({ business: "acme", facility: "west", shipmentId }), 403),
    send("/v1/pallet-events", event({ business: "acme", facility: "west", eventId }), 403),
    send("/v1/pallet-events", event({ shipmentId }), 404),
    send("/v1/pallet-events", event({ shipmentNumber: `${orderNumber}-X` }), 404)
  ],
  listShipmentPallets: ({ shipmentId }) => [read(`/v1/shipments/${shipmentId}/pallets`, 404)],
  getPallet: ({ ownShipmentId, palletId, shipmentId }) => [
    read(`/v1/shipments/${shipmentId}/pallets/${palletId}`, 404),
    read(`/v1/shipments/${ownShipmentId}/pallets/${palletId}`, 404)
  ],
  listPallets: ({ lpn }) => [
    read(`/v1/pallets?lpn=${lpn}`, 200),
    read(`/v1/pallets?lpn=${lpn}&business=acme`, 403),
    read(`/v1/pallets?lpn=${lpn}&business=acme&facility=west`, 403),
    read(`/v1/pallets?lpn=${lpn}&business=globex&facility=west`, 404)
  ],
  search: ({ lpn }) => [
    read(`/v1/search?text=${lpn}`, 200),
    read(`/v1/search?text=${lpn}&business=acme`, 403),
    read(`/v1/search?text=${lpn}&business=acme&facility=west`, 403),
    read(`/v1/search?text=${lpn}&business=globex&facility=west`, 404)
  ],
  listItems: ({ shipmentId }) => [
    read(`/v1/shipments/${shipmentId}/items`, 404),
    read(`/v1/shipments/${shipmentId}/items?unseen=true`, 404)
  ],
  listDiscrepancies: ({ shipmentId }) => [read(`/v1/shipments/${shipmentId}/discrepancies`, 404)],
  listExceptions: () => [
    read("/v1/exceptions", 200),
    read("/v1/exceptions?business=acme", 403),
    read("/v1/exceptions?business=acme&facility=west", 403),
    read("/v1/exceptions?business=globex&facility=west", 404)
  ],
  listShipmentExceptions: ({ shipmentId }) => [read(`/v1/shipments/${shipmentId}/exceptions`, 404)],
  reportException: ({ ownShipmentId, palletId, shipmentId }) => [
    send(`/v1/shipments/${shipmentId}/exceptions`, exception, 404),
    send(`/v1/shipments/${shipmentId}/exceptions`, { ...exception, palletId }, 404),
    send(`/v1/shipments/${ownShipmentId}/exceptions`, { ...exception, palletId }, 404)
  ],
  resolveException: ({ exceptionId, ownShipmentId, shipmentId }) => [
    send(`/v1/shipments/${shipmentId}/exceptions/${exceptionId}/resolve`, { note: "Done" }, 404),
    send(`/v1/shipments/${ownShipmentId}/exceptions/${exceptionId}/resolve`, { note: "Done" }, 404)
  ],
  listMessages: ({ messageId }) => [
    read("/v1/messages?business=acme", 403),
    read(`/v1/messages?business=acme&facility=west&afterId=${messageId - 1}`, 403),
    read("/v1/messages?business=globex&facility=west", 404),
    read("/v1/messages?business=globex", 200)
  ],
  getShipment: ({ shipmentId }) => [read(`/v1/shipments/${shipmentId}`, 404)],
  listShipments: lists("/v1/shipments", "shipmentNumber"),
  listOrders: lists("/v1/orders", "orderNumber"),
  arriveShipment: ({ shipmentId }) => [send(`/v1/shipments/${shipmentId}/arrive`, {}, 404)],
  cancelShipment: ({ shipmentId }) => [send(`/v1/shipments/${shipmentId}/cancel`, {}, 404)],
  departShipment: ({ shipmentId }) => [send(`/v1/shipments/${shipmentId}/depart`, {}, 404)],
  linkShipments: ({ otherShipmentId, ownShipmentId, shipmentId }) => [
    send(`/v1/shipments/${shipmentId}/link`, { linkedShipmentId: otherShipmentId }, 404),
    send(`/v1/shipments/${shipmentId}/link`, { linkedShipmentId: ownShipmentId }, 404),
    send(`/v1/shipments/${ownShipmentId}/link`, { linkedShipmentId: shipmentId }, 404)
  ],
  requestToken: "public",
  describeAuthorizationServer: "public",
  describeOpenIdProvider: "public",
  listKeys: "public",
  healthz: "public",
  readyz: "public",
  metrics: "public"
}

const routes: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    if (!endpoint.path.startsWith("/v1/operator/")) routes.push(endpoint.identifier)
  }
})

describe("the routes of the API", () => {
  plainIt("have probes each", () => {
    assert.deepStrictEqual(routes.filter((route) => !Object.hasOwn(probes, route)), [])
  })
})

/** An id that nobody has, as long as the ids of the victim. */
const nobodys = 999_999_999

/** What an answer says, whichever of the ids was asked for: both are cut out, as a name may hold the digits of one. */
const saying = ({ status, headers, text }: Reply, ...ids: ReadonlyArray<number>) => {
  const { "correlation-id": _id, date: _date, ratelimit: _limit, "content-length": _length, ...others } =
    headers
  return { status, others, text: ids.reduce((said, id) => said.replaceAll(String(id), "{id}"), text) }
}

const intruder = Effect.gen(function*() {
  const { request } = yield* TestServer
  const { as } = yield* makeClient(everythingAtGlobex)
  const ask = ({ method, path, body }: Probe, headers: Readonly<Record<string, string>> = {}) =>
    request(method, path, {
      ...as,
      headers: { "content-type": "application/json", ...as.headers, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const own = yield* ask(
    send("/v1/documents", order({ business: "globex", facility: "main", dockSlug: "D1" }), 201)
  )
  const { shipment } = own.body as { readonly shipment: { readonly id: number } }
  return { ask, ownShipmentId: shipment.id }
})

/** The intruder, and the victim as it was made. */
const makeScene = Effect.gen(function*() {
  const { ask, ownShipmentId } = yield* intruder
  const victim = yield* makeVictim
  return { ask, known: { ...victim, ownShipmentId }, before: yield* stateOf(victim) }
})

for (const storage of storages) {
  layer(storage.layer({ vault }), { excludeTestServices: true })(
    `tenant isolation over REST on ${storage.name}`,
    (it) => {
      const scene = once(makeScene)

      for (const route of routes) {
        const given = probes[route]
        if (given === undefined || given === "public") continue
        it.effect(`${route} shows and changes nothing of another business`, () =>
          Effect.gen(function*() {
            const { ask, before, known } = yield* scene
            assert.include(before.join(), mark)
            for (const probe of given(known)) {
              const reply = yield* ask(probe)
              const what = `${probe.method} ${probe.path} ${JSON.stringify(probe.body)}: ${reply.text}`
              assert.strictEqual(reply.status, probe.status, what)
              assert.notInclude(reply.text + JSON.stringify(reply.headers), mark, what)
              assert.notInclude(reply.text, `"shipmentId":${known.shipmentId}`, what)
              if (reply.status >= 400) assert.notProperty(reply.headers, "location")
            }
            assert.deepStrictEqual(yield* stateOf(known), before)
          }))

        it.effect(`${route} answers to an id of another business as to one that nobody has`, () =>
          Effect.gen(function*() {
            const { ask, known } = yield* scene
            const unknown = given({ ...known, shipmentId: nobodys })
            for (const [at, probe] of given(known).entries()) {
              if (probe.status !== 404) continue
              assert.deepStrictEqual(
                saying(yield* ask(probe), nobodys, known.shipmentId),
                saying(yield* ask(unknown[at]!), nobodys, known.shipmentId)
              )
            }
          }))
      }

      it.effect("lists page by page hold what is one's own, and no cursor leads elsewhere", () =>
        Effect.gen(function*() {
          yield* intruder
          yield* makeVictim
          const { ask } = yield* intruder
          yield* makeVictim
          for (const path of ["/v1/shipments", "/v1/orders"]) {
            let next: string | null = "0"
            const seen: Array<string> = []
            while (next !== null) {
              const reply: Reply = yield* ask(read(`${path}?limit=1&after=${next}`, 200))
              assert.strictEqual(reply.status, 200, reply.text)
              assert.notInclude(reply.text, "acme")
              const page = reply.body as PageView<{ readonly id: number | string }>
              seen.push(...page.items.map(({ id }) => String(id)))
              // The cursor names an entry that was shown, and none that was not.
              if (page.next !== null) assert.strictEqual(page.next, seen.at(-1))
              next = page.next
            }
            assert.isAtLeast(seen.length, 2)
          }
        }))

      it.effect("an Idempotency-Key of another client answers nothing of it, and keeps nothing from it", () =>
        Effect.gen(function*() {
          const { ask } = yield* intruder
          const server = yield* TestServer
          const document = order({ facility: "west", carrier: `${mark} carrier` })
          const key = { "idempotency-key": unique("key") }
          // The intruder is first: its refusal must not be what the owner of the place gets.
          assert.strictEqual((yield* ask(send("/v1/documents", document, 403), key)).status, 403)
          const first = yield* server.post(document, { headers: key })
          assert.strictEqual(first.status, 201, first.text)
          const other = yield* intruder
          const stolen = yield* other.ask(send("/v1/documents", document, 403), key)
          assert.strictEqual(stolen.status, 403)
          assert.notProperty(stolen.headers, "idempotency-replayed")
          assert.notInclude(stolen.text, mark)
          const again = yield* server.post(document, { headers: key })
          assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
        }))
    }
  )
}
