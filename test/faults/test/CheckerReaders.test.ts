/**
 * The checker notices when a reader did not see its log.
 */
import { assert, describe, it } from "@effect/vitest"
import type { EventOf } from "../src/History.ts"
import { Script } from "./Script.ts"

const reader = (facility: string | null = null) =>
  new Script().tell({ type: "reader", reader: "R", client: "acme-client", business: "acme", facility })

const see = (script: Script, id: number, more: Partial<EventOf<"seen">> = {}) =>
  script.tell({
    type: "seen",
    reader: "R",
    id,
    business: "acme",
    facility: "east",
    messageType: "PALLET_EVENT",
    digest: `digest ${id}`,
    tags: [],
    ...more
  })

const judge = (script: Script) => script.finds("readers see the log")

const seeing = (...ids: ReadonlyArray<number>) => ids.reduce((script, id) => see(script, id), reader())

describe("readers see the log", () => {
  it("each message once, in order; ids may leave some out", () => {
    assert.deepStrictEqual(judge(seeing(1, 2, 5).log(1).log(2).log(3, { business: "globex" }).log(5)), [])
  })

  it("of one facility its own", () => {
    const script = see(see(reader("east"), 1), 3).log(1).log(2, { facility: "west" }).log(3)
    assert.deepStrictEqual(judge(script), [])
    assert.lengthOf(judge(see(reader("east"), 1).log(1, { facility: "west" })), 1)
  })

  it("a gap, at the beginning, in between and at the end", () => {
    assert.lengthOf(judge(seeing(2, 3).log(1).log(2).log(3)), 1)
    assert.lengthOf(judge(seeing(1, 3).log(1).log(2).log(3)), 1)
    assert.lengthOf(judge(seeing(1, 2).log(1).log(2).log(3)), 1)
    assert.lengthOf(judge(reader().log(1)), 1)
  })

  it("a repeat, or another order", () => {
    assert.lengthOf(judge(seeing(1, 1, 2).log(1).log(2)), 1)
    assert.lengthOf(judge(seeing(2, 1).log(1).log(2)), 1)
  })

  it("one that the log does not hold, or holds otherwise", () => {
    assert.lengthOf(judge(seeing(1, 2).log(1)), 1)
    assert.lengthOf(judge(see(reader(), 1, { digest: "another" }).log(1)), 1)
    assert.lengthOf(judge(see(reader(), 1, { facility: "west" }).log(1)), 1)
    assert.lengthOf(judge(see(reader(), 1, { messageType: "SHIPMENT_COMPLETE" }).log(1)), 1)
  })

  it("nobody knows who has seen it", () => {
    assert.lengthOf(judge(see(reader(), 1, { reader: "other" })), 1)
  })
})
