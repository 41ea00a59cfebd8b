/**
 * Random histories on PostgreSQL and in memory: every answer and the final state are the same, except ids. Each history has a business of
 * its own, so that many run at once on one database, whatever else is in it.
 */
import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"
import * as Memory from "@dockline/core/memory/Memory"
import * as Database from "@dockline/sql-storage/connections/Database"
import { exceptionsSql } from "@dockline/sql-storage/exceptions/ExceptionSql"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { unique } from "@dockline/testing/generators/Given"
import * as Law from "@dockline/testing/Law"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { Context, Redacted } from "effect"
import assert from "node:assert/strict"
import { histories, show, showAll } from "./Histories.ts"
import type { History } from "./Histories.ts"
import { observe } from "./HistoryRun.ts"
import type { Observation } from "./HistoryRun.ts"
import { services } from "./HistoryService.ts"
import type { Services } from "./HistoryService.ts"

/** The number of histories that run at once. */
export const concurrency = 16

/** The connections that the pool keeps for other statements, beside the transactions of the histories. */
const spareConnections = 2

/** Lets commits not wait for the disk: a crash could undo them, which does not matter here. */
const hurry = (url: Redacted.Redacted) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    sql`do $$ begin
      execute format('alter database %I set synchronous_commit = off', current_database());
    end $$`).pipe(Effect.provide(PgClient.layer({ url })))

/** The services on an empty database, which is migrated. */
export const layer = (url: Redacted.Redacted) =>
  services.pipe(
    Layer.provide(Sql.layerWith([exceptionsSql])),
    Layer.provide(Migrations.layerWith([exceptionsSql])),
    Layer.provide(Database.layer({
      ...Database.defaultDatabaseConfig,
      maxConnections: concurrency + spareConnections,
      url
    })),
    Layer.provide(Layer.effectDiscard(hurry(url)))
  )

/** The histories to run: their number, their number of steps, and the first of their seeds. */
export interface Draw {
  readonly count: number
  readonly steps: number
  readonly seed: number
}

/** Callbacks while histories run. */
export interface Told {
  /** Another history has run without a difference. */
  readonly onDone?: () => void
  /** A history has shown a difference, and is being shortened, which takes a while. */
  readonly onDifference?: (seed: number) => void
}

/** A history has shown a difference; the message has the shortest one, and the way to run it again. */
export class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {}

/** Throws if two runs of a history differ: with the event, the expected answer, and the actual one. */
const sameAnswers = (history: History, expected: Observation, actual: Observation): void => {
  for (const [index, happening] of history.entries()) {
    const where = `The answers differ at ${index + 1}. ${show(happening)}`
    same(expected.answers[index], actual.answers[index], where)
  }
  for (const [what, at] of Object.entries(expected.end)) {
    same(at, actual.end[what], `The ${what} at the end differ`)
  }
}

const same = (expected: unknown, actual: unknown, where: string): void => {
  try {
    assert.deepStrictEqual(actual, expected)
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error)
    // The text has it all; as a cause it would be printed twice.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(`${where}\n\n${difference}`)
  }
}

/** Runs a history twice, and compares the results of PostgreSQL with those of memory. */
const runAlike = Effect.fnUntraced(function*(postgres: Context.Context<Services>, history: History) {
  const business = unique("acme")
  const memory = yield* Layer.build(
    Layer.fresh(Layer.provide(services, Layer.fresh(Memory.layerWith([exceptions]))))
  )
  const expected = yield* Effect.promise(() => observe(memory, history, business))
  const actual = yield* Effect.promise(() => observe(postgres, history, business))
  sameAnswers(history, expected, actual)
}, Effect.scoped)

/**
 * Runs histories, many at once; fails with the first that shows a difference. That one is shortened afterwards, when nothing else runs.
 */
export const runAll = Effect.fnUntraced(function*(
  postgres: Context.Context<Services>,
  { count, steps, seed }: Draw,
  { onDone = () => {}, onDifference = () => {} }: Told = {}
) {
  const { check } = Law.effect(
    "a history runs alike on PostgreSQL and in memory",
    histories(steps),
    (history) => runAlike(postgres, history),
    1,
    showAll
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
    // A difference that cannot be reproduced is reported unchanged.
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
