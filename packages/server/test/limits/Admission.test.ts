/** What a server does with more requests than it may work on, over real connections. */
import * as RequestLimits from "@dockline/core/access/RequestLimits"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect, Exit, Fiber } from "effect"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { Admission } from "../../src/limits/Admission.ts"
import type { AdmissionOptions } from "../../src/limits/Admission.ts"
import { laneOf } from "../../src/limits/WorkLane.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head, RawClient } from "../RawClient.ts"

const raw = forEachTest()

/** Waits aside within an admission. */
const waitAside = <A>(
  { beginAside }: Admission,
  ...[request, waiting, goesOn]: Parameters<typeof RequestLimits.waitAside<A, never, never>>
) => Effect.provideService(RequestLimits.waitAside(request, waiting, goesOn), RequestLimits.Aside, beginAside)

/** One request at once and none that waits, unless given otherwise. */
const serve = async (config: AdmissionOptions = {}) => {
  const admission = new Admission({ running: 1, runningPerClient: 1, waiting: 0, ...config })
  return { admission, ...await raw.open(new NodeServer({ admission })) }
}

/** Each token is that of a client of its name, the only one of its business. */
const everybody = {
  authenticate: (header = "") =>
    Effect.succeed({
      principal: {
        clientId: header,
        grants: [{ business: header, facilities: "*" as const, permissions: [] }]
      },
      expiresAt: Date.now() + 60_000
    })
}

const get = (path = "/v1/shipments", ...headers: ReadonlyArray<string>) => head("GET", path, ...headers)

/** Reads the body of a request that is held, as handlers do; resolves as its turn comes. */
const receive = (admission: Admission, at: number): Promise<unknown> => {
  const { request } = raw.holder.requests[at]!
  request.resume()
  const whole = Effect.callback<void>((resume) => void request.once("end", () => resume(Effect.void)))
  return Effect.runPromise(waitAside(admission, request, whole))
}

const isIdle = async (admission: Admission) => {
  await eventually("work.running === 0", () => admission.stats.work.running === 0)
}

describe("a request that waits for another service", () => {
  it("does not count meanwhile, whatever its credentials, and goes on in turn", async () => {
    await using server = await serve()
    const over = Promise.withResolvers<void>()
    const wait = () =>
      Effect.runFork(
        waitAside(server.admission, raw.holder.requests.at(-1)!.request, Effect.promise(() => over.promise))
      )
    await server.begin(get())
    assert.strictEqual(server.admission.stats.work.running, 1)
    const waiting = wait()
    await isIdle(server.admission)
    await server.begin(get())
    over.resolve()
    // Nothing may wait here, so what waited is refused where there is no room for it now.
    const refusal = await Effect.runPromise(Effect.flip(Fiber.join(waiting)))
    assert.strictEqual(refusal.code, "OVERLOADED")
    assert.strictEqual(server.admission.stats.work.running, 1)
    for (const { answer } of raw.holder.requests) answer()
    await isIdle(server.admission)
  })

  it("does not give way where it goes on at once, but counts where too many wait so", async () => {
    await using server = await serve({ paused: 1, running: 2, runningPerClient: 2 })
    const wait = (goesOn: "in turn" | "at once") =>
      Effect.runFork(
        waitAside(server.admission, raw.holder.requests.at(-1)!.request, Effect.never, goesOn)
      )
    await server.begin(get())
    const slow = wait("in turn")
    await isIdle(server.admission)
    await server.begin(get())
    wait("at once")
    const refusal = await Effect.runPromise(Effect.flip(Fiber.join(slow)))
    assert.strictEqual(refusal.code, "OVERLOADED")
    await isIdle(server.admission)
    await server.begin(get())
    wait("at once")
    await server.begin(get())
    const third = wait("in turn")
    assert.strictEqual((await Effect.runPromise(Effect.flip(Fiber.join(third)))).code, "OVERLOADED")
    assert.strictEqual(server.admission.stats.work.running, 1)
  })
})

describe("D12.6 more requests than are worked on", () => {
  // @threat load.8
  it("503 OVERLOADED with Retry-After and the correlation id; the connection serves on", async () => {
    await using server = await serve()
    await server.begin(get())
    const lateClient = server.client().write(get("/v1/shipments", "Correlation-Id: mine"))
    const { body, headers, status } = await lateClient.answer()
    assert.strictEqual(status, 503)
    const { detail, ...problem } = JSON.parse(body) as { readonly detail: string }
    assert.match(detail, /too much to do at the moment; repeat the request after [123] seconds?/)
    assert.deepStrictEqual(problem, {
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      code: "OVERLOADED"
    } as object)
    assert.match(headers["retry-after"]!, /^[123]$/)
    assert.deepInclude(headers, {
      "content-type": "application/problem+json",
      "correlation-id": "mine",
      connection: "keep-alive"
    })
    raw.holder.requests[0]!.answer()
    await isIdle(server.admission)
    lateClient.write(get())
    await raw.holder.until(2)
    raw.holder.requests[1]!.answer("served")
    assert.strictEqual((await lateClient.answer()).status, 200)
  })

  it("GraphQL and the token endpoint have their own form", async () => {
    await using server = await serve({ largestBody: 20_000, bodyBytes: 1 })
    await server.begin(head("POST", "/v1/documents", "Content-Length: 20000"))
    const ask = async (path: string) =>
      server.client().write(head("POST", path, "Content-Length: 20000", "Accept: application/json")).answer()
    const graphql = await ask("/public_graphql")
    assert.strictEqual(graphql.status, 503)
    const { errors: [error] } = JSON.parse(graphql.body) as {
      readonly errors: ReadonlyArray<{ readonly extensions: object }>
    }
    assert.deepInclude(error!.extensions, { code: "INTERNAL", reason: "OVERLOADED", retryable: true })
    assert.strictEqual(graphql.headers["content-type"], "application/json; charset=utf-8")
    // Its lane is full: some run, the others wait.
    for (let at = 0; at < 17; at++) server.client().write(get("/oauth/token").repeat(31))
    while (server.admission.stats.tokens.waiting < 500) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    const token = await ask("/oauth/token")
    assert.deepInclude(JSON.parse(token.body), { error: "temporarily_unavailable" })
    assert.strictEqual(token.headers["cache-control"], "no-store")
    assert.match(token.headers["retry-after"]!, /^[123]$/)
  })

  it("what waits is begun as another ends, and forgotten when its client goes away", async () => {
    await using server = await serve({ waiting: 2, burstMillis: 60_000 })
    await server.begin(get())
    const leaving = server.client().write(get("/leaving"))
    const waiting = server.client()
    await eventually("work.waiting >= 1", () => server.admission.stats.work.waiting >= 1)
    waiting.write(get("/waiting"))
    await eventually("work.waiting >= 2", () => server.admission.stats.work.waiting >= 2)
    leaving.close()
    await eventually("work.waiting <= 1", () => server.admission.stats.work.waiting <= 1)
    raw.holder.requests[0]!.answer()
    await raw.holder.until(2)
    assert.strictEqual(raw.holder.requests[1]!.request.url, "/waiting")
    raw.holder.requests[1]!.answer()
    assert.strictEqual((await waiting.answer()).status, 200)
  })

  it("refused without a word to the client that waits for 100 Continue", async () => {
    await using server = await serve()
    await server.begin(get())
    const lateClient = server.client().write(
      head("POST", "/v1/documents", "Expect: 100-continue", "Content-Length: 100000")
    )
    const { headers, status } = await lateClient.answer()
    assert.deepStrictEqual([status, headers["connection"]], [503, "close"])
    await lateClient.closed
  })
})

describe("what does not wait for the work of customers", () => {
  for (const path of ["/healthz", "/readyz", "/metrics", "/oauth/token", "/v1/operator/clients"]) {
    it(path, async () => {
      await using server = await serve()
      await server.begin(get())
      const other = server.client().write(get(path))
      await raw.holder.until(2)
      raw.holder.requests[1]!.answer()
      assert.strictEqual((await other.answer()).status, 200)
    })
  }

  it("a path that only looks like it is work", () => {
    for (const path of ["/v1/operators", "/healthz/x", "/x/v1/operator", "/V1/OPERATOR"]) {
      assert.strictEqual(laneOf(path), "work")
    }
  })
})

describe("room for bodies", () => {
  it("a body of unknown length counts as the largest that is read", async () => {
    await using server = await serve({
      running: 10,
      runningPerClient: 10,
      bodyBytes: 50_000,
      largestBody: 40_000
    })
    await server.begin(head("POST", "/v1/documents", "Transfer-Encoding: chunked"))
    assert.strictEqual(server.admission.bodyBytes, 40_000)
    const other = server.client().write(head("POST", "/v1/documents", "Transfer-Encoding: chunked"))
    assert.strictEqual((await other.answer()).status, 503)
    assert.strictEqual(server.admission.stats.work.refused, 1)
  })

  it("is not held by those who ask for tokens, whom nobody knows yet", async () => {
    await using server = await serve({ bodyBytes: 1 })
    await server.begin(head("POST", "/oauth/token", "Transfer-Encoding: chunked"))
    await server.begin(head("POST", "/readyz", "Content-Length: 100000"))
    assert.strictEqual(server.admission.bodyBytes, 0)
    await server.begin(head("POST", "/v1/documents", "Content-Length: 100000"))
  })
})

describe("a request counts while it is worked on", () => {
  it("not while its body is slow to come; again once it is there", async () => {
    await using server = await serve()
    const slow = await server.begin(head("POST", "/slow", "Content-Length: 2"))
    const body = receive(server.admission, 0)
    await isIdle(server.admission)
    const other = await server.begin(get("/other"))
    raw.holder.requests[1]!.answer()
    assert.strictEqual((await other.answer()).status, 200)
    slow.write("{}")
    await body
    assert.strictEqual(server.admission.stats.work.running, 1)
    assert.strictEqual((await server.client().write(get("/third")).answer()).status, 503)
    raw.holder.requests[0]!.answer()
    assert.strictEqual((await slow.answer()).status, 200)
    assert.strictEqual(server.admission.stats.work.running, 0)
  })

  // @threat load.14
  it("nor where more are slow than may be: of whoever has most, what has been slow for longest is refused", async () => {
    await using server = await serve({ paused: 2, authenticator: everybody })
    const statuses: Array<number> = []
    const slow: Array<RawClient> = []
    const bodies: Array<Promise<unknown>> = []
    for (const token of ["one", "one", "one", "other", "other", "third"]) {
      const at = slow.length
      slow.push(
        await server.begin(head("POST", "/slow", `Authorization: Bearer ${token}`, "Content-Length: 2"))
      )
      bodies.push(
        receive(server.admission, at).catch((error: Overloaded) => {
          assert.strictEqual(error.code, "OVERLOADED")
          statuses.push(at)
          raw.holder.requests[at]!.answer("", 503)
        })
      )
      await isIdle(server.admission)
    }
    await eventually("as many are refused as are too many", () => statuses.length === 4)
    assert.deepStrictEqual(statuses, [0, 1, 3, 2])
    slow[5]!.write("{}")
    await bodies[5]
    raw.holder.requests[5]!.answer()
    assert.strictEqual((await slow[5]!.answer()).status, 200)
    slow[4]!.write("{}")
    await bodies[4]
    assert.strictEqual(server.admission.stats.work.running, 1)
  })

  it("not while its handler, which has begun within the admission, waits for the body", async () => {
    const admission = new Admission({ running: 1, waiting: 0 })
    let isBegun = false
    await using server = await raw.open(new NodeServer({ admission }), (request, response) => {
      isBegun = true
      request.resume()
      const whole = Effect.callback<void>((resume) => void request.once("end", () => resume(Effect.void)))
      Effect.runFork(Effect.andThen(waitAside(admission, request, whole), Effect.sync(() => response.end())))
    })
    const slow = server.client().write(head("POST", "/slow", "Content-Length: 2"))
    await eventually("it has begun", () => isBegun)
    await isIdle(admission)
    slow.write("{}")
    assert.strictEqual((await slow.answer()).status, 200)
  })

  it("though its body does not come, where nothing waits for the body", async () => {
    await using server = await serve()
    await server.begin(head("GET", "/v1/shipments", "Content-Length: 2"))
    for (let at = 0; at < 3; at++) await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(server.admission.stats.work.running, 1)
  })

  // @threat load.25
  it("no more of them than may run, however many bodies of a business are whole at once", async () => {
    await using server = await serve({
      running: 8,
      runningPerBusiness: 4,
      runningPerClient: 4,
      waiting: 100,
      burstMillis: 60_000,
      authenticator: everybody
    })
    const { admission } = server
    const slow: Array<RawClient> = []
    let turns = 0
    for (let at = 0; at < 40; at++) {
      slow.push(await server.begin(head("POST", "/slow", "Authorization: Bearer one", "Content-Length: 2")))
      void receive(admission, at).then(() => turns++)
      await isIdle(admission)
    }
    for (const client of slow) client.write("{}")
    await eventually("work.waiting === 36", () => admission.stats.work.waiting === 36)
    assert.deepStrictEqual([admission.stats.work.running, turns], [4, 4])
    await server.begin(get("/v1/shipments", "Authorization: Bearer other"))
    assert.strictEqual(admission.stats.work.running, 5)
    for (const { answer } of raw.holder.requests) answer()
    await isIdle(admission)
  })

  it("not any more once it is answered, though nobody takes the answer", async () => {
    await using server = await serve()
    const deaf = await server.begin(get())
    raw.holder.requests[0]!.answer("x".repeat(16 * 1024 * 1024))
    await isIdle(server.admission)
    const other = await server.begin(get())
    raw.holder.requests[1]!.answer()
    assert.strictEqual((await other.answer()).status, 200)
    deaf.close()
  })

  it("not any more once it is answered, though it stands behind an answer that nobody takes", async () => {
    await using server = await serve({ running: 3, runningPerClient: 3, bodyBytes: 50_000 })
    const deaf = server.client().write(
      get("/1") + head("POST", "/2", "Content-Length: 20000") + "x".repeat(20_000) + get("/3")
    )
    await raw.holder.until(3)
    raw.holder.requests[0]!.answer("x".repeat(16 * 1024 * 1024))
    raw.holder.requests[1]!.answer()
    raw.holder.requests[2]!.answer()
    assert.strictEqual(server.admission.stats.work.running, 0)
    assert.strictEqual(server.admission.bodyBytes, 0)
    deaf.close()
  })

  it("not any more once it is a stream of events", async () => {
    const admission = new Admission({ running: 1, waiting: 0 })
    await using server = await raw.open(new NodeServer({ admission }), (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
      response.write(":\n\n")
    })
    for (let at = 0; at < 2; at++) {
      const follower = server.client().write(get())
      assert.strictEqual((await follower.answer()).status, 200)
    }
    assert.strictEqual(admission.stats.work.running, 0)
  })

  it("not any more once it is a list that comes as it is taken, and has no length", async () => {
    const admission = new Admission({ running: 1, waiting: 1 })
    await using server = await raw.open(new NodeServer({ admission }), (_request, response) => {
      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" })
      response.write("id\r\n")
    })
    for (let at = 0; at < 2; at++) {
      const reader = server.client().write(get())
      assert.strictEqual((await reader.answer()).status, 200)
    }
    assert.strictEqual(admission.stats.work.running, 0)
  })

  it("not any more once its client is gone", async () => {
    await using server = await serve()
    const client = await server.begin(get())
    client.close()
    await isIdle(server.admission)
    await server.begin(get())
  })
})

describe("a request that nobody answers any more", () => {
  it("counts no longer, though its answer stands behind another of its connection", async () => {
    await using server = await serve({ running: 3, runningPerClient: 3, bodyBytes: 50_000 })
    const pipeline = server.client().write(
      get("/1") + head("POST", "/2", "Content-Length: 20000") + "x".repeat(20_000) + get("/3")
    )
    await raw.holder.until(3)
    assert.strictEqual(server.admission.bodyBytes, 20_000)
    raw.holder.requests[2]!.answer()
    pipeline.close()
    await isIdle(server.admission)
    await eventually("bodyBytes === 0", () => server.admission.bodyBytes === 0)
  })

  it("whose refusal stands behind another answer holds no room for a body", async () => {
    await using server = await serve({ bodyBytes: 50_000 })
    const pipeline = server.client().write(
      get("/1") + head("POST", "/2", "Content-Length: 20000") + "x".repeat(20_000)
    )
    await raw.holder.until(1)
    await eventually("work.refused >= 1", () => server.admission.stats.work.refused >= 1)
    pipeline.close()
    await eventually("bodyBytes === 0", () => server.admission.bodyBytes === 0)
  })
})

describe("requests that come before the service is there", () => {
  it("count once each: as many run as may, the rest waits, and every one is answered once", async () => {
    const admission = new Admission({ running: 2, runningPerClient: 2, waiting: 10, burstMillis: 30 })
    const server = new NodeServer({ admission })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const asking = Array.from({ length: 6 }, (_, at) => {
      return new RawClient(port).write(get(`/${at}`))
    })
    while (admission.stats.work.running + admission.stats.work.waiting < 6) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.strictEqual(admission.stats.work.running, 2)
    server.on("request", (_request, response) => void response.end("served"))
    const statuses = (await Promise.all(asking.map((client) => client.answer()))).map(({ status }) => status)
    assert.includeMembers([200, 503], statuses)
    assert.isAtLeast(statuses.filter((status) => status === 200).length, 2)
    await isIdle(admission)
    assert.deepInclude(admission.stats.work, { running: 0, waiting: 0 })
    asking.forEach((client) => client.close())
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  })
})

const principal = (clientId: string) => ({ clientId, grants: [] })

describe("work on sockets and in event streams", () => {
  it("counts as well, and is refused as well", async () => {
    await using server = await serve()
    const working = Effect.runFork(server.admission.admitWork(principal("client"), Effect.never))
    assert.strictEqual(server.admission.stats.work.running, 1)
    assert.strictEqual((await server.client().write(get()).answer()).status, 503)
    const refusal: Overloaded = Effect.runSync(
      Effect.flip(server.admission.admitWork(principal("other"), Effect.void))
    )
    assert.strictEqual(refusal.code, "OVERLOADED")
    await Effect.runPromise(Fiber.interrupt(working))
    assert.strictEqual(server.admission.stats.work.running, 0)
    assert.deepStrictEqual(
      Effect.runSyncExit(server.admission.admitWork(principal("c"), Effect.succeed(1))),
      Exit.succeed(1)
    )
    assert.strictEqual(server.admission.stats.work.running, 0)
  })

  // @threat load.23
  it("is for a client, and for a business, only a little at once, over however many connections it comes", async () => {
    const admission = new Admission()
    const working = (count: number, clientId: string, business?: string) =>
      Array.from({ length: count }, () =>
        Effect.runFork(admission.admitWork(
          business === undefined ? principal(clientId) : {
            clientId,
            grants: [{ business, facilities: "*", permissions: ["messages:read"] }]
          },
          Effect.never
        )))
    const fibers = [
      ...working(160, "one"),
      ...["a", "b", "c"].flatMap((client) => working(10, client, "acme"))
    ]
    assert.deepStrictEqual([admission.stats.work.running, admission.stats.operations.running], [24, 24])
    fibers.push(...working(1, "d", "globex"))
    assert.strictEqual(admission.stats.work.running, 25)
    await Effect.runPromise(Fiber.interruptAll(fibers))
    assert.deepInclude(admission.stats.operations, { running: 0, waiting: 0 })
  })

  it("waits for its turn, and does not when it is interrupted", async () => {
    const admission = new Admission({ running: 1, waiting: 10, burstMillis: 60_000 })
    const first = Effect.runFork(admission.admitWork(principal("a"), Effect.never))
    const second = Effect.runFork(admission.admitWork(principal("b"), Effect.never))
    const third = Effect.runFork(admission.admitWork(principal("c"), Effect.succeed("done")))
    assert.strictEqual(admission.stats.work.waiting, 2)
    await Effect.runPromise(Fiber.interrupt(second))
    await Effect.runPromise(Fiber.interrupt(first))
    assert.strictEqual(await Effect.runPromise(Fiber.join(third)), "done")
    assert.deepStrictEqual(admission.stats.work, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })
})
