/** How a connection is read in slices. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { readInSlices, sliceBytes } from "../../src/socket/Frames.ts"

/** A connection that is read in turns which the test gives. */
const make = () => {
  const transport = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const slices: Array<string> = []
  transport.on("data", (slice: Buffer) => slices.push(slice.toString()))
  const turns: Array<() => void> = []
  const reader = readInSlices(transport as unknown as Socket, (read) => turns.push(read))
  /** What comes of it when something has arrived. */
  const arrive = async (text: string | null) => {
    transport.push(text)
    await new Promise(setImmediate)
  }
  const turn = () => turns.shift()?.()
  return { transport, reader, slices, turns, arrive, turn }
}

describe("a connection that is read in slices", () => {
  it("gives one slice in each turn, and all that arrives, in order", async () => {
    const { arrive, slices, turn, turns } = make()
    await arrive("a".repeat(sliceBytes) + "b".repeat(sliceBytes) + "c")
    assert.deepStrictEqual([slices.length, turns.length], [0, 1])
    turn()
    assert.deepStrictEqual(slices, ["a".repeat(sliceBytes)])
    await arrive("d")
    while (turns.length > 0) turn()
    assert.strictEqual(slices.join(""), "a".repeat(sliceBytes) + "b".repeat(sliceBytes) + "cd")
    assert.isTrue(slices.every(({ length }) => length <= sliceBytes))
  })

  it("gives nothing while it is paused", async () => {
    const { arrive, reader, slices, turn, turns } = make()
    await arrive("a")
    reader.pause()
    turn()
    await arrive("b")
    assert.deepStrictEqual([slices.length, turns.length], [0, 0])
    reader.resume()
    turn()
    assert.deepStrictEqual(slices, ["ab"])
  })

  it("gives nothing once it is stopped, and leaves nothing in the connection as that closes", async () => {
    const { arrive, reader, slices, transport, turn, turns } = make()
    await arrive("a".repeat(sliceBytes + 1))
    turn()
    reader.stop()
    turn()
    await arrive("b")
    assert.deepStrictEqual([slices.length, turns.length], [1, 0])
    let length: number | undefined
    transport.on("close", () => (length = transport.readableLength))
    transport.destroy()
    await once(transport, "close")
    assert.strictEqual(length, 0)
  })

  it("tells of its end", async () => {
    const { arrive, slices, transport, turn, turns } = make()
    await arrive("a")
    const ended = once(transport, "end")
    await arrive(null)
    while (turns.length > 0) {
      turn()
      await new Promise(setImmediate)
    }
    await ended
    assert.deepStrictEqual(slices, ["a"])
  })
})
