/**
 * The checker notices when a reader did not see its log, was not told that it is beyond it, or got one id for two
 * messages.
 */
import { assert, describe, it } from "@effect/vitest"
import type { EventOf } from "../../src/history/History.ts"
import { lose, Script } from "./Script.ts"

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

describe("readers of messages that expire", () => {
  const told = (script: Script, afterId: number, droppedId: number) =>
    script.tell({ type: "expired", reader: "R", afterId, droppedId })

  it("leave out what they were told of", () => {
    const script = see(told(see(reader(), 1), 1, 3), 4).log(1).log(2).log(3).log(4)
    assert.deepStrictEqual(judge(script), [])
  })

  it("leave out nothing else", () => {
    assert.lengthOf(judge(see(told(see(reader(), 1), 1, 3), 5).log(1).log(2).log(3).log(4).log(5)), 1)
    assert.lengthOf(judge(see(told(see(reader(), 1), 2, 3), 4).log(1).log(2).log(3).log(4)), 1)
  })
})

describe("readers of a log that has lost messages", () => {
  /** Messages 1 and 2 are copied, 3 and 4 are lost, and 10 comes after them. */
  const after = (...ids: ReadonlyArray<number>) =>
    ids.reduce((script, id) => see(script, id), lose(reader(), { 3: {}, 4: {} }, { acme: 2 })).log(1).log(2)
      .log(10)

  it("see all that is there, and of what is lost the beginning", () => {
    for (const lost of [[], [3], [3, 4]]) assert.deepStrictEqual(judge(after(1, 2, ...lost, 10)), [])
  })

  it("miss one that is there, or see the end only of what is lost", () => {
    assert.lengthOf(judge(after(1, 2, 3)), 1)
    assert.lengthOf(judge(after(1, 10)), 1)
    assert.lengthOf(judge(after(1, 2, 4, 10)), 1)
  })
})

describe("readers are told", () => {
  const ahead = (script: Script, asked = script.history.length) =>
    script.tell({ type: "ahead", reader: "R", afterId: 3, newestId: 2, asked })
  const advanced = (script: Script) => script.tell({ type: "advanced", newestId: 9 })
  const told = (script: Script) => script.finds("readers are told")
  const beyond = () => lose(see(see(reader(), 1), 3), { 3: {} }, { acme: 2 })

  it("that they are beyond the log, until ids were moved on", () => {
    assert.deepStrictEqual(told(advanced(ahead(beyond()))), [])
    assert.lengthOf(told(advanced(beyond())), 1)
    assert.lengthOf(told(ahead(advanced(beyond()))), 2)
  })

  it("also when that comes as ids are moved on", () => {
    const script = ahead(beyond())
    const asked = script.history.length
    assert.deepStrictEqual(told(ahead(advanced(script), asked)), [])
  })

  it("and ids are moved on", () => assert.lengthOf(told(ahead(beyond())), 1))

  it("nothing of the kind else", () => {
    assert.deepStrictEqual(told(see(reader(), 1)), [])
    assert.lengthOf(told(ahead(see(reader(), 1))), 1)
    const within = lose(see(reader(), 1), { 3: {} }, { acme: 2 })
    assert.deepStrictEqual(told(advanced(within)), [])
  })
})

describe("ids are given once", () => {
  const given = (script: Script) => script.finds("ids are given once")
  const receipt = (digest: string) => ({
    type: "receipt",
    receipt: 1,
    endpoint: "E",
    path: "",
    webhookId: "msg_1",
    signed: true,
    digest,
    tags: []
  } as const)

  it("a message may come again under its id", () => {
    assert.deepStrictEqual(given(seeing(1, 1).tell(receipt("a")).tell(receipt("a"))), [])
  })

  it("another one may not, at a reader or an endpoint", () => {
    assert.lengthOf(given(see(see(reader(), 1), 1, { digest: "another" })), 1)
    assert.lengthOf(given(reader().tell(receipt("a")).tell(receipt("b"))), 1)
  })
})
