/** What `dockline-server check` finds. */
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { EndpointDraft } from "@dockline/core/webhooks/WebhookEndpoint"
import * as Database from "@dockline/sql-storage/connections/Database"
import { halfDistributed } from "@dockline/sql-storage/schema/cluster/Layout"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { create } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { sqlCapabilities } from "../../src/Capabilities.ts"
import * as Check from "../../src/check/Check.ts"
import * as SettingsCheck from "../../src/check/SettingsCheck.ts"
import { line } from "../../src/check/SettingsCheck.ts"
import type { Finding } from "../../src/check/SettingsCheck.ts"
import * as ServerDatabase from "../../src/lifecycle/ServerDatabase.ts"
import { settings } from "../../src/settings/Settings.ts"

/** Brings a database to the schema that the server needs. */
const migrate = Migrations.migrateWith(sqlCapabilities)

const settingsOf = (env: Readonly<Record<string, string>>) =>
  settings.parse(ConfigProvider.fromEnv({ env: { ...env } }))

/** The findings that are not ok, without the words of their remedies. */
const textsOf = (findings: ReadonlyArray<Finding>) =>
  findings.filter(({ level }) => level !== "ok").map(({ level, text }) =>
    `${level}: ${text.split(/[;,(]/)[0]}`
  )

const secret = "0123456789abcdef01234567"
const sound = {
  DATABASE_URL: "postgres://localhost/dockline",
  BASE_URL: "https://logistics.example.com",
  TRUSTED_PROXIES: "127.0.0.0/8",
  METRICS_TOKEN: secret
}

describe("settings", () => {
  it.effect("that cannot be read are named, all of them", () =>
    Effect.gen(function*() {
      const findings = yield* Effect.provideService(
        SettingsCheck.faults,
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({
          env: { PORT: "x", BODY_LIMIT_BYTES: "-1", METRICS_TOKEN: "secret", DATABSE_URL: "x" }
        })
      )
      assert.deepStrictEqual(findings.map(({ text }) => text.slice(0, 40)), [
        "DATABSE_URL is not a setting. Did you me",
        "the setting PORT is wrong: must be a por",
        "the setting BODY_LIMIT_BYTES is wrong: m"
      ])
    }))

  for (
    const [name, env, expected] of [
      ["for the machine itself", { DEMO: "false" }, []],
      ["for a try", {}, ["warning: demo clients exist"]],
      ["for real freight", sound, []],
      ["with the demo beside an operator", {
        DEMO: "true",
        OPERATOR_CLIENT_ID: "root",
        OPERATOR_CLIENT_SECRET: secret
      }, ["problem: demo clients exist"]],
      ["with the demo for real freight", { ...sound, DEMO: "true" }, ["problem: demo clients exist"]],
      ["behind no TLS", { ...sound, BASE_URL: "http://logistics.example.com" }, [
        "warning: clients send tokens and secrets unencrypted"
      ]],
      ["behind an unknown proxy", { ...sound, TRUSTED_PROXIES: "" }, [
        "warning: all clients behind your proxy count as one"
      ]],
      ["without a token for metrics", { ...sound, METRICS_TOKEN: "" }, ["warning: /metrics is closed"]],
      ["with secrets that are short", {
        ...sound,
        METRICS_TOKEN: "short",
        OPERATOR_CLIENT_ID: "root",
        OPERATOR_CLIENT_SECRET: secret.slice(1)
      }, [
        "warning: OPERATOR_CLIENT_SECRET is shorter than 24 characters and may be guessed",
        "warning: METRICS_TOKEN is shorter than 24 characters and may be guessed"
      ]]
    ] as const
  ) {
    it.effect(`${name}: ${expected.length === 0 ? "nothing" : expected.join(" and ")}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(textsOf(SettingsCheck.judge(yield* settingsOf(env))), [...expected])
      }))
  }

  it("are shown as one line each", () => {
    assert.strictEqual(
      line({ level: "problem", subject: "keys", text: "a\n  b" }),
      "problem  keys      a b"
    )
  })
})

describe("a database", () => {
  const facts: Check.Facts = {
    version: "18.4",
    versionNumber: 180_004,
    encoding: "UTF8",
    readOnly: false,
    fsync: "on",
    fullPageWrites: "on",
    synchronousCommit: "on",
    synchronousStandbyNames: "",
    receivers: 0,
    free: 40,
    isEncrypted: true,
    local: false,
    owner: true,
    clock: 0
  }
  for (
    const [name, databaseFacts, ahead, expected] of [
      ["that suits", {}, 0, []],
      ["that is too old", { version: "13.23", versionNumber: 130_023 }, 0, [
        "problem: it is PostgreSQL 13.23"
      ]],
      ["in another encoding", { encoding: "LATIN1" }, 0, ["problem: it is encoded in LATIN1"]],
      ["that is a standby", { readOnly: true, owner: false }, 0, ["problem: it takes no writes"]],
      ["of another owner", { owner: false }, 0, [
        "problem: its user may not create or change the schema dockline"
      ]],
      ["that a crash destroys", { fullPageWrites: "off" }, 0, [
        "problem: a crash of its machine destroys it"
      ]],
      ["that forgets", { synchronousCommit: "off" }, 0, [
        "warning: acknowledged data may be lost when the database crashes"
      ]],
      ["with a standby that commits do not wait for", { receivers: 1 }, 0, [
        "warning: replication is asynchronous"
      ]],
      ["with a standby that commits wait for", { receivers: 1, synchronousStandbyNames: "*" }, 0, []],
      [
        "with a standby that commits may wait for",
        {
          receivers: 1,
          synchronousStandbyNames: "*",
          synchronousCommit: "local"
        },
        0,
        ["warning: replication is asynchronous"]
      ],
      ["elsewhere without TLS", { isEncrypted: false }, 0, ["warning: the connection is not encrypted"]],
      ["here without TLS", { isEncrypted: false, local: true }, 0, []],
      ["that is full", { free: 20 }, 0, ["warning: 20 connections are free there"]],
      ["whose clock is ahead", {}, 1500, ["warning: the database's is 1.5 s ahead of ours"]],
      ["whose clock is far behind", {}, -40_000, ["problem: the database's is 40.0 s behind ours"]]
    ] as const
  ) {
    it(`${name}: ${expected[0] ?? "nothing"}`, () => {
      assert.deepStrictEqual(
        textsOf(Check.judge({ ...facts, ...databaseFacts }, { need: 21, ahead })),
        [...expected]
      )
    })
  }

  it("is asked for as many connections as an instance opens", () => {
    assert.strictEqual(
      Database.connectionsOf({
        ...Database.defaultDatabaseConfig,
        maxConnections: 16,
        reservedConnections: 1
      }),
      20
    )
  })
})

/** What is found with a database whose schema is as `prepare` leaves it. */
const findingsOf = (
  env: Readonly<Record<string, string>>,
  prepare: Effect.Effect<unknown, unknown, SqlClient.SqlClient> = Effect.void
) =>
  Effect.scoped(Effect.gen(function*() {
    const { url } = yield* TestDatabase.create
    yield* Effect.provide(prepare, Database.layer({ ...Database.defaultDatabaseConfig, url }))
    const settings = yield* settingsOf({
      ...sound,
      DATABASE_CONNECTIONS: "6",
      ...env,
      DATABASE_URL: Redacted.value(url)
    })
    const findings = yield* Check.findings(settings)
    assert.include(findings.map(({ subject }) => subject), "database")
    // The port, and how the PostgreSQL of the tests treats its disk, are not of the test.
    return findings.filter(({ subject }) => subject !== "port" && subject !== "database")
  }))

const endpoint = (fields: Partial<EndpointDraft>) =>
  Effect.gen(function*() {
    yield* migrate
    const business = yield* aBusiness
    const vault = yield* SecretsVault
    const ciphertext = yield* vault.seal(Redacted.make("whsec_x"), secretsContext(business))
    const none = { type: "none", settings: {}, secrets: {} }
    yield* create(business, {
      authentication: none,
      signingSecrets: [{ sealed: ciphertext, validUntil: null }],
      ...fields
    })
  }).pipe(
    Effect.provide(Sql.layer),
    Effect.provide(SecretsKey.layer([Redacted.make(keys.first)]))
  )

const keys = {
  first: Buffer.alloc(32, 1).toString("base64"),
  second: Buffer.alloc(32, 2).toString("base64")
}

describe("a database that answers", () => {
  it.live("is sound, and so is what is in it", () =>
    Effect.gen(function*() {
      const findings = yield* findingsOf(
        { SECRETS_KEY: `${keys.second},${keys.first}` },
        endpoint({})
      )
      assert.deepStrictEqual(findings.map(({ level, subject, text }) => `${level} ${subject}: ${text}`), [
        "ok settings: can be used; clients reach the server at https://logistics.example.com",
        "ok clock: the database has the same time",
        `ok schema: it is number ${Migrations.newest}, which this version needs`,
        "ok keys: all secrets of 1 webhook endpoints can be read"
      ])
    }))

  it.live("has secrets that no key opens", () =>
    Effect.gen(function*() {
      const findings = yield* findingsOf(
        { SECRETS_KEY: keys.second },
        endpoint({})
      )
      assert.deepStrictEqual(textsOf(findings), [
        "problem: the secrets of 1 of 1 webhook endpoints cannot be read"
      ])
    }))

  it.live("is made and left as it is: with no schema, one that is behind, and those of newer versions", () =>
    Effect.gen(function*() {
      const schema = (
        migrate: boolean,
        prepare: Effect.Effect<unknown, unknown, SqlClient.SqlClient> = Effect.void
      ) =>
        Effect.map(
          findingsOf({ SECRETS_KEY: keys.first, MIGRATE: String(migrate) }, prepare),
          (findings) => findings.find(({ subject }) => subject === "schema")
        )
      const older = Effect.andThen(
        migrate,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from dockline.migration`)
      )
      assert.deepStrictEqual((yield* schema(true))?.level, "ok")
      assert.deepStrictEqual(yield* schema(false), {
        level: "problem",
        subject: "schema",
        text: "there is none yet; run dockline-server migrate"
      })
      assert.deepStrictEqual(yield* schema(false, older), {
        level: "problem",
        subject: "schema",
        text: `it is number 0, and this version needs ${Migrations.newest}; run dockline-server migrate`
      })
      const beyond = (oldest: number) => Effect.andThen(migrate, TestDatabase.migrateBeyond(oldest))
      assert.deepStrictEqual((yield* schema(true, beyond(Migrations.newest)))?.level, "ok")
      assert.deepStrictEqual((yield* schema(true, beyond(Migrations.newest + 1)))?.level, "problem")
      const half = Effect.andThen(
        migrate,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql.unsafe(`comment on schema dockline is '${halfDistributed}'`)
        )
      )
      assert.strictEqual(
        (yield* schema(true, half))?.text,
        "it is half distributed; let dockline-server migrate --distribute run to its end"
      )
    }))

  it.live("needs a key only where there are webhooks", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(textsOf(yield* findingsOf({})), ["warning: no webhook can be set up"])
      assert.deepStrictEqual(textsOf(yield* findingsOf({}, endpoint({ enabled: false }))), [
        "problem: the secrets of 1 of 1 webhook endpoints cannot be read"
      ])
    }))

  it.live("that is not there is said to be, with what to do", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf({
        ...sound,

        DATABASE_URL: "postgres://a:hidden@127.0.0.1:1/x"
      })
      const last = (yield* Check.findings(settings)).at(-1)!
      assert.strictEqual(last.level, "problem")
      assert.match(
        last.text,
        /^PostgreSQL at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*; see that it runs/
      )
      assert.notInclude(last.text, "hidden")
    }))
})

describe("an embedded database whose key is missing", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dockline-check-"))),
    (parent) => Effect.sync(() => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }))
  )

  it.live(
    "gets none, and the secrets that only it opens are a problem",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const dataDir = join(yield* folder, "data")
        const settings = yield* settingsOf({ DATA_DIR: dataDir, DEMO: "false" })
        const key = join(dataDir, "secrets.key")
        const prepare = (work: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
          Effect.scoped(Effect.provide(work, ServerDatabase.connections(settings, { maxConnections: 1 })))
        const problems = Effect.map(
          Check.findings(settings),
          (findings) => findings.filter(({ level }) => level === "problem")
        )
        yield* prepare(migrate)
        assert.deepStrictEqual(yield* problems, [])
        assert.isFalse(existsSync(key))
        yield* prepare(endpoint({}))
        assert.deepStrictEqual((yield* problems).map(({ subject, text }) => [subject, text]), [[
          "keys",
          "the secrets of 1 of 1 webhook endpoints cannot be read, for example of 1; "
          + `bring ${key} back, or set SECRETS_KEY to the key that they were stored with`
        ]])
        assert.isFalse(existsSync(key))
      })),
    60_000
  )
})
