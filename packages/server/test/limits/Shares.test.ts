/** Whose share of a server requests and sockets take, over real connections: of a client, or of those who are not known. */
import type { Grant } from "@dockline/core/access/Access"
import * as RequestLimits from "@dockline/core/access/RequestLimits"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { bearerToken } from "@dockline/http-adapter/tokens/BearerAuth"
import { Effect, Fiber } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { assert, describe, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { Admission } from "../../src/limits/Admission.ts"
import type { AdmissionOptions } from "../../src/limits/Admission.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head } from "../RawClient.ts"

const raw = forEachTest()

/** Waits aside within an admission. */
const waitAside = <A>(
  { beginAside }: Admission,
  ...[request, waiting, goesOn]: Parameters<typeof RequestLimits.waitAside<A, never, never>>
) => Effect.provideService(RequestLimits.waitAside(request, waiting, goesOn), RequestLimits.Aside, beginAside)

/** One request at once and none that waits, unless given otherwise. */
const serve = async (config: AdmissionOptions) => {
  const admission = new Admission({ running: 1, runningPerClient: 1, waiting: 0, ...config })
  return { admission, ...await raw.open(new NodeServer({ admission })) }
}

const get = (path = "/v1/shipments", ...headers: ReadonlyArray<string>) => head("GET", path, ...headers)

/**
 * Tokens `name` and `name.anything` are those of the client `name`, but for what begins with `bad`; those of `business/name` are of a
 * client of the business.
 */
const authenticator = {
  authenticate: (header: string | undefined) => {
    const [name = ""] = bearerToken(header)?.split(".") ?? []
    return name === "" || name.startsWith("bad")
      ? Effect.fail(new Unauthenticated({ reason: "invalid" }))
      : Effect.succeed({
        principal: { clientId: name, grants: grantsOf(name) },
        expiresAt: Date.now() + 60_000
      })
  }
}

const grantsOf = (name: string): ReadonlyArray<Grant> => {
  const [business = "", client] = name.split("/")
  return client === undefined ? [] : [{ business, facilities: "*", permissions: ["documents:write"] }]
}

/** Headers that all have good tokens of one client. */
const spellings = ["Bearer one", "bEaReR one", "BEARER   one  ", "Bearer one.2", "bearer one.3"]
  .map((value) => `Authorization: ${value}`)

describe("no client takes all there is", () => {
  for (const greedy of spellings) {
    // @threat load.8
    it(`however it writes its token, and others are served meanwhile: ${greedy}`, async () => {
      await using server = await serve({ running: 2, authenticator })
      await server.begin(get("/1", spellings[0]!))
      assert.strictEqual((await server.client().write(get("/2", greedy)).answer()).status, 503)
      await server.begin(get("/3", "Authorization: Bearer other"))
      assert.strictEqual(raw.holder.requests[1]!.request.url, "/3")
    })
  }

  // @threat load.8
  it("with requests for tokens that are slow: those of other networks run beside them", async () => {
    await using server = await serve({ trustedProxies: ["127.0.0.0/8"] })
    const from = (address: string) => get("/oauth/token", `X-Forwarded-For: ${address}`)
    for (let at = 0; at < 17; at++) server.client().write(from("192.0.2.1"))
    await eventually("some wait", () => server.admission.stats.tokens.waiting > 0)
    const running = raw.holder.requests.length
    await server.begin(from("198.51.100.1"))
    assert.lengthOf(raw.holder.requests, running + 1)
  })

  // @threat load.9
  it("with requests beside the operations of its sockets and event streams", async () => {
    await using server = await serve({ running: 2, authenticator })
    const working = Effect.runFork(server.admission.admitWork({ clientId: "one", grants: [] }, Effect.never))
    assert.strictEqual((await server.client().write(get("/1", spellings[1]!)).answer()).status, 503)
    await server.begin(get("/2", "Authorization: Bearer other"))
    await Effect.runPromise(Fiber.interrupt(working))
    assert.strictEqual(raw.holder.requests[0]!.request.url, "/2")
  })

  it("by the path and the credentials with which the interfaces take a request, whatever it brings", async () => {
    await using server = await serve({
      running: 2,
      authenticator,
      rewrite: ({ url }) => ({ url: url.replace("/pages", ""), headers: { authorization: "Bearer one" } })
    })
    await server.begin(get("/pages/v1/shipments", "Authorization: made up"))
    const again = server.client().write(get("/pages/v1/shipments", "Authorization: also made up"))
    assert.strictEqual((await again.answer()).status, 503)
    await server.begin(get("/pages/v1/operator/clients"))
    assert.strictEqual(server.admission.stats.operator.running, 1)
  })

  // @threat load.18
  it("nor all the room for bodies", async () => {
    await using server = await serve({
      running: 10,
      runningPerClient: 10,
      bodyBytes: 100_000,
      bodyBytesPerClient: 50_000,
      authenticator
    })
    const post = (token: string, bytes: number) =>
      head("POST", "/v1/documents", `Authorization: Bearer ${token}`, `Content-Length: ${bytes}`)
    await server.begin(post("one", 40_000))
    assert.strictEqual((await server.client().write(post("one.2", 40_000)).answer()).status, 503)
    await server.begin(post("other", 40_000))
    assert.strictEqual(server.admission.bodyBytes, 80_000)
    assert.strictEqual((await server.client().write(post("third", 40_000)).answer()).status, 503)
    // A small one has room: the number of requests bounds them.
    await server.begin(post("third", 1000))
    for (const { answer } of raw.holder.requests) answer()
    await eventually("bodyBytes === 0", () => server.admission.bodyBytes === 0)
    await server.begin(post("one", 40_000))
  })
})

describe("no business takes all there is", () => {
  const of = (client: string) => `Authorization: Bearer ${client}`

  // @threat load.22
  it("with several clients", async () => {
    await using server = await serve({ running: 3, runningPerBusiness: 2, authenticator })
    await server.begin(get("/1", of("acme/1")))
    await server.begin(get("/2", of("acme/2")))
    assert.strictEqual((await server.client().write(get("/3", of("acme/3"))).answer()).status, 503)
    await server.begin(get("/4", of("globex/1")))
    assert.strictEqual(raw.holder.requests[2]!.request.url, "/4")
  })

  // @threat load.22
  it("nor all the room for bodies", async () => {
    await using server = await serve({
      running: 10,
      runningPerClient: 10,
      bodyBytes: 100_000,
      bodyBytesPerBusiness: 50_000,
      authenticator
    })
    const post = (client: string) => head("POST", "/v1/documents", of(client), "Content-Length: 40000")
    await server.begin(post("acme/1"))
    assert.strictEqual((await server.client().write(post("acme/2")).answer()).status, 503)
    await server.begin(post("globex/1"))
    assert.strictEqual(server.admission.bodyBytes, 80_000)
  })

  // @threat load.18
  it("nor all the room for bodies, with others, by bodies that do not come: those give way to that of a business that has less", async () => {
    await using server = await serve({
      running: 10,
      runningPerClient: 10,
      bodyBytes: 100_000,
      bodyBytesPerBusiness: 50_000,
      authenticator
    })
    const begin = async (client: string, bytes: number) => {
      const at = raw.holder.requests.length
      const upload = await server.begin(head("POST", "/v1/documents", of(client), `Content-Length: ${bytes}`))
      const { answer, request } = raw.holder.requests[at]!
      Effect.runFork(
        Effect.catch(
          waitAside(server.admission, request, Effect.never),
          () => Effect.sync(() => answer("", 503))
        )
      )
      await eventually("it is slow", () => server.admission.stats.work.running === 0)
      return upload
    }
    const [first, second, third, fourth] = [
      await begin("acme/1", 25_000),
      await begin("acme/2", 25_000),
      await begin("globex/1", 25_000),
      await begin("globex/2", 25_000)
    ]
    await begin("initech/1", 20_000)
    assert.strictEqual((await first.answer()).status, 503)
    assert.strictEqual(server.admission.bodyBytes, 95_000)
    const refuses = async (client: string, bytes: number) => {
      const text = head("POST", "/v1/documents", of(client), `Content-Length: ${bytes}`)
      assert.strictEqual((await server.client().write(text).answer()).status, 503)
      assert.strictEqual(server.admission.bodyBytes, 95_000)
    }
    await refuses("hooli/1", 30_000)
    await refuses("initech/1", 20_000)
    await begin("hooli/1", 20_000)
    assert.strictEqual((await third.answer()).status, 503)
    assert.strictEqual(server.admission.bodyBytes, 90_000)
    raw.holder.requests[1]!.answer()
    assert.strictEqual((await second.answer()).status, 200)
    raw.holder.requests[3]!.answer()
    assert.strictEqual((await fourth.answer()).status, 200)
  })

  // @threat load.22
  it("while its work waits for the storage: others run meanwhile", async () => {
    await using server = await serve({ running: 1, runningPerBusiness: 2, authenticator })
    await server.begin(get("/1", of("acme/1")))
    const idle = (waiting: Effect.Effect<void>) =>
      server.admission.within(raw.holder.requests[0]!.request, RequestLimits.idle(waiting))
    Effect.runSync(idle(Effect.void))
    await eventually("what need not wait is not idle", () => server.admission.stats.work.running === 1)
    const waiting = Effect.runFork(idle(Effect.never))
    await eventually("it is idle", () => server.admission.stats.work.idle === 1)
    await server.begin(get("/2", of("globex/1")))
    assert.strictEqual(server.admission.stats.work.running, 1)
    await Effect.runPromise(Fiber.interrupt(waiting))
    assert.deepInclude(server.admission.stats.work, { running: 2, idle: 0 })
    for (const { answer } of raw.holder.requests) answer()
    await eventually("all is over", () => server.admission.stats.work.running === 0)
  })

  // @threat load.22
  it("while operations of its sockets wait for the storage, which have passed two lanes", async () => {
    await using server = await serve({ running: 1, runningPerBusiness: 2, authenticator })
    const principal = { clientId: "acme/1", grants: grantsOf("acme/1") }
    const waiting = Effect.runFork(server.admission.admitWork(principal, RequestLimits.idle(Effect.never)))
    await eventually("it is idle in both", () => {
      const { operations, work } = server.admission.stats
      return operations.idle === 1 && work.idle === 1
    })
    assert.strictEqual(server.admission.stats.operations.running, 0)
    await Effect.runPromise(Fiber.interrupt(waiting))
    assert.deepInclude(server.admission.stats.operations, { running: 0, idle: 0 })
  })
})

describe("those who are not known", () => {
  for (const header of [[], ["Authorization: Bearer bad"], ["Authorization: bad"]]) {
    // @threat load.10
    it(`take nothing of the room of clients, who take nothing of theirs: ${header.join("") || "no header"}`, async () => {
      await using server = await serve({ authenticator, bodyBytes: 400_000, bodyBytesPerClient: 400_000 })
      for (let count = 1; count <= 13; count++) {
        server.client().write(
          count > 1 ? get("/nobody", ...header) : head("POST", "/nobody", ...header, "Content-Length: 50000")
        )
        await raw.holder.until(count)
        if (count > 1) continue
        // The body does not come.
        Effect.runFork(waitAside(server.admission, raw.holder.requests[0]!.request, Effect.never))
        await eventually("it does not count", () => server.admission.stats.anonymous.running === 0)
      }
      const { anonymous, work } = server.admission.stats
      assert.deepStrictEqual([anonymous.running, work.running], [12, 0])
      // A network has its share of their room, too.
      server.client().write(get("/nobody", ...header))
      await eventually("anonymous.waiting >= 1", () => server.admission.stats.anonymous.waiting >= 1)
      const whole = head("POST", "/known", "Authorization: Bearer one", "Content-Length: 400000")
      await server.begin(whole)
      assert.strictEqual(raw.holder.requests[13]!.request.url, "/known")
      assert.strictEqual(server.admission.bodyBytes, 450_000)
      const request = head("POST", "/nobody", ...header, "Content-Length: 50000")
      assert.strictEqual((await server.client().write(request).answer()).status, 503)
    })
  }

  for (
    const [name, path, ...headers] of [
      ["without a token", "/v1/shipments"],
      ["with a token that is not good", "/v1/shipments", "Authorization: Bearer bad"],
      ["for a contract, which needs none, with a good one", "/v1/openapi.yaml", "Authorization: Bearer one"]
    ] as const
  ) {
    // @threat load.10
    it(`begin one at a time, with a turn of the event loop for others between two: requests ${name}`, async () => {
      const node = new NodeServer({ admission: new Admission({ authenticator }) })
      await using server = await raw.open(node)
      const clients = Array.from({ length: 20 }, () => server.client())
      const round = async () => {
        const from = raw.holder.requests.length
        for (const client of clients) client.write(get(path, ...headers))
        for (let at = from; at < from + clients.length; at++) {
          await raw.holder.until(at + 1)
          raw.holder.requests[at]!.answer()
        }
      }
      // The server takes one new connection in a turn. Then all are there, and their requests come at once.
      await round()
      const counts = [0]
      const count = () => {
        counts.push(0)
        turn = setImmediate(count)
      }
      let turn = setImmediate(count)
      node.prependListener("request", () => void counts.push(counts.pop()! + 1))
      await round()
      clearImmediate(turn)
      assert.strictEqual(Math.max(...counts), 1)
    })
  }

  // @threat load.10
  it("keep nobody waiting who is known, while it is not certain who they are", async () => {
    const lookups: Array<string> = []
    await using server = await serve({
      authenticator: {
        authenticate: (header) => {
          lookups.push(header!)
          return header === "Bearer one" ? authenticator.authenticate(header) : Effect.never
        }
      }
    })
    const knownClient = await server.begin(get("/1", "Authorization: Bearer one"))
    raw.holder.requests[0]!.answer()
    await knownClient.answer()
    const leaving = Array.from(
      { length: 40 },
      (_, at) => server.client().write(get("/2", `Authorization: Bearer bad.${at}`))
    )
    await eventually("all are there", () => {
      const { running, waiting } = server.admission.stats.identification
      return running + waiting === 40
    })
    assert.strictEqual(server.admission.stats.identification.running, 16)
    knownClient.write(get("/3", "Authorization: Bearer one"))
    await raw.holder.until(2)
    assert.strictEqual(lookups.filter((header) => header === "Bearer one").length, 1)
    for (const client of leaving) client.close()
    await eventually("none is left", () => {
      const { running, waiting } = server.admission.stats.identification
      return running + waiting === 0
    })
    assert.strictEqual(raw.holder.requests.length, 2)
  })

  // @threat load.10
  it("are those again whose token was refused by an interface", async () => {
    let isGood = true
    await using server = await serve({
      running: 2,
      authenticator: {
        authenticate: (header) => authenticator.authenticate(isGood ? header : undefined)
      }
    })
    const client = await server.begin(get("/1", "Authorization: Bearer one"))
    assert.strictEqual(server.admission.stats.work.running, 1)
    isGood = false
    raw.holder.requests[0]!.answer("", 401)
    assert.strictEqual((await client.answer()).status, 401)
    client.write(get("/2", "Authorization:  BEARER one"))
    await raw.holder.until(2)
    const { anonymous, work } = server.admission.stats
    assert.deepStrictEqual([anonymous.running, work.running], [1, 0])
  })

  it("are answered by the interface, when nobody can tell who they are", async () => {
    await using server = await serve({
      authenticator: { authenticate: () => Effect.die("broken") }
    })
    await server.begin(get("/1", "Authorization: Bearer one"))
    assert.strictEqual(server.admission.stats.anonymous.running, 1)
  })
})

describe("handshakes of sockets", () => {
  const handshake = (...headers: ReadonlyArray<string>) =>
    get("/socket", "Connection: Upgrade", "Upgrade: websocket", ...headers)

  it("pass once it is certain whose they are, within the bounds of those who are not known", async () => {
    const certain = Promise.withResolvers<void>()
    const admission = new Admission({
      authenticator: {
        authenticate: (header) =>
          header === "Bearer one"
            ? authenticator.authenticate(header)
            : Effect.andThen(Effect.promise(() => certain.promise), authenticator.authenticate(header))
      }
    })
    const node = new NodeServer({ admission })
    let upgrades = 0
    const handleUpgrade = (_request: IncomingMessage, socket: Duplex) => {
      upgrades++
      socket.destroy()
    }
    node.upgrades.register({ path: "/socket", handleUpgrade, closeAll: () => Promise.resolve() })
    await using server = await raw.open(node)
    const open = (...headers: ReadonlyArray<string>) => server.client().write(handshake(...headers))
    open()
    open("Authorization: Bearer one")
    await eventually("both are taken", () => upgrades === 2)
    for (let count = 0; count < 17; count++) open(`Authorization: Bearer bad.${count}`)
    await eventually("one waits", () => admission.stats.identification.waiting === 1)
    assert.strictEqual(admission.stats.identification.running, 16)
    open("Authorization: bearer one")
    await eventually("the third is taken", () => upgrades === 3)
    certain.resolve()
    // Their own protocol refuses them.
    await eventually("the others are passed on", () => upgrades === 20)
  })

  it("503 where too many are not known", async () => {
    const admission = new Admission({ authenticator: { authenticate: () => Effect.never } })
    const node = new NodeServer({ admission })
    node.upgrades.register({
      path: "/socket",
      handleUpgrade: (_request, socket) => void socket.destroy(),
      closeAll: () => Promise.resolve()
    })
    await using server = await raw.open(node)
    const busy = Array.from(
      { length: 33 },
      () => server.client().write(get("/1", "Authorization: Bearer bad").repeat(31))
    )
    await eventually("the lane is full", () => {
      const { running, waiting } = admission.stats.identification
      return running === 16 && waiting === 1000
    })
    const client = server.client().write(handshake("Authorization: Bearer bad", "Correlation-Id: mine"))
    const { headers, status } = await client.answer()
    assert.deepStrictEqual([status, headers["correlation-id"]], [503, "mine"])
    assert.match(headers["retry-after"]!, /^[123]$/)
    await client.closed
    for (const each of busy) each.close()
  })
})
