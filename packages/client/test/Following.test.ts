/** Following the messages of a real service on sockets: each once, none left out, whatever restarts in between. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type * as Client from "../src/Client.ts"
import * as Service from "./Service.ts"
import { answer, loading, order, refusal } from "./Service.ts"

let service: Service.Service
let tower: Client.Client

beforeEach(async () => {
  service = await Service.start()
  tower = service.tower()
})

afterEach(async () => {
  vi.useRealTimers()
  await service.stop()
})

let events = 0

/** Makes messages: of the arrival of an order, and of a pallet each. */
const load = async (count: number): Promise<void> => {
  let submissions = 0
  if ((await service.client().shipments()).items.length === 0) {
    await service.client().submit(order("SO-1", "LPN-1"))
    const { items: [shipment] } = await tower.shipments()
    await tower.arrive(shipment!.id, { dockSlug: "D1" })
    submissions++
  }
  for (; submissions < count; submissions++) await tower.recordPallet(loading(`evt-${++events}`, "LPN-1"))
}

/** A consumer that keeps what it has handled, and where it is. */
const consumer = () => {
  const ids: Array<number> = []
  let afterId = 0
  const save = (id: number): void => void (afterId = id)
  return {
    handled: ids,
    get afterId() {
      return afterId
    },
    /** Handles messages until so many are handled; ends there as a program does that is stopped. */
    run: async (client: Client.Client, until: number, onHandled: (id: number) => unknown = () => {}) => {
      const stop = new AbortController()
      const query = { business: "acme", afterId, save, intervalMillis: 20, signal: stop.signal }
      for await (const { id } of client.follow(query)) {
        ids.push(id)
        await onHandled(id)
        if (ids.length === until) stop.abort()
      }
    }
  }
}

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

describe("following", () => {
  it("gives all messages in order, over pages, and those that come", async () => {
    await load(120)
    const { handled, run } = consumer()
    await run(service.client(), 123, async (id) => {
      if (id === 120) await load(3)
    })
    assert.deepStrictEqual(handled, range(123))
  })

  it("goes on after the saved id: none is left out and none comes twice, over runs of the program", async () => {
    await load(5)
    const books = consumer()
    await books.run(service.client(), 2)
    assert.strictEqual(books.afterId, 2)
    await load(2)
    await books.run(service.client(), 7)
    assert.deepStrictEqual(books.handled, range(7))
    assert.strictEqual(books.afterId, 7)
  })

  it("outlives the service: connections that break, answers that are lost, what a proxy says meanwhile", async () => {
    await load(3)
    const { handled, run } = consumer()
    const failures: Array<string> = []
    const faults = [answer(502, "<html>"), "lost" as const]
    let returning: Promise<void> | undefined
    const onRetry = ({ code, status }: Client.DocklineError): void => {
      failures.push(`${code} ${status}`)
      returning ??= service.back().then(() => load(5))
    }
    await run(service.client({ onRetry }), 8, async (id) => {
      if (id !== 3) return
      await service.away()
      service.fault = ({ path }) => (path.startsWith("/v1/messages") ? faults.shift() : undefined)
    })
    await returning
    assert.deepStrictEqual(handled, range(8))
    assert.include(failures, "UNEXPECTED_ANSWER 502")
    assert.isAtLeast(failures.filter((failure) => failure === "UNREACHABLE 0").length, 2)
  })

  it("hands a message out again when its loop was left, as it may not have been handled", async () => {
    await load(2)
    let cursor = 0
    const query = { business: "acme", save: (id: number) => void (cursor = id), intervalMillis: 20 }
    for await (const { id } of service.client().follow({ ...query, afterId: 0 })) if (id === 2) break
    assert.strictEqual(cursor, 1)
    for await (const { id } of service.client().follow({ ...query, afterId: cursor })) {
      assert.strictEqual(id, 2)
      break
    }
  })

  it("ends with the error of save, before the next message", async () => {
    await load(2)
    const ids: Array<number> = []
    const follow = async (): Promise<void> => {
      const save = (): Promise<void> => Promise.reject(new Error("the disk is full"))
      for await (const { id } of service.client().follow({ business: "acme", afterId: 0, save })) {
        ids.push(id)
      }
    }
    assert.strictEqual(await follow().catch((error: unknown) => String(error)), "Error: the disk is full")
    assert.deepStrictEqual(ids, [1])
  })

  it("ends when the client is closed, or the signal aborted, while it reads", async () => {
    for (
      const end of [
        (client: Client.Client) => client.close(),
        (_: unknown, stop: AbortController) => stop.abort()
      ]
    ) {
      const client = service.client()
      const stop = new AbortController()
      service.fault = ({ path }) => {
        if (!path.startsWith("/v1/messages")) return undefined
        end(client, stop)
        return "lost"
      }
      const { done } = await client.follow({ business: "acme", afterId: 0, signal: stop.signal }).next()
      assert.isTrue(done)
    }
  })

  const first = (afterId: number, options?: Partial<Client.ClientOptions>) =>
    refusal(service.client(options).follow({ business: "acme", afterId }).next())

  it("does not begin without a service", async () => {
    await service.away()
    assert.strictEqual((await first(0, { retryMillis: 0 })).code, "UNREACHABLE")
  })

  it("D7.5 CURSOR_AHEAD names the newest id", async () => {
    await load(2)
    const error = await first(99)
    assert.deepStrictEqual([error.status, error.code, error.newestId], [409, "CURSOR_AHEAD", 2])
    assert.include(error.remedy, "operator")
  })

  it("D7.4 HISTORY_EXPIRED names the id after which none is missed", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 100 * 86_400_000 })
    await load(2)
    vi.useRealTimers()
    await load(1)
    await Effect.runPromise(
      MessageLog.pipe(Effect.flatMap((log) => log.dropExpired), Effect.provide(service.dockline.layer))
    )
    const error = await first(1)
    assert.deepStrictEqual([error.status, error.code, error.droppedId], [410, "HISTORY_EXPIRED", 2])
    for await (const { id } of service.client().follow({ business: "acme", afterId: error.droppedId! })) {
      assert.strictEqual(id, 3)
      break
    }
  })
})
