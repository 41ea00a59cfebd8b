/**
 * Laws of concurrent documents: they behave as if they came one after another (D3). For a storage in memory these laws are a formality. For
 * a database they show that its locks suffice.
 */
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import { documents } from "../generators/Generators.ts"
import { east } from "../generators/Given.ts"
import { answerOf, explainable } from "../generators/Serial.ts"
import * as Law from "../Law.ts"
import type { IntakeStores } from "../worlds/IntakeWorld.ts"
import { aDocumentsWorld, shipmentsOf } from "./IntakeRun.ts"

/** Earlier documents, and concurrent documents, each of which is delayed by some turns of the event loop. */
interface AtOnce {
  readonly before: ReadonlyArray<Document>
  readonly concurrent: ReadonlyArray<readonly [document: Document, turns: number]>
}

const atOnce = (documents: fc.Arbitrary<Document>): fc.Arbitrary<AtOnce> =>
  fc.record({
    before: fc.array(documents, { maxLength: 2 }),
    // Most documents start at the same time, so that a storage may batch several of them.
    concurrent: fc.array(fc.tuple(documents, fc.constantFrom(0, 0, 0, 2, 5)), { minLength: 2, maxLength: 5 })
  })

const run = Effect.fnUntraced(function*({ before, concurrent }: AtOnce) {
  const intake = yield* Intake
  const { business, client } = yield* aDocumentsWorld
  const shipments = Effect.map(shipmentsOf(business, "east"), (all) => all.map(({ shipment }) => shipment))
  const submit = (document: Document) =>
    Effect.map(
      Effect.result(intake.submit({ ...document, business }, client)),
      (result) => Result.isSuccess(result) ? answerOf(result.success) : result.failure.code
    )
  yield* Effect.forEach(before, submit)
  const initial = {
    business: { slug: business, name: business },
    facility: east,
    docks: ["D1", "D2"],
    shipments: yield* shipments
  }
  const answers = yield* Effect.forEach(
    concurrent,
    ([document, turns]) => Effect.andThen(Effect.replicateEffect(Effect.yieldNow, turns), submit(document)),
    { concurrency: "unbounded" }
  )
  const documents = concurrent.map(([document]) => ({ ...document, business }))
  const after = yield* shipments
  assert.isTrue(
    explainable(initial, documents, after, answers),
    `no order of these documents explains the answers ${answers.join(", ")} and these shipments: ${
      Law.brief(after)
    }`
  )
})

/** A law of concurrent documents over stores. As for `IntakeLaw`, the stores are built again for each history. */
export type SerialLaw = <E>(stores: Layer.Layer<IntakeStores, E>) => Law.Law

const law = (name: string, documents: fc.Arbitrary<Document>): SerialLaw => (stores) =>
  Law.effect(
    name,
    atOnce(documents),
    (situation) =>
      Effect.provide(run(situation), Layer.provideMerge(Intake.layer(), stores), { local: true }),
    50,
    Law.brief
  )

const atEast = documents.map((document): Document => ({ ...document, facility: "east" }))

/** D3: concurrent documents about one order. */
export const onOneOrder = law(
  "D3 documents at once on one order end, and are answered, as some serial order explains",
  atEast.map((document) => ({ ...document, orders: [{ ...document.orders[0]!, orderNumber: "O1" }] }))
)

/** D3: concurrent documents about the orders of a facility. */
export const onAFacility = law(
  "D3 documents at once on the orders of a facility end, and are answered, as some serial order explains",
  atEast
)

/** The guarantees of concurrent documents, over these stores. */
export const everyLaw = <E>(stores: Layer.Layer<IntakeStores, E>): ReadonlyArray<Law.Law> => [
  onOneOrder(stores),
  onAFacility(stores)
]
