/** Documents that come at once are batched in an order that their senders can rely on, and by turns of their businesses. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, atOnce, services, times } from "../Movements.ts"

over(services)("documents that come at once", (test) => {
  test("for one number are done in the order in which they came, beside those for others", function*() {
    const acme = yield* aBusiness
    // What is asked for the first time here is known afterwards.
    const { id } = yield* acme.submit("HOT", "HOT", "first")
    const done: Array<number> = []
    yield* Effect.forEach(times(80), (n) =>
      n % 2 === 0
        ? acme.submit(`COLD-${n}`, `COLD-${n}`, "L")
        : Effect.tap(acme.submit("HOT", "HOT", `L${n}`), () => Effect.sync(() => done.push(n))), atOnce)
    assert.deepStrictEqual(done, times(80).filter((n) => n % 2 === 1))
    const { orders } = yield* acme.shipment(id)
    assert.deepStrictEqual(orders.map(({ items }) => items.map(({ lpn }) => lpn)), [["L79"]])
  })

  test("share each batch by business, however many of one wait", function*() {
    const [greedy, polite] = [yield* aBusiness, yield* aBusiness]
    yield* Effect.forEach([greedy, polite], ({ submit }) => submit("S", "O", "L"))
    // A connection that is opened meanwhile, or that the system leaves aside, can only keep the polite one waiting.
    const waits: Array<number> = []
    for (const round of ["first", "second", "third"]) {
      let done = 0
      const [, before] = yield* Effect.all([
        Effect.forEach(
          times(400),
          (n) => Effect.tap(greedy.submit(`S${n}`, `O${n}`, round), () => Effect.sync(() => done++)),
          atOnce
        ),
        Effect.forEach(
          times(4),
          (n) => Effect.map(polite.submit(`S${n}`, `O${n}`, round), () => done),
          atOnce
        )
      ], atOnce)
      waits.push(Math.max(...before))
    }
    // Four batches of 32 may be under way when the polite one comes, and its own has others in it.
    assert.isAtMost(Math.min(...waits), 200)
  })
})
