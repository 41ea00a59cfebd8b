/** Batches of pallet events in one transaction, made by hand. */
import { decidePallet } from "@dockline/core/movement/Movement"
import { textOf } from "@dockline/core/movement/Pallet"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { recently } from "@dockline/testing/generators/Given"
import * as Law from "@dockline/testing/Law"
import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import type { Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { often } from "../../../../test/support/Runner.ts"
import { over } from "../../../../test/support/Tests.ts"
import { noEnds } from "../../src/connections/Pipeline.ts"
import { callsOf } from "../../src/connections/Statements.ts"
import { businessId } from "../../src/rows/BusinessRows.ts"
import * as PalletBatch from "../../src/stores/PalletBatch.ts"
import { aBusiness, holding, lockWaiters, onNodeOf, services, times } from "../Movements.ts"

const now = recently("18:00:00.000Z")

const jobOf = (event: PalletEvent): PalletBatch.EventJob => {
  const text = textOf(event)
  return {
    event,
    text,
    givenNow: now,
    traceparent: undefined,
    decide: (snapshot) =>
      decidePallet(event, snapshot, { clientId: "tower", dashboardUrl: "https://dashboard", text })
  }
}

/** An event at D1 of a business; a shipment number and an lpn, if there are any. */
const sight = (
  business: string,
  eventId: string,
  shipmentNumber: string,
  lpn = "",
  rest: Partial<PalletEvent> = {}
): PalletEvent => ({
  eventId,
  business,
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("12:00:00.000Z"),
  shipmentId: null,
  shipmentNumber,
  labels: lpn === "" ? [] : [{ name: "lpn", value: lpn }],
  ...rest
})

/** Records events as one batch, in a transaction. */
const batchOf = Effect.fnUntraced(function*(...batch: ReadonlyArray<PalletBatch.EventJob>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(PalletBatch.make(callsOf(sql))(batch, false, noEnds))
})

/** The same, and waits for locks for as long as an event alone. */
const patientBatchOf = Effect.fnUntraced(function*(...batch: ReadonlyArray<PalletBatch.EventJob>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(PalletBatch.make(callsOf(sql))(batch, true, noEnds))
})

/** What became of events. */
const summary = (outcomes: ReadonlyArray<PalletBatch.Outcome>) =>
  outcomes.map((each) => {
    if (each === "held") return each
    if (Exit.isSuccess(each)) return each.value.repeated ? "repeated" : "recorded"
    const [reason] = each.cause.reasons
    return reason?._tag === "Fail" ? (reason.error as { readonly code: string }).code : "defect"
  })

over(services)("a batch of pallet events", (test) => {
  test("concerns several businesses, and what one event is refused or breaks with concerns no other", function*() {
    const [acme, globex] = [yield* aBusiness, yield* aBusiness]
    for (const n of times(3)) yield* acme.submit(`S${n}`, `O${n}`, `L${n}`)
    yield* globex.submit("S0", "O0", "L0")
    yield* acme.record({ eventId: "known", shipmentNumber: "S0", lpn: "L0" })
    const breaking = {
      ...jobOf(sight(acme.slug, "broken", "S1")),
      decide: () => {
        throw new Error("broken")
      }
    }
    const outcomes = yield* batchOf(
      jobOf(sight(globex.slug, "E0", "S0", "L0")),
      jobOf(sight(acme.slug, "known", "S0", "L0")),
      jobOf(sight(acme.slug, "E1", "nowhere")),
      jobOf(sight(acme.slug, "E2", "", "L2")),
      breaking,
      jobOf(sight(globex.slug, "E3", "S0", "", { facility: "nowhere" })),
      jobOf(sight(acme.slug, "E4", "S0", "L0", { dockSlug: "D9" }))
    )
    assert.deepStrictEqual(summary(outcomes), [
      "recorded",
      "repeated",
      "SHIPMENT_NOT_FOUND",
      "recorded",
      "defect",
      "FACILITY_NOT_FOUND",
      "UNKNOWN_DOCK"
    ])
    const ids = outcomes.map((each) =>
      each !== "held" && Exit.isSuccess(each) ? each.value.answer.messageId : undefined
    )
    assert.deepStrictEqual((yield* acme.messages).map(({ id }) => id), [ids[1], ids[3]])
    assert.deepStrictEqual((yield* globex.messages).map(({ id }) => id), [ids[0]])
  })

  test("leaves out an event of an earlier one's shipment", function*() {
    const acme = yield* aBusiness
    const { id } = yield* acme.submit("S1", "O1", "L1")
    yield* acme.submit("S2", "O2", "L2")
    const outcomes = yield* batchOf(
      jobOf(sight(acme.slug, "E1", "S1", "L1")),
      jobOf(sight(acme.slug, "E2", "", "L1")),
      jobOf(sight(acme.slug, "E3", "", "", { shipmentId: id })),
      jobOf(sight(acme.slug, "E4", "S2", "L2"))
    )
    assert.deepStrictEqual(summary(outcomes), ["recorded", "held", "held", "recorded"])
  })

  test("leaves out, and does not wait for, what somebody else has locked", function*() {
    const sql = yield* SqlClient.SqlClient
    const acme = yield* aBusiness
    for (const n of [1, 2, 3]) yield* acme.submit(`S${n}`, `O${n}`, `L${n}`)
    // A document has the row of a shipment, and another instance the id of an event.
    const elsewhere = yield* holding(
      Effect.andThen(
        sql`select from dockline.shipment where business_id = ${
          businessId(acme.slug)
        }::bigint and number = 'S1'
            for no key update`,
        sql`select pg_advisory_xact_lock(hashtextextended('dockline.event:' || f.id || ':=E2', 0))
            from dockline.facility f join dockline.business b on b.id = f.business_id where b.slug = ${acme.slug}`
      ),
      onNodeOf(acme.slug)
    )
    const outcomes = yield* batchOf(
      jobOf(sight(acme.slug, "E1", "S1")),
      jobOf(sight(acme.slug, "E2", "S2")),
      jobOf(sight(acme.slug, "E3", "S3"))
    )
    yield* elsewhere.commit
    assert.deepStrictEqual(summary(outcomes), ["held", "held", "recorded"])
  })

  test("locks the logs of its businesses in the order of every other", function*() {
    const sql = yield* SqlClient.SqlClient
    const [acme, globex] = [yield* aBusiness, yield* aBusiness]
    for (const each of [acme, globex]) {
      for (const n of [1, 2]) yield* each.submit(`S${n}`, `O${n}`, `L${n}`)
      // The first message makes the log.
      yield* each.record({ eventId: "known", shipmentNumber: "S1" })
    }
    const elsewhere = yield* holding(
      sql`select from dockline.message_log where business_id = ${businessId(acme.slug)}::bigint for update`,
      onNodeOf(acme.slug)
    )
    const first = yield* Effect.forkChild(
      patientBatchOf(jobOf(sight(acme.slug, "E1", "S1")), jobOf(sight(globex.slug, "E1", "S1")))
    )
    yield* lockWaiters(1)
    const second = yield* Effect.forkChild(
      patientBatchOf(jobOf(sight(globex.slug, "E2", "S2")), jobOf(sight(acme.slug, "E2", "S2")))
    )
    yield* lockWaiters(2)
    yield* elsewhere.commit
    assert.deepStrictEqual(
      [summary(yield* Fiber.join(first)), summary(yield* Fiber.join(second))],
      times(2).map(() => ["recorded", "recorded"])
    )
  })

  test("is written in no other transaction than that which holds its locks", function*() {
    const sql = yield* SqlClient.SqlClient
    const acme = yield* aBusiness
    yield* acme.submit("S1", "O1", "L1")
    // Each statement is a transaction of its own.
    const exit = yield* Effect.exit(
      PalletBatch.make(callsOf(sql))([jobOf(sight(acme.slug, "E1", "S1"))], false, noEnds)
    )
    assert.isTrue(Exit.isFailure(exit))
    assert.deepStrictEqual(yield* acme.messages, [])
  })
})

/** The shipments of a business with their pallets, without ids. */
const stateOf = Effect.fnUntraced(function*(business: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select s.number, s.status, s.arrived_at::text, d.slug as dock, s.pallet_events, s.label_text::text,
      (select json_agg(json_build_array(p.lpn, p.first_direction, p.first_seen_at, p.last_direction, p.last_seen_at)
        order by p.lpn, p.id) from dockline.pallet p where p.business_id = s.business_id and p.shipment_id = s.id) as pallets
    from dockline.shipment s join dockline.business b on b.id = s.business_id left join dockline.dock d on d.id = s.dock_id
    where b.slug = ${business} order by s.id`
})

over(services)("any batch of pallet events", (test) => {
  const event = fc.record({
    eventId: fc.integer({ min: 1, max: 12 }).map((n) => `E${n}`),
    facility: fc.constantFrom("east", "east", "east", "east", "east", "west"),
    dockSlug: fc.constantFrom("D1", "D1", "D2", "D9"),
    direction: fc.constantFrom("LOADING" as const, "UNLOADING" as const),
    occurredAt: fc.integer({ min: 10, max: 59 }).map((second) => recently(`12:00:${second}.000Z`)),
    // Each is expected on the shipment of its number, L9 on none.
    lpn: fc.constantFrom("L0", "L1", "L2", "L9", ""),
    shipmentNumber: fc.constantFrom("S0", "S1", "S2", "", "", "S9")
  })
  const arbitrary = fc.record({
    before: fc.array(event, { maxLength: 4 }),
    // Events that share an id go in different batches.
    batch: fc.uniqueArray(event, { minLength: 2, maxLength: 8, selector: ({ eventId }) => eventId })
  })

  test("ends, and is answered, as its events one after another", function*() {
    const context = yield* Effect.context<Layer.Success<typeof services>>()
    const law = Law.effect(
      "any batch of events ends, and is answered, as its events one after another",
      arbitrary,
      ({ batch, before }) =>
        Effect.gen(function*() {
          const [together, apart] = [yield* aBusiness, yield* aBusiness]
          const own = ({ slug }: typeof apart, { lpn, ...rest }: (typeof batch)[number]) =>
            jobOf(sight(slug, rest.eventId, rest.shipmentNumber, lpn, rest))
          for (const each of [together, apart]) {
            for (const n of times(3)) yield* each.submit(`S${n}`, `O${n}`, `L${n}`)
            for (const event of before) yield* batchOf(own(each, event))
          }
          const answerOf = (outcomes: ReadonlyArray<PalletBatch.Outcome>) =>
            outcomes.map((each, at) =>
              each !== "held" && Exit.isSuccess(each)
                ? `${each.value.repeated ? "repeated" : "recorded"} on ${each.value.answer.orders}`
                : summary(outcomes)[at]!
            )
          const done = answerOf(yield* batchOf(...batch.map((each) => own(together, each))))
          const waiting = Array.from(batch.keys()).filter((at) => done[at] === "held")
          for (const at of waiting) done[at] = answerOf(yield* batchOf(own(together, batch[at]!)))[0]!
          // An event that is matched by its dock has seen no arrival of the batch; other events read no docks.
          const isByDock = (at: number) => {
            const { lpn, shipmentNumber } = batch[at]!
            return shipmentNumber === "" && (lpn === "" || lpn === "L9")
          }
          const free = Array.from(batch.keys()).filter((at) => !waiting.includes(at))
          const order = [...free.filter(isByDock), ...free.filter((at) => !isByDock(at)), ...waiting]
          const one: Array<string> = []
          for (const at of order) one[at] = answerOf(yield* batchOf(own(apart, batch[at]!)))[0]!
          assert.deepStrictEqual(done, one, Law.brief(batch))
          assert.deepStrictEqual(
            yield* stateOf(together.slug),
            yield* stateOf(apart.slug),
            Law.brief(batch)
          )
          const typesOf = (messages: ReadonlyArray<{ readonly type: string }>) =>
            messages.map(({ type }) => type)
          assert.deepStrictEqual(typesOf(yield* together.messages), typesOf(yield* apart.messages))
        }).pipe(Effect.provideContext(context)),
      40,
      Law.brief
    )
    yield* Effect.promise(() => Law.check(law, often))
  }, 120_000)
})
