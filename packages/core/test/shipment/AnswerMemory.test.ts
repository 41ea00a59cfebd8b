/** The room of the answers to writes: one that has none is refused before anything is written. */
import { aDocument, aGrant, anItem, aPrincipal, orderOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { AnswerMemory, memoryCheck } from "../../src/access/RequestLimits.ts"
import { Intake } from "../../src/document/Intake.ts"
import type { LinkError, StepError } from "../../src/movement/ShipmentOperations.ts"
import { Shipments } from "../../src/movement/Shipments.ts"
import { Overloaded } from "../../src/values/RequestErrors.ts"
import { inMemory } from "../Stored.ts"

const client = aPrincipal(aGrant("acme", "*", ["documents:write", "shipments:write"]))

/** Room for so many characters, which tells what is asked of it. */
const memoryFor = (characters: number) => {
  const sizes: Array<number> = []
  const reserveNow = (more: number) => {
    sizes.push(more)
    return more <= characters
  }
  const reserve = (more: number) =>
    reserveNow(more) ? Effect.void : Effect.fail(new Overloaded({ retryAfterSeconds: 1 }))
  return { asked: sizes, within: Effect.provideService(AnswerMemory, { reserve, reserveNow }) }
}

const items = Array.from({ length: 100 }, (_, at) => anItem(`L${at}`, "S1"))
const large = aDocument({}, orderOf("O1", "APPEND", items))

const run = <A, E>(program: Effect.Effect<A, E, Intake | Shipments>) =>
  inMemory(Effect.provide(program, Shipments.layer()))

describe("a write whose answer has no room", () => {
  // @threat load.16
  it.effect("of a document is refused, and changes nothing", () =>
    run(Effect.gen(function*() {
      const intake = yield* Intake
      const refusal = yield* Effect.flip(memoryFor(10_000).within(intake.submit(large, client)))
      assert.strictEqual(refusal.code, "OVERLOADED")
      const enough = memoryFor(100_000)
      const { created } = yield* enough.within(intake.submit(large, client))
      assert.strictEqual(created.length, 102)
      // Some 300 characters an item.
      assert.strictEqual(enough.asked.length, 1)
      assert.isAtLeast(enough.asked[0]!, 30_000)
      assert.isAtMost(enough.asked[0]!, 60_000)
    })))

  it.effect("of a step or a link is refused, and moves nothing", () =>
    run(Effect.gen(function*() {
      const intake = yield* Intake
      const shipments = yield* Shipments
      const { shipment: { id: first } } = yield* intake.submit(large, client)
      const { shipment: { id: second } } = yield* intake.submit(
        aDocument({ shipmentNumber: "S2" }, orderOf("O2")),
        client
      )
      const before = yield* shipments.get(String(first), client)
      const writes: ReadonlyArray<Effect.Effect<unknown, StepError | LinkError>> = [
        shipments.arrive(String(first), {}, client),
        shipments.link(String(first), String(second), client),
        shipments.cancel(String(first), client)
      ]
      for (const write of writes) {
        const refusal = yield* Effect.flip(memoryFor(10_000).within(write))
        assert.strictEqual(refusal.code, "OVERLOADED")
      }
      assert.deepStrictEqual(yield* shipments.get(String(first), client), before)
      const { status } = yield* memoryFor(100_000).within(shipments.arrive(String(first), {}, client))
      assert.strictEqual(status, "ARRIVED")
    })))

  it("asks for what it needs more where its decision is repeated", () => {
    const { asked } = memoryFor(0)
    const checkMemory = memoryCheck({
      reserve: () => Effect.void,
      reserveNow: (characters) => asked.push(characters) > 0
    })
    for (const characters of [100, 100, 150, 20]) {
      assert.deepStrictEqual(checkMemory(Result.succeed("plan"), () => characters), Result.succeed("plan"))
    }
    assert.deepStrictEqual(asked, [100, 50])
  })
})
