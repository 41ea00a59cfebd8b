/** The judge of the embedded database: what is as promised passes, and each thing that is not is told. */
import { assert, describe, it } from "vitest"
import { judge } from "../src/embedded/Judgement.ts"
import type { Known, Shown } from "../src/embedded/Judgement.ts"

const pallet = (id: number, lpn: string) => ({ id, type: "PALLET_EVENT", shipmentId: "1", lpns: [lpn] })
const completion = { id: 13, type: "SHIPMENT_COMPLETE", shipmentId: "1", lpns: ["a", "b"] }
const log = [pallet(11, "a"), pallet(12, "b"), completion]

const known: Known = {
  documents: [
    { order: "O", lpns: ["a", "b"], acknowledged: true, ids: { a: "1", b: "2" } },
    { order: "P", lpns: ["c", "d"], acknowledged: false, ids: {} }
  ],
  events: [{ lpn: "a", shipmentId: "1", messageId: 11 }, { lpn: "b", shipmentId: "1", messageId: 12 }],
  departed: ["1"],
  followed: log,
  delivered: [log[0]!, log[0]!, log[1]!, log[2]!]
}

const items = [{ order: "O", lpn: "a", id: "1" }, { order: "O", lpn: "b", id: "2" }]
const shown: Shown = { shipments: [{ id: "1", status: "DEPARTED", items }], messages: log }

const showing = (...items: Shown["shipments"][number]["items"]): Shown => ({
  ...shown,
  shipments: [{ id: "1", status: "DEPARTED", items }]
})

const given = { known, shown }

describe("the judge", () => {
  it("finds nothing where everything acknowledged is there once", () => {
    assert.deepStrictEqual(judge(known, shown), [])
  })

  it("takes a document that was not acknowledged wholly or not at all", () => {
    const whole = [{ order: "P", lpn: "c", id: "3" }, { order: "P", lpn: "d", id: "4" }]
    assert.deepStrictEqual(judge(known, showing(...items, ...whole)), [])
    assert.deepStrictEqual(judge(known, showing(...items, whole[0]!)), [
      "of a document that was not acknowledged, 1 of 2 items are there: P"
    ])
  })

  it.each<[what: string, change: Partial<typeof given>, told: RegExp]>([
    ["a lost item", { shown: showing(items[0]!) }, /acknowledged, 1 of 2 items are there: O/],
    ["a doubled item", { shown: showing(...items, { ...items[0]!, id: "9" }) }, /a is there 2 times/],
    [
      "an id given twice",
      { shown: showing(items[0]!, { ...items[1]!, id: "1" }) },
      /two items have the id 1/
    ],
    [
      "another id than was told",
      { shown: showing(items[0]!, { ...items[1]!, id: "7" }) },
      /b was told as 2, and is 7/
    ],
    [
      "an item nobody sent",
      { shown: showing(...items, { order: "X", lpn: "x", id: "8" }) },
      /nobody sent the item X x/
    ],
    [
      "a lost message",
      { shown: { ...shown, messages: [log[0]!, log[2]!] } },
      /message 12 of the pallet b is not/
    ],
    [
      "a lost completion",
      { shown: { ...shown, messages: log.slice(0, 2) } },
      /departure of the shipment 1 is not/
    ],
    [
      "a completion without a pallet",
      { shown: { ...shown, messages: [log[0]!, log[1]!, { ...completion, lpns: ["a"] }] } },
      /departure of the shipment 1 is not/
    ],
    [
      "a second completion",
      { shown: { ...shown, messages: [...log, { ...completion, id: 14 }] } },
      /departure of the shipment 1 is not in the log once/
    ],
    [
      "a lost departure",
      { shown: { ...shown, shipments: [{ id: "1", status: "ARRIVED", items }] } },
      /and is ARRIVED/
    ],
    [
      "a message without a cause",
      { shown: { ...shown, messages: [...log, pallet(15, "a")] } },
      /caused the message 15/
    ],
    [
      "one id for two messages",
      { shown: { ...shown, messages: [...log, pallet(11, "a")] } },
      /two messages have one id/
    ],
    [
      "a message that a follower missed",
      { known: { ...known, followed: [log[0]!, log[2]!] } },
      /handled 13 where .* 12/
    ],
    [
      "a message that a follower handled twice",
      { known: { ...known, followed: [log[0]!, ...log] } },
      /handled 11 where the log has 12/
    ],
    [
      "more than there is",
      { known: { ...known, followed: [...log, pallet(14, "z")] } },
      /handled 4 messages, and .* 3/
    ],
    [
      "a webhook that never came",
      { known: { ...known, delivered: log.slice(0, 2) } },
      /13 was never sent by webhook/
    ],
    [
      "a webhook of nothing",
      { known: { ...known, delivered: [...log, pallet(16, "z")] } },
      /webhook 16 is of no message/
    ],
    [
      "a message that a follower was shown otherwise",
      { known: { ...known, followed: [log[0]!, pallet(12, "z"), completion] } },
      /handled 12 other than the log/
    ],
    [
      "a webhook that tells of something else when it is repeated",
      { known: { ...known, delivered: [...log, { ...completion, lpns: ["a"] }] } },
      /webhook 13 is another message/
    ],
    [
      "webhooks of one shipment out of order",
      { known: { ...known, delivered: [log[1]!, log[0]!, log[2]!] } },
      /webhook 11 came after a later one/
    ]
  ])("tells %s", (_, change, told) => {
    const { known, shown } = { ...given, ...change }
    assert.match(judge(known, shown).join("\n"), told)
  })
})
