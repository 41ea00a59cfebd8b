/**
 * What the tests of shipments in motion on PostgreSQL start from: the services over a database of their own, a business
 * for each test, and a way to see that somebody waits for a lock.
 */
import type { Principal } from "@dockline/core/access/Access"
import { permissions } from "@dockline/core/access/Access"
import { Keeping, keepView } from "@dockline/core/access/Idempotency"
import type { Keep, NotRun, PlacedAnswer } from "@dockline/core/access/Idempotency"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import type * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import * as Sql from "@dockline/sql-storage/Sql"
import * as SqlMovementStore from "@dockline/sql-storage/stores/SqlMovementStore"
import { aClient, recently } from "@dockline/testing/generators/Given"
import { Context, Deferred, Effect, Fiber, Layer, Result, Schedule, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../../test/support/database/LockWaits.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { operations } from "../src/connections/StoreOperations.ts"
import { businessId } from "../src/rows/BusinessRows.ts"

const coreWith = <const Capabilities extends SqlCapability.List>(capabilities: Capabilities) =>
  Layer.mergeAll(Intake.layer(), Keeping.layer, Pallets.layer(), Shipments.layer()).pipe(
    Layer.provideMerge(Sql.layerWith(capabilities))
  )

/** Every service of core on PostgreSQL, with the stores of these capabilities. */
export const servicesWith = <const Capabilities extends SqlCapability.List>(capabilities: Capabilities) =>
  coreWith(capabilities).pipe(Layer.provideMerge(TestDatabase.layer))

/** Every service of core on PostgreSQL. */
export const services = servicesWith([])

/** The same with the connections of the server; what waits is given up sooner there, and who has its turn waits for long. */
export const crowdedWith = <const Capabilities extends SqlCapability.List>(capabilities: Capabilities) =>
  coreWith(capabilities).pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(
      Layer.unwrap(Effect.map(TestDatabase.createMigrated, ({ url }) =>
        Database.layer({
          ...Database.defaultDatabaseConfig,
          url,
          maxConnections: 16,
          reservedConnections: 1,
          statementTimeoutMillis: 120_000,
          lockTimeoutMillis: 60_000,
          waitMillis: 2000
        })))
    )
  )

/** Pallet events as another instance on the same database would take them. */
export const instance = (announcer: Layer.Layer<Announcer> = Announcer.layer) =>
  Layer.fresh(Pallets.layer()).pipe(
    Layer.provide(Layer.fresh(SqlMovementStore.layer)),
    Layer.provide(announcer)
  )

/** The numbers from 0 to below `count`. */
export const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** All of the effects together. */
export const atOnce = { concurrency: "unbounded" } as const

/** How many statements an effect sends. */
export const statements = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  let count = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") count++
      return new Tracer.NativeSpan(options)
    }
  })
  yield* Effect.provideService(effect, Tracer.Tracer, tracer)
  return count
})

/** What a write of {@link aBusiness} keeps. */
export const CurrentKeep: Context.Reference<Keep<unknown, NotRun> | undefined> = Context.Reference<
  Keep<unknown, NotRun> | undefined
>("@dockline/sql-storage/test/Kept", { defaultValue: () => undefined })

/** Writes as a request with a key of its own does; a repeat is `done` too. */
export const underKey = <A, E extends { readonly _tag: string }, R>(
  write: Effect.Effect<A, E | NotRun, R>,
  key: string
) =>
  Effect.gen(function*() {
    const { once } = yield* Keeping
    const place = { business: "any", facility: "any" }
    const principal = aClient("client", "*", "*" as const, ...permissions)
    const { result } = yield* once<string, CatalogueError, R>(
      { key, principal, fingerprint: "body", permissions },
      (keep) =>
        keepView(
          keep,
          () => Result.succeed({ place, answer: "done" }),
          (keep) => Effect.provideService(write, CurrentKeep, keep)
        ) as Effect.Effect<PlacedAnswer<string>, CatalogueError | NotRun, R>
    )
    return yield* Effect.fromResult(result)
  })

const read = DocumentInput.reader()

let count = 0

/** A business with the facility `east` with the docks D1 and D2, and a client that may do anything there. */
export const aBusiness = Effect.gen(function*() {
  const slug = `business-${++count}`
  const directory = yield* Directory
  yield* directory.put([{
    slug,
    name: slug,
    fieldMap: [{ name: "LPN", label: "lpn", list: false }],
    facilities: [{ slug: "east", name: "East", docks: ["D1", "D2"] }]
  }])
  const principal = aClient("client", slug, "*", ...permissions)
  return business(slug, principal)
})

const submitting = (slug: string, principal: Principal, rest: Record<string, unknown> = {}, quantity = 1) =>
  Effect.fnUntraced(
    function*(shipmentNumber: string, orderNumber: string, ...lpns: ReadonlyArray<string>) {
      const intake = yield* Intake
      const items = lpns.map((lpn) => ({ lpn, sku: "S", quantity, quantityUnit: "CASE" }))
      const raw = {
        business: slug,
        facility: "east",
        direction: "OUTBOUND",
        shipmentNumber,
        orderNumber,
        items,
        ...rest
      }
      const document = yield* Effect.fromResult(read(raw))
      const options = { dryRun: false, keep: yield* CurrentKeep }
      const { shipment } = yield* intake.submit(document, principal, options)
      return shipment
    }
  )

/** Writes with a service, which is given what it keeps. */
const keeping = <I, S, A, E>(
  service: Context.Service<I, S>,
  write: (service: S, keep: Keep<unknown, NotRun> | undefined) => Effect.Effect<A, E>
) => Effect.flatMap(service, (store) => CurrentKeep.use((keep) => write(store, keep)))

const business = (slug: string, principal: Principal) => ({
  slug,
  /** Its id, as statements name it. */
  id: businessId(slug),
  principal,
  /** Submits a document for the facility; items as lpns. */
  submit: submitting(slug, principal),
  /** The same, and the order keeps the items it has. */
  append: submitting(slug, principal, { orderItemUpdateStrategy: "APPEND" }),
  /** The same, and changes the items that the order has. */
  merge: submitting(slug, principal, { orderItemUpdateStrategy: "MERGE" }, 2),
  /** The same, and changes the fields of the shipment and of the order. */
  correct: submitting(slug, principal, { trailerNumber: "T", supplier: "S" }),
  /** Records a pallet at D1; one that has an lpn is loaded. */
  record: (fields: Partial<PalletEvent> & { readonly eventId: string; readonly lpn?: string }) => {
    const { lpn, ...rest } = fields
    return keeping(Pallets, (pallets, keep) =>
      pallets.record(
        {
          business: slug,
          facility: "east",
          dockSlug: "D1",
          direction: "LOADING",
          occurredAt: recently("12:00:00.000Z"),
          shipmentId: null,
          shipmentNumber: "",
          labels: lpn === undefined ? [] : [{ name: "lpn", value: lpn }],
          ...rest
        },
        principal,
        keep
      ))
  },
  arrive: (id: number, dockSlug = "D1", occurredAt?: Timestamp.Timestamp) =>
    keeping(
      Shipments,
      (shipments, keep) => shipments.arrive(String(id), { dockSlug, occurredAt }, principal, keep)
    ),
  depart: (id: number) =>
    keeping(Shipments, (shipments, keep) => shipments.depart(String(id), {}, principal, keep)),
  cancel: (id: number) =>
    keeping(Shipments, (shipments, keep) => shipments.cancel(String(id), principal, keep)),
  link: (id: number, linkedId: number) =>
    keeping(Shipments, (shipments, keep) => shipments.link(String(id), String(linkedId), principal, keep)),
  shipment: (id: number) => Shipments.use((shipments) => shipments.get(String(id), principal)),
  /** The first page of the shipments. */
  shipments: Shipments.use((shipments) => shipments.list({}, principal)),
  /** Its messages of pallets and departures. */
  messages: MessageLog.use((log) =>
    Effect.map(
      log.read({ business: slug, facility: undefined, types: ["PALLET_EVENT", "SHIPMENT_COMPLETE"] }, {
        afterId: 0
      }, 10_000),
      (page) => page.messages
    )
  )
})

/** Does something in a transaction that stays open until `commit` or `rollback`; `within` begins the transaction. */
export const holding = Effect.fnUntraced(function*<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  within?: ReturnType<typeof onNodeOf>
) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Deferred.make<A, E>()
  const gate = yield* Deferred.make<void, "rolled back">()
  const holding = Effect.andThen(Deferred.complete(done, effect), Deferred.await(gate))
  const holder = yield* Effect.forkChild(
    within === undefined ? sql.withTransaction(holding) : within(holding)
  )
  const value = yield* Deferred.await(done)
  return {
    value,
    commit: Effect.andThen(Deferred.succeed(gate, undefined), Fiber.join(holder)),
    rollback: Effect.andThen(Deferred.fail(gate, "rolled back"), Effect.exit(Fiber.join(holder)))
  }
})

/** Has the facility east of a business alone, as a document of many orders does. */
export const lockOfFacility = (slug: string) =>
  SqlClient.SqlClient.use((sql) =>
    sql`select pg_advisory_xact_lock(hashtextextended('dockline.all_numbers:' || f.id, 0)) from dockline.facility f
        join dockline.business b on b.id = f.business_id where b.slug = ${slug} and f.slug = 'east'`
  )

/** Waits until as many connections wait for locks of the database. */
export const lockWaiters = (count: number) =>
  Effect.repeat(lockWaits, {
    until: (waiting) => waiting >= count,
    schedule: Schedule.spaced("10 millis")
  }).pipe(Effect.timeout("30 seconds"))

/** Runs an effect in a transaction on the node of a business, which has the locks of its functions in a cluster. */
export const onNodeOf = (slug: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    operations,
    ({ loan, sql }) => loan({ lane: "reserved", business: businessId(slug) })(sql.withTransaction(effect))
  )
