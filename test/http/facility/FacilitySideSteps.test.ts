import { payloadOf } from "@dockline/core/Message"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layerMemory,
  problemOf,
  refusalOf,
  shipmentOf,
  TestServer,
  unique
} from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import {
  arrive,
  cancel,
  depart,
  label,
  link,
  messagesOf,
  palletEvent,
  post,
  record,
  scheduled
} from "./Facility.ts"

const read = (id: number) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    return shipmentOf(yield* server.get(`/v1/shipments/${id}`))
  })

layer(layerMemory(), { excludeTestServices: true })("D6.5 arrive", (it) => {
  it.effect("200 with the shipment as it then is, at the time and dock given", () =>
    Effect.gen(function*() {
      const before = yield* scheduled({}, unique("L"))
      const reply = yield* arrive(before.id, { occurredAt: "2026-11-20T18:00:00+01:00", dockSlug: "D2" })
      const after = shipmentOf(reply)
      assert.deepStrictEqual(after, {
        ...before,
        status: "ARRIVED",
        dockSlug: "D2",
        dockId: after.dockId,
        statusEvents: before.statusEvents.map((event) =>
          event.status === "ARRIVED"
            ? { ...event, completed: true, completedAt: "2026-11-20T17:00:00.000Z" }
            : event
        )
      })
      assert.match(after.dockId, /^\d+$/)
      assert.deepStrictEqual(yield* read(before.id), after)
    }))

  const bodies: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, string>>]> = [
    ["no body and no Content-Type", undefined, {}],
    ["no body, of type JSON", "", {}],
    ["{}", {}, {}],
    ["null for every field", { occurredAt: null, dockSlug: null }, {}],
    ["\"\" for every field", { occurredAt: "", dockSlug: "" }, {}],
    ["another case and a charset", {}, { "content-type": "Application/JSON; charset=UTF-8" }]
  ]
  for (const [name, body, headers] of bodies) {
    it.effect(`${name} means now, at the dock it has`, () =>
      Effect.gen(function*() {
        const { id } = yield* scheduled({ dockSlug: "D2" })
        const from = new Date().toISOString()
        const after = shipmentOf(yield* arrive(id, body, { headers }))
        assert.deepStrictEqual([after.status, after.dockSlug], ["ARRIVED", "D2"])
        const { completedAt } = after.statusEvents[1]!
        assert.isTrue(completedAt >= from && completedAt <= new Date().toISOString(), completedAt)
      }))
  }

  it.effect("409 INVALID_TRANSITION once it has departed", () =>
    Effect.gen(function*() {
      const { id, shipmentNumber } = yield* scheduled()
      yield* arrive(id)
      const departed = shipmentOf(yield* depart(id))
      const problem = problemOf(yield* arrive(id))
      assert.deepStrictEqual([problem.status, problem.code], [409, "INVALID_TRANSITION"])
      assert.strictEqual(
        problem.detail,
        `INVALID_TRANSITION: shipmentNumber=${shipmentNumber}, from=DEPARTED, to=ARRIVED`
      )
      assert.deepStrictEqual(yield* read(id), departed)
    }))

  it.effect("422 for an unknown dock and for one of another facility, and nothing happens", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled({ facility: "west" })
      for (const dockSlug of ["D9", "D2", "d1"]) {
        const problem = problemOf(yield* arrive(id, { dockSlug }))
        assert.deepStrictEqual([problem.status, problem.code], [422, "UNKNOWN_DOCK"])
        assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["dockSlug"])
      }
      assert.strictEqual((yield* read(id)).status, "SCHEDULED")
    }))
})

layer(layerMemory(), { excludeTestServices: true })("D6.5, D6.6 depart", (it) => {
  it.effect("completes the shipment: its orders, and one message with the pallets that remain", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [stays, leaves, unread] = [unique("L"), unique("L"), unique("L")]
      const [a, b] = [unique("O"), unique("O")]
      const { shipment: { id } } = yield* server.submit({
        ...order({ orderNumber: undefined, shipmentNumber: unique("S") }),
        orders: [
          { orderNumber: a, items: [item(stays), item(leaves)] },
          { orderNumber: b, items: [item(unread)] }
        ]
      })
      const pallet = (lpn: string, direction: string, minute: number) =>
        record(palletEvent({
          shipmentId: id,
          direction,
          occurredAt: `2026-11-20T17:0${minute}:00Z`,
          labels: [label("lpn", lpn)]
        }))
      const remaining = (yield* pallet(stays, "LOADING", 1)).body as { readonly servicePalletId: string }
      yield* pallet(leaves, "LOADING", 2)
      yield* pallet(leaves, "UNLOADING", 3)
      const { result: reply, messages } = yield* messagesOf(
        "acme",
        depart(id, { occurredAt: "2026-11-20T18:00:00Z" })
      )
      const shipment = shipmentOf(reply)
      assert.deepStrictEqual(shipment.orders.map(({ status }) => status), ["COMPLETED", "COMPLETED"])
      assert.strictEqual(shipment.status, "DEPARTED")
      assert.strictEqual(shipment.statusEvents[2]!.completedAt, "2026-11-20T18:00:00.000Z")
      assert.deepStrictEqual(yield* read(id), shipment)
      assert.lengthOf(messages, 1)
      const [message] = messages as [(typeof messages)[number]]
      assert.strictEqual(message.type, "SHIPMENT_COMPLETE")
      const { url, pallets, ...fields } = payloadOf(message)
      assert.deepStrictEqual(fields, {
        serviceShipmentId: String(id),
        orders: [a, b],
        dockId: shipment.dockId
      })
      assert.match(String(url), new RegExp(`/shipments/${id}$`))
      const [first, ...others] = pallets as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepStrictEqual(others, [])
      assert.notProperty(first, "occurredAt")
      assert.deepStrictEqual(
        [first!["servicePalletId"], first!["direction"], first!["orders"], first!["LPN"]],
        [remaining.servicePalletId, "LOADING", [a], stays]
      )
    }))
})

layer(layerMemory(), { excludeTestServices: true })("D6.5 link", (it) => {
  it.effect("422 for itself, 404 for an unknown one and for one of another business", () =>
    Effect.gen(function*() {
      const [one, globex] = [yield* scheduled(), yield* scheduled({ business: "globex", facility: "main" })]
      const itself = problemOf(yield* link(one.id, one.id))
      assert.deepStrictEqual([itself.status, itself.code], [422, "INVALID_REQUEST"])
      assert.deepStrictEqual(itself.errors?.map(({ path }) => path), ["linkedShipmentId"])
      for (const unknown of [999_999_999, globex.id]) {
        const problem = problemOf(yield* link(one.id, unknown))
        assert.deepStrictEqual([problem.status, problem.code], [404, "SHIPMENT_NOT_FOUND"])
        assert.strictEqual(problem.detail, `Unknown shipment: ${unknown}`)
      }
    }))

  it.effect("409 SHIPMENT_DEPARTED for a departed one, from either side; a link that is there stays 200", () =>
    Effect.gen(function*() {
      const [one, departed, linked] = [yield* scheduled(), yield* scheduled(), yield* scheduled()]
      yield* link(linked.id, departed.id)
      yield* arrive(departed.id)
      yield* depart(departed.id)
      assert.deepStrictEqual(refusalOf(yield* link(one.id, departed.id)), [409, "SHIPMENT_DEPARTED"])
      assert.deepStrictEqual(refusalOf(yield* link(departed.id, one.id)), [409, "SHIPMENT_DEPARTED"])
      assert.strictEqual((yield* link(linked.id, departed.id)).status, 200)
    }))
})

layer(layerMemory(), { excludeTestServices: true })("D2.8 steps in XML", (it) => {
  it.effect("answer a shipment as its read does", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const headers = { accept: "text/xml" }
      const [{ id }, other] = [yield* scheduled({}, unique("L")), yield* scheduled()]
      for (
        const step of [
          link(id, other.id, { headers }),
          arrive(id, undefined, { headers }),
          post(`/v1/shipments/${id}/depart`, {}, { headers })
        ]
      ) {
        const reply = yield* step
        assert.include(String(reply.headers["content-type"]), "text/xml")
        assert.include(String(reply.headers["vary"]).toLowerCase(), "accept")
        assert.strictEqual(reply.text, (yield* server.get(`/v1/shipments/${id}`, { headers })).text)
        assert.deepStrictEqual(shipmentOf(reply), yield* read(id))
      }
    }))
})

layer(layerMemory(), { excludeTestServices: true })("D13.9 cancel", (it) => {
  it.effect("200 with the shipment as it then is, by a client of documents, and 200 again", () =>
    Effect.gen(function*() {
      const before = yield* scheduled({}, unique("L"))
      const client = { client: "acme-client" } as const
      const after = shipmentOf(yield* cancel(before.id, undefined, client))
      assert.deepStrictEqual(after, {
        ...before,
        status: "CANCELLED",
        orders: before.orders.map((order) => ({ ...order, status: "CANCELLED" as const }))
      })
      for (const body of [undefined, {}]) {
        assert.deepStrictEqual(shipmentOf(yield* cancel(before.id, body, client)), after)
      }
      assert.deepStrictEqual(yield* read(before.id), after)
    }))

  it.effect("409 INVALID_TRANSITION once it has arrived or is linked", () =>
    Effect.gen(function*() {
      const [one, other, arrived] = yield* Effect.all([scheduled(), scheduled(), scheduled()])
      yield* link(one.id, other.id)
      yield* arrive(arrived.id)
      for (const [{ id, shipmentNumber }, from] of [[one, "SCHEDULED"], [arrived, "ARRIVED"]] as const) {
        const problem = problemOf(yield* cancel(id))
        assert.deepStrictEqual([problem.status, problem.code, problem.detail], [
          409,
          "INVALID_TRANSITION",
          `INVALID_TRANSITION: shipmentNumber=${shipmentNumber}, from=${from}, to=CANCELLED`
        ])
      }
    }))

  it.effect("with a key it is answered again by whichever permission it needs; unknown fields are 400", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled()
      const options = { client: "acme-client", headers: { "idempotency-key": unique("K") } } as const
      const first = yield* cancel(id, undefined, options)
      const again = yield* cancel(id, undefined, options)
      assert.deepStrictEqual([again.status, again.text], [200, first.text])
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.strictEqual(
        problemOf(yield* cancel(id, { occurredAt: null, why: "" })).code,
        "MALFORMED_REQUEST"
      )
    }))
})
