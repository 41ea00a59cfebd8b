/**
 * The server as one layer: database, stores, core, HTTP.
 */
import { Intake } from "@dockline/core/Intake"
import { BearerAuth } from "@dockline/http-adapter/BearerAuth"
import { Clients } from "@dockline/http-adapter/Clients"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import * as NodeServer from "@dockline/http-adapter/NodeServer"
import { Readiness } from "@dockline/http-adapter/Readiness"
import { TokenEndpoint } from "@dockline/http-adapter/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/Tokens"
import * as Database from "@dockline/sql-storage/Database"
import * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { NodeHttpServer } from "@effect/platform-node"
import {
  Cause,
  Config,
  Console,
  Effect,
  Layer,
  Option,
  Predicate,
  Redacted,
  References,
  Schedule
} from "effect"
import { HttpRouter } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Banner from "./Banner.ts"
import * as DemoData from "./DemoData.ts"
import { withGrace } from "./GracefulServer.ts"
import type { Settings } from "./Settings.ts"

/** How long requests in flight may take once the server is told to stop (D12.3). */
const shutdownGraceMillis = 10_000

/** The database of `DATABASE_URL`, else the embedded one. */
const database = (settings: Settings) =>
  Option.match(settings.databaseUrl, {
    onSome: (url) => connect(settings, url),
    onNone: () =>
      Layer.unwrap(
        Effect.map(
          EmbeddedPostgres.make({ directory: settings.dataDir }),
          ({ url }) => connect(settings, url)
        )
      )
  })

const connect = (settings: Settings, url: Redacted.Redacted) =>
  Layer.provideMerge(
    migrated,
    Database.layer({ ...Database.defaultDatabaseConfig, maxConnections: settings.databaseConnections, url })
  )

/** Services are often started before their database: wait for it a while, saying so. */
const migrated = Layer.effectDiscard(
  Migrations.migrate.pipe(
    Effect.tapError((error) => Effect.logWarning(`The database is not ready yet: ${reasonOf(error)}`)),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 30 })
  )
)

const readiness = Layer.effect(
  Readiness,
  Effect.map(SqlClient.SqlClient, (sql) => Effect.provideService(Database.ping, SqlClient.SqlClient, sql))
)

const authentication = (settings: Settings) =>
  Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer(),
      Tokens.layer({
        ...defaultTokensConfig,
        issuer: settings.authUrl,
        audience: audienceOf(settings.baseUrl),
        lifetimeSeconds: settings.tokenLifetimeSeconds,
        external: Option.getOrUndefined(settings.external)
      })
    ))
  )

const demo = (settings: Settings) => settings.demo ? Layer.effectDiscard(DemoData.install) : Layer.empty

const describeDatabase = (settings: Settings): string =>
  Option.match(settings.databaseUrl, {
    onSome: (url) => `PostgreSQL at ${new URL(Redacted.value(url)).host}`,
    onNone: () => `embedded PostgreSQL in ${settings.dataDir}`
  })

/** Everything the routes need: stores on their migrated database, with the demo data in them, and who may use them. */
const services = (settings: Settings) =>
  Layer.mergeAll(
    Intake.layer({ itemLimit: settings.itemLimit }),
    authentication(settings),
    demo(settings)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Sql.layer, readiness)),
    Layer.provide(database(settings))
  )

const http = (settings: Settings) =>
  HttpRouter.serve(
    HttpAdapter.layer({
      baseUrl: settings.baseUrl,
      bodyLimit: settings.bodyLimit,
      itemLimit: settings.itemLimit
    }),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provide(
      NodeHttpServer.layer(() => withGrace(NodeServer.create(), shutdownGraceMillis), {
        host: settings.host,
        port: settings.port,
        gracefulShutdownTimeout: shutdownGraceMillis
      })
    )
  )

/** The server, listening once its services are there, with its banner on standard output. */
export const layer = (settings: Settings) =>
  Layer.effectDiscard(Console.log(Banner.text(settings, describeDatabase(settings)))).pipe(
    Layer.provide(http(settings)),
    Layer.provide(services(settings)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel))
  )

/** Says on standard error why the server did not start, in words rather than a stack. */
export const explain = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`dockline: ${reasonOf(Cause.squash(cause))}`)

const reasonOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) {
    // SchemaError(<what> at ["<variable>"])
    const [, what, variable] = /^SchemaError\((.*?)\s+at \["(\w+)"\]\)$/s.exec(error.message) ?? []
    return variable === undefined ? error.message : `the setting ${variable} is wrong: ${what}`
  }
  const message = messageOf(error)
  const inner = Predicate.hasProperty(error, "cause") ? messageOf(error.cause) : ""
  return [message, ...(message.includes(inner) ? [] : [inner])].filter((part) => part !== "").join(": ")
}

const messageOf = (error: unknown): string =>
  Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : ""
