/** `Retry-After` of the service, and of proxies before it: never read as sooner than it says. */
import { assert, describe, it } from "vitest"
import * as RetryAfterCases from "../../core/test/webhooks/RetryAfterCases.ts"
import { secondsOf } from "../src/DocklineError.ts"

describe("Retry-After", () => {
  for (const [header, seconds] of RetryAfterCases.usual) {
    it(`${JSON.stringify(header?.slice(0, 40))} is ${seconds === undefined ? "nothing" : `${seconds} s`}`, () => {
      assert.strictEqual(secondsOf(header ?? null, RetryAfterCases.now), seconds)
    })
  }
})
