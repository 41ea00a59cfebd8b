/** Settings of the bundled server as they are written in an environment. */
import { ConfigProvider, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { settings } from "../../src/settings/Settings.ts"

const levelOf = (given: string) =>
  Effect.runPromise(
    Effect.map(settings.parse(ConfigProvider.fromUnknown({ LOG_LEVEL: given })), ({ logLevel }) => logLevel)
  )

describe("LOG_LEVEL", () => {
  it.each([["Debug", "Debug"], ["debug", "Debug"], ["WARN", "Warn"], ["none", "None"]])(
    "%s is %s",
    async (given, level) => assert.strictEqual(await levelOf(given), level)
  )

  it("names the levels that there are", async () => {
    const error = await levelOf("verbose").catch((error: unknown) => String(error))
    assert.include(error, "must be one of All, Fatal, Error, Warn, Info, Debug, Trace, None")
  })
})
