/** Those who are slow, deaf or many, over real connections with short limits: each is cut, and nobody else notices. */
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { defaultConnectionLimits } from "../../src/limits/ConnectionLimits.ts"
import type { ConnectionLimitsConfig } from "../../src/limits/ConnectionLimits.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head } from "../RawClient.ts"
import type { RawClient } from "../RawClient.ts"
import { reset } from "../Resets.ts"

const raw = forEachTest()

const megabyte = 1024 * 1024

const serve = async (config: Partial<ConnectionLimitsConfig> = {}, listener?: RequestListener) => {
  const opening = await raw.open(new NodeServer({ checkMillis: 20, ...config }), listener)
  return { ...opening, stats: () => opening.server.connectionLimits.stats }
}

/** Another client is served. */
const isServed = async (other: RawClient) => {
  const count = raw.holder.requests.length + 1
  other.write(head("GET", "/other"))
  await raw.holder.until(count)
  raw.holder.requests[count - 1]!.answer()
  assert.strictEqual((await other.answer()).status, 200)
}

/** Sends a text piece by piece until it is out or the connection is cut. */
const drip = async (client: RawClient, pieces: ReadonlyArray<string>, millis: number) => {
  for (const piece of pieces) {
    if (client.socket.destroyed) return
    client.write(piece)
    await new Promise((resolve) => setTimeout(resolve, millis))
  }
}

describe("connections that are reset before they are taken", () => {
  // @threat load.11
  it("are not read, and keep nobody waiting", async () => {
    await using server = await serve()
    reset((server.server.address() as AddressInfo).port, 40)
    server.client().write(head("GET", "/other"))
    const paths = () => raw.holder.requests.map(({ request }) => request.url)
    await eventually("another is there", () => paths().includes("/other"))
    assert.deepStrictEqual(paths(), ["/other"])
    assert.deepInclude(server.stats(), { connections: 1, refused: 0 })
  })
})

describe("slow senders", () => {
  // @threat load.14
  it("a head that drips is 408 once it takes too long, and others are served", async () => {
    await using server = await serve({ headMillis: 150 })
    const slow = server.client()
    const answer = slow.answer()
    await Promise.all([
      drip(slow, Array.from(head("GET", "/slow").repeat(20)), 10),
      isServed(server.client()),
      slow.closed
    ])
    assert.strictEqual((await answer).status, 408)
  })

  it("a connection that sends nothing is closed", async () => {
    await using server = await serve({ headMillis: 100 })
    const silent = server.client()
    await silent.closed
    await eventually("the connections to be gone", () => server.stats().connections === 0)
  })

  // @threat load.14
  it("a body that drips is 408, and others are served", async () => {
    await using server = await serve({ headMillis: 100, requestMillis: 200 })
    const slow = await server.begin(head("POST", "/slow", "Content-Length: 1000"))
    raw.holder.requests[0]!.request.resume()
    const answer = slow.answer()
    await Promise.all([
      drip(slow, Array.from("x".repeat(1000)), 10),
      isServed(server.client()),
      slow.closed
    ])
    const { body, status } = await answer
    assert.deepStrictEqual([status, (JSON.parse(body) as { readonly code: string }).code], [
      408,
      "REQUEST_TIMEOUT"
    ])
    assert.strictEqual(server.stats().slowRequests, 1)
  })

  it("what is held for a request that is cut is freed", async () => {
    await using server = await serve({ headMillis: 50, requestMillis: 100 })
    const slow = await server.begin(head("POST", "/slow", "Content-Length: 1000"))
    const { request } = raw.holder.requests[0]!
    request.on("error", () => undefined)
    const closing = new Promise((resolve) => request.once("close", resolve))
    await slow.closed
    await closing
    await eventually("the connections to be gone", () => server.stats().connections === 0)
  })
})

describe("slow readers", () => {
  // @threat load.15
  it("an answer of which nothing is taken is cut, and others are served", async () => {
    await using server = await serve({ stallMillis: 100 })
    const deaf = await server.begin(head("GET", "/deaf"))
    raw.holder.requests[0]!.answer("x".repeat(16 * megabyte))
    await eventually("an answer that is held", () => server.stats().answerBytes > 0)
    await isServed(server.client())
    await eventually("one connection to be left", () => server.stats().connections === 1)
    assert.deepInclude(server.stats(), { stalledAnswers: 1, answerBytes: 0 })
    deaf.socket.resume()
    await deaf.closed
  })

  it("an answer that trickles is cut, though something of it is taken all the time", async () => {
    await using server = await serve({ answerMillis: 200 })
    const slow = await server.begin(head("GET", "/slow"))
    raw.holder.requests[0]!.answer("x".repeat(16 * megabyte))
    slow.socket.on("data", () => {
      slow.socket.pause()
      setTimeout(() => slow.socket.resume(), 5)
    })
    await slow.closed
    assert.strictEqual(server.stats().stalledAnswers, 1)
  })

  it("a large answer that is taken is sent whole", async () => {
    await using server = await serve({ stallMillis: 1000 })
    const reader = await server.begin(head("GET", "/large"))
    raw.holder.requests[0]!.answer("x".repeat(4 * megabyte))
    assert.strictEqual((await reader.answer()).body.length, 4 * megabyte)
    assert.deepInclude(server.stats(), { stalledAnswers: 0, answerBytes: 0 })
  })

  it("an answer that stands behind another counts", async () => {
    await using server = await serve()
    const client = await server.begin(head("GET", "/long") + head("GET", "/prompt"), 2)
    raw.holder.requests[1]!.answer("y".repeat(megabyte))
    assert.isAtLeast(server.stats().answerBytes, megabyte)
    raw.holder.requests[0]!.answer("x")
    assert.strictEqual((await client.answer()).body, "x")
    assert.strictEqual((await client.answer()).body.length, megabyte)
    await eventually("no answer to be held", () => server.stats().answerBytes === 0)
    assert.strictEqual(server.stats().stalledAnswers, 0)
  })

  // @threat load.15
  it("a long answer that is made as it is taken is cut where it trickles, though something of it is taken all the time", async () => {
    await using server = await serve({ answerMillis: 200 }, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write("x".repeat(16 * megabyte))
    })
    const slow = server.client().write(head("GET", "/slow"))
    slow.socket.on("data", () => {
      slow.socket.pause()
      setTimeout(() => slow.socket.resume(), 5)
    })
    await slow.closed
    assert.strictEqual(server.stats().stalledAnswers, 1)
  })

  it("answers behind one that is not taken are within the bound of all together", async () => {
    await using server = await serve({ answerBytes: 20 * megabyte })
    const deaf = await server.begin(head("GET", "/").repeat(3), 3)
    for (const { answer } of raw.holder.requests) answer("x".repeat(16 * megabyte))
    await deaf.closed
    assert.deepInclude(server.stats(), { stalledAnswers: 1, answerBytes: 0 })
  })

  // @threat load.15
  it("answers that wait have a bound all together: the one that waits longest goes first", async () => {
    await using server = await serve({ answerBytes: 20 * megabyte })
    const first = await server.begin(head("GET", "/first"))
    const second = server.client().write(head("GET", "/second"))
    await raw.holder.until(2)
    raw.holder.requests[0]!.answer("x".repeat(16 * megabyte))
    await eventually("an answer that is held", () => server.stats().answerBytes > 0)
    raw.holder.requests[1]!.answer("y".repeat(16 * megabyte))
    first.socket.resume()
    await first.closed
    assert.strictEqual(server.stats().stalledAnswers, 1)
    assert.isAtMost(server.stats().answerBytes, 20 * megabyte)
    assert.strictEqual((await second.answer()).body.length, 16 * megabyte)
  })
})

describe("a service that is slow itself", () => {
  it("cuts no connection while it works on a request that has come whole, and one whose request has not", async () => {
    await using server = await serve({ stallMillis: 100 })
    const whole = await server.begin(head("GET", "/whole"))
    const half = await server.begin(head("POST", "/half", "Content-Length: 10"))
    await half.closed
    // It has waited for longer.
    raw.holder.requests[0]!.answer("done")
    assert.strictEqual((await whole.answer()).body, "done")
  })
})

describe("many connections", () => {
  // @threat load.19
  it("beyond the limit are closed, and taken again as others go", async () => {
    await using server = await serve({ connections: 2 })
    const [one, two] = [server.client(), server.client()]
    await isServed(one!)
    await isServed(two!)
    await server.client().closed
    assert.deepInclude(server.stats(), { connections: 2, refused: 1 })
    one!.close()
    await eventually("one connection to be left", () => server.stats().connections === 1)
    await isServed(server.client())
  })

  // @threat load.19
  it("of one address have a limit of their own", async () => {
    await using server = await serve({ connectionsPerAddress: 1, isExempt: () => false })
    const one = server.client()
    await isServed(one)
    await server.client().closed
    one.close()
    await eventually("the connections to be gone", () => server.stats().connections === 0)
    await isServed(server.client())
  })

  it("of an address that is exempt have none, as loopback is", async () => {
    await using server = await serve({ connectionsPerAddress: 1 })
    await isServed(server.client())
    await isServed(server.client())
    const { isExempt } = defaultConnectionLimits
    assert.deepStrictEqual(
      ["127.0.0.1", "::1", "::ffff:127.0.0.5", "203.0.113.7", "::ffff:203.0.113.7", "2001:db8::127.0.0.1"]
        .map(
          isExempt
        ),
      [true, true, true, false, false, false]
    )
  })

  it("with more requests on one of them than are sent before an answer is cut", async () => {
    await using server = await serve({ pipelined: 3 })
    const greedy = server.client().write(head("GET", "/").repeat(4))
    await greedy.closed
    const fine = await server.begin(head("GET", "/").repeat(3), 3)
    for (const { answer } of raw.holder.requests) answer()
    for (let at = 0; at < 3; at++) assert.strictEqual((await fine.answer()).status, 200)
    await isServed(fine)
  })

  it("between two requests are kept for so long", async () => {
    await using server = await serve({ keepAliveMillis: 100 })
    const idle = server.client()
    await isServed(idle)
    await idle.closed
    await eventually("the connections to be gone", () => server.stats().connections === 0)
  })
})

describe("a kept connection that asks for nothing", () => {
  it("keeps neither its last request in memory nor the answer", async () => {
    await using server = await serve()
    const client = server.client()
    client.write(head("GET", "/"))
    await raw.holder.until(1)
    // An answer knows its request.
    const request = new WeakRef(raw.holder.requests[0]!.request)
    raw.holder.requests.pop()!.answer()
    assert.strictEqual((await client.answer()).status, 200)
    setFlagsFromString("--expose-gc")
    const collectGarbage = runInNewContext("gc") as () => void
    await eventually("the request is gone", () => {
      collectGarbage()
      return request.deref() === undefined
    }, 5000)
    assert.isFalse(client.socket.destroyed)
  })
})
