/** What settings may be, what they are without, and how faults and the help show them. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { capabilitySettings } from "../../src/Capabilities.ts"
import { help, settings } from "../../src/settings/Settings.ts"
import { table } from "../../src/settings/SettingsTable.ts"

const settingsOf = (env: Readonly<Record<string, string>>) =>
  settings.parse(ConfigProvider.fromEnv({ env: { ...env } }))

const names = (pattern: RegExp) => table.map(({ name }) => name).filter((name) => pattern.test(name))

/** Those that have no value of their own. */
const optional = names(
  /_URL$|DEMO|OPERATOR|ISSUER|OIDC|AUDIENCE|TOKEN$|SOURCE|SECRETS|FORMAT|OTEL|ALLOW|PROXIES/
)

/** Those that capabilities bring, whichever there are. */
const ofCapabilities = new Set(
  Object.values<{ readonly name: string }>(capabilitySettings).map(({ name }) => name)
)

/** Values of settings that are set together. */
const valueOf = {
  OPERATOR_CLIENT_ID: "ops",
  OPERATOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
  OIDC_ISSUER: "https://login.example",
  OIDC_CLIENT_ID: "dashboard",
  OIDC_CLIENT_SECRET: "hunter2"
}

describe("a setting", () => {
  for (
    const [name, wrong, fault] of [
      ["PORT", "70000", "must be a port, from 1 to 65535"],
      ["PORT", "abc", "must be a port, from 1 to 65535"],
      ["PORT", "80.5", "must be a port, from 1 to 65535"],
      ["DEMO", "maybe", "must be true or false"],
      ["ITEM_LIMIT", "ten", "must be a whole number above 0"],
      ["BASE_URL", "localhost:8080", "must be an address, https://host"],
      ["DATABASE_URL", "mysql://root:hunter2@db", "must be postgres://user:password@host:port/database"],
      ["DATABASE_CONNECTIONS", "5", "must be a whole number of at least 6"],
      ["MAX_REQUESTS", "1.5", "must be a whole number above 0"],
      ["RATE_LIMIT_PER_MINUTE", "-1", "must be a whole number of at least 0"],
      ["STOP_DELAY_SECONDS", "301", "must be a whole number from 0 to 300"],
      ["WEBHOOK_TIMEOUT_SECONDS", "0", "must be a whole number from 1 to 300"],
      ["MESSAGE_RETENTION_DAYS", "0", "must be a number above 0"],
      ["OUTBOUND_SOURCE_ADDRESS", "localhost", "must be an address, such as 203.0.113.7"],
      ["OPERATOR_CLIENT_ID", "two words", "must be at most 100 characters of printable ASCII without spaces"],
      ["SECURITY_CONTACT", "security@example.com", "must be mailto:name@host, or a page, https://host"],
      ["SECURITY_CONTACT", "mailto:a@b\nPolicy: x", "must be mailto:name@host"],
      ["OPERATOR_WEBHOOK_URL", "ops.example", "must be an address without user name and password"],
      ["OPERATOR_WEBHOOK_URL", "https://me:hunter2@ops.example", "must be an address without user name"],
      ["OPERATOR_WEBHOOK_SECRET", "hunter2", "must be whsec_ and base64 of 24 to 64 bytes"],
      ["OUTBOUND_ALLOW", "10.0.0.0/8,10.1.2.3", "10.1.2.3 "],
      ["SECRETS_KEY", "hunter2", ""],
      ["LOG_FORMAT", "xml", "must be one of pretty, json, logfmt"],
      ["LOG_LEVEL", "verbose", "must be one of All, Fatal, Error, Warn, Info, Debug, Trace, None"]
    ] as const
  ) {
    it.effect(`${name} is not ${wrong}: the fault names it, and shows no secret`, () =>
      Effect.gen(function*() {
        const refusal = String(yield* Effect.flip(settingsOf({ [name]: wrong })))
        assert.include(refusal, name)
        assert.include(refusal, fault)
        assert.notInclude(refusal, "hunter2")
      }))
  }

  it.effect("of words is taken in any case", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* settingsOf({ LOG_LEVEL: "WARN" })).logLevel, "Warn")
    }))

  it.effect("that may be left out counts as unset where it is empty", () =>
    Effect.gen(function*() {
      const empty = Object.fromEntries(optional.map((name) => [name, ""]))
      // Capabilities may have more.
      assert.lengthOf(optional.filter((name) => !ofCapabilities.has(name)), 23)
      assert.deepStrictEqual(yield* settingsOf(empty), yield* settingsOf({}))
    }))

  it.effect("of the OpenID Connect provider is set with the others, and asked by https or on this machine", () =>
    Effect.gen(function*() {
      const all = {
        OIDC_ISSUER: "https://login.example",
        OIDC_CLIENT_ID: "dashboard",
        OIDC_CLIENT_SECRET: "hunter2"
      }
      const { provider } = yield* settingsOf(all)
      assert.deepInclude(provider, { issuer: "https://login.example", clientId: "dashboard" })
      assert.notInclude(String(provider?.clientSecret), "hunter2")
      assert.isUndefined((yield* settingsOf({})).provider)
      const open = String(yield* Effect.flip(settingsOf({ ...all, OIDC_ISSUER: "http://login.example" })))
      assert.include(open, "OIDC_ISSUER must begin with https://")
      const local = yield* settingsOf({ ...all, OIDC_ISSUER: "http://localhost:9000" })
      assert.strictEqual(local.provider?.issuer, "http://localhost:9000")
    }))

  it.effect("follows others where it is not set", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf({ PORT: "9000" })
      assert.deepInclude(settings, {
        baseUrl: "http://localhost:9000",
        authUrl: "http://localhost:9000",
        demo: true
      })
      const shared = yield* settingsOf({
        DATABASE_URL: "postgres://u:p@db/x",
        BASE_URL: "https://a.example/"
      })
      assert.deepInclude(shared, {
        authUrl: "https://a.example",
        dashboardUrl: "https://a.example/dashboard",
        demo: false
      })
      assert.strictEqual(Redacted.value(Option.getOrThrow(shared.databaseUrl)), "postgres://u:p@db/x")
    }))

  for (
    const [set, message] of [
      [["OPERATOR_CLIENT_ID"], "OPERATOR_CLIENT_SECRET must be set, as OPERATOR_CLIENT_ID is"],
      [["OPERATOR_WEBHOOK_SECRET"], "OPERATOR_WEBHOOK_URL must be set, as OPERATOR_WEBHOOK_SECRET is"],
      [["OIDC_CLIENT_SECRET"], "OIDC_ISSUER and OIDC_CLIENT_ID must be set, as OIDC_CLIENT_SECRET is"],
      [
        ["OIDC_ISSUER", "OIDC_CLIENT_ID"],
        "OIDC_CLIENT_SECRET must be set, as OIDC_ISSUER and OIDC_CLIENT_ID are"
      ]
    ] as const
  ) {
    it.effect(`is missing: ${message}`, () =>
      Effect.gen(function*() {
        const env = Object.fromEntries(set.map((name) => [name, valueOf[name]]))
        const { cause } = yield* Effect.flip(settingsOf(env))
        assert.strictEqual(cause.message, `${message}; set all of them or none`)
      }))
  }

  it.effect("of the webhook for operators has both its address and its secret", () =>
    Effect.gen(function*() {
      const url = { OPERATOR_WEBHOOK_URL: "http://10.1.2.3:9000/hooks?team=1" }
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
      const { operatorWebhook } = yield* settingsOf({ ...url, OPERATOR_WEBHOOK_SECRET: secret })
      assert.strictEqual(operatorWebhook?.url, url.OPERATOR_WEBHOOK_URL)
      assert.strictEqual(Redacted.value(operatorWebhook!.secret), secret)
      assert.isUndefined((yield* settingsOf({})).operatorWebhook)
    }))
})

describe("the help", () => {
  it("has every setting once, with what it may be and what it is without", () => {
    for (const { default: value, kind, name } of table) {
      assert.lengthOf(help.split(`\n  ${name}  (`), 2)
      assert.include(help, `\n  ${name}  (${kind}; default: ${value.replaceAll("`", "")})\n`)
    }
    assert.notInclude(help, "`")
  })
})
