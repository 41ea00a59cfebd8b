/** `Retry-After` as servers, proxies and libraries write it: never read as sooner than it says. */
import { assert, describe, it } from "vitest"
import { retryAfterSeconds } from "../../src/webhooks/Delivery.ts"
import * as RetryAfterCases from "./RetryAfterCases.ts"

describe("Retry-After", () => {
  for (const [header, seconds] of RetryAfterCases.all) {
    it(`${JSON.stringify(header?.slice(0, 40))} is ${seconds === undefined ? "nothing" : `${seconds} s`}`, () => {
      assert.strictEqual(retryAfterSeconds(header, RetryAfterCases.now), seconds)
    })
  }

  it("that names a date counts from the millisecond, rounded up", () => {
    const now = RetryAfterCases.now + 1
    assert.strictEqual(retryAfterSeconds("Fri, 20 Nov 2026 12:00:10 GMT", now), 10)
    assert.strictEqual(retryAfterSeconds("Fri, 20 Nov 2026 12:00:10 GMT", now + 9_998), 1)
  })
})
