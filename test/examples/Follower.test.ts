/** The customer's follower against a service that does what a real one does seldom. */
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Books } from "../../examples/customer/src/Books.ts"
import type { BooksOptions } from "../../examples/customer/src/Books.ts"
import { Follower, logOf } from "../../examples/customer/src/Follower.ts"
import type { FollowerOptions, Notice } from "../../examples/customer/src/Follower.ts"
import type { Effect } from "../../examples/customer/src/Ledger.ts"
import { maxWaiting } from "../../examples/customer/src/Service.ts"
import { beginning } from "../../examples/customer/src/StateFile.ts"
import type { State } from "../../examples/customer/src/StateFile.ts"
import * as FakeService from "./FakeService.ts"
import { graphqlFault } from "./FakeService.ts"
import { completion, pallet } from "./Messages.ts"

let service: FakeService.FakeService
let stop: AbortController
let handled: Array<number>
let effects: Array<Effect>
let notices: Array<Notice>
let stored: State | undefined
let running: Promise<void>
let wake: () => void

beforeEach(async () => {
  service = await FakeService.start()
  stop = new AbortController()
  handled = []
  effects = []
  notices = []
  stored = undefined
  running = Promise.resolve()
  wake = () => {}
})

afterEach(async () => {
  stop.abort()
  await running.catch(() => {})
  await service.stop()
})

const openBooks = (onMessage?: BooksOptions["onMessage"]) =>
  Books.open({
    log: logOf({ baseUrl: service.url, business: "acme", facility: undefined }),
    store: {
      load: (log) => Promise.resolve(stored ?? beginning(log)),
      save: (state) => {
        stored = structuredClone(state)
        wake()
        return Promise.resolve()
      }
    },
    onMessage: onMessage ?? (({ id }, effect) => {
      handled.push(id)
      effects.push(effect)
      wake()
    })
  })

type Options = Partial<FollowerOptions> & Partial<Pick<BooksOptions, "onMessage">>

const follow = async ({ onMessage, ...options }: Options = {}) => {
  const books = options.books ?? await openBooks(onMessage)
  const follower = new Follower({
    baseUrl: service.url,
    authUrl: service.url,
    clientId: "acme-client",
    clientSecret: "acme-client-secret",
    business: "acme",
    facility: undefined,
    firstWaitMillis: 10,
    longestWaitMillis: 40,
    onNotice: (notice) => {
      notices.push(notice)
      wake()
    },
    ...options,
    books
  })
  running = follower.run(stop.signal)
  running.catch(() => wake())
  return books
}

/** Resolves once it holds; whatever a follower does wakes it up. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise<void>((resolve) => wake = resolve)
}

const isLive = () => notices.some(({ type }) => type === "live")
const kinds = () => service.asked.map(({ kind }) => kind)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** What the follower ends with. */
const failure = async (): Promise<string> => {
  try {
    await running
  } catch (error) {
    return String(error)
  }
  return "none"
}

describe("a customer that follows", () => {
  it("reads history in pages, then follows live after the last id, with one token", async () => {
    service.log.push(...range(1, 7).map((id) => pallet(id)))
    await follow({ pageSize: 3 })
    await until(isLive)
    service.publish(pallet(8), pallet(9))
    await until(() => stored?.lastId === 9)
    assert.deepStrictEqual(handled, range(1, 9))
    assert.deepStrictEqual(kinds(), ["token", "history", "history", "history", "live"])
    assert.deepStrictEqual(service.asked.map(({ afterId }) => afterId), [0, 0, 3, 6, 7])
    assert.deepStrictEqual(
      new Set(service.asked.slice(1).map(({ token }) => token)),
      new Set(["Bearer token-1"])
    )
  })

  it("reconnects after the last id whenever the connection is closed, and says so", async () => {
    await follow()
    for (const [index, code] of [1001, 1012, 4429, 4500, 4401].entries()) {
      notices = []
      await until(isLive)
      service.publish(pallet(index + 1))
      await until(() => stored?.lastId === index + 1)
      service.closeSockets(code, "gone")
      await until(() => notices.some(({ type }) => type === "waiting"))
      assert.include(JSON.stringify(notices), `${code} gone`)
    }
    assert.deepStrictEqual(handled, range(1, 5))
  })

  it("D8.7 fetches a new token after 4403, and after 401", async () => {
    await follow()
    await until(isLive)
    service.closeSockets(4403, "Forbidden")
    await until(() => kinds().filter((kind) => kind === "token").length === 2)
    service.fault = ({ kind, token }) =>
      kind === "history" && token === "Bearer token-2" ? { status: 401, body: {} } : undefined
    await until(() => notices.filter(({ type }) => type === "live").length === 2)
    service.closeSockets(1001, "")
    await until(() => notices.filter(({ type }) => type === "live").length === 3)
    assert.strictEqual(service.asked.at(-1)!.token, "Bearer token-3")
  })

  it("renews the token before it expires, while it follows, and misses nothing", async () => {
    service.tokenLifetime = 1
    await follow()
    await until(isLive)
    service.publish(pallet(1))
    await until(() => notices.filter(({ type }) => type === "live").length === 2)
    service.publish(pallet(2))
    await until(() => stored?.lastId === 2)
    assert.deepStrictEqual(handled, [1, 2])
    assert.isFalse(notices.some(({ type }) => type === "waiting"))
  })

  it("D7.4 HISTORY_EXPIRED: says what was missed and goes on from the id that the error names", async () => {
    service.log.push(pallet(12), pallet(13))
    service.fault = ({ kind, afterId }) =>
      kind !== "token" && afterId < 11
        ? graphqlFault(
          "HISTORY_EXPIRED",
          "Messages of business acme have been dropped by age",
          { droppedId: 11 }
        )
        : undefined
    const books = await follow()
    await until(() => stored?.lastId === 13)
    assert.deepStrictEqual(handled, [12, 13])
    assert.deepStrictEqual(notices[0], { type: "missed", afterId: 0, upToId: 11 })
    assert.strictEqual(books.missedUpTo, 11)
  })

  it("D7.4 HISTORY_EXPIRED as an error frame of the subscription is the same, and of an older service in words", async () => {
    let isDropped = false
    service.fault = ({ kind, afterId }) =>
      (kind === "live" && !isDropped) || (isDropped && kind !== "token" && afterId < 11)
        ? (isDropped = true, graphqlFault("HISTORY_EXPIRED", "read on with afterId 11"))
        : undefined
    await follow()
    await until(() => stored?.lastId === 11)
    notices = []
    await until(isLive)
    service.publish(pallet(12))
    await until(() => stored?.lastId === 12)
    const [first, second] = service.asked.filter(({ kind }) => kind === "live")
    assert.deepStrictEqual([first!.afterId, second!.afterId], [0, 11])
  })

  it("D8.1 TOO_MANY_MESSAGES: asks for smaller pages", async () => {
    service.log.push(...range(1, 9).map((id) => pallet(id)))
    service.fault = ({ kind, limit }) =>
      kind === "history" && limit > 2
        ? graphqlFault("TOO_MANY_MESSAGES", "more than one answer holds")
        : undefined
    await follow({ pageSize: 8 })
    await until(() => stored?.lastId === 9)
    assert.deepStrictEqual(handled, range(1, 9))
  })

  it("a customer that falls behind leaves, with what waits being limited, and catches up by pages", async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => release = resolve)
    await follow({
      onMessage: async ({ id }) => {
        handled.push(id)
        wake()
        if (id === 1) await gate
      }
    })
    await until(isLive)
    service.publish(pallet(1))
    await until(() => handled.length === 1)
    service.publish(...range(2, 3 * maxWaiting).map((id) => pallet(id, { pallet: String(id) })))
    await service.arrived()
    release()
    await until(() => stored?.lastId === 3 * maxWaiting)
    assert.deepStrictEqual(handled, range(1, 3 * maxWaiting))
    // It left with what waited then, and asked for the rest.
    const { afterId } = service.asked.filter(({ kind }) => kind === "history")[1]!
    assert.strictEqual(afterId, maxWaiting + 1)
  })

  it("a message whose handling fails is not stored as handled, nor counted", async () => {
    service.log.push(pallet(1), completion(2, [{}]))
    await follow({
      onMessage: ({ id }) => {
        if (id === 2) throw new Error("our database is away")
      }
    })
    assert.include(await failure(), "our database is away")
    assert.strictEqual(stored?.lastId, 1)
    await follow()
    await until(() => stored?.lastId === 2)
    // The pallet counted before is still there to be compared.
    assert.deepStrictEqual(effects.map((effect) => effect.type === "completion" && effect.differences), [[]])
    assert.deepStrictEqual(stored!.counts, {})
  })
})

describe("what waiting does not cure ends it, with the remedy", () => {
  it.each([
    ["a wrong secret", "token", { status: 401, body: { error: "invalid_client" } }, "CLIENT_SECRET"],
    ["another audience", "token", { status: 400, body: { error: "invalid_target" } }, "BASE_URL"],
    ["no permission", "history", graphqlFault("FORBIDDEN", "not yours"), "permission"],
    [
      "D7.5 a service that has lost messages",
      "history",
      graphqlFault("CURSOR_AHEAD", "newest id is 3"),
      "operator"
    ],
    ["D7.5 the same while it follows", "live", graphqlFault("CURSOR_AHEAD", "newest id is 3"), "operator"],
    ["an unknown business", "history", graphqlFault("NOT_FOUND", "no such business"), "BUSINESS"],
    ["no permission to subscribe", "live", graphqlFault("FORBIDDEN", "not yours"), "permission"]
  ])("%s", async (_name, kind, fault, remedy) => {
    service.fault = (asked) => asked.kind === kind ? fault : undefined
    await follow()
    assert.include(await failure(), remedy)
    assert.strictEqual(service.asked.filter((asked) => asked.kind === kind).length, 1)
  })

  it.each([
    ["503 of the token endpoint", "token", { status: 503, body: {} }],
    ["503 of GraphQL", "history", { status: 503, ...graphqlFault("INTERNAL", "away") }],
    ["an error frame that says INTERNAL", "live", graphqlFault("INTERNAL", "away")],
    ["an answer that is not GraphQL", "history", { body: "<html>" }]
  ])("%s is waited for", async (_name, kind, fault) => {
    let faults = 3
    service.fault = (asked) => asked.kind === kind && faults-- > 0 ? fault : undefined
    await follow()
    await until(() => notices.filter(({ type }) => type === "waiting").length === 3)
    notices = []
    service.log.push(pallet(1))
    await until(() => stored?.lastId === 1)
    assert.deepStrictEqual(handled, [1])
  })

  it("stops at once, also while it waits, connects or follows", async () => {
    await follow()
    await until(isLive)
    stop.abort()
    assert.strictEqual(await failure(), "none")
    stop = new AbortController()
    await follow({
      baseUrl: "http://127.0.0.1:9",
      authUrl: service.url,
      firstWaitMillis: 60_000,
      longestWaitMillis: 60_000
    })
    await until(() => notices.some(({ type }) => type === "waiting"))
    stop.abort()
    assert.strictEqual(await failure(), "none")
  })
})
