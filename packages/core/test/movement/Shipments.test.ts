import {
  aDocument,
  aGrant,
  anItem,
  aPalletEvent,
  aPrincipal,
  mover,
  orderOf,
  refusalOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Permission } from "../../src/access/Access.ts"
import { Intake } from "../../src/document/Intake.ts"
import { MessageLog } from "../../src/messages/MessageLog.ts"
import { MovementStore } from "../../src/movement/Movement.ts"
import { Pallets } from "../../src/movement/Pallets.ts"
import { Shipments } from "../../src/movement/Shipments.ts"
import { Directory } from "../../src/places/Place.ts"
import { pageLimit } from "../../src/values/Page.ts"
import { inMemory } from "../Stored.ts"

const everyone = aPrincipal(aGrant("acme"), aGrant("globex"))

const put = Effect.fnUntraced(function*(...documents: ReadonlyArray<ReturnType<typeof aDocument>>) {
  const intake = yield* Intake
  return yield* Effect.forEach(
    documents,
    (document) => Effect.map(intake.submit(document, everyone), ({ shipment }) => shipment)
  )
})

/** East: S1 (O1), S2 (O2). West: S1 (O1). Globex: G1 (O1). */
const world = put(
  aDocument({}, orderOf("O1", "APPEND", [anItem("L1", "S1")])),
  aDocument({ shipmentNumber: "S2" }, orderOf("O2")),
  aDocument({ facility: "west" }, orderOf("O1")),
  aDocument({ business: "globex", facility: "main", shipmentNumber: "G1" }, orderOf("O1"))
)

const run = <A, E>(program: Effect.Effect<A, E, Intake | Shipments | Pallets | Directory | MessageLog>) =>
  inMemory(Effect.provide(program, Layer.merge(Shipments.layer(), Pallets.layer())))

describe("D5.1 a shipment by id", () => {
  it.effect("is the shipment as intake answered it, to whoever holds any permission there", () =>
    run(Effect.gen(function*() {
      const [s1] = yield* world
      const shipments = yield* Shipments
      const permissions: ReadonlyArray<Permission> = ["messages:read", "pallets:write", "operator"]
      for (const permission of permissions) {
        const client = aPrincipal(aGrant("acme", ["east"], [permission]))
        assert.deepStrictEqual(yield* shipments.get(String(s1!.id), client), s1)
      }
    })))

  it.effect("is not there for a client that may not see it, nor for an id that is none", () =>
    run(Effect.gen(function*() {
      const [s1] = yield* world
      const shipments = yield* Shipments
      const blind = [
        aPrincipal(),
        aPrincipal(aGrant("acme", ["west"])),
        aPrincipal(aGrant("globex")),
        aPrincipal(aGrant("acme", "*", []))
      ]
      for (const client of blind) {
        assert.deepStrictEqual(refusalOf(yield* Effect.flip(shipments.get(String(s1!.id), client))), {
          code: "SHIPMENT_NOT_FOUND",
          message: `Unknown shipment: ${s1!.id}`
        })
      }
      const notIds = ["", "0", "-1", "1.0", "1e0", "01", " 1", "x", "9007199254740992", "9".repeat(400)]
      for (const id of notIds) {
        assert.strictEqual((yield* Effect.flip(shipments.get(id, everyone))).code, "SHIPMENT_NOT_FOUND", id)
      }
      const odd = yield* Effect.flip(shipments.get(`\n\u200b${"x".repeat(400)}`, everyone))
      assert.strictEqual(odd.message, `Unknown shipment: \\u000a\\u200b${"x".repeat(98)}…`)
    })))
})

describe("D5.1 lists", () => {
  it.effect.each(
    [
      [{ business: "initech" }, "BUSINESS_NOT_FOUND"],
      [{ business: "*" }, "BUSINESS_NOT_FOUND"],
      [{ business: "acme", facility: "north" }, "FACILITY_NOT_FOUND"],
      [{ business: "acme", facility: "east" }, "FORBIDDEN"],
      [{ business: "globex" }, "FORBIDDEN"]
    ] as const
  )("of %j are refused with %s", ([query, code]) =>
    run(Effect.gen(function*() {
      yield* world
      const shipments = yield* Shipments
      const client = aPrincipal(aGrant("acme", ["west"]))
      assert.strictEqual((yield* Effect.flip(shipments.list(query, client))).code, code)
      assert.strictEqual((yield* Effect.flip(shipments.listOrders(query, client))).code, code)
    })))

  it.effect("come in pages of at most a hundred, whatever is asked for", () =>
    run(Effect.gen(function*() {
      yield* put(
        ...Array.from({ length: 101 }, (_, n) => aDocument({ shipmentNumber: `S${n}` }, orderOf(`O${n}`)))
      )
      const shipments = yield* Shipments
      const sizes = (limit: number | undefined) =>
        Effect.map(shipments.list({ limit }, everyone), ({ items }) => items.length)
      assert.strictEqual(pageLimit, 100)
      assert.deepStrictEqual(
        yield* Effect.forEach([undefined, 1, 100, 101, 1e9, 0, -5], sizes),
        [100, 1, 100, 100, 100, 1, 1]
      )
      const { items, next } = yield* shipments.list({ limit: 60 }, everyone)
      const rest = yield* shipments.list({ after: next! }, everyone)
      assert.deepStrictEqual([items.length, rest.items.length, rest.next], [60, 41, null])
    })))
})

describe("a client without the permission takes no lock", () => {
  const untouchable = Layer.succeed(
    MovementStore,
    MovementStore.of({
      recordPallet: () => Effect.die("locked"),
      step: () => Effect.die("locked"),
      link: () => Effect.die("locked")
    })
  )
  const client = aPrincipal(aGrant("acme", "*", ["documents:write", "messages:read"]))

  it.effect("neither for pallets nor for steps", () =>
    inMemory(
      Effect.gen(function*() {
        const shipments = yield* Shipments
        const pallets = yield* Pallets
        const [s1, s2] = yield* world
        const id = String(s1!.id)
        const refusals: ReadonlyArray<readonly [Effect.Effect<unknown, { readonly code: string }>, string]> =
          [
            [pallets.record(aPalletEvent(), client), "FORBIDDEN"],
            [pallets.record(aPalletEvent({ facility: "north" }), client), "FACILITY_NOT_FOUND"],
            [pallets.record(aPalletEvent({ business: "initech" }), mover), "BUSINESS_NOT_FOUND"],
            [shipments.arrive(id, {}, client), "FORBIDDEN"],
            [shipments.depart(id, {}, client), "FORBIDDEN"],
            [shipments.link(id, String(s2!.id), client), "FORBIDDEN"],
            [shipments.link(id, "4711", client), "SHIPMENT_NOT_FOUND"],
            [shipments.depart("4711", {}, client), "SHIPMENT_NOT_FOUND"],
            [shipments.depart(id, {}, aPrincipal()), "SHIPMENT_NOT_FOUND"],
            [shipments.link(id, id, mover), "INVALID_REQUEST"],
            [shipments.link(id, "x", mover), "SHIPMENT_NOT_FOUND"]
          ]
        for (const [change, code] of refusals) {
          assert.strictEqual((yield* Effect.flip(change)).code, code)
        }
      }).pipe(Effect.provide(
        Layer.merge(Shipments.layer(), Pallets.layer()).pipe(Layer.provide(untouchable))
      ))
    ))
})
