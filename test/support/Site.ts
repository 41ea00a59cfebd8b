/**
 * The whole server within the process of the test, on a PostgreSQL database of its own with the demo data, as a browser
 * sees it.
 */
import * as Server from "@dockline/server/Server"
import { settings } from "@dockline/server/Settings"
import { ConfigProvider, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Service } from "../operations/Service.ts"
import * as ServerProcess from "./ServerProcess.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** A running server. */
export interface Site {
  readonly baseUrl: string
  /** Requests with the tokens of the demo clients. */
  readonly service: Service
  readonly stop: () => Promise<void>
}

/** Starts a server with these settings besides the usual ones. */
export const start = async (env: Readonly<Record<string, string>> = {}): Promise<Site> => {
  const scope = Scope.makeUnsafe()
  const port = await ServerProcess.freePort()
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
    return given.baseUrl
  })
  const baseUrl = await Effect.runPromise(Scope.provide(launch, scope))
  return {
    baseUrl,
    service: new Service(baseUrl),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
