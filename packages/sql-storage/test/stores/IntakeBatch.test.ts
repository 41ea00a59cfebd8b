/** Batches of documents in one transaction, made by hand. */
import { decide } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { outcome } from "@dockline/core/document/Outcome"
import { documents } from "@dockline/testing/generators/Generators"
import { aDocument, anItem, east, now, orderOf } from "@dockline/testing/generators/Given"
import { answerOf, explainable } from "@dockline/testing/generators/Serial"
import * as Law from "@dockline/testing/Law"
import { aDocumentsWorld, shipmentsOf } from "@dockline/testing/laws/IntakeRun"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { often } from "../../../../test/support/Runner.ts"
import { over } from "../../../../test/support/Tests.ts"
import { noEnds } from "../../src/connections/Pipeline.ts"
import { callsOf } from "../../src/connections/Statements.ts"
import { businessId } from "../../src/rows/BusinessRows.ts"
import * as IntakeBatch from "../../src/stores/IntakeBatch.ts"
import { holding, lockOfFacility, onNodeOf, services } from "../Movements.ts"

const jobOf = (document: Document): IntakeBatch.DocumentJob => ({
  document,
  givenNow: now,
  decide: (snapshot) => decide(document, snapshot),
  needsNumbersInUse: false,
  dryRun: false,
  sender: undefined
})

/** A document for a shipment with orders of these numbers, each with one item. */
const shipment = (business: string, shipmentNumber: string, ...numbers: ReadonlyArray<string>): Document =>
  aDocument(
    { business, facility: "east", shipmentNumber },
    ...numbers.map((number) => orderOf(number, "MERGE", [anItem(`${number}-${shipmentNumber}`, "S")]))
  )

/** Does documents as one batch, in a transaction. */
const batchOf = Effect.fnUntraced(function*(...batch: ReadonlyArray<IntakeBatch.DocumentJob>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(IntakeBatch.make(callsOf(sql))(batch, false, noEnds))
})

/** What became of documents. */
const summary = (outcomes: ReadonlyArray<IntakeBatch.Outcome>) =>
  outcomes.map((each) => {
    if (each === "held") return each
    if (Exit.isSuccess(each)) return answerOf(outcome(each.value.snapshot, each.value.plan, each.value.ids))
    const [reason] = each.cause.reasons
    return reason?._tag === "Fail" ? (reason.error as { readonly code: string }).code : "defect"
  })

const ordersOf = Effect.fnUntraced(function*(business: string) {
  const all = yield* shipmentsOf(business)
  return Object.fromEntries(
    all.map(({ shipment: { number, orders } }) => [number, orders.map((order) => order.number)])
  )
})

over(services)("a batch of documents", (test) => {
  test("concerns several businesses, and what one document is refused or breaks with concerns no other", function*() {
    const [acme, globex] = [yield* aDocumentsWorld, yield* aDocumentsWorld]
    const inbound = { ...shipment(acme.business, "S1", "A1"), direction: "INBOUND" }
    assert.deepStrictEqual(summary(yield* batchOf(jobOf(inbound))), ["CREATED"])
    const breaking = {
      ...jobOf(shipment(acme.business, "S9", "A9")),
      decide: () => {
        throw new Error("broken")
      }
    }
    const outcomes = yield* batchOf(
      jobOf(shipment(acme.business, "S2", "A2", "A3")),
      jobOf(shipment(globex.business, "S1", "A1")),
      jobOf(shipment(acme.business, "S1", "A4")),
      breaking,
      jobOf({ ...shipment(globex.business, "S2", "A2"), facility: "nowhere" }),
      { ...jobOf(shipment(globex.business, "S3", "A3")), dryRun: true },
      jobOf(shipment(acme.business, "S4", "A5"))
    )
    assert.deepStrictEqual(summary(outcomes), [
      "CREATED",
      "CREATED",
      "SHIPMENT_CONFLICT",
      "defect",
      "FACILITY_NOT_FOUND",
      "CREATED",
      "CREATED"
    ])
    assert.deepStrictEqual(yield* ordersOf(acme.business), { S1: ["A1"], S2: ["A2", "A3"], S4: ["A5"] })
    assert.deepStrictEqual(yield* ordersOf(globex.business), { S1: ["A1"] })
  })

  test("leaves out a document that would change a shipment of an earlier one", function*() {
    const { business } = yield* aDocumentsWorld
    yield* batchOf(
      jobOf(shipment(business, "S1", "A")),
      jobOf(shipment(business, "S2", "B")),
      jobOf(shipment(business, "S3", "C"))
    )
    // Each takes an order of the other one's shipment over: no order of the two explains both.
    const [toFirst, toSecond] = [shipment(business, "S1", "B"), shipment(business, "S2", "A")]
    const outcomes = yield* batchOf(
      jobOf(toFirst),
      jobOf(toSecond),
      jobOf(shipment(business, "S3", "D"))
    )
    assert.deepStrictEqual(summary(outcomes), ["CREATED", "held", "CREATED"])
    assert.deepStrictEqual(yield* ordersOf(business), { S1: ["A", "B"], S2: [], S3: ["C", "D"] })
    assert.deepStrictEqual(summary(yield* batchOf(jobOf(toSecond))), ["CREATED"])
    assert.deepStrictEqual(yield* ordersOf(business), { S1: ["B"], S2: ["A"], S3: ["C", "D"] })
  })

  test("leaves out, and does not wait for, what somebody else has locked", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business } = yield* aDocumentsWorld
    yield* batchOf(jobOf(shipment(business, "S1", "A")), jobOf(shipment(business, "S2", "B")))
    // A pallet has the row of a shipment, and another instance the number of an order.
    const elsewhere = yield* holding(Effect.andThen(
      sql`select from dockline.shipment where business_id = ${businessId(business)}::bigint and number = 'S1'
          for no key update`,
      IntakeBatch.make(callsOf(sql))([jobOf(shipment(business, "S4", "E"))], false, noEnds)
    ))
    const outcomes = yield* batchOf(
      jobOf(shipment(business, "S1", "C")),
      jobOf(shipment(business, "S5", "E")),
      jobOf(shipment(business, "S3", "D")),
      // It would take an order of the locked shipment over.
      jobOf(shipment(business, "S2", "A"))
    )
    yield* elsewhere.commit
    assert.deepStrictEqual(summary(outcomes), ["held", "held", "CREATED", "held"])
    assert.deepStrictEqual(yield* ordersOf(business), { S1: ["A"], S2: ["B"], S3: ["D"], S4: ["E"] })
  })

  test("leaves out, and does not wait for, documents of a facility that somebody else has alone", function*() {
    const [acme, globex] = [yield* aDocumentsWorld, yield* aDocumentsWorld]
    const alone = yield* holding(lockOfFacility(acme.business), onNodeOf(acme.business))
    const outcomes = yield* batchOf(
      jobOf(shipment(acme.business, "S1", "A")),
      jobOf({ ...shipment(acme.business, "S1", "A"), facility: "west" }),
      jobOf(shipment(globex.business, "S1", "A"))
    )
    yield* alone.commit
    assert.deepStrictEqual(summary(outcomes), ["held", "CREATED", "CREATED"])
  })

  test("is written in no other transaction than that which holds its locks", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business } = yield* aDocumentsWorld
    // Each statement is a transaction of its own.
    const exit = yield* Effect.exit(
      IntakeBatch.make(callsOf(sql))([jobOf(shipment(business, "S1", "A"))], false, noEnds)
    )
    assert.isTrue(Exit.isFailure(exit))
    assert.deepStrictEqual(yield* ordersOf(business), {})
  })
})

/** Documents that share no number, of those that are drawn. */
const disjoint = (documents: ReadonlyArray<Document>): ReadonlyArray<Document> => {
  const ids = new Set<string>()
  return documents.filter(({ orders, shipmentNumber }) => {
    const numbers = [shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)]
    const isFree = numbers.every((number) => !ids.has(number))
    if (isFree) { for (const number of numbers) ids.add(number) }
    return isFree
  })
}

over(services)("any batch", (test) => {
  const atEast = documents.map((document): Document => ({ ...document, facility: "east" }))
  const arbitrary = fc.record({
    before: fc.array(atEast, { maxLength: 5 }),
    batch: fc.array(atEast, { minLength: 2, maxLength: 8 }).map(disjoint)
  })

  test("ends, and is answered, as its documents one after another", function*() {
    const context = yield* Effect.context<Layer.Success<typeof services>>()
    const law = Law.effect(
      "any batch ends, and is answered, as its documents one after another",
      arbitrary,
      ({ batch, before }) =>
        Effect.gen(function*() {
          const { business } = yield* aDocumentsWorld
          const own = (document: Document) => jobOf({ ...document, business })
          for (const document of before) yield* batchOf(own(document))
          const all = Effect.map(
            shipmentsOf(business, "east"),
            (page) => page.map(({ shipment }) => shipment)
          )
          const initial = {
            business: { slug: business, name: business },
            facility: east,
            docks: ["D1", "D2"],
            shipments: yield* all
          }
          const done = summary(yield* batchOf(...batch.map(own)))
          const waiting = batch.filter((_, at) => done[at] === "held")
          const answers = done.filter((each) => each !== "held")
          for (const document of waiting) answers.push(...summary(yield* batchOf(own(document))))
          const order = [...batch.filter((_, at) => done[at] !== "held"), ...waiting].map((
            { ...document }
          ) => ({
            ...document,
            business
          }))
          assert.isTrue(
            explainable(initial, order, yield* all, answers),
            `${answers.join(", ")} of ${Law.brief(order)}`
          )
        }).pipe(Effect.provideContext(context)),
      40,
      Law.brief
    )
    yield* Effect.promise(() => Law.check(law, often))
  }, 120_000)
})
