/**
 * The rules for concurrent requests about shipments in motion, for every storage (D6.1, D6.3, D6.5, D6.6).
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { PalletError, StepError } from "@dockline/core/movement/MovementErrors"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { labelsOf } from "../../generators/Motion.ts"
import { aWorld, linksOf, payloads } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

/** Concurrent events, departures and links. */
export const races = (test: AddTest): void => {
  test("D6.1 an event repeated 50 times at once makes one message", function*() {
    const { submit, record, moves } = yield* aWorld()
    yield* submit("S1")
    const answers = yield* Effect.all(Array.from({ length: 50 }, () => record({ shipmentNumber: "S1" })), {
      concurrency: "unbounded"
    })
    assert.strictEqual(answers.filter(({ repeated }) => !repeated).length, 1)
    assert.strictEqual(new Set(answers.map(({ answer }) => JSON.stringify(answer))).size, 1)
    assert.strictEqual((yield* moves).length, 1)
  })

  test("D6.3 the same pallet 20 times at once is one pallet", function*() {
    const { submit, record, moves } = yield* aWorld()
    yield* submit("S1")
    const events = Array.from({ length: 20 }, (_, n) => record({ eventId: `E${n}`, shipmentNumber: "S1" }))
    const answers = yield* Effect.all(events, { concurrency: "unbounded" })
    assert.strictEqual(new Set(answers.map(({ answer }) => answer.servicePalletId)).size, 1)
    assert.deepStrictEqual(
      (yield* moves).map(({ id }) => id),
      answers.map(({ answer }) => answer.messageId).sort((left, right) => left - right)
    )
  })

  test("D6.6, D21.4 departures at once, amid pallets: one completion; who comes after it is late", function*() {
    const { client, submit, record, moves } = yield* aWorld()
    const shipments = yield* Shipments
    const id = yield* submit("S1")
    yield* shipments.arrive(String(id), {}, client)
    const pallet = (n: number) =>
      Effect.asVoid(
        record({ eventId: `E${n}`, shipmentId: id, labels: labelsOf(["lpn", `L${n}`]) })
      )
    const depart = Effect.asVoid(shipments.depart(String(id), {}, client))
    const steps: ReadonlyArray<Effect.Effect<void, PalletError | StepError>> = Array.from(
      { length: 40 },
      (_, n) => (n % 4 === 3 ? depart : pallet(n))
    )
    const results = yield* Effect.all(steps.map((step) => Effect.result(step)), {
      concurrency: "unbounded"
    })
    for (const each of results) assert.isTrue(Result.isSuccess(each))
    const all = yield* moves
    const completion = all.filter(({ type }) => type === "SHIPMENT_COMPLETE")
    const isLate = (message: typeof all[number]) => payloadOf(message)["late"] === true
    const pallets = all.filter(({ type }) => type === "PALLET_EVENT")
    const before = pallets.filter((message) => !isLate(message))
    assert.deepStrictEqual([completion.length, pallets.length], [1, 30])
    assert.deepStrictEqual(all, [...before, ...completion, ...pallets.filter(isLate)])
    const palletIds = (list: ReadonlyArray<unknown>) =>
      list.map((each) => Number((each as { servicePalletId: string }).servicePalletId)).sort((a, b) => a - b)
    assert.deepStrictEqual(
      palletIds(payloadOf(assert.at(completion, 0))["pallets"] as ReadonlyArray<unknown>),
      palletIds(payloads(before))
    )
  })

  test("D6.5 links between three shipments made at once all hold, both ways", function*() {
    const { business, client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const ids = [yield* submit("S1"), yield* submit("S2"), yield* submit("S3")].map(String)
    const pairs = ids.flatMap((one) =>
      ids.filter((other) => other !== one).map((other) => [one, other] as const)
    )
    yield* Effect.all(pairs.map(([one, other]) => shipments.link(one, other, client)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(yield* linksOf(business), ids.map((id) => ids.filter((other) => other !== id)))
  })
}
