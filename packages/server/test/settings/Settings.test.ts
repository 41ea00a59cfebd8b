/** What follows from the settings of the server, and which of them are refused. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import { settings } from "../../src/settings/Settings.ts"

const settingsOf = (env: Readonly<Record<string, string>>) =>
  settings.parse(ConfigProvider.fromEnv({ env: { ...env } }))

describe("the machine itself reads metrics without a token", () => {
  for (
    const [host, baseUrl, isOpen] of [
      [undefined, undefined, true],
      ["127.0.0.1", "http://localhost:9000", true],
      ["::1", "http://[::1]:9000", true],
      ["localhost", "http://127.0.0.2", true],
      // A proxy on the same machine passes requests on, from a loopback address and perhaps with no header that says so.
      ["127.0.0.1", "https://logistics.example.com", false],
      ["0.0.0.0", undefined, false],
      ["::", "http://localhost:8080", false],
      ["192.0.2.1", "http://localhost:8080", false],
      ["127.0.0.1", "http://localhost.example.com", false]
    ] as const
  ) {
    // @threat secrets.3
    it.effect(`with HOST ${host} and BASE_URL ${baseUrl}: ${isOpen ? "yes" : "no"}`, () =>
      Effect.gen(function*() {
        const { metricsLocally } = yield* settingsOf({
          ...(host === undefined ? {} : { HOST: host }),
          ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl })
        })
        assert.strictEqual(metricsLocally, isOpen)
      }))
  }
})

describe("TRUSTED_PROXIES", () => {
  it.effect("are networks with commas between them, none by default", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* settingsOf({})).trustedProxies, [])
      assert.deepStrictEqual(
        (yield* settingsOf({ TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8" })).trustedProxies,
        [
          "10.0.0.0/8",
          "fd00::/8"
        ]
      )
    }))

  it.effect("are refused by name where one is no network", () =>
    Effect.gen(function*() {
      const refusal = yield* Effect.flip(settingsOf({ TRUSTED_PROXIES: "10.0.0.1" }))
      assert.include(String(refusal), "TRUSTED_PROXIES")
      assert.include(String(refusal), "write 10.0.0.1/32 for this one address")
    }))
})

describe("a variable that was probably meant to be a setting", () => {
  const refusalOf = (env: Readonly<Record<string, string>>) =>
    Settings.refuseMisspelt.pipe(
      Effect.match({ onSuccess: () => undefined, onFailure: ({ message }) => message }),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: { PATH: "/bin", HOME: "/root", ...env } })
      )
    )
  const url = "postgres://dockline:hunter2@db/dockline"

  for (
    const [variable, correction, value] of [
      ["DATABSE_URL", "DATABASE_URL", url],
      ["DATABASEURL", "DATABASE_URL", url],
      ["DATABASE_URI", "DATABASE_URL", url],
      ["database_url", "DATABASE_URL", url],
      ["DOCKLINE_DATABASE_URL", "DATABASE_URL", url],
      ["DOCKLINE_DATABSE_URL", "DATABASE_URL", url],
      ["OPERATOR_CLIENTID", "OPERATOR_CLIENT_ID", "root"],
      ["SECRET_KEY", "SECRETS_KEY", "hunter2"],
      ["DMEO", "DEMO", "false"]
    ] as const
  ) {
    it.effect(`${variable} is refused: did you mean ${correction}?`, () =>
      Effect.gen(function*() {
        assert.strictEqual(
          yield* refusalOf({ [variable]: value }),
          `${variable} is not a setting. Did you mean ${correction}? Rename it, or set ${correction} too if both are meant`
        )
      }))
  }

  for (
    const [what, env] of [
      ["beside the setting itself", { DATABASE_URI: url, DATABASE_URL: url }],
      ["of Kubernetes for a service named dockline", {
        DOCKLINE_PORT: "tcp://10.0.0.1:8080",
        DOCKLINE_PORT_8080_TCP: "tcp://10.0.0.1:8080",
        DOCKLINE_SERVICE_HOST: "10.0.0.1",
        DOCKLINE_SERVICE_PORT: "8080"
      }],
      ["of the command line", { DOCKLINE_URL: "http://localhost:8080", DOCKLINE_CLIENT_ID: "root" }],
      ["of other programs", {
        PGHOST: "db",
        PGPORT: "5432",
        HOSTNAME: "a",
        TZ: "UTC",
        LOGNAME: "root",
        POSTGRES_PASSWORD: "hunter2",
        NODE_OPTIONS: "",
        OTEL_SERVICE_NAME: "dockline",
        OTEL_EXPORTER_OTLP_HEADERS: "a=b",
        npm_config_port: "1"
      }]
    ] as const
  ) {
    it.effect(`is none ${what}`, () =>
      Effect.gen(function*() {
        assert.isUndefined(yield* refusalOf(env))
      }))
  }

  it.effect("is named with all others", () =>
    Effect.gen(function*() {
      const refusal = yield* refusalOf({ DATABSE_URL: url, BASEURL: "http://a.example" })
      assert.match(String(refusal), /^DATABSE_URL is not .*; BASEURL is not /)
      assert.notInclude(String(refusal), "hunter2")
    }))
})

describe("demo data", () => {
  const operator = { OPERATOR_CLIENT_ID: "root", OPERATOR_CLIENT_SECRET: "hunter2" }
  const database = { DATABASE_URL: "postgres://localhost/dockline" }
  for (
    const [what, env, demo, freight] of [
      ["is there for a first look, with freight", {}, true, true],
      ["is not beside the operator of the settings", operator, false, false],
      ["is not beside a database of your own", database, false, false],
      [
        "is beside both where it is asked for, without freight",
        { ...operator, ...database, DEMO: "true" },
        true,
        false
      ],
      ["is not where it is refused", { DEMO: "false" }, false, false]
    ] as const
  ) {
    // @threat asking.9
    it.effect(`D12.2 ${what}`, () =>
      Effect.gen(function*() {
        assert.deepInclude(yield* settingsOf(env), { demo, freight })
      }))
  }
})
