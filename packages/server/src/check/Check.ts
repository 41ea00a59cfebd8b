/**
 * `dockline-server check`: says what would go wrong before it does, a line for each finding.
 *
 * Guarantee: it changes nothing. The embedded database is started when its folder holds one, and not made.
 */
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpointStore"
import * as Sql from "@dockline/sql-storage/Sql"
import { Cause, Console, Effect, Exit, Logger, Option } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as ServerDatabase from "../lifecycle/ServerDatabase.ts"
import * as StartFailure from "../lifecycle/StartFailure.ts"
import { settings } from "../settings/Settings.ts"
import type { Settings } from "../settings/Settings.ts"
import * as DatabaseCheck from "./DatabaseCheck.ts"
import * as SecretsCheck from "./SecretsCheck.ts"
import * as SettingsCheck from "./SettingsCheck.ts"
import { line, on } from "./SettingsCheck.ts"
import type { Finding } from "./SettingsCheck.ts"

const { ok, problem } = on("database")

const patience = "15 seconds"

/** Enough to tell; a service with more has people who know. */
const mostEndpoints = 1000

const endpointsOf = Effect.gen(function*() {
  const store = yield* WebhookEndpointStore
  const unreadable: Array<WebhookEndpoint> = []
  for (let after: number | null = 0; after !== null && unreadable.length < mostEndpoints;) {
    const page: { readonly items: ReadonlyArray<WebhookEndpoint>; readonly next: string | null } =
      yield* store.list("*", { after, limit: 100 })
    unreadable.push(...page.items)
    after = page.next === null ? null : Number(page.next)
  }
  return unreadable
}).pipe(Effect.provide(Sql.layer))

const storedFindings = (settings: Settings) =>
  Effect.gen(function*() {
    const databaseFindings = yield* DatabaseCheck.check(settings)
    const endpoints = (yield* DatabaseCheck.isUsable) ? yield* endpointsOf : []
    const keys = yield* Effect.provide(
      SecretsCheck.check(settings, endpoints),
      ServerDatabase.vault(settings)
    )
    return [...databaseFindings, keys]
  }).pipe(
    Effect.provide(ServerDatabase.connections(settings, { maxConnections: 1 })),
    Effect.timeout(patience)
  )

const remedy = (settings: Settings): string =>
  Option.isSome(settings.databaseUrl)
    ? "see that it runs, takes connections, and that DATABASE_URL has its address, user, password and name"
    : "see to DATA_DIR, or set DATABASE_URL"

/** All that is found with settings that can be read. */
export const findings = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function*() {
    const own = SettingsCheck.judge(settings)
    if (Option.isNone(settings.databaseUrl) && !existsSync(join(settings.dataDir, "postgres"))) {
      return [...own, ok(`the first start makes an embedded PostgreSQL in ${settings.dataDir}`)]
    }
    const behind = yield* Effect.exit(storedFindings(settings))
    if (Exit.isSuccess(behind)) return [...own, ...behind.value]
    const why = StartFailure.reasonOf(Cause.squash(behind.cause))
    return [
      ...own,
      problem(`${ServerDatabase.describe(settings)} cannot be used: ${why}; ${remedy(settings)}`)
    ]
  })

const all: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function*() {
  const faults = yield* SettingsCheck.faults
  if (faults.length > 0) return faults
  const read = yield* Effect.exit(settings)
  return Exit.isSuccess(read)
    ? yield* findings(read.value)
    : [on("settings").problem(StartFailure.reasonOf(Cause.squash(read.cause)))]
})

export const run: Effect.Effect<{ readonly problems: number }> = Effect.gen(function*() {
  const allFindings = yield* Effect.provide(all, Logger.layer([]))
  yield* Effect.forEach(allFindings, (finding) => Console.log(line(finding)), { discard: true })
  return { problems: allFindings.filter(({ level }) => level === "problem").length }
})
