/**
 * What follows from an attempt (D9.3): the schedule, `Retry-After`, and when an endpoint is disabled.
 */
import { fromMillis } from "@dockline/core/values/Timestamp"
import { noProgress } from "@dockline/core/webhooks/Delivery"
import { decide, retryAfter } from "@dockline/webhook-adapter/dispatch/Retry"
import type { EndedAttempt } from "@dockline/webhook-adapter/dispatch/Retry"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { assert, describe, it } from "@effect/vitest"
import * as RetryAfterCases from "../../../core/test/webhooks/RetryAfterCases.ts"

const { now } = RetryAfterCases
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const ended = (fields: Partial<EndedAttempt> = {}): EndedAttempt => ({
  progress: noProgress,
  failingSince: null,
  status: 500,
  retryAfter: undefined,
  now,
  chance: 0.5,
  ...fields
})

const after = (fields: Partial<EndedAttempt>) => decide(defaultWebhookConfig, ended(fields))

/** How long the delivery waits, in milliseconds; `"dead"` when it waits no more. */
const waitAfter = (fields: Partial<EndedAttempt>) => {
  const { nextAttemptAt, status } = after(fields)
  assert.strictEqual(nextAttemptAt === null, status !== "PENDING")
  return status === "DEAD" ? "dead" : Date.parse(nextAttemptAt!) - (fields.now ?? now)
}

const failureOf = (tries: number, sinceMillis = 0) => ({ tries, failedSince: fromMillis(now - sinceMillis) })

describe("success is any 2xx", () => {
  for (const status of [200, 201, 202, 204, 226, 299]) {
    it(`as ${status}`, () => {
      const verdict = after({ status, progress: failureOf(3), failingSince: fromMillis(now - day) })
      assert.strictEqual(verdict.status, "DELIVERED")
      assert.isNull(verdict.nextAttemptAt)
      assert.isNull(verdict.failingSince)
    })
  }

  for (const status of [null, 199, 300, 301, 304, 307, 308, 400, 401, 404, 422, 429, 500, 503, 599]) {
    it(`and not ${status}`, () => {
      const verdict = after({ status })
      assert.strictEqual(verdict.status, "PENDING")
      assert.strictEqual(verdict.failingSince, fromMillis(now))
      assert.deepStrictEqual([verdict.tries, verdict.failedSince], [1, fromMillis(now)])
    })
  }
})

describe("the schedule", () => {
  const delays = [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour
  ]

  delays.forEach((delay, tries) => {
    it(`waits ${delay / second} s after failure ${tries + 1}, give or take a fifth`, () => {
      const waits = [0, 0.5, 1].map((chance) => waitAfter({ progress: failureOf(tries), chance }))
      assert.deepStrictEqual(waits, [delay * 0.8, delay, delay * 1.2])
      assert.strictEqual(after({ progress: failureOf(tries) }).tries, tries + 1)
    })
  })

  it("is used up after the ninth wait: the tenth failure is the last, whatever it asks for", () => {
    assert.strictEqual(waitAfter({ progress: failureOf(9) }), "dead")
    assert.strictEqual(waitAfter({ progress: failureOf(9), status: 429, retryAfter: "10" }), "dead")
    assert.strictEqual(waitAfter({ progress: failureOf(9), status: 503, retryAfter: "86400" }), "dead")
  })

  it("keeps the time of the first failure", () => {
    assert.strictEqual(after({ progress: failureOf(4, hour) }).failedSince, fromMillis(now - hour))
  })
})

describe("Retry-After", () => {
  for (const [header, seconds] of RetryAfterCases.all) {
    const wait = seconds === undefined ? undefined : Math.min(Math.max(seconds * second, second), day)
    it(`${JSON.stringify(header?.slice(0, 40))} is ${wait === undefined ? "nothing" : `${wait / second} s`}`, () => {
      assert.strictEqual(retryAfter(header, now), wait)
    })
  }

  for (const status of [429, 503]) {
    it(`of ${status} is honoured as it is, without jitter`, () => {
      for (const chance of [0, 1]) {
        assert.strictEqual(waitAfter({ status, retryAfter: "3600", chance }), hour)
      }
    })

    it(`of ${status} that says nothing leaves the schedule`, () => {
      assert.strictEqual(waitAfter({ status, retryAfter: "-1" }), 5 * second)
      assert.strictEqual(waitAfter({ status }), 5 * second)
    })
  }

  for (const status of [400, 500, 502, 504, 301, null]) {
    it(`of ${status} is not honoured`, () => {
      assert.strictEqual(waitAfter({ status, retryAfter: "3600" }), 5 * second)
    })
  }

  it("that is shorter than the schedule's wait uses up no step of it", () => {
    const verdict = after({ status: 429, retryAfter: "10", progress: failureOf(3, hour) })
    assert.strictEqual(verdict.tries, 3)
    assert.strictEqual(verdict.nextAttemptAt, fromMillis(now + 10 * second))
  })

  it("that is not shorter uses up a step", () => {
    assert.strictEqual(after({ status: 429, retryAfter: "5" }).tries, 1)
    assert.strictEqual(after({ status: 429, retryAfter: "4" }).tries, 0)
  })

  it("that is short has as much time as the schedule takes, from the first failure", () => {
    const sum = defaultWebhookConfig.retryDelays.reduce((left, right) => left + right)
    const asking = { status: 429, retryAfter: "1" }
    assert.strictEqual(waitAfter({ ...asking, progress: failureOf(0, sum - 1) }), second)
    assert.strictEqual(waitAfter({ ...asking, progress: failureOf(0, sum) }), "dead")
    assert.strictEqual(after(asking).failedSince, fromMillis(now))
  })
})

describe("an endpoint is disabled", () => {
  it("by 410, and the message stays pending with its schedule as it was", () => {
    const verdict = after({ status: 410, progress: failureOf(2, hour) })
    assert.strictEqual(verdict.disable, "GONE")
    assert.strictEqual(verdict.status, "PENDING")
    assert.deepStrictEqual([verdict.tries, verdict.failedSince], [2, fromMillis(now - hour)])
    assert.isNotNull(verdict.nextAttemptAt)
  })

  it("by 410 at the last attempt too: the message is backlog", () => {
    assert.strictEqual(after({ status: 410, progress: failureOf(9) }).status, "PENDING")
  })

  it("after 5 days without a success, not before", () => {
    assert.isUndefined(after({ failingSince: fromMillis(now - 5 * day + 1) }).disable)
    assert.strictEqual(after({ failingSince: fromMillis(now - 5 * day) }).disable, "FAILING")
    assert.isUndefined(after({ status: 200, failingSince: fromMillis(now - 6 * day) }).disable)
  })

  it("fails since its first failure", () => {
    assert.strictEqual(after({ failingSince: fromMillis(now - day) }).failingSince, fromMillis(now - day))
  })
})
