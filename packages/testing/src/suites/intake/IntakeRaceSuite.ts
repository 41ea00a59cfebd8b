/** That documents which come at once leave what they would leave one after another, whatever they are stored in (D3). */
import type { Document } from "@dockline/core/Document"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import { answerOf, explainable } from "../../generators/Serial.ts"
import { ascending, aWorld, east, idsIn, itemsOf, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"

const atOnce = { concurrency: "unbounded" } as const

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const strategies = ["APPEND", "MERGE", "DELETE", "OVERWRITE"] as const

/** One order that everybody wants. */
const oneOrder = (test: AddTest): void => {
  test(
    "50 documents at once on one order lose nothing",
    Effect.gen(function*() {
      const { document, submit, shipments } = yield* aWorld
      yield* submit({ shipmentNumber: "elsewhere" }, orderOf("O1", "APPEND", itemsOf("before")))
      const documents = times(50).map((n) =>
        document(
          { additionalFields: [{ name: `f${n}`, value: "1" }] },
          orderOf("O1", n % 2 === 0 ? "APPEND" : "MERGE", itemsOf(`L${n}`, `M${n}`))
        )
      )
      const done = yield* Effect.all(documents.map((each) => Effect.map(write(each), outcomeOf)), atOnce)
      const created = done.flatMap(({ created }) => created)
      assert.strictEqual(created.filter(({ type }) => type === "SHIPMENT").length, 1)
      assert.strictEqual(created.filter(({ type }) => type === "ORDER").length, 0)
      const [elsewhere, shipment, ...others] = yield* shipments
      assert.deepStrictEqual([elsewhere!.orders, others], [[], []])
      assert.strictEqual(shipment!.additionalFields.length, 50)
      const { items } = idsIn([shipment!])
      assert.strictEqual(new Set(items).size, 101)
      assert.deepStrictEqual(items, ascending(items))
      assert.sameMembers(
        shipment!.orders.flatMap(({ items }) => items.map(({ lpn }) => lpn)),
        ["before", ...times(50).flatMap((n) => [`L${n}`, `M${n}`])]
      )
      assert.sameMembers(
        created.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => Number(id)),
        items.slice(1)
      )
    })
  )

  for (const strategy of strategies) {
    test(
      `50 first documents at once, alike, leave one shipment and one order: ${strategy}`,
      Effect.gen(function*() {
        const { document, shipments } = yield* aWorld
        const given = document({}, orderOf("O1", strategy, itemsOf("L1", "L2")))
        const results = yield* Effect.all(times(50).map(() => Effect.result(write(given))), atOnce)
        const creators = results.filter((each) =>
          Result.isSuccess(each) && each.success.plan.shipment._tag === "Create"
        )
        assert.strictEqual(creators.length, 1)
        assert.deepStrictEqual(
          results.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : [])),
          strategy === "APPEND" ? times(49).map(() => "DuplicateOrderItemKey") : []
        )
        assert.deepStrictEqual(
          (yield* shipments).map(({ orders }) => orders.map(({ items }) => items.map(({ lpn }) => lpn))),
          [[strategy === "DELETE" ? [] : ["L1", "L2"]]]
        )
      })
    )
  }
}

/** Documents that meet each other's orders on several shipments. */
const severalShipments = (test: AddTest): void => {
  test(
    "documents at once that exchange orders between shipments neither wait for ever nor lose or double one",
    Effect.gen(function*() {
      const { document, shipments } = yield* aWorld
      const documents = times(60).map((n) =>
        document({ shipmentNumber: `S${n % 3}` }, orderOf(`O${n % 4}`), orderOf(`O${(n + 1) % 4}`))
      )
      yield* Effect.all(documents.map((each) => write(each)), atOnce)
      const all = yield* shipments
      assert.sameMembers(all.map(({ number }) => number), ["S0", "S1", "S2"])
      assert.sameMembers(all.flatMap(({ orders }) => orders.map(({ number }) => number)), [
        "O0",
        "O1",
        "O2",
        "O3"
      ])
    })
  )

  test(
    "documents at once end in a state, and get answers, that some order of them explains",
    Effect.forEach(times(8), (round) => explained(round), { discard: true })
  )

  test(
    "documents at once of several facilities do not meet",
    Effect.gen(function*() {
      const worlds = [yield* aWorld, yield* aWorld]
      const documents = worlds.flatMap(({ document }) =>
        ["east", "west"].map((facility) => document({ facility }, orderOf("O1", "APPEND", itemsOf("L1"))))
      )
      const done = yield* Effect.all(documents.map((each) => Effect.map(write(each), outcomeOf)), atOnce)
      assert.deepStrictEqual(done.map(({ created }) => created.length), [3, 3, 3, 3])
      assert.strictEqual(new Set(done.map(({ shipment }) => shipment.id)).size, 4)
      for (const { shipments } of worlds) {
        assert.deepStrictEqual(
          (yield* shipments).map(({ orders }) => orders.map(({ items }) => items.length)),
          [[1]]
        )
      }
    })
  )
}

/** Five documents at once after two, which differ from round to round, and whether they can be explained. */
const explained = Effect.fnUntraced(function*(round: number) {
  const { business, document, shipments } = yield* aWorld
  const given = (n: number): Document => {
    const drawn = round * 7 + n * 3
    return document(
      {
        shipmentNumber: `S${drawn % 2}`,
        trailerNumber: n % 2 === 0 ? `T${n}` : "",
        dockSlug: n % 3 === 0 ? "D1" : "",
        additionalFields: [{ name: `f${n % 2}`, value: String(n) }]
      },
      orderOf(
        `O${drawn % 3 === 0 ? 2 : 1}`,
        strategies[(round + n) % 4]!,
        [anItem(`L${n % 3}`, "S", { lot: String(n) }), anItem(`L${(n + 1) % 3}`, "S", { quantity: n + 1 })],
        { supplier: String(n) }
      )
    )
  }
  for (const n of [5, 6]) yield* Effect.ignore(write(given(n)))
  const initial = yield* shipments
  const documents = times(5).map(given)
  const answers = yield* Effect.all(
    documents.map((each) =>
      Effect.match(write(each), {
        onSuccess: (done) => answerOf(outcomeOf(done)),
        onFailure: ({ code }) => code
      })
    ),
    atOnce
  )
  const world = {
    business: { slug: business, name: business },
    facility: east,
    docks: ["D1", "D2"],
    shipments: initial
  }
  const ended = yield* shipments
  assert.isTrue(
    explainable(world, documents, ended, answers),
    `No order of the documents explains ${JSON.stringify({ documents, answers, ended })}`
  )
})

/** All of them. */
export const races = (test: AddTest): void => [oneOrder, severalShipments].forEach((write) => write(test))
