/** What follows from the settings of the server, and which of them are refused. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
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
      const refused = yield* Effect.flip(settingsOf({ TRUSTED_PROXIES: "10.0.0.1" }))
      assert.include(String(refused), "TRUSTED_PROXIES")
      assert.include(String(refused), "write 10.0.0.1/32 for this one address")
    }))
})
