/** What is said when the service refuses, or does not answer as one: every way it can fail to. */
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import { env, errorsOf, show } from "./Showing.ts"

/** A port that nothing listens on. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

describe("a service that cannot be reached or is none: exit 3, one line that says what to check", () => {
  it("nothing listens", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    assert.strictEqual(
      await errorsOf(3, runLine(["business", "list"], { env: env(url) })),
      `dockline: Cannot reach ${url}: nothing listens there. Check that the service is running, and that --url or DOCKLINE_URL is its address\n`
    )
  })

  it("no such host", async () => {
    const text = await errorsOf(3, runLine(["business", "list"], { env: env("http://no-such-host.invalid") }))
    assert.match(
      text,
      /Cannot reach http:\/\/no-such-host\.invalid: (?:there is no host with that name|.* cannot be resolved at the moment)/
    )
  })

  const answers: ReadonlyArray<readonly [string, FakeService.Handler, string]> = [
    [
      "a page of a proxy",
      (_, response) => void response.writeHead(502).end("<h1>Bad Gateway</h1>"),
      "answers 502, but not as"
    ],
    [
      "a redirect, which is not followed",
      (_, response) => void response.writeHead(307, { location: "https://other.example/" }).end(),
      "redirects to https://other.example/"
    ],
    ["a connection that is reset", (_, response) => void response.socket?.resetAndDestroy(), "Cannot reach"],
    [
      "an answer that is cut off",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write(
          "{\"slug\":"
        )
        setImmediate(() => response.destroy())
      },
      "Cannot reach"
    ],
    [
      "an answer of another shape",
      FakeService.json({ slug: "acme", name: 1 }),
      "dockline 0.1.0 does not understand the answer"
    ],
    ["no JSON", (_, response) => void response.writeHead(200).end("<h1>Welcome</h1>"), "does not understand"],
    [
      "a token that it does not take",
      FakeService.problem(401, { detail: "missing or invalid bearer token" }),
      "rejects the token: missing or invalid bearer token"
    ]
  ]
  for (const [name, handler, words] of answers) {
    it(name, async () => {
      const text = await errorsOf(3, show(handler))
      assert.include(text, words)
      assert.strictEqual(text.split("\n").length, 2, text)
    })
  }

  it("no answer within the time given", async () => {
    const text = await errorsOf(3, show(() => undefined, undefined, {}, "--timeout", "0.2"))
    assert.include(text, "has not answered within 200ms")
  })

  it("an answer that does not end within the time given", async () => {
    const endless: FakeService.Handler = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write("{\"slug\":")
    }
    assert.include(
      await errorsOf(3, show(endless, undefined, {}, "--timeout", "0.2")),
      "has not answered within 200ms"
    )
  })
})

describe("a refusal: exit 1", () => {
  it("says what is wrong with each field, the code and the correlation id", async () => {
    const text = await errorsOf(
      1,
      show(FakeService.problem(
        422,
        {
          title: "Unprocessable Entity",
          detail: "2 errors; see errors",
          code: "INVALID_REQUEST",
          errors: [{ path: "slug", detail: "is required" }, { path: "", detail: "must be one" }]
        },
        { "correlation-id": "c-1" }
      ))
    )
    assert.strictEqual(
      text,
      [
        "dockline: 2 errors; see errors",
        "  slug: is required",
        "  (body): must be one",
        "  422 Unprocessable Entity, code INVALID_REQUEST, correlation id c-1",
        ""
      ].join("\n")
    )
  })

  it("says when to try again", async () => {
    const text = await errorsOf(
      1,
      show(
        FakeService.problem(429, { title: "Too Many Requests", code: "RATE_LIMITED" }, {
          "retry-after": "12"
        })
      )
    )
    assert.include(text, "429 Too Many Requests, code RATE_LIMITED, try again after 12 s")
  })

  it("shows nothing that a terminal acts on", async () => {
    const text = await errorsOf(1, show(FakeService.problem(409, { detail: "\u001b[2Jgone\nforged line" })))
    assert.include(text, "dockline: \\u001b[2Jgone\\nforged line\n")
  })
})
