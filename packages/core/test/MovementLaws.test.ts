/** Laws of shipments in motion over the memory stores, over random histories of documents, pallets and steps. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Intake } from "../src/Intake.ts"
import * as Memory from "../src/Memory.ts"
import type { Message } from "../src/Message.ts"
import { Pallets } from "../src/Pallets.ts"
import { Shipments } from "../src/Shipments.ts"
import { runs } from "../src/testing/Generators.ts"
import { dashboardUrl, labelled } from "../src/testing/Motion.ts"
import { at, aWorld, withItem } from "../src/testing/MovementWorld.ts"
import { shipmentStatuses } from "../src/Vocabulary.ts"

const numbers = ["S1", "S2", "S3"] as const
const lpn = fc.constantFrom("", "L1", "L2", "L3")
const second = fc.nat(59)
const number = fc.constantFrom(...numbers)

const pallet = fc.record({
  _tag: fc.constant("Pallet" as const),
  eventId: fc.integer({ min: 1, max: 12 }).map((n) => `E${n}`),
  facility: fc.constantFrom("east", "east", "east", "west"),
  dockSlug: fc.constantFrom("D1", "D2", "D9"),
  direction: fc.constantFrom("LOADING" as const, "UNLOADING" as const),
  second,
  lpn,
  shipmentNumber: fc.constantFrom("", "", "S1", "S2", "S9")
})

const step = fc.oneof(
  { arbitrary: pallet, weight: 6 },
  { arbitrary: fc.record({ _tag: fc.constant("Document" as const), number, lpn }), weight: 2 },
  { arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), number, second }), weight: 1 },
  { arbitrary: fc.record({ _tag: fc.constant("Depart" as const), number }), weight: 1 },
  { arbitrary: fc.record({ _tag: fc.constant("Link" as const), number, other: number }), weight: 1 }
)

const histories = fc.array(step, { minLength: 1, maxLength: 40 })

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Runs a history; for each step its answer or refusal, the messages that it made, and the shipments afterwards. */
const run = Effect.fnUntraced(function*(history: ReadonlyArray<Step>) {
  const world = yield* aWorld([{ name: "LPN", label: "lpn", list: false }])
  const shipments = yield* Shipments
  const { business, client } = world
  const shipmentIds = new Map<string, number>()
  for (const each of numbers) {
    shipmentIds.set(each, yield* world.submit(each, [withItem(`Order ${each}`, "L1")]))
  }
  const idOf = (number: string) => String(shipmentIds.get(number))

  const take = (each: Step): Effect.Effect<unknown, { readonly code: string }, never> => {
    switch (each._tag) {
      case "Pallet": {
        const { lpn, second, _tag, ...event } = each
        return world.record({ ...event, occurredAt: at(second), labels: labelled(["lpn", lpn]) })
      }
      case "Document":
        return world.submit(each.number, [withItem(`Order ${each.number}`, each.lpn || "L4", each.number)])
      case "Arrive":
        return shipments.arrive(idOf(each.number), { occurredAt: at(each.second) }, client)
      case "Depart":
        return shipments.depart(idOf(each.number), {}, client)
      case "Link":
        return shipments.link(idOf(each.number), idOf(each.other), client)
    }
  }

  const taken: Array<Taken> = []
  for (const each of history) {
    yield* TestClock.adjust("1 second")
    const before = yield* world.messages
    const shipmentsBefore = (yield* shipments.list({ business }, client)).items
    const result = yield* Effect.result(take(each))
    const after = yield* world.messages
    taken.push({
      step: each,
      answer: Result.isSuccess(result) ? result.success : undefined,
      code: Result.isFailure(result) ? result.failure.code : undefined,
      made: after.slice(before.length),
      shipmentsBefore,
      shipments: (yield* shipments.list({ business }, client)).items
    })
    assert.deepStrictEqual(after.slice(0, before.length), before)
  }
  return { taken, messages: yield* world.messages }
})

const instant = (payload: Message["payload"]): number => Date.parse(String(payload["occurredAt"]))

interface Taken {
  readonly step: Step
  readonly answer: unknown
  readonly code: string | undefined
  readonly made: ReadonlyArray<Message>
  readonly shipmentsBefore: Effect.Success<ReturnType<Shipments["Service"]["list"]>>["items"]
  readonly shipments: Effect.Success<ReturnType<Shipments["Service"]["list"]>>["items"]
}

type History = Effect.Success<ReturnType<typeof run>>

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl })
)

const everyHistory = (check: (history: History) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, (history) =>
      Effect.runPromise(
        Effect.map(run(history), check).pipe(
          Effect.provide(Layer.fresh(Layer.provideMerge(services, Memory.layer)), { local: true }),
          Effect.provide(TestClock.layer())
        )
      )),
    runs(60)
  )

describe("laws of D6", () => {
  it("every recorded event makes one message, every departure one completion, and nothing else any", () =>
    everyHistory(({ taken }) => {
      for (const { step, answer, code, made, shipments, shipmentsBefore } of taken) {
        const departed = (list: typeof shipments) => list.filter(({ status }) => status === "DEPARTED").length
        const isRecorded = step._tag === "Pallet" && code === undefined &&
          !(answer as { readonly repeated: boolean }).repeated
        assert.deepStrictEqual(
          made.map(({ type }) => type),
          isRecorded
            ? ["PALLET_EVENT"]
            : departed(shipments) > departed(shipmentsBefore)
            ? ["SHIPMENT_COMPLETE"]
            : []
        )
      }
    }))

  it("a shipment that has departed has exactly one completion, after all its pallets; another has none", () =>
    everyHistory(({ taken, messages }) => {
      for (const { id, status } of taken.at(-1)!.shipments) {
        const types = messages.filter(({ shipmentId }) => shipmentId === id).map(({ type }) => type)
        const pallets = types.filter((type) => type === "PALLET_EVENT")
        assert.deepStrictEqual(types, status === "DEPARTED" ? [...pallets, "SHIPMENT_COMPLETE"] : pallets)
      }
    }))

  it("a refusal changes no shipment, and a repeat neither", () =>
    everyHistory(({ taken }) => {
      for (const { answer, code, shipments, shipmentsBefore } of taken) {
        const repeated = code === undefined && (answer as { readonly repeated?: boolean }).repeated === true
        if (code !== undefined || repeated) assert.deepStrictEqual(shipments, shipmentsBefore)
      }
    }))

  it("an event id has one answer for ever", () =>
    everyHistory(({ taken }) => {
      const answers = new Map<string, unknown>()
      for (const { step, answer, code } of taken) {
        if (step._tag !== "Pallet" || code !== undefined) continue
        const given = answer as { readonly answer: unknown; readonly repeated: boolean }
        const key = `${step.facility} ${step.eventId}`
        assert.strictEqual(given.repeated, answers.has(key))
        assert.deepStrictEqual(given.answer, answers.get(key) ?? given.answer)
        answers.set(key, given.answer)
      }
    }))

  it("status goes forward only, a departed shipment never changes, and its orders are completed", () =>
    everyHistory(({ taken }) => {
      for (const { shipments, shipmentsBefore } of taken) {
        for (const [index, before] of shipmentsBefore.entries()) {
          const after = shipments[index]!
          assert.isAtLeast(shipmentStatuses.indexOf(after.status), shipmentStatuses.indexOf(before.status))
          if (before.status === "DEPARTED") assert.deepStrictEqual(after, before)
          const completed = after.orders.filter(({ status }) => status === "COMPLETED").length
          assert.strictEqual(completed, after.status === "DEPARTED" ? after.orders.length : 0)
        }
      }
    }))

  it("a completion lists the pallets that loading and unloading leave, each as its last message told", () =>
    everyHistory(({ messages }) => {
      for (const completion of messages.filter(({ type }) => type === "SHIPMENT_COMPLETE")) {
        const told = messages
          .filter(({ type, shipmentId }) => type === "PALLET_EVENT" && shipmentId === completion.shipmentId)
          .map(({ payload }) => payload)
          .toSorted((left, right) => instant(left) - instant(right))
        const byPallet = Map.groupBy(told, (payload) => Number(payload["servicePalletId"]))
        const left = Array.from(byPallet).sort(([one], [other]) => one - other).flatMap(([, events]) => {
          const turns = events.filter((event, index) =>
            event["direction"] !== events[index - 1]?.["direction"]
          )
          const { occurredAt: _, ...last } = events.at(-1)!
          return turns.length % 2 === 1 ? [last] : []
        })
        assert.deepStrictEqual(completion.payload["pallets"], left)
      }
    }))
})
