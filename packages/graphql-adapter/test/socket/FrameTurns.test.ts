/** How the frames of all sockets share the turns of the event loop. */
import { assert, describe, it } from "@effect/vitest"
import { makeFrameTurns, turnMillis } from "../../src/socket/Frames.ts"

/** Runs something, and counts how often what it calls is called in each turn of the event loop, until it is all called. */
const perTurn = async (calls: number, run: (call: () => void) => void): Promise<ReadonlyArray<number>> => {
  const counts = [0]
  let remainder = calls
  const { promise, resolve } = Promise.withResolvers<void>()
  const count = () => {
    if (remainder === 0) return resolve()
    counts.push(0)
    setImmediate(count)
  }
  run(() => {
    remainder--
    counts[counts.length - 1]!++
  })
  setImmediate(count)
  await promise
  return counts
}

describe("the frames of all sockets", () => {
  // @threat load.20
  it("are handled until the time of a turn of the event loop is used up, however many sockets have some", async () => {
    let now = 0
    const addLine = makeFrameTurns(() => now)
    const counts = await perTurn(100, (call) => {
      for (let socket = 0; socket < 20; socket++) {
        const wait = addLine()
        for (let frame = 0; frame < 5; frame++) {
          wait(() => {
            now += turnMillis / 2
            call()
          })
        }
      }
    })
    assert.strictEqual(Math.max(...counts), 2)
  })

  it("use up the time of a turn also with what follows from them without waiting", async () => {
    let now = 0
    const addLine = makeFrameTurns(() => now)
    const counts = await perTurn(20, (call) => {
      for (let socket = 0; socket < 20; socket++) {
        addLine()(() => {
          call()
          void Promise.resolve().then(() => Promise.resolve()).then(() => (now += turnMillis))
        })
      }
    })
    assert.strictEqual(Math.max(...counts), 1)
  })

  it("are handled some at a time though they take none", async () => {
    const addLine = makeFrameTurns(() => 0)
    const counts = await perTurn(1000, (call) => {
      const wait = addLine()
      for (let frame = 0; frame < 1000; frame++) wait(call)
    })
    assert.strictEqual(Math.max(...counts), 64)
  })

  it("are handled in order, a frame of each socket in its turn", async () => {
    const addLine = makeFrameTurns(() => 0)
    const order: Array<string> = []
    await perTurn(8, (call) => {
      const sockets = { a: addLine(), b: addLine(), c: addLine() }
      const frames = ["a1", "a2", "a3", "a4", "b1", "c1", "c2", "c3"] as const
      for (const frame of frames) {
        sockets[frame[0] as "a" | "b" | "c"](() => {
          order.push(frame)
          call()
        })
      }
    })
    assert.deepStrictEqual(order, ["a1", "b1", "c1", "a2", "c2", "a3", "c3", "a4"])
  })
})
