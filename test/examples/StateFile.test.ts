import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as StateFile from "../../examples/customer/src/StateFile.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-state-"))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const log = "http://localhost acme/*"

/** A state that takes a while to write. */
const large = (lastId: number): StateFile.State => ({
  log,
  lastId,
  missedUpTo: 2,
  received: [lastId + 3, lastId + 2],
  counts: Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [
      String(index),
      {
        orders: ["SO-1"],
        pallets: {
          "1": { lpn: "LPN", crossings: [{ id: lastId, occurredAt: "", direction: "LOADING" as const }] }
        }
      }
    ])
  )
})

describe("the customer's state file", () => {
  it("gives back what was saved, in a folder that it makes", async () => {
    const path = join(folder, "of", "mine", "state.json")
    await StateFile.make(path).save(large(7))
    assert.deepStrictEqual(await StateFile.make(path).load(log), large(7))
    assert.deepStrictEqual(readdirSync(join(folder, "of", "mine")), ["state.json"])
  })

  it("is whole at any moment, also while it is written", async () => {
    const path = join(folder, "state.json")
    const store = StateFile.make(path)
    await store.save(large(0))
    const writer = { isDone: false }
    const writing = (async () => {
      for (let id = 1; id <= 10; id++) await store.save(large(id))
    })().finally(() => writer.isDone = true)
    const seen: Array<number> = []
    while (!writer.isDone) {
      seen.push((JSON.parse(readFileSync(path, "utf8")) as StateFile.State).lastId)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await writing
    assert.isAbove(seen.length, 10)
    assert.deepStrictEqual(seen, seen.toSorted((left, right) => left - right))
  })

  it("that cannot be written is named", async () => {
    const path = join(folder, "taken")
    await StateFile.make(join(path, "state.json")).save(large(1))
    const error = await StateFile.make(path).save(large(1)).then(() => undefined, String)
    assert.include(error, `STATE_FILE ${path} cannot be written`)
  })
})
