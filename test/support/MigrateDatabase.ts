/**
 * Migrates the database of the URL that is given: a program of its own, as the conditions that lead the name of a
 * package to its source do not reach the set-up of the tests.
 */
import * as Migrations from "@dockline/sql-storage/Migrations"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

const url = Redacted.make(process.argv[2]!)

await Effect.runPromise(Effect.provide(Migrations.migrate, PgClient.layer({ url })))
