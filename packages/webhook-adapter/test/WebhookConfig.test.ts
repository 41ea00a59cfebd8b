import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { defaultWebhookConfig } from "../src/WebhookConfig.ts"

const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
) as { readonly version: string }

describe("D9 the settings as they are unless given", () => {
  it("D9.5 deliveries name the version of this package", () => {
    assert.strictEqual(defaultWebhookConfig.userAgent, `Dockline/${version}`)
  })

  it("D9.3 15 seconds to answer, a schedule of about three days, and five days of patience", () => {
    const { failingMillis, retryDelays, timeoutMillis } = defaultWebhookConfig
    assert.strictEqual(timeoutMillis, 15_000)
    assert.deepStrictEqual(
      retryDelays.map((delay) => delay / 1000),
      [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    )
    assert.strictEqual(failingMillis, 432_000_000)
  })
})
