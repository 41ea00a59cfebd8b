/** Documents and pallet events with an idempotency key share transactions, in which their answers are kept (ADR 21, ADR 25). */
import { NotRun } from "@dockline/core/access/Idempotency"
import type { Keep } from "@dockline/core/access/Idempotency"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { aDocument, anItem, orderOf, unique } from "@dockline/testing/generators/Given"
import { aDocumentsWorld } from "@dockline/testing/laws/IntakeRun"
import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import { over } from "../../../../test/support/Tests.ts"
import { operations } from "../../src/connections/StoreOperations.ts"
import { businessId } from "../../src/rows/BusinessRows.ts"
import { aBusiness, holding, lockWaiters, onNodeOf, services, times, underKey } from "../Movements.ts"

/** A client with its documents, each under a key of its own. */
const aClient = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const intake = yield* Intake
  const { business, client } = yield* aDocumentsWorld
  const clientId = unique("client")
  const submit = (
    key: string,
    shipmentNumber = key,
    direction = "OUTBOUND",
    keep?: Keep<IntakeResult, NotRun>
  ) =>
    intake.submit(
      {
        ...aDocument(
          { business, facility: "east", shipmentNumber },
          ...Array.from(
            { length: key === "MANY" ? 40 : 1 },
            (_, at) => orderOf(`O-${key}-${at}`, "MERGE", [anItem(`L-${key}-${at}`, "S")])
          )
        ),
        direction
      },
      client,
      { dryRun: false, keep }
    )
  /** Its answer is the id of its shipment, or the code of its refusal. */
  const keepOf = (key: string): Keep<IntakeResult, NotRun> => ({
    request: { clientId, key, fingerprint: key },
    textOf: (result) => {
      if (key === "BREAKS") throw new Error("broken")
      return Result.isSuccess(result)
        ? String(result.success.shipment.id)
        : (result.failure as { readonly code: string }).code
    },
    notRun: (state) => new NotRun({ state })
  })
  const send = (key: string, shipmentNumber = key, direction?: string, orderNumber = key) =>
    submit(orderNumber, shipmentNumber, direction, keepOf(key)).pipe(
      Effect.match({
        onSuccess: ({ shipment }) => first(String(shipment.id)),
        onFailure: (error) => {
          if (error._tag !== "NotRun") return first(error.code)
          return error.state._tag === "KeptAnswer"
            ? { answer: error.state.text, replayed: true }
            : first(error.state.code)
        }
      })
    )
  return {
    business,
    clientId,
    send,
    submit,
    /** What is there by number, with the transaction that wrote it. */
    stored: Effect.map(
      sql<{ readonly number: string; readonly id: string; readonly by: string }>`
        select s.number, s.id::text as id, s.xmin::text as by from dockline.shipment s
        join dockline.business b on b.id = s.business_id where b.slug = ${business}`,
      (rows) => new Map(rows.map((row) => [row.number, row]))
    ),
    /** The answers that are kept, with the transaction that wrote them. */
    kept: Effect.map(
      sql<{ readonly key: string; readonly answer: string; readonly by: string }>`
        select key, answer, xmin::text as by from dockline.idempotent_answer where client_id = ${clientId}`,
      (rows) => new Map(rows.map((row) => [row.key, row]))
    )
  }
})

/** Lets the answer of a key wait to be kept, after its document is written, until it is rolled back. */
const heldBack = (clientId: string, key: string) =>
  SqlClient.SqlClient.use((sql) =>
    holding(sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
      values (${clientId}, ${key}, '', '', clock_timestamp())`)
  )

const first = (answer: string) => ({ answer, replayed: false })

over(services)("documents with a key", (test) => {
  test("share transactions, each with its own answer, beside documents without", function*() {
    const { kept, send, stored, submit } = yield* aClient
    const keys = Array.from({ length: 40 }, (_, index) => `K${index}`)
    const answers = yield* Effect.forEach(
      keys,
      (key, index) =>
        index % 4 === 0
          ? Effect.map(submit(key), ({ shipment }) => first(String(shipment.id)))
          : send(key),
      { concurrency: "unbounded" }
    )
    const [shipments, rows] = [yield* stored, yield* kept]
    assert.deepStrictEqual(answers, keys.map((key) => first(shipments.get(key)!.id)))
    assert.isAtMost(new Set(Array.from(shipments.values(), ({ by }) => by)).size, 10)
    const withKey = keys.filter((_, index) => index % 4 !== 0)
    assert.sameMembers(Array.from(rows.keys()), withKey)
    for (const key of withKey) {
      const { by, id } = shipments.get(key)!
      assert.deepStrictEqual(rows.get(key), { key, answer: id, by })
    }
    const again = yield* Effect.forEach(withKey, (key) => send(key), { concurrency: "unbounded" })
    assert.deepStrictEqual(again, withKey.map((key) => ({ answer: shipments.get(key)!.id, replayed: true })))
  })

  for (const seconds of [-day - 60, day + 60]) {
    // @threat reports.6
    test(`are done once, where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const { send } = yield* aClient
      const wrong = ahead(seconds)
      const [one, other] = [yield* send("A"), yield* wrong(send("B"))]
      assert.deepStrictEqual([one.replayed, other.replayed], [false, false])
      for (const instance of [wrong, ahead(0), ahead(day + 60)]) {
        assert.deepStrictEqual(yield* instance(send("A")), { ...one, replayed: true })
        assert.deepStrictEqual(yield* instance(send("B")), { ...other, replayed: true })
      }
    })
  }

  test("are done anew after a day of the database's clock, also by an instance whose clock is ahead", function*() {
    const sql = yield* SqlClient.SqlClient
    const { clientId, send } = yield* aClient
    const age = sql`update dockline.idempotent_answer set kept_at = now() - interval '25 hours'
      where client_id = ${clientId}`
    const expected = yield* send("A")
    for (const seconds of [0, day]) {
      yield* age
      assert.deepStrictEqual(yield* ahead(seconds)(send("A")), expected)
      assert.isTrue((yield* send("A")).replayed)
    }
  })

  // @threat reports.6
  test("are done once though the clocks of the database and of the instance have jumped by two days", function*() {
    const sql = yield* SqlClient.SqlClient
    const { run } = yield* operations
    const { clientId, send } = yield* aClient
    const one = yield* send("A")
    yield* run`dockline.retention_time()`
    yield* sql`update dockline.retention_clock set trusted_at = trusted_at - interval '2 days',
      seen_at = seen_at - interval '2 days'`
    yield* sql`update dockline.idempotent_answer set kept_at = kept_at - interval '2 days' where client_id = ${clientId}`
    const again = yield* send("A")
    yield* sql`update dockline.retention_clock set trusted_at = clock_timestamp(), seen_at = clock_timestamp()`
    assert.deepStrictEqual(again, { ...one, replayed: true })
  })

  test("one whose answer breaks has none, and breaks no other", function*() {
    const { kept, send, stored } = yield* aClient
    const exits = yield* Effect.forEach(
      ["A", "B", "BREAKS", "D"],
      (key) => Effect.exit(send(key)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
    // As without a key, its write stays.
    assert.sameMembers(Array.from((yield* stored).keys()), ["A", "B", "BREAKS", "D"])
    assert.sameMembers(Array.from((yield* kept).keys()), ["A", "B", "D"])
  })

  test("go alone where a lock is taken, or they are large, with their answers", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business, kept, send, stored } = yield* aClient
    yield* send("A")
    // It locks the facility.
    const large = yield* send("MANY")
    const elsewhere = yield* holding(
      sql`select from dockline.shipment where business_id = ${businessId(business)}::bigint and number = 'A'
          for no key update`
    )
    const holder = yield* Effect.forkChild(send("B", "A"))
    const beside = yield* send("C")
    assert.isUndefined(holder.pollUnsafe())
    yield* elsewhere.commit
    const shipments = yield* stored
    assert.deepStrictEqual([beside, large], [
      first(shipments.get("C")!.id),
      first(shipments.get("MANY")!.id)
    ])
    assert.deepStrictEqual(yield* Fiber.join(holder), first(shipments.get("A")!.id))
    const rows = yield* kept
    assert.sameMembers(Array.from(rows.keys()), ["A", "B", "C", "MANY"])
    assert.strictEqual(rows.get("MANY")!.by, shipments.get("MANY")!.by)
    assert.isTrue((yield* send("B", "A")).replayed)
  })

  test("a client that goes away while its document is under way finds its answer", function*() {
    const { clientId, send, stored } = yield* aClient
    const answer = yield* heldBack(clientId, "A")
    const client = yield* Effect.forkChild(send("A"))
    yield* lockWaiters(1)
    const leaving = yield* Effect.forkChild(Fiber.interrupt(client))
    yield* Effect.sleep("50 millis")
    yield* answer.rollback
    yield* Fiber.join(leaving)
    const id = (yield* stored).get("A")!.id
    assert.deepStrictEqual(yield* send("A"), { answer: id, replayed: true })
  })

  test("a key that another instance has is in use, and its document is not done; others are", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business, clientId, send, stored } = yield* aClient
    const id = JSON.stringify([clientId, "A"])
    const elsewhere = yield* holding(
      sql`select pg_advisory_xact_lock(hashtextextended('dockline.idempotency:' || ${id}, 0))`,
      onNodeOf(business)
    )
    const [a, b] = yield* Effect.all([send("A"), send("B")], { concurrency: "unbounded" })
    yield* elsewhere.commit
    const shipments = yield* stored
    assert.deepStrictEqual(a, first("IDEMPOTENCY_KEY_IN_USE"))
    assert.deepStrictEqual(b, first(shipments.get("B")!.id))
    assert.deepStrictEqual(Array.from(shipments.keys()), ["B"])
    assert.isFalse((yield* send("A")).replayed)
  })

  test("of two with one key in a batch the second is in use, and no other is concerned", function*() {
    const { send, stored } = yield* aClient
    // The first goes at once, and those that come meanwhile share the next batch.
    const [, ...ends] = yield* Effect.all(
      [send("A"), send("K", "K1"), send("K", "K2", undefined, "K2"), send("C")],
      { concurrency: "unbounded" }
    )
    const shipments = yield* stored
    assert.deepStrictEqual(ends, [
      first(shipments.get("K1")!.id),
      first("IDEMPOTENCY_KEY_IN_USE"),
      first(shipments.get("C")!.id)
    ])
    assert.isFalse(shipments.has("K2"))
    assert.strictEqual(shipments.get("C")!.by, shipments.get("K1")!.by)
  })

  test("pallet events share transactions too, in which their answers are kept", function*() {
    const sql = yield* SqlClient.SqlClient
    const business = yield* aBusiness
    const ids = yield* Effect.forEach(times(16), (n) => business.submit(`P-${n}`, `P-${n}`))
    const prefix = unique("event")
    const record = (n: number) =>
      underKey(business.record({ eventId: `${prefix}-${n}`, shipmentId: ids[n]!.id }), `${prefix}-${n}`)
    yield* Effect.forEach(times(16), record, { concurrency: "unbounded" })
    const rows = yield* sql<{ readonly answers: string; readonly transactions: string }>`
        select count(*)::text as answers, count(distinct a.xmin::text)::text as transactions
        from dockline.idempotent_answer a join dockline.message m on m.xmin::text = a.xmin::text
        where a.key like ${`${prefix}%`}`
    assert.isAtMost(Number(rows[0]!.transactions), 6)
    assert.isAtLeast(Number(rows[0]!.answers), 16)
    yield* Effect.forEach(times(16), record, { concurrency: "unbounded" })
    assert.lengthOf(yield* business.messages, 16)
  })
})
