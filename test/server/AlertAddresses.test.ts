/** What `dockline-server check` finds of the sealed addresses of alert rules (D26). */
import { addressContext } from "@dockline/alerts/domain/AlertRule"
import { putRule } from "@dockline/alerts/suites/AlertWorld"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { sqlCapabilities } from "@dockline/server/Capabilities"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import * as Check from "../../packages/server/src/check/Check.ts"
import { settings } from "../../packages/server/src/settings/Settings.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const [first, second] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString("base64")) as [string, string]

/** A rule with a sealed address, and one without. */
const rules = Effect.gen(function*() {
  const business = yield* aBusiness
  const url = yield* SecretsVault.use((vault) =>
    vault.seal(Redacted.make("https://hooks.example.com/x"), addressContext(business))
  )
  yield* putRule({ business, rule: "yard" }, { channel: "SLACK", to: [], url, host: "hooks.example.com" })
  yield* putRule({ business, rule: "mail" })
}).pipe(
  Effect.provide(Sql.layerWith(sqlCapabilities)),
  Effect.provide(SecretsKey.layer([Redacted.make(first)]))
)

const findingsWith = (url: Redacted.Redacted<string>, key: string) =>
  Effect.gen(function*() {
    const env = {
      DATABASE_URL: Redacted.value(url),
      DATABASE_CONNECTIONS: "6",
      BASE_URL: "https://logistics.example.com",
      SECRETS_KEY: key
    }
    const findings = yield* Check.findings(yield* settings.parse(ConfigProvider.fromEnv({ env })))
    return findings.filter(({ subject }) => subject === "keys").map(({ text }) => text)
  })

it.live("addresses of alert rules are opened by a key, or named where none opens them", () =>
  Effect.scoped(Effect.gen(function*() {
    const { url } = yield* TestDatabase.create
    yield* Effect.provide(
      Effect.andThen(Migrations.migrateWith(sqlCapabilities), rules),
      Database.layer({ ...Database.defaultDatabaseConfig, url })
    )
    assert.deepStrictEqual(yield* findingsWith(url, first), [
      "all secrets of 0 webhook endpoints can be read",
      "all 1 secrets of capabilities can be read"
    ])
    const [, text = ""] = yield* findingsWith(url, second)
    assert.match(
      text,
      /^1 of 1 secrets of capabilities cannot be read, for example the secret of alert rule yard of \S+; add the key/
    )
  })))
