/** A body is read whole or refused at the limit, over real sockets and as a web request. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import type { HttpServerRequest as Requests } from "effect/http"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Readable } from "node:stream"
import * as LimitedBody from "../../src/body/LimitedBody.ts"
import * as HttpSetup from "../HttpSetup.ts"

const limit = 100_000

type Read = Effect.Success<ReturnType<typeof LimitedBody.read>>
type ReadError = Effect.Error<ReturnType<typeof LimitedBody.read>>

/** A server that answers with what it read, and notes how reading ended. */
const server = Effect.gen(function*() {
  const ended = yield* Deferred.make<Exit.Exit<Read, ReadError>>()
  const handle = (request: Requests.HttpServerRequest) =>
    LimitedBody.read(request, limit).pipe(
      // Uninterruptible, to see the error that a client which goes away causes before its fiber is interrupted.
      Effect.uninterruptible,
      Effect.onExit((exit) => Deferred.succeed(ended, exit)),
      Effect.match({
        onSuccess: (bytes) => HttpServerResponse.uint8Array(bytes),
        onFailure: (error) => HttpServerResponse.text(error.code, { status: 400 })
      })
    )
  return { ...(yield* HttpSetup.serve(handle)), ended: Deferred.await(ended) }
})

const post = (url: string, body: Uint8Array | Readable) =>
  Effect.promise(async () => {
    // `duplex` is not in the DOM's types: fetch needs it for a body without a length.
    const init = { method: "POST", body, duplex: "half" } as RequestInit
    const response = await fetch(url, init)
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) }
  })

const bytes = (length: number) => Uint8Array.from({ length }, (_, at) => at % 251)

const chunks = (length: number) =>
  Readable.from((function*() {
    const whole = bytes(length)
    for (let at = 0; at < length; at += 7919) yield whole.subarray(at, at + 7919)
  })())

describe("over a socket", () => {
  it.live.each([0, 1, 65_537, limit])(
    "%d bytes arrive as they were sent, with a length and in chunks",
    (length) =>
      Effect.gen(function*() {
        const { url } = yield* server
        for (const body of [bytes(length), chunks(length)]) {
          const answer = yield* post(url, body)
          assert.strictEqual(answer.status, 200)
          assert.isTrue(Buffer.from(answer.body).equals(bytes(length)))
        }
      })
  )

  it.live.each([
    ["with a length", "Content-Length: 1000\r\n\r\npart"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"]
  ])("a client that goes away midway %s is a typed error", ([, rest]) =>
    Effect.gen(function*() {
      const { port, ended } = yield* server
      const client = HttpSetup.open(port)
      yield* Effect.promise(() => client.write(`POST / HTTP/1.1\r\nHost: x\r\n${rest}`))
      yield* Effect.sleep(50)
      client.reset()
      const error = yield* Effect.flip(Effect.flatten(ended))
      assert.strictEqual(error._tag, "RequestAborted")
      assert.notProperty(error.cause, "request")
    }))
})

describe("as a web request", () => {
  const read = (init: RequestInit) =>
    LimitedBody.read(HttpServerRequest.fromWeb(new Request("http://x/", { method: "POST", ...init })), 10)

  it.effect("no body is an empty one", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* read({})).length, 0)
      assert.strictEqual((yield* read({ body: "" })).length, 0)
    }))

  it.effect("the limit is the same", () =>
    Effect.gen(function*() {
      assert.strictEqual(Buffer.from(yield* read({ body: "0123456789" })).toString(), "0123456789")
      const error = yield* Effect.flip(read({ body: "0123456789a" }))
      assert.strictEqual(error.message, "The body is larger than 10 bytes")
    }))

  it.effect("a length that lies is not believed", () =>
    Effect.gen(function*() {
      for (const length of ["1", "-1", "x", ""]) {
        const error = yield* Effect.flip(
          read({ body: "a".repeat(11), headers: { "content-length": length } })
        )
        assert.strictEqual(error._tag, "PayloadTooLarge")
      }
      const error = yield* Effect.flip(read({ body: "a", headers: { "content-length": "11" } }))
      assert.strictEqual(error._tag, "PayloadTooLarge")
    }))

  it.effect("the rest of a body that is too large is not pulled", () =>
    Effect.gen(function*() {
      let pulls = 0
      let isCancelled = false
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulls++
          controller.enqueue(bytes(6))
        },
        cancel: () => {
          isCancelled = true
        }
      })
      // `duplex` is not in the DOM's types.
      const error = yield* Effect.flip(read({ body, duplex: "half" } as RequestInit))
      assert.strictEqual(error._tag, "PayloadTooLarge")
      assert.isBelow(pulls, 5)
      assert.isTrue(isCancelled)
    }))

  it.effect("a body that breaks is aborted", () =>
    Effect.gen(function*() {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) })
      const error = yield* Effect.flip(read({ body, duplex: "half" } as RequestInit))
      assert.strictEqual(error._tag, "RequestAborted")
    }))
})
