/** D9.2: the login request, the token in its answer, and a login endpoint that fails. */
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { test } from "../../../test/support/Tests.ts"
import type * as CustomerServer from "./CustomerServer.ts"
import { loginServer, open, password, signingIn } from "./TokenSetup.ts"

describe("the login request", () => {
  test("is a POST of JSON with the default field names", function*() {
    const server = yield* loginServer()
    const auth = yield* open(`${server.url}/login?tenant=1`)
    assert.strictEqual(server.received.length, 0, "opening calls nobody")
    yield* auth.obtain
    const [{ body, headers, method, url }] = server.received as [CustomerServer.CustomerRequest]
    assert.deepStrictEqual([method, url], ["POST", "/login?tenant=1"])
    assert.deepStrictEqual(JSON.parse(body), { username: "dockline", password: Redacted.value(password) })
    assert.include(headers, {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "Dockline/9"
    })
    assert.notProperty(headers, "authorization")
  })

  test("is a form when loginFormat says so", function*() {
    const server = yield* loginServer()
    yield* (yield* open(server.url, { loginFormat: "form" })).obtain
    const [{ body, headers }] = server.received as [CustomerServer.CustomerRequest]
    assert.strictEqual(headers["content-type"], "application/x-www-form-urlencoded")
    assert.deepStrictEqual([...new URLSearchParams(body)], [
      ["username", "dockline"],
      ["password", Redacted.value(password)]
    ])
  })

  for (const loginFormat of ["json", "form"]) {
    test(`has the field names that were agreed, as ${loginFormat}`, function*() {
      const server = yield* loginServer()
      const fields = { usernameField: "user.name", passwordField: "__proto__" }
      yield* (yield* open(server.url, { loginFormat, ...fields })).obtain
      const [{ body }] = server.received as [CustomerServer.CustomerRequest]
      const entries = loginFormat === "json"
        ? Object.entries(JSON.parse(body))
        : [...new URLSearchParams(body)]
      assert.deepStrictEqual(entries, [["user.name", "dockline"], ["__proto__", Redacted.value(password)]])
    })
  }
})

describe("the token of the answer", () => {
  const cases: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, string>>, string]> = [
    ["at access_token, after Bearer", { access_token: "abc" }, {}, "Bearer abc"],
    ["at a path of names", { data: { auth: { jwt: "abc" } } }, { tokenPath: "data.auth.jwt" }, "Bearer abc"],
    ["in a list", { tokens: [{ value: "abc" }] }, { tokenPath: "tokens.0.value" }, "Bearer abc"],
    ["after another scheme", { access_token: "abc" }, { scheme: "Token" }, "Token abc"],
    ["bare when the scheme is empty", { access_token: "abc" }, { scheme: "" }, "abc"],
    ["of 8,185 characters", { access_token: "x".repeat(8_185) }, {}, `Bearer ${"x".repeat(8_185)}`]
  ]
  for (const [title, answer, settings, header] of cases) {
    test(title, function*() {
      const { auth } = yield* signingIn(answer, settings)
      assert.strictEqual(auth.current(), undefined)
      assert.strictEqual((yield* auth.obtain).header, header)
      assert.strictEqual(auth.current()?.header, header)
    })
  }

  const none = "login: the answer of the login endpoint has no text at"
  const unfit = "login: the token is longer than 8192 characters or has some that a header cannot carry"
  const faults: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, string>>, string]> = [
    ["is not there", { token: "abc" }, {}, `${none} access_token`],
    ["is empty", { access_token: "" }, {}, `${none} access_token`],
    ["is a number", { access_token: 1 }, {}, `${none} access_token`],
    ["is nowhere in null", null, {}, `${none} access_token`],
    ["is not inherited", {}, { tokenPath: "constructor.name" }, `${none} constructor.name`],
    ["is too long", { access_token: "x".repeat(8_186) }, {}, unfit],
    ["would begin a header of its own", { access_token: "a\r\nX-Evil: 1" }, {}, unfit],
    ["is not ASCII", { access_token: "ö" }, { scheme: "" }, unfit],
    ["has a blank at its end", { access_token: "abc " }, {}, unfit]
  ]
  for (const [title, answer, settings, error] of faults) {
    // @threat requests.6
    test(`${title}: no login`, function*() {
      const { auth } = yield* signingIn(answer, settings)
      assert.strictEqual((yield* Effect.flip(auth.obtain)).error, error)
      assert.strictEqual(auth.current(), undefined)
    })
  }
})

describe("a login endpoint that does what it was not asked for", () => {
  test("encodes its answer", function*() {
    const server = yield* loginServer((_, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(
        gzipSync(JSON.stringify({ access_token: "t" }))
      )
    })
    assert.strictEqual((yield* (yield* open(server.url)).obtain).header, "Bearer t")
  })

  test("closes a kept connection as the login comes", function*() {
    const server = yield* loginServer((number, response) => {
      if (number === 2) response.socket!.resetAndDestroy()
      else response.end(JSON.stringify({ access_token: `t${number}` }))
    })
    const auth = yield* open(server.url)
    auth.discard(yield* auth.obtain)
    assert.strictEqual((yield* auth.obtain).header, "Bearer t3")
    assert.strictEqual(server.sockets.length, 2)
  })
})

describe("a login endpoint that fails says why, and shows no secret", () => {
  const faults: ReadonlyArray<readonly [string, (response: ServerResponse) => void, string]> = [
    ["401", (response) => response.writeHead(401).end("s3cret"), "the login endpoint answered 401"],
    [
      "a redirect",
      (response) => response.writeHead(302, { Location: "http://169.254.169.254/in?password=s3cret" }).end(),
      "the login endpoint answered 302, a redirect to http://169.254.169.254/in; redirects are not followed"
    ],
    ["junk", (response) => response.end("s3cret {"), "the answer of the login endpoint is not JSON"],
    [
      "a cut body",
      (response) => {
        response.writeHead(200, { "Content-Length": "100" }).write("{", () => response.destroy())
      },
      "the connection was closed before the answer was complete"
    ],
    [
      "an answer in an unknown encoding",
      (response) => response.writeHead(200, { "Content-Encoding": "compress" }).end("x"),
      "the answer is in an encoding that is not known here (compress)"
    ],
    [
      "a bomb",
      (response) =>
        response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(Buffer.alloc(2 ** 24, " "))),
      "the answer is longer than 64 KiB; the rest was not read"
    ]
  ]
  for (const [title, answer, error] of faults) {
    test(title, function*() {
      const server = yield* loginServer((_, response) => answer(response))
      const auth = yield* open(server.url)
      const failure = yield* Effect.flip(auth.obtain)
      assert.strictEqual(failure.error, `login: ${error}`)
      assert.strictEqual(failure.message, `Signing in failed: login: ${error}`)
      assert.strictEqual(auth.current(), undefined)
    })
  }

  test("it is down", function*() {
    const { url } = yield* Effect.scoped(loginServer())
    const auth = yield* open(url)
    assert.strictEqual((yield* Effect.flip(auth.obtain)).error, "login: connection refused")
  })
})
