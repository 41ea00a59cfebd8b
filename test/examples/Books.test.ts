import { assert, beforeEach, describe, it } from "vitest"
import { Books, maxReceived } from "../../examples/customer/src/Books.ts"
import type { BooksOptions } from "../../examples/customer/src/Books.ts"
import { beginning } from "../../examples/customer/src/StateFile.ts"
import type { State } from "../../examples/customer/src/StateFile.ts"
import { completion, pallet } from "./Messages.ts"

const log = "http://localhost acme/*"
const signal = new AbortController().signal

let stored: State
let saves: number
let handled: Array<string>
let repeats: Array<string>
/** Waits before each time the state is stored; may fail. */
let beforeSave: () => Promise<void>

beforeEach(() => {
  stored = beginning(log)
  saves = 0
  handled = []
  repeats = []
  beforeSave = () => Promise.resolve()
})

const open = (options: Partial<BooksOptions> = {}) =>
  Books.open({
    log,
    store: {
      load: () => Promise.resolve(stored),
      save: async (state) => {
        const written = structuredClone(state)
        await beforeSave()
        stored = written
        saves += 1
      }
    },
    onMessage: ({ id }, _effect, way) => void handled.push(`${id} ${way}`),
    onRepeat: ({ id }, way) => void repeats.push(`${id} ${way}`),
    ...options
  })

const crossingsOf = ({ counts }: State): ReadonlyArray<number> =>
  Object.values(counts["1"]!.pallets).flatMap(({ crossings }) => crossings.map(({ id }) => id))

describe("the customer's books", () => {
  it("handle each message once, whichever ways it comes, in whatever order", async () => {
    const books = await open()
    assert.isTrue(await books.receive(pallet(2)))
    assert.isFalse(await books.receive(pallet(2)))
    await books.follow([pallet(1), pallet(2), pallet(3)], signal)
    assert.isFalse(await books.receive(pallet(1)))
    assert.isFalse(await books.receive(pallet(3)))
    assert.isTrue(await books.receive(pallet(5)))
    await books.follow([pallet(3), pallet(4), pallet(5)], signal)
    assert.deepStrictEqual(handled, ["2 webhook", "1 GraphQL", "3 GraphQL", "5 webhook", "4 GraphQL"])
    assert.deepStrictEqual(repeats, ["2 webhook", "2 GraphQL", "1 webhook", "3 webhook", "5 GraphQL"])
    assert.deepStrictEqual(crossingsOf(stored), [1, 2, 3, 4, 5])
  })

  it("know after a restart what came by either way", async () => {
    const before = await open()
    await before.follow([pallet(1), pallet(2)], signal)
    await before.receive(pallet(4))
    const books = await open()
    assert.isFalse(await books.receive(pallet(2)))
    assert.isFalse(await books.receive(pallet(4)))
    assert.isTrue(await books.receive(pallet(3)))
    assert.strictEqual(books.lastId, 2)
    assert.deepStrictEqual(stored.received.toSorted(), [3, 4])
  })

  it("keep no ids that the last one of the log makes known", async () => {
    const books = await open()
    for (const id of [5, 2, 3]) await books.receive(pallet(id))
    await books.follow([pallet(1), pallet(4)], signal)
    assert.deepStrictEqual(stored.received, [5])
    await books.skipTo(9)
    assert.deepStrictEqual(stored.received, [])
    assert.strictEqual(stored.missedUpTo, 9)
  })

  it("remember a limited number of webhooks, the highest", async () => {
    stored = { ...stored, received: Array.from({ length: maxReceived }, (_, index) => 10 + index) }
    const books = await open()
    await books.receive(pallet(1_000_000))
    assert.strictEqual(stored.received.length, maxReceived)
    assert.isTrue(stored.received.includes(1_000_000) && stored.received.includes(11))
    assert.isFalse(stored.received.includes(10))
  })

  it("say that a message is handled only when that is stored", async () => {
    const books = await open()
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    beforeSave = () => {
      reached.resolve()
      return gate.promise
    }
    let isSaid = false
    const receiving = books.receive(pallet(1)).finally(() => isSaid = true)
    await reached.promise
    assert.deepStrictEqual(handled, ["1 webhook"])
    assert.isFalse(isSaid)
    gate.resolve()
    assert.isTrue(await receiving)
    assert.deepStrictEqual(stored.received, [1])
  })

  it("a message that could not be stored is stored before its repeat is answered, and handled once", async () => {
    const books = await open()
    beforeSave = () => Promise.reject(new Error("the disk is full"))
    const failure = await books.receive(pallet(1)).then(() => "none", String)
    assert.include(failure, "the disk is full")
    const again = await books.receive(pallet(1)).then(() => "none", String)
    assert.include(again, "the disk is full")
    beforeSave = () => Promise.resolve()
    assert.isFalse(await books.receive(pallet(1)))
    assert.deepStrictEqual(stored.received, [1])
    assert.deepStrictEqual(handled, ["1 webhook"])
  })

  it("handle one message at a time, however many are handed in at once", async () => {
    let busy = 0
    let most = 0
    const books = await open({
      onMessage: async () => {
        most = Math.max(most, ++busy)
        await new Promise((resolve) => setImmediate(resolve))
        busy -= 1
      }
    })
    await Promise.all([
      books.follow([pallet(1), pallet(2)], signal),
      ...[3, 4, 5].map((id) => books.receive(pallet(id)))
    ])
    assert.strictEqual(most, 1)
  })

  it("D6.6 compare a completion with what came by both ways", async () => {
    const differences: Array<unknown> = []
    const books = await open({
      onMessage: (_message, effect) => {
        if (effect.type === "completion") differences.push(...effect.differences, "compared")
      }
    })
    await books.receive(pallet(2, { pallet: "2" }))
    await books.follow([pallet(1), pallet(2, { pallet: "2" })], signal)
    await books.receive(pallet(3, { direction: "UNLOADING" }))
    await books.receive(completion(4, [{ pallet: "2" }]))
    await books.follow([pallet(3, { direction: "UNLOADING" }), completion(4, [{ pallet: "2" }])], signal)
    assert.deepStrictEqual(differences, ["compared"])
    assert.deepStrictEqual(books.summaries, [])
  })
})
