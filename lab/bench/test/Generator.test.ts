import { afterEach, assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { RequestListener, Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Random } from "../../Random.ts"
import { Generator } from "../src/overload/Generator.ts"
import { Slots } from "../src/overload/Life.ts"
import type { MixTask, Tally } from "../src/overload/Task.ts"

const servers: Array<Server> = []

const serve = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const begin = (port: number, change: Partial<MixTask> = {}): Generator => {
  const task: MixTask = {
    port,
    tokens: { customer: "C", tower: "T" },
    rate: 500,
    manners: "rude",
    clients: 1,
    connections: 64,
    timeoutMillis: 10_000,
    ...change
  }
  return new Generator(task, new Slots(10, Random.of(1)), Random.of(2))
}

/** Adds up tallies until a condition on their sum is true. */
const until = async (generator: Generator, holds: (sum: Tally) => boolean): Promise<Tally> => {
  let sum = generator.tally()
  while (!holds(sum)) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    const next = generator.tally()
    sum = {
      ...next,
      due: sum.due + next.due,
      held: sum.held + next.held,
      good: sum.good + next.good,
      refused: sum.refused + next.refused,
      timeouts: sum.timeouts + next.timeouts,
      errors: sum.errors + next.errors,
      firstError: sum.firstError ?? next.firstError
    }
  }
  return sum
}

const stop = async (generator: Generator): Promise<void> => void await generator.stop()

const answer = (status: number, headers: Readonly<Record<string, string>>, body = "{\"data\":{}}") =>
  ((_, response) => {
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body)
  }) satisfies RequestListener

describe("bench overload: the load waits for nobody", () => {
  it("what has no answer in time is given up, and counted", async () => {
    const generator = begin(await serve(() => undefined), { timeoutMillis: 100 })
    const { errors, good } = await until(generator, (sum) => sum.timeouts >= 30)
    assert.deepInclude(await generator.stop(), { inFlight: 0 })
    assert.deepStrictEqual([good, errors], [0, 0])
  })

  it("an answer that comes too late is none", async () => {
    const late: RequestListener = (request, response) => {
      setTimeout(() => answer(200, {})(request, response), 300)
    }
    const generator = begin(await serve(late), { timeoutMillis: 100, rate: 100 })
    const { errors, good } = await until(generator, (sum) => sum.timeouts >= 60)
    const end = await generator.stop()
    assert.deepStrictEqual([good, end.good, errors], [0, 0, 0])
  })

  it("what waits for a connection is in its time", async () => {
    const slow: RequestListener = (request, response) => {
      setTimeout(() => answer(200, {})(request, response), 20)
    }
    const generator = begin(await serve(slow), { connections: 1, rate: 200 })
    await until(generator, (sum) => sum.good >= 20)
    const { p99 } = await generator.stop()
    assert.isAbove(p99, 100)
  })

  it("a connection that is cut is an error, and another one is made", async () => {
    let came = 0
    const port = await serve((request, response) =>
      ++came % 2 === 0 ? void request.socket.destroy() : answer(200, {})(request, response)
    )
    const generator = begin(port)
    const { firstError } = await until(generator, (sum) => sum.errors >= 5 && sum.good >= 5)
    await stop(generator)
    assert.include(firstError, "closed")
  })

  it("a connection that the server ends after its answer is no error", async () => {
    const generator = begin(await serve(answer(200, { connection: "close" })))
    const { errors } = await until(generator, (sum) => sum.good >= 20)
    await stop(generator)
    assert.strictEqual(errors, 0)
  })
})

describe("bench overload: refusals", () => {
  it("a polite client is silent for as long as it is told", async () => {
    let came = 0
    const refuse = answer(503, { "retry-after": "3600" })
    const port = await serve((request, response) => {
      came += 1
      refuse(request, response)
    })
    const generator = begin(port, { manners: "polite", rate: 100 })
    const { errors, refused } = await until(generator, (sum) => sum.held >= 50)
    await stop(generator)
    assert.isAtLeast(refused, 1)
    assert.isBelow(came, 10)
    assert.strictEqual(errors, 0)
  })

  it("one that does not say when to come again is an error", async () => {
    const generator = begin(await serve(answer(503, {}, "{\"status\":503}")))
    const { firstError, refused } = await until(generator, (sum) => sum.errors >= 5)
    await stop(generator)
    assert.strictEqual(refused, 0)
    assert.include(firstError, "503")
  })
})
