/** Entries of outboxes and messages that are appended at once on PostgreSQL: one order of ids, that of the commits. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import { create, deliveryOf, open, settle, take, update } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft, append, at, day } from "@dockline/testing/worlds/MessageLogWorld"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { holding, lockWaiters, services } from "../Movements.ts"
import { writer } from "./Outbox.ts"

const letter = "LETTER"

const post = (business: string, shipmentId = 1) =>
  OutboxWriter.use((outbox) =>
    outbox.append({
      business,
      facility: "east",
      type: letter,
      shipmentId,
      path: "/api/letters",
      mediaType: "text/x-letter",
      text: "Dear"
    })
  )

/** A business with the lease of an endpoint that gets messages and entries. */
const request = Effect.gen(function*() {
  const business = yield* aBusiness
  const { id } = yield* create(business, { messageTypes: [...messageTypes, letter] })
  const { lease } = yield* open(id)
  return { business, lease }
})

over(Layer.provideMerge(writer, services))("outboxes and the log at once on PostgreSQL", (test) => {
  test("an entry waits for a message that is being committed, and has a higher id", function*() {
    const { business, lease } = yield* request
    const message = yield* holding(append(aDraft(business, 1)))
    const posting = yield* Effect.forkChild(post(business))
    yield* lockWaiters(1)
    yield* message.commit
    yield* Fiber.join(posting)
    const { fresh } = yield* take(lease, 0)
    assert.deepStrictEqual(fresh.map(({ message }) => message.type), ["PALLET_EVENT", letter])
  })

  test("an entry draws its id when it has the log, and not before", function*() {
    const { business, lease } = yield* request
    const sql = yield* SqlClient.SqlClient
    yield* append(aDraft(business, 1))
    const [lock, wait] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const appending = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
      yield* sql`select from dockline.message_log l join dockline.business b on b.id = l.business_id
        where b.slug = ${business} for no key update of l`
      yield* Deferred.succeed(lock, undefined)
      yield* Deferred.await(wait)
      yield* append(aDraft(business, 2))
    })))
    yield* Deferred.await(lock)
    const posting = yield* Effect.forkChild(post(business))
    yield* lockWaiters(1)
    yield* Deferred.succeed(wait, undefined)
    yield* Fiber.join(appending)
    yield* Fiber.join(posting)
    const { fresh } = yield* take(lease, 0)
    assert.deepStrictEqual(fresh.map(({ message }) => message.type), ["PALLET_EVENT", "PALLET_EVENT", letter])
  })

  test("a message waits for an entry that is being committed, and nobody reads past it meanwhile", function*() {
    const { business, lease } = yield* request
    const entry = yield* holding(post(business))
    const appending = yield* Effect.forkChild(append(aDraft(business, 1)))
    yield* lockWaiters(1)
    const before = yield* take(lease, 0)
    assert.deepStrictEqual([before.fresh, before.readTo], [[], 0])
    yield* entry.commit
    yield* Fiber.join(appending)
    const { fresh } = yield* take(lease, 0)
    assert.deepStrictEqual(fresh.map(({ message }) => message.type), [letter, "PALLET_EVENT"])
  })

  test("businesses do not wait for each other", function*() {
    const [one, other] = [yield* request, yield* request]
    const entry = yield* holding(post(one.business))
    yield* post(other.business)
    assert.strictEqual((yield* take(other.lease, 0)).fresh.length, 1)
    yield* entry.commit
    const log = yield* MessageLog
    assert.isAbove(yield* log.lastId(one.business), 0)
  })

  test("D7.4 what was delivered is not taken again where retention finds the log locked", function*() {
    const [store, log, sql] = [yield* DeliveryStore, yield* MessageLog, yield* SqlClient.SqlClient]
    const { business, lease } = yield* request
    const { id } = yield* create(business)
    const { lease: ofMessages } = yield* open(id)
    // The layers drop nothing of it by themselves.
    const old = at(Date.now() - 80 * day)
    const retention = at(Date.now() + 20 * day)(Effect.andThen(log.dropExpired, store.dropExpired))
    const [waiting] = yield* old(append(aDraft(business, 1, { shipmentId: 1 })))
    const [done] = yield* old(append(aDraft(business, 2, { shipmentId: 2 })))
    yield* old(post(business, 3))
    const { fresh } = yield* take(ofMessages, 0)
    yield* settle(ofMessages, 0, {
      results: fresh.filter(({ message }) => message.id === done!.id).map((each) => deliveryOf(each))
    })
    const ids = Effect.map(take(ofMessages, 0), ({ fresh }) => fresh.map(({ message }) => message.id))
    assert.deepStrictEqual(yield* ids, [waiting!.id])
    const holder = yield* holding(
      sql`select from dockline.message_log l join dockline.business b on b.id = l.business_id
        where b.slug = ${business} for no key update of l`
    )
    yield* retention
    assert.deepStrictEqual(yield* ids, [waiting!.id])
    assert.lengthOf((yield* take(lease, 0)).fresh, 3)
    yield* holder.commit
    yield* retention
    assert.deepStrictEqual(yield* ids, [])
    assert.lengthOf((yield* take(lease, 0)).fresh, 0)
  })

  test("D7.4 the mark of an outbox does not go back", function*() {
    const [log, sql] = [yield* MessageLog, yield* SqlClient.SqlClient]
    const { business } = yield* request
    yield* at(Date.now() - 80 * day)(post(business))
    const ofBusiness = sql`business_id = (select b.id from dockline.business b where b.slug = ${business})`
    yield* sql`update dockline.outbox set dropped_id = 1000000000 where ${ofBusiness}`
    assert.isAtLeast(yield* at(Date.now() + 20 * day)(log.dropExpired), 1)
    const rows = yield* sql`select dropped_id::int as mark from dockline.outbox where ${ofBusiness}`
    assert.deepStrictEqual(rows, [{ mark: 1_000_000_000 }])
  })

  for (
    const [what, ofBusiness] of [
      ["is made", (business: string) => Effect.succeed(create(business, { messageTypes: [letter] }))],
      [
        "is changed to ask for letters",
        (business: string) =>
          Effect.map(
            create(business),
            ({ id }) => Effect.map(update(id, { messageTypes: [letter] }), (e) => e!)
          )
      ]
    ] as const
  ) {
    const fresh = Effect.fnUntraced(function*(id: number) {
      const { lease } = yield* open(id)
      return (yield* take(lease, 0)).fresh.map(({ message }) => message.type)
    })

    test(`an endpoint ${what} once the entries that do not see it are committed`, function*() {
      const business = yield* aBusiness
      const change = yield* ofBusiness(business)
      const entry = yield* holding(post(business))
      const changing = yield* Effect.forkChild(change)
      yield* Effect.raceFirst(Fiber.await(changing), lockWaiters(1))
      assert.strictEqual(changing.pollUnsafe(), undefined, "it waits")
      yield* entry.commit
      const { id } = yield* Fiber.join(changing)
      yield* post(business)
      assert.deepStrictEqual(yield* fresh(id), [letter])
    })

    test(`an entry is due to an endpoint that ${what} and committed before it`, function*() {
      const business = yield* aBusiness
      const change = yield* holding(yield* ofBusiness(business))
      const posting = yield* Effect.forkChild(post(business))
      yield* Effect.raceFirst(Fiber.await(posting), lockWaiters(1))
      yield* change.commit
      yield* Fiber.join(posting)
      assert.deepStrictEqual(yield* fresh(change.value.id), [letter])
    })
  }
})
