/**
 * Random histories on PostgreSQL, in memory and on the model: every answer and the state at the end the same, but for
 * ids. Each history has a business of its own, so that many run at once on one database, whatever else is in it.
 */
import * as Memory from "@dockline/core/Memory"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { histories } from "@dockline/testing/generators/Histories"
import type { History } from "@dockline/testing/generators/History"
import * as Law from "@dockline/testing/Law"
import * as HistoryLaw from "@dockline/testing/model/HistoryLaw"
import * as HistoryRun from "@dockline/testing/model/HistoryRun"
import * as Model from "@dockline/testing/model/Model"
import * as Service from "@dockline/testing/model/Service"
import { unique } from "@dockline/testing/Unique"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { Context, Redacted } from "effect"

/** How many histories run at once. */
export const concurrency = 16

/** Beside the transactions of the histories: what the pool keeps for other statements. */
const spareConnections = 2

/** A commit that a crash could undo is as good here, and does not wait for the disk. */
const hurry = (url: Redacted.Redacted) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    sql`do $$ begin
      execute format('alter database %I set synchronous_commit = off', current_database());
    end $$`).pipe(Effect.provide(PgClient.layer({ url })))

/** The services on an empty database, which is migrated. */
export const layer = (url: Redacted.Redacted) =>
  Service.services.pipe(
    Layer.provide(Sql.layer),
    Layer.provide(Migrations.layer),
    Layer.provide(Database.layer({
      ...Database.defaultDatabaseConfig,
      maxConnections: concurrency + spareConnections,
      url
    })),
    Layer.provide(Layer.effectDiscard(hurry(url)))
  )

/** Which histories: so many, of so many steps, drawn from this seed and those that follow it. */
export interface Draw {
  readonly count: number
  readonly steps: number
  readonly seed: number
}

/** What is told while histories run. */
export interface Told {
  /** One more has run alike. */
  readonly onDone?: () => void
  /** One does not run alike, and is made shorter, which takes its time. */
  readonly onDifference?: (seed: number) => void
}

/** A history does not run alike; the message shows the shortest one, and how to run it again. */
export class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {}

type Services = Context.Context<Service.Services>

/** Runs a history three times: what PostgreSQL does is held against memory, and that against the model. */
const runAlike = async (postgres: Services, history: History): Promise<void> => {
  const business = unique("acme")
  const inMemory = await observeMemory(history, business)
  const onPostgres = await HistoryRun.observe(Service.fromContext(postgres), history, { business })
  HistoryLaw.sameAnswers(history, inMemory, onPostgres)
  const inModel = await HistoryRun.observe(Model.service(), history, { business })
  HistoryLaw.sameAnswers(history, inModel, inMemory)
}

const observeMemory = async (history: History, business: string): Promise<HistoryRun.Observation> => {
  const memory = await Service.fromStores(Memory.layer)
  try {
    return await HistoryRun.observe(memory, history, { business })
  } finally {
    await memory.close?.()
  }
}

/**
 * Runs histories, many at once; fails with the first that does not run alike. That one is made shorter afterwards,
 * when nothing else runs.
 */
export const runAll = Effect.fnUntraced(function*(
  postgres: Services,
  { count, steps, seed }: Draw,
  { onDone = () => {}, onDifference = () => {} }: Told = {}
) {
  const { check } = Law.effect(
    "a history runs alike on PostgreSQL, in memory and on the model",
    histories(steps),
    (history) => Effect.promise(() => runAlike(postgres, history))
  )
  const run = (seed: number, endOnFailure: boolean) =>
    Effect.tryPromise({
      try: () => check({ numRuns: 1, seed, endOnFailure }),
      catch: (error) => ({ seed, report: error instanceof Error ? error.message : String(error) })
    })
  yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => seed + index),
    (each) => Effect.tap(run(each, true), () => Effect.sync(onDone)),
    { concurrency, discard: true }
  ).pipe(
    // A difference that does not show again is told as it was.
    Effect.catch((first) => {
      onDifference(first.seed)
      return Effect.andThen(run(first.seed, false), Effect.fail(first))
    }),
    Effect.mapError(({ seed, report }) => {
      const again = `npm run test:soak -- --histories 1 --steps ${steps} --seed ${seed}`
      return new Differs({ message: `${report}\n\nThe whole history again: ${again}` })
    })
  )
})
