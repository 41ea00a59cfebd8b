/**
 * The whole server within the process of the test, on a PostgreSQL database of its own with the demo data, as a browser sees it.
 */
import * as Server from "@dockline/server/Server"
import { settings } from "@dockline/server/settings/Settings"
import { PgClient } from "@effect/sql-pg"
import { ConfigProvider, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Service } from "../operations/Service.ts"
import { freePort } from "./ProgramSettings.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** A running server. */
export interface Site {
  readonly baseUrl: string
  /** Requests with the tokens of the demo clients. */
  readonly service: Service
  /** Runs a statement on its database, for changes that would take too long through the interfaces. */
  readonly execute: (statement: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a server with these settings besides the usual ones. */
export const start = async (env: Readonly<Record<string, string>> = {}): Promise<Site> => {
  const scope = Scope.makeUnsafe()
  const port = await freePort()
  const launch = Effect.gen(function*() {
    const { url } = yield* TestDatabase.createMigrated
    const given = yield* settings.parse(ConfigProvider.fromEnv({
      env: {
        PORT: String(port),
        DATABASE_URL: Redacted.value(url),
        DEMO: "true",
        LOG_FORMAT: "json",
        LOG_LEVEL: "Error",
        OUTBOUND_ALLOW: "127.0.0.0/8",
        RATE_LIMIT_PER_MINUTE: "0",
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        ...env
      }
    }))
    yield* Layer.build(Server.layer(given))
    return { baseUrl: given.baseUrl, url }
  })
  const { baseUrl, url } = await Effect.runPromise(Scope.provide(launch, scope))
  return {
    baseUrl,
    service: new Service(baseUrl),
    execute: (statement) =>
      Effect.runPromise(Effect.scoped(
        PgClient.PgClient.use((sql) => sql.unsafe(statement)).pipe(
          Effect.asVoid,
          Effect.provide(PgClient.layer({ url }))
        )
      )),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
