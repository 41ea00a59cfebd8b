import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, unique } from "../../support/TestServer.ts"
import { arrive, depart, label, link, palletEvent, record, scheduled } from "./Facility.ts"

const bodyLimit = 4096
const large = "x".repeat(bodyLimit + 1)
const unauthenticated: RequestOptions = { client: null }
const plain: RequestOptions = { headers: { "content-type": "text/plain" } }

layer(layerMemory({ bodyLimit }), { excludeTestServices: true })(
  "D3.9 the order of checks of the facility side",
  (it) => {
    const nowhere = palletEvent({ business: "nobody" })
    const cases: ReadonlyArray<readonly [string, body: unknown, options: RequestOptions, status: number]> = [
      ["401 before 415", palletEvent(), { ...unauthenticated, ...plain }, 401],
      ["401 before 413", large, unauthenticated, 401],
      ["401 before 400", "{", unauthenticated, 401],
      ["401 before 422", {}, unauthenticated, 401],
      ["415 before 413", large, plain, 415],
      ["415 before 400", "{", plain, 415],
      ["413 before 400", `{${large}`, {}, 413],
      ["400 before 422", palletEvent({ eventId: 5, direction: "UP" }), {}, 400],
      ["400 before 404", { ...nowhere, eventId: 5 }, {}, 400],
      ["422 before 404", { ...nowhere, direction: "UP" }, {}, 422],
      ["422 before 403", palletEvent({ direction: "UP" }), { client: "acme-client" }, 422],
      [
        "404 for the place before 403",
        palletEvent({ facility: "north" }),
        { client: "acme-client" },
        404
      ],
      ["403 before the dock", palletEvent({ dockSlug: "D9" }), { client: "acme-client" }, 403],
      [
        "403 before the shipment",
        palletEvent({ shipmentId: 999_999_999 }),
        { client: "acme-client" },
        403
      ],
      ["404 for the place before the dock", palletEvent({ facility: "north", dockSlug: "D9" }), {}, 404],
      ["the dock before the shipment", palletEvent({ dockSlug: "D9", shipmentId: 999_999_999 }), {}, 422],
      [
        "the dock before 409",
        palletEvent({ dockSlug: "D9", labels: [label("lpn", unique("L"))] }),
        {},
        422
      ]
    ]
    for (const [name, body, options, status] of cases) {
      it.effect(`pallet events: ${name}`, () =>
        Effect.gen(function*() {
          assert.strictEqual((yield* record(body, options)).status, status)
        }))
    }

    const stepCases: ReadonlyArray<
      readonly [string, body: unknown, options: RequestOptions, status: number]
    > = [
      ["401 before 404", {}, unauthenticated, 401],
      ["415 before 404", "x", plain, 415],
      ["413 before 404", large, {}, 413],
      ["400 before 404", { x: 1 }, {}, 400],
      ["422 before 404", { occurredAt: "now" }, {}, 422],
      ["404 before 403", {}, { client: "acme-client" }, 404]
    ]
    for (const [name, body, options, status] of stepCases) {
      it.effect(`steps: ${name}`, () =>
        Effect.gen(function*() {
          for (const step of [arrive, depart]) {
            assert.strictEqual((yield* step(999_999_999, body, options)).status, status)
          }
        }))
    }

    it.effect("steps: 403 before the dock and before 409", () =>
      Effect.gen(function*() {
        const { id } = yield* scheduled()
        const client = "acme-client"
        assert.strictEqual((yield* arrive(id, { dockSlug: "D9" }, { client })).status, 403)
        assert.strictEqual((yield* depart(id, {}, { client })).status, 403)
      }))

    it.effect("links: 404 before 403, 403 before 409", () =>
      Effect.gen(function*() {
        const [one, departed] = [yield* scheduled(), yield* scheduled()]
        yield* arrive(departed.id)
        yield* depart(departed.id)
        const client = "acme-client"
        assert.strictEqual((yield* link(999_999_999, one.id, { client })).status, 404)
        assert.strictEqual((yield* link(one.id, departed.id, { client })).status, 403)
      }))
  }
)
