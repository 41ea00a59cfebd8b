/** Documents with an idempotency key share transactions with others, in which their answers are kept (ADR 21). */
import type { IdempotentRequest, KeptAnswer } from "@dockline/core/IdempotencyStore"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import { Intake } from "@dockline/core/Intake"
import { IdempotencyKeyInUse } from "@dockline/core/RequestErrors"
import { aDocument, anItem, orderOf } from "@dockline/core/testing/generators/Given"
import { aDocumentsWorld, shipmentsOf } from "@dockline/core/testing/laws/IntakeRun"
import { unique } from "@dockline/core/testing/Unique"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const services = Intake.layer().pipe(Layer.provideMerge(Sql.layer), Layer.provideMerge(TestDatabase.layer))

/** A client with its documents; `then` is what its request does between the write and the answer. */
const aClient = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const store = yield* IdempotencyStore
  const intake = yield* Intake
  const { business, client } = yield* aDocumentsWorld
  const clientId = unique("client")
  const request = (key: string): IdempotentRequest => ({ clientId, key, fingerprint: key })
  const submit = (key: string, shipmentNumber = key, direction = "OUTBOUND") =>
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
      client
    )
  const send = (key: string, then: Effect.Effect<void> = Effect.void, ...given: ReadonlyArray<string>) =>
    store.once(
      request(key),
      submit(key, ...given).pipe(
        Effect.tap(() => then),
        Effect.map(({ shipment }) => String(shipment.id)),
        Effect.catch((error) => Effect.succeed(error._tag)),
        Effect.map((answer) => ({ answer, keep: answer !== "StorageUnavailable" }))
      ),
      { writesOnce: true }
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

/** A gate that a request stands at once its write is done: the transaction is open until then. */
const aGate = Effect.gen(function*() {
  const reached = yield* Deferred.make<void>()
  const opened = yield* Deferred.make<void>()
  return {
    reached: Deferred.await(reached),
    open: Deferred.succeed(opened, undefined),
    pass: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened))
  }
})

const first = (answer: string): KeptAnswer => ({ answer, replayed: false })

layer(services, { excludeTestServices: true })("documents with a key", (it) => {
  it.effect("share transactions, each with its own answer, beside documents without", () =>
    Effect.gen(function*() {
      const { kept, send, stored, submit } = yield* aClient
      const keys = Array.from({ length: 40 }, (_, index) => `K${index}`)
      const answers = yield* Effect.forEach(
        keys,
        (key, index): Effect.Effect<KeptAnswer, unknown> =>
          index % 4 === 0
            ? Effect.map(submit(key), ({ shipment }) => first(String(shipment.id)))
            : send(key),
        { concurrency: "unbounded" }
      )
      const [shipments, rows] = [yield* stored, yield* kept]
      assert.deepStrictEqual(answers, keys.map((key) => first(shipments.get(key)!.id)))
      assert.isAtMost(new Set(Array.from(shipments.values(), ({ by }) => by)).size, 10)
      const keyed = keys.filter((_, index) => index % 4 !== 0)
      assert.sameMembers(Array.from(rows.keys()), keyed)
      for (const key of keyed) {
        const { by, id } = shipments.get(key)!
        assert.deepStrictEqual(rows.get(key), { key, answer: id, by })
      }
      const again = yield* Effect.forEach(keyed, (key) => send(key), { concurrency: "unbounded" })
      assert.deepStrictEqual(again, keyed.map((key) => ({ answer: shipments.get(key)!.id, replayed: true })))
    }))

  it.effect("keep a refusal, and do not concern each other", () =>
    Effect.gen(function*() {
      const { kept, send, stored } = yield* aClient
      yield* send("A")
      const answers = yield* Effect.all(
        [send("B"), send("C", Effect.void, "A", "INBOUND"), send("D"), send("E", Effect.void, "A")],
        { concurrency: "unbounded" }
      )
      const shipments = yield* stored
      assert.deepStrictEqual(answers.map(({ answer }) => answer), [
        shipments.get("B")!.id,
        "ShipmentConflict",
        shipments.get("D")!.id,
        shipments.get("A")!.id
      ])
      assert.strictEqual((yield* kept).get("C")!.answer, "ShipmentConflict")
      assert.deepStrictEqual(yield* send("C", Effect.void, "A", "INBOUND"), {
        answer: "ShipmentConflict",
        replayed: true
      })
    }))

  it.effect("one that breaks between its write and its answer has none, and breaks no other", () =>
    Effect.gen(function*() {
      const { kept, send, stored } = yield* aClient
      const exits = yield* Effect.forEach(
        ["A", "B", "C", "D"],
        (key) => Effect.exit(send(key, key === "C" ? Effect.die(new Error("broken")) : Effect.void)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
      // As without a key, its write stays.
      assert.sameMembers(Array.from((yield* stored).keys()), ["A", "B", "C", "D"])
      assert.sameMembers(Array.from((yield* kept).keys()), ["A", "B", "D"])
      // The key is free.
      assert.isFalse((yield* send("C")).replayed)
    }))

  it.effect("go alone where a lock is taken, or they are large, with their answers", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { business, kept, send, stored } = yield* aClient
      yield* send("A")
      // It locks the facility.
      const large = yield* send("MANY")
      const gate = yield* aGate
      const elsewhere = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(
        sql`select from dockline.shipment s join dockline.business b on b.id = s.business_id
          where b.slug = ${business} and s.number = 'A' for no key update of s`,
        gate.pass
      )))
      yield* gate.reached
      const held = yield* Effect.forkChild(send("B", Effect.void, "A"))
      const beside = yield* send("C")
      assert.isUndefined(held.pollUnsafe())
      yield* gate.open
      yield* Fiber.join(elsewhere)
      const shipments = yield* stored
      assert.deepStrictEqual([beside, large], [
        first(shipments.get("C")!.id),
        first(shipments.get("MANY")!.id)
      ])
      assert.deepStrictEqual(yield* Fiber.join(held), first(shipments.get("A")!.id))
      const rows = yield* kept
      assert.sameMembers(Array.from(rows.keys()), ["A", "B", "C", "MANY"])
      assert.strictEqual(rows.get("MANY")!.by, shipments.get("MANY")!.by)
      assert.isTrue((yield* send("B", Effect.void, "A")).replayed)
    }))

  it.effect("a client that goes away while its document is under way finds its answer", () =>
    Effect.gen(function*() {
      const { send, stored } = yield* aClient
      const gate = yield* aGate
      const gone = yield* Effect.forkChild(send("A", gate.pass))
      yield* gate.reached
      const leaving = yield* Effect.forkChild(Fiber.interrupt(gone))
      yield* Effect.sleep("50 millis")
      yield* gate.open
      yield* Fiber.join(leaving)
      const id = (yield* stored).get("A")!.id
      assert.deepStrictEqual(yield* send("A"), { answer: id, replayed: true })
    }))

  it.effect("a client that goes away while its document waits leaves nothing, and the key is free", () =>
    Effect.gen(function*() {
      const { send, stored } = yield* aClient
      const gate = yield* aGate
      const flying = yield* Effect.forkChild(send("A", gate.pass))
      yield* gate.reached
      // It shares a number with the one that is under way.
      const waiting = yield* Effect.forkChild(send("B", Effect.void, "A"))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(waiting)
      yield* gate.open
      assert.isFalse((yield* Fiber.join(flying)).replayed)
      assert.deepStrictEqual(Array.from((yield* stored).keys()), ["A"])
      assert.isFalse((yield* send("B")).replayed)
      assert.isTrue((yield* stored).has("B"))
    }))

  it.effect("a key that another instance has is in use, and its document is not done; others are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { clientId, send, stored } = yield* aClient
      const gate = yield* aGate
      const id = JSON.stringify([clientId, "A"])
      const elsewhere = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(
        sql`select pg_advisory_xact_lock(hashtextextended('dockline.idempotency:' || ${id}, 0))`,
        gate.pass
      )))
      yield* gate.reached
      const [a, b] = yield* Effect.all([Effect.exit(send("A")), Effect.exit(send("B"))], {
        concurrency: "unbounded"
      })
      yield* gate.open
      yield* Fiber.join(elsewhere)
      assert.isTrue(Exit.isFailure(a))
      assert.instanceOf(yield* Effect.flip(a), IdempotencyKeyInUse)
      assert.isTrue(Exit.isSuccess(b))
      assert.deepStrictEqual(Array.from((yield* stored).keys()), ["B"])
      assert.isFalse((yield* send("A")).replayed)
    }))

  it.effect("one that another instance has done meanwhile is not done again", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { business, clientId, send } = yield* aClient
      const gate = yield* aGate
      const flying = yield* Effect.forkChild(send("A", gate.pass))
      yield* gate.reached
      // It has looked for an answer, and waits, as it shares a number with the one that is under way.
      const waiting = yield* Effect.forkChild(send("B", Effect.void, "A"))
      yield* Effect.sleep("100 millis")
      yield* sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
        values (${clientId}, 'B', 'B', 'of the other', clock_timestamp())`
      yield* gate.open
      yield* Fiber.join(flying)
      assert.deepStrictEqual(yield* Fiber.join(waiting), { answer: "of the other", replayed: true })
      const [found] = yield* shipmentsOf(business)
      assert.deepStrictEqual(found!.shipment.orders.map((order) => order.number), ["O-A-0"])
    }))
})
