/** An output of the log that cannot be written for a time. */
import { assert, describe, it } from "@effect/vitest"
import type { writeSync } from "node:fs"
import * as Logs from "../../src/telemetry/Logs.ts"

const note = (lostCount: number) => `lost ${lostCount}\n`

describe("an output that cannot be written", () => {
  it("loses what it cannot take, and says once how much when it can again", () => {
    const lines: Array<string> = []
    let isFull = false
    const output = Logs.make((text) => {
      if (!isFull) lines.push(text)
      return !isFull
    }, note)
    output.write("1\n")
    isFull = true
    for (const line of ["2\n", "3\n", "4\n"]) output.write(line)
    isFull = false
    for (const line of ["5\n", "6\n"]) output.write(line)
    assert.deepStrictEqual([lines.join(""), output.lost()], ["1\nlost 3\n5\n6\n", 3])
  })

  it("does not continue a line of a file that was written in part", () => {
    let text = ""
    let room = 100
    const write = (_fd: number, bytes: Uint8Array, from: number): number => {
      const count = Math.min(room, bytes.length - from)
      if (count === 0) throw new Error("ENOSPC")
      room -= count
      text += Buffer.from(bytes.subarray(from, from + count)).toString()
      return count
    }
    const output = Logs.make(Logs.toFile(1, write as typeof writeSync), note)
    output.write("whole\n")
    room = 3
    output.write("broken\n")
    output.write("lost\n")
    room = 100
    output.write("next\n")
    assert.deepStrictEqual([text, output.lost()], ["whole\nbro\nlost 2\nnext\n", 2])
  })

  it("keeps a bounded text for a reader that is slow, and none for one that is gone", () => {
    const stream = {
      writableLength: 0,
      isGone: false,
      write: (text: string, done: (error?: Error | null) => void) => {
        if (stream.isGone) return done(new Error("EPIPE"))
        stream.writableLength += text.length
        done()
      }
    }
    const output = Logs.make(Logs.toStream(stream), note)
    const line = "x".repeat(1000)
    for (let at = 0; at < 5000; at++) output.write(line)
    assert.isAtMost(stream.writableLength, Logs.mostWaiting + line.length)
    assert.isAtLeast(output.lost(), 3900)
    const lostCount = output.lost()
    stream.writableLength = 0
    output.write(line)
    assert.deepStrictEqual([stream.writableLength, output.lost()], [note(lostCount).length + 1000, lostCount])
    stream.isGone = true
    for (let at = 0; at < 100; at++) output.write(line)
    assert.strictEqual(output.lost(), lostCount + 100)
    stream.isGone = false
    stream.writableLength = 0
    output.write(line)
    assert.strictEqual(stream.writableLength, note(100).length + 1000)
  })
})
