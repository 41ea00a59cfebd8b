/** How much of answers is held at once, in all, for a business and for a client. */
import type { ReleasableMemory } from "@dockline/core/access/RequestLimits"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { eventually } from "../../../../test/support/Eventually.ts"
import { AnswerBudget } from "../../src/limits/Budgets.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head } from "../RawClient.ts"

const raw = forEachTest()

const mebi = 1024 * 1024

/** Ten for all, six for a business and for a client, in mebi characters; clients are those of `business/client`. */
const make = (waitMillis = 60_000) => {
  let now = 0
  const budget = new AnswerBudget({
    characters: 10 * mebi,
    charactersPerBusiness: 6 * mebi,
    charactersPerClient: 6 * mebi,
    waitMillis
  }, () => now)
  return {
    advance: (millis: number) => void (now += millis),
    open: (clientId: string, request?: object) =>
      budget.open({
        clientId,
        grants: [{ business: clientId.split("/")[0]!, facilities: "*", permissions: ["documents:write"] }]
      }, request),
    get stats() {
      return budget.stats
    }
  }
}

const take = ({ memory }: ReleasableMemory, amount: number) => Effect.exit(memory.reserve(amount * mebi))

/** Whether an answer can reserve memory at once. */
const canReserve = (opening: ReleasableMemory, amount: number) => {
  const fiber = Effect.runFork(opening.memory.reserve(amount * mebi))
  const exit = fiber.pollUnsafe()
  fiber.interruptUnsafe()
  return exit !== undefined && Exit.isSuccess(exit)
}

describe("D12.7 the budget of answers", () => {
  // @threat load.16
  it("is that of all clients, and a part of it that of one", () => {
    const budget = make()
    assert.isTrue(canReserve(budget.open("acme"), 4))
    assert.isFalse(canReserve(budget.open("acme"), 3))
    assert.isTrue(canReserve(budget.open("acme"), 2))
    assert.isTrue(canReserve(budget.open("globex"), 4))
    assert.isFalse(canReserve(budget.open("initech"), 1))
    assert.strictEqual(budget.stats.held, 10 * mebi)
  })

  // @threat load.22
  it("is for a business that of all its clients", () => {
    const budget = make()
    assert.isTrue(canReserve(budget.open("acme/1"), 4))
    assert.isFalse(canReserve(budget.open("acme/2"), 3))
    assert.isTrue(canReserve(budget.open("acme/3"), 2))
    assert.isTrue(canReserve(budget.open("globex/1"), 4))
  })

  it("grants a single answer its memory, however large, and what that needs yet", () => {
    const budget = make()
    const large = budget.open("acme")
    assert.isTrue(canReserve(large, 20))
    assert.isTrue(canReserve(large, 20))
    assert.isFalse(canReserve(budget.open("acme"), 1))
    large.release()
    assert.isTrue(canReserve(budget.open("acme"), 1))
  })

  // @threat load.22
  it("counts a single answer as no more than a business may have, so that others have theirs however slowly it is taken", () => {
    const budget = make()
    const large = budget.open("acme")
    assert.isTrue(canReserve(large, 20))
    assert.strictEqual(budget.stats.held, 6 * mebi)
    const other = budget.open("globex")
    assert.isTrue(canReserve(other, 4))
    assert.isFalse(canReserve(budget.open("initech"), 1))
    large.release()
    assert.strictEqual(budget.stats.held, 4 * mebi)
  })

  it("lets a client whose only answer needs more than its part have it beside those of others", () => {
    const budget = make()
    assert.isTrue(canReserve(budget.open("globex"), 1))
    assert.isTrue(canReserve(budget.open("acme"), 8))
    assert.isFalse(canReserve(budget.open("acme"), 1))
  })

  it("does not count small answers, but reads that make a large one together", () => {
    const budget = make()
    const answer = budget.open("acme")
    assert.isTrue(canReserve(answer, 0.2))
    assert.strictEqual(budget.stats.held, 0)
    assert.isTrue(canReserve(answer, 0.2))
    assert.strictEqual(budget.stats.held, 0.4 * mebi)
    answer.release()
    answer.release()
    assert.strictEqual(budget.stats.held, 0)
  })

  // @threat load.15
  it("is taken from answers that clients are slow to take, for longer than others wait, of whoever has most: their connections are cut", () => {
    const budget = make()
    const slow = (client: string, amount: number, unsent = 1) => {
      const request = new IncomingMessage(new Socket())
      Object.defineProperty(request.socket, "writableLength", { value: unsent })
      assert.isTrue(canReserve(budget.open(client, request), amount))
      return request.socket
    }
    const [first, second, third] = [slow("acme/1", 3), slow("globex", 4), slow("acme/2", 3)]
    budget.advance(60_000)
    const share = budget.open("initech")
    assert.isFalse(canReserve(share, 6), "nobody has more than it would have")
    assert.deepStrictEqual([first, second, third].map(({ destroyed }) => destroyed), [false, false, false])
    share.release()
    slow("initech", 2, 0)
    assert.deepStrictEqual([first, second, third].map(({ destroyed }) => destroyed), [true, false, false])
    assert.strictEqual(budget.stats.held, 9 * mebi)
    assert.isTrue(budget.open("hooli").memory.reserveNow(3 * mebi))
    assert.deepStrictEqual([second, third].map(({ destroyed }) => destroyed), [true, false])
    const [fourth, fifth] = [slow("hooli", 1), slow("umbrella", 1)]
    assert.isTrue(canReserve(budget.open("wayne"), 1))
    assert.isTrue(third.destroyed)
    const sixth = slow("stark", 2, 0)
    const destroyed = () => [fourth, fifth, sixth].map((socket) => socket.destroyed)
    assert.isFalse(canReserve(budget.open("other"), 1), "what is held for a shorter time stays")
    budget.advance(60_000)
    assert.isFalse(canReserve(budget.open("other"), 3), "nothing is cut where that is not enough")
    assert.deepStrictEqual(destroyed(), [false, false, false])
    assert.isTrue(canReserve(budget.open("other"), 1))
    assert.deepStrictEqual(destroyed(), [true, false, false])
    assert.isFalse(canReserve(budget.open("more"), 1), "what is share, or taken at once, stays")
    assert.strictEqual(budget.stats.held, 10 * mebi)
  })

  // @threat load.15
  it("is taken from an answer over a connection of which nothing is read", async () => {
    const budget = make(0)
    let unsent = (): number => 0
    await using server = await raw.open(new NodeServer(), (request, response) => {
      assert.isTrue(canReserve(budget.open("acme", request), 6))
      response.write(Buffer.alloc(16 * mebi))
      unsent = () => request.socket.writableLength
    })
    const deaf = server.client().write(head("GET", "/"))
    await eventually("the answer waits", () => unsent() > 0)
    assert.isTrue(canReserve(budget.open("globex"), 5))
    await deaf.closed
    assert.strictEqual(budget.stats.held, 5 * mebi)
  })

  it("refuses what cannot wait at once", () => {
    const budget = make()
    const first = budget.open("acme")
    assert.isTrue(first.memory.reserveNow(6 * mebi))
    assert.isFalse(budget.open("acme").memory.reserveNow(1 * mebi))
    assert.strictEqual(budget.stats.refused, 1)
    first.release()
    assert.isTrue(budget.open("acme").memory.reserveNow(1 * mebi))
  })

  it("waiting clients take turns as memory is released", async () => {
    const budget = make()
    const [first, second] = [budget.open("initech"), budget.open("hooli")]
    await Effect.runPromise(Effect.andThen(take(first, 6), take(second, 4)))
    const beginnings: Array<string> = []
    const openings: Array<ReleasableMemory> = []
    const fibers = ["acme", "acme", "acme", "globex"].map((client) =>
      Effect.runFork(Effect.suspend(() => {
        const answer = budget.open(client)
        openings.push(answer)
        return Effect.tap(take(answer, 5), () => Effect.sync(() => beginnings.push(client)))
      }))
    )
    assert.deepInclude(budget.stats, { waiting: 4, held: 10 * mebi })
    first.release()
    second.release()
    await Effect.runPromise(Effect.all([Fiber.await(fibers[0]!), Fiber.await(fibers[3]!)]))
    assert.deepStrictEqual([beginnings, budget.stats.waiting], [["acme", "globex"], 2])
    openings[0]!.release()
    await Effect.runPromise(Fiber.await(fibers[1]!))
    assert.deepStrictEqual([beginnings.at(-1), budget.stats.waiting], ["acme", 1])
    await Effect.runPromise(Fiber.interrupt(fibers[2]!))
    assert.strictEqual(budget.stats.waiting, 0)
  })

  it("refuses what has waited for too long, and gives nothing to what is gone", async () => {
    const budget = make(20)
    const first = budget.open("acme")
    await Effect.runPromise(take(first, 6))
    const refusal = await Effect.runPromise(Effect.flip(budget.open("acme").memory.reserve(5 * mebi)))
    assert.instanceOf(refusal, Overloaded)
    assert.deepInclude(budget.stats, { waiting: 0, refused: 1, held: 6 * mebi })
    first.release()
    assert.strictEqual(budget.stats.held, 0)
  })

  it("gives nothing to an answer whose client is gone, also where it still waits", async () => {
    const budget = make()
    const first = budget.open("acme")
    await Effect.runPromise(take(first, 6))
    const opening = budget.open("acme")
    const waiting = Effect.runFork(Effect.flip(opening.memory.reserve(5 * mebi)))
    assert.strictEqual(budget.stats.waiting, 1)
    opening.release()
    assert.instanceOf(await Effect.runPromise(Fiber.join(waiting)), Overloaded)
    assert.instanceOf(await Effect.runPromise(Effect.flip(opening.memory.reserve(1 * mebi))), Overloaded)
    assert.isFalse(opening.memory.reserveNow(1 * mebi))
    first.release()
    assert.deepStrictEqual(budget.stats, { held: 0, waiting: 0, refused: 1 })
  })
})
