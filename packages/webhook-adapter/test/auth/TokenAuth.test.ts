/** D9.2: a token is fetched once for all who wait, kept until shortly before it expires, and renewed after a 401. */
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { test } from "../../../../test/support/Tests.ts"
import { loginServer, open, signingIn } from "../TokenSetup.ts"

describe("how long a token is kept", () => {
  const cases: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, string>>, number]> = [
    ["60 s less than a long lifetime", { access_token: "abc", expires_in: 3_000 }, {}, 2_940],
    ["nine tenths of a short one", { access_token: "abc", expires_in: 100 }, {}, 90],
    ["a lifetime in text", { access_token: "abc", expires_in: " 3000 " }, {}, 2_940],
    [
      "a lifetime elsewhere",
      { access_token: "abc", meta: { ttl: 3_000 } },
      { lifetimePath: "meta.ttl" },
      2_940
    ],
    ["an hour when it is not told", { access_token: "abc" }, {}, 3_540],
    [
      "an hour when there is no path to it",
      { access_token: "abc", expires_in: 5 },
      { lifetimePath: "" },
      3_540
    ],
    ...["soon", "", -5, 0, null, true, "1e3", "NaN", {}].map((junk) =>
      [
        `an hour when it is ${JSON.stringify(junk)}`,
        { access_token: "abc", expires_in: junk },
        {},
        3_540
      ] as const
    )
  ]
  for (const [title, answer, settings, seconds] of cases) {
    test(title, function*() {
      const { auth, server } = yield* signingIn(answer, settings)
      const first = yield* auth.obtain
      yield* TestClock.adjust(`${seconds * 1000 - 1} millis`)
      assert.strictEqual(yield* auth.obtain, first)
      assert.strictEqual(server.received.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(auth.current(), undefined)
      yield* auth.obtain
      assert.strictEqual(server.received.length, 2)
    })
  }

  test("its lifetime counts from when it was asked for", function*() {
    const loginRequest = Promise.withResolvers<ServerResponse>()
    const server = yield* loginServer((_, response) => loginRequest.resolve(response))
    const auth = yield* open(server.url)
    const fiber = yield* Effect.forkChild(auth.obtain)
    const response = yield* Effect.promise(() => loginRequest.promise)
    yield* TestClock.adjust("100 seconds")
    response.end(JSON.stringify({ access_token: "abc", expires_in: 1_000 }))
    yield* Fiber.join(fiber)
    yield* TestClock.adjust("839 seconds")
    assert.notStrictEqual(auth.current(), undefined)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(auth.current(), undefined)
  })
})

describe("one login for all", () => {
  test("a late 401 to an old token does not discard the new one", function*() {
    const server = yield* loginServer()
    const auth = yield* open(server.url)
    const first = yield* auth.obtain
    assert.isTrue(auth.discard(first))
    assert.strictEqual(auth.current(), undefined)
    const second = yield* auth.obtain
    assert.isTrue(auth.discard(first))
    assert.strictEqual(auth.current(), second)
    assert.strictEqual(server.received.length, 2)
  })

  test("a failure fails all callers that waited for it, and the next caller tries again", function*() {
    const server = yield* loginServer((number, response) => {
      if (number === 1) response.writeHead(503).end()
      else response.end(JSON.stringify({ access_token: "abc" }))
    })
    const auth = yield* open(server.url)
    const failures = yield* Effect.all(
      Array.from({ length: 50 }, () => Effect.flip(auth.obtain)),
      { concurrency: "unbounded" }
    )
    for (const { error } of failures) assert.strictEqual(error, "login: the login endpoint answered 503")
    assert.strictEqual(server.received.length, 1)
    assert.strictEqual((yield* auth.obtain).header, "Bearer abc")
  })

  test("the first caller may be interrupted, and the others still get the token", function*() {
    const loginRequest = Promise.withResolvers<ServerResponse>()
    const server = yield* loginServer((_, response) => loginRequest.resolve(response))
    const auth = yield* open(server.url)
    const first = yield* Effect.forkChild(auth.obtain)
    const response = yield* Effect.promise(() => loginRequest.promise)
    const second = yield* Effect.forkChild(auth.obtain)
    yield* Fiber.interrupt(first)
    response.end(JSON.stringify({ access_token: "abc" }))
    assert.strictEqual((yield* Fiber.join(second)).header, "Bearer abc")
    assert.strictEqual(server.received.length, 1)
  })
})
