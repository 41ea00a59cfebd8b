/**
 * Reads of one business that take long inside PostgreSQL: nobody else waits for them.
 *
 * Reads of shipments whose number begins with HELD wait for a lock. Others are judged by the order of events: they are done
 * while the lock is held.
 */
import { everything, permissions, readScopes } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { AuditLog } from "@dockline/core/access/AuditLog"
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { SessionStore } from "@dockline/core/access/BrowserSessions"
import { ClientStore, PersonStore } from "@dockline/core/access/Principals"
import { Intake } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import { Search } from "@dockline/core/search/Search"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { aClient } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../../test/support/database/LockWaits.ts"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, atOnce, crowdedWith, lockWaiters, times, underKey } from "./Movements.ts"

const lockId = 4711

/** Makes the reads of some shipments wait for a lock. */
const holdable = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter function dockline.shipments_shown(bigint[], int) rename to shipments_shown_at_once`
  yield* sql.unsafe(`create function dockline.shipments_shown(p_ids bigint[], p_most_characters int)
    returns table (business json, facility json, shipment json, orders json, characters bigint) language plpgsql as $$
    begin
      if exists (select from dockline.shipment s where s.id = any (p_ids) and s.number like 'HELD%') then
        perform pg_advisory_xact_lock_shared(${lockId});
      end if;
      return query select * from dockline.shipments_shown_at_once(p_ids, p_most_characters);
    end $$`)
}))

const services = Layer.merge(Search.layer, holdable).pipe(Layer.provideMerge(crowdedWith([])))

/** Holds the lock until it is released. */
const lockReads = Effect.gen(function*() {
  const session = yield* SqlClient.SqlClient.use((sql) => sql.reserve)
  const run = (statement: string) => Effect.asVoid(session.executeUnprepared(statement, [], undefined))
  yield* run(`select pg_advisory_lock(${lockId})`)
  return { release: run(`select pg_advisory_unlock(${lockId})`) }
})

/** What the gauge of reads shows. */
const reads = Effect.map(Metric.snapshot, (metrics) => {
  const of = (state: string) => {
    const metric = metrics.find(({ attributes, id }) =>
      id === "dockline_storage_reads" && attributes?.["state"] === state
    )
    return metric?.type === "Gauge" ? Number(metric.state.value) : 0
  }
  return { running: of("running"), waiting: of("waiting") }
})

const operator = aClient("operator", everything, everything, ...permissions)

type Business = Effect.Success<typeof aBusiness>

const get = (id: number, principal: Principal) =>
  Shipments.use((shipments) => shipments.get(String(id), principal))

/** Everything that needs the database, for a business whose reads are not held. */
const allOf = (business: Business, id: number, name: string) => ({
  shipment: business.shipment(id),
  shipments: business.shipments,
  messages: business.messages,
  pallets: Pallets.use((pallets) => pallets.ofShipment(String(id), {}, business.principal)),
  documents: Intake.use((intake) => intake.records({}, business.principal)),
  ...writesOf(business, id, name)
})

const writesOf = (business: Business, id: number, name: string) => ({
  document: business.append(`NEW-${name}`, `NEW-${name}`, "L1"),
  pallet: business.record({ eventId: `event-${name}`, shipmentId: id }),
  arrival: business.arrive(id),
  keyed: underKey(business.append(`NEW-${name}`, `NEW-${name}`, "L2"), `key-${business.slug}-${name}`)
})

/** What tokens, sign-in, probes, metrics and webhooks need. */
const ofEverybody = {
  client: ClientStore.use((store) => store.find("nobody")),
  person: PersonStore.use((store) => store.findIdentity({ email: null, subject: "nobody" })),
  session: SessionStore.use((store) => store.find("none")),
  keys: SigningKeyStore.use(({ list }) => list),
  place: Directory.use((directory) => directory.lookup("nobody", "nowhere")),
  ready: Migrations.ping,
  backlog: DeliveryStore.use(({ backlog }) => backlog),
  deliveries: Effect.gen(function*() {
    const store = yield* DeliveryStore
    yield* store.ready([0], yield* Timestamp.now)
    yield* store.open([1])
    yield* store.take([], yield* Timestamp.now)
  })
}

/** Everything, at the same time; gives what was done. */
const doAll = (
  effects: Readonly<Record<string, Effect.Effect<unknown, unknown, Layer.Success<typeof services>>>>
) =>
  Effect.map(
    Effect.forEach(
      Object.entries(effects),
      ([name, effect]) =>
        Effect.matchCauseEffect(Effect.timeout(effect, "20 seconds"), {
          onFailure: (cause) => Effect.succeed(`${name}: ${cause.toString()}`),
          onSuccess: () => Effect.succeed(name)
        }),
      atOnce
    ),
    (done) => ({ done, expected: Object.keys(effects) })
  )

let names = 0

over(services)("reads that take long", (test) => {
  const cases: ReadonlyArray<{
    readonly what: string
    /** The reads, given the businesses that ask and the id of a shipment of Acme whose reads wait. */
    readonly read: (
      acme: Business,
      globex: Business,
      id: number
    ) => Effect.Effect<unknown, unknown, Shipments>
    /** Who is served meanwhile. */
    readonly readers: (acme: Business, globex: Business) => ReadonlyArray<Business>
  }> = [
    {
      what: "a business's reads of a shipment",
      read: (acme, _, id) => acme.shipment(id),
      readers: (_, globex) => [globex]
    },
    { what: "a business's lists", read: (acme) => acme.shipments, readers: (_, globex) => [globex] },
    {
      what: "a business's reads of what belongs to another one",
      read: (_, globex, id) => get(id, globex.principal),
      readers: (acme) => [acme]
    },
    {
      what: "operators' reads across businesses",
      read: (_acme, _globex, id) => get(id, operator),
      readers: (acme, globex) => [acme, globex]
    }
  ]

  for (const { read, readers, what } of cases) {
    // @threat load.13
    test(
      `${what}: a share is inside PostgreSQL, the rest is 503, nobody else waits`,
      function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const shipment = yield* acme.submit(`HELD-${++names}`, `HELD-${names}`, "L0")
        const ids = new Map<Business, number>()
        for (const business of [acme, globex]) {
          ids.set(business, (yield* business.submit("FREE", "FREE", "L0")).id)
        }
        const lock = yield* lockReads
        const reading = yield* Effect.forkChild(
          Effect.forEach(times(20), () => Effect.exit(read(acme, globex, shipment.id)), atOnce)
        )
        yield* lockWaiters(2)
        assert.deepStrictEqual(yield* reads, { running: 2, waiting: 18 })
        for (const business of readers(acme, globex)) {
          const id = ids.get(business)!
          const { shipments, ...others } = allOf(business, id, String(++names))
          // The held shipment is on Acme's own page.
          const { done, expected } = yield* doAll(business === acme ? others : { shipments, ...others })
          assert.deepStrictEqual(done, expected)
        }
        const everybody = yield* doAll(ofEverybody)
        assert.deepStrictEqual(everybody.done, everybody.expected)
        assert.strictEqual(yield* lockWaits, 2)
        yield* Effect.repeat(reads, { until: ({ waiting }) => waiting === 0 })
        assert.deepStrictEqual(yield* reads, { running: 2, waiting: 0 })
        yield* lock.release
        const outcomes = yield* Fiber.join(reading)
        assert.strictEqual(
          outcomes.filter((exit) => String(exit).includes("StorageUnavailable")).length,
          18
        )
        assert.deepStrictEqual(yield* reads, { running: 0, waiting: 0 })
      },
      60_000
    )
  }

  // @threat load.13
  test("a business writes while its reads take long, and reads inside the transaction of a write", function*() {
    const acme = yield* aBusiness
    const shipment = yield* acme.submit(`HELD-${++names}`, `HELD-${names}`, "L0")
    const { id } = yield* acme.submit("FREE", "FREE", "L0")
    const lock = yield* lockReads
    const reading = yield* Effect.forkChild(
      Effect.forEach(times(4), () => Effect.exit(acme.shipment(shipment.id)), atOnce)
    )
    yield* lockWaiters(2)
    const sql = yield* SqlClient.SqlClient
    const store = yield* ShipmentStore
    const { done, expected } = yield* doAll({
      ...writesOf(acme, id, String(++names)),
      within: sql.withTransaction(store.find(id, readScopes(acme.principal)))
    })
    assert.deepStrictEqual(done, expected)
    yield* lock.release
    yield* Fiber.join(reading)
  })

  test("the record of what operators change is read in the share of who asks", function*() {
    const acme = yield* aBusiness
    const shipment = yield* acme.submit(`HELD-${++names}`, `HELD-${names}`, "L0")
    const lock = yield* lockReads
    const reading = yield* Effect.forkChild(
      Effect.forEach(times(2), () => acme.shipment(shipment.id), atOnce)
    )
    yield* lockWaiters(2)
    const log = yield* AuditLog
    const clients = yield* ClientStore
    const anything = { clientId: undefined, subject: undefined, from: undefined, to: undefined }
    const page = { limit: 1, after: undefined }
    const own = yield* Effect.flip(log.list([acme.slug], anything, page))
    assert.strictEqual(own._tag, "StorageUnavailable")
    assert.strictEqual(
      (yield* Effect.flip(clients.list([acme.slug], { limit: 1, after: "" })))._tag,
      "StorageUnavailable"
    )
    yield* log.list(everything, anything, page)
    yield* clients.list(everything, { limit: 1, after: "" })
    yield* lock.release
    yield* Fiber.join(reading)
  })
})
