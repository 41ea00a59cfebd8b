/** Each way in which the exchange with partners may not be what was promised. */
import { assert, describe, it } from "@effect/vitest"
import { setsOf } from "../../src/checker/EdiRules.ts"
import type { Asked, EventOf } from "../../src/history/History.ts"
import { eventAt, item, judges, Script, shipment } from "./Script.ts"
import { answer, interchange } from "./X12.ts"

const notice = (control = 7, shipment = "S1"): Asked => ({
  operation: "notice",
  partner: "supplier",
  control: String(control).padStart(9, "0"),
  shipment,
  own: { O1: ["L1", "L2"] }
})

const received = (control: number, number: string, ...lpns: ReadonlyArray<string>) =>
  interchange(
    control,
    control,
    "944",
    `W17*F*20261128*1*O1*${number}`,
    ...lpns.flatMap((lpn) => ["W07*1*CA**SK*SKU", `N9*LV*${lpn}`]),
    "W14*1"
  )

const stored = (lpns: ReadonlyArray<string>, more: Parameters<typeof shipment>[2] = {}) =>
  shipment("S1", lpns.map((lpn) => item(lpn)), more)

const history = (tellsOf: "OWN" | "ALL" = "OWN") =>
  new Script().tell({
    type: "partner",
    partner: "supplier",
    client: "acme-client",
    business: "acme",
    facility: "east",
    tellsOf
  })

const answered = () => history().done(notice(), answer(7))

judges(
  "notices are done",
  ["one that is stored", answered().stored(stored(["L2", "L1"]))],
  ["one that is not stored", answered(), 1],
  ["a pallet is lost", answered().stored(stored(["L1"])), 1],
  ["a pallet is there twice", answered().stored(stored(["L1", "L2", "L2"])), 1],
  ["one that nobody knows is not stored", history().lost(notice())],
  ["one that nobody knows is stored in part", history().lost(notice()).stored(stored(["L1"])), 1],
  [
    "one that was refused is stored",
    history().denied(notice(), "EDI_REFUSED", 400).stored(stored(["L1", "L2"])),
    1
  ],
  ["one is rejected", history().done(notice(), answer(7, 1, "R")).stored(stored(["L1", "L2"])), 1],
  ["one is answered as another", history().done(notice(), answer(8)).stored(stored(["L1", "L2"])), 1],
  [
    "a repeat gets the same answer",
    history().done(notice(), answer(7), { request: "a" }).done(notice(), answer(7), { request: "a" })
      .stored(stored(["L1", "L2"]))
  ],
  [
    "a repeat gets another answer",
    history().done(notice(), answer(7), { request: "a" }).done(notice(), answer(7, 2), { request: "a" })
      .stored(stored(["L1", "L2"])),
    /was answered in 2 ways/
  ]
)

const sends = (
  script: Script,
  reader: string,
  ...rows: ReadonlyArray<readonly [id: number, text: string]>
): Script => {
  for (const [id, text] of rows) script.tell({ type: "outgoing", reader, partner: "supplier", id, text })
  return script
}

const repeated = (reason: string) =>
  history()
    .tell({ type: "healed" })
    .lost(notice(), { request: "a", reason })
    .done(notice(), answer(7), { request: "a" })
    .tell({ type: "collected" })

judges(
  "live after heal",
  ["a notice is told that it is being done", repeated("503 OVERLOADED")],
  ["a notice is told that the storage is away", repeated("503 STORAGE_UNAVAILABLE"), 1]
)

const two = () => answered().done(notice(8, "S2"), answer(8, 3))

judges(
  "control numbers have no gap",
  ["of answers and the outbox together", sends(two(), "all", [5, received(2, "S1", "L1")])],
  ["a number is left out", two(), 1],
  ["a number is given twice", sends(two(), "all", [5, received(3, "S1", "L1")], [6, received(2, "S1")]), 1],
  ["the first number is left out", history().done(notice(), answer(7, 2)), 1],
  [
    "the number of a group is given twice",
    sends(answered(), "all", [5, interchange(2, 1, "944", "W17*F*20261128*1*O1*S1")]),
    1
  ],
  [
    "an answer is lost with its database",
    history().done(notice(), answer(7, 1)).copied().done(notice(8, "S2"), answer(8, 2)).promoted()
      .done(notice(9, "S3"), answer(9, 2))
  ],
  [
    "a number is given again that the copy has",
    history().done(notice(), answer(7, 1)).copied().promoted().done(notice(9, "S3"), answer(9, 1)),
    1
  ]
)

/** One of two pallets was unloaded, and the shipment is gone. */
const departed = (passes = true) => {
  const script = answered().done(eventAt(1, { lpn: "L1", direction: "UNLOADING" }), { messageId: 1 })
  const message: Partial<EventOf<"log">> = passes ? {} : { business: "globex" }
  return script.log(1, message).completion(2).stored(stored(["L1", "L2"], { status: "DEPARTED" }))
}

const loaded = (tellsOf: "OWN" | "ALL") =>
  history(tellsOf).done(eventAt(1, { lpn: "L1" }), { messageId: 1 }).log(1).completion(2)
    .stored(stored(["L1", "L2"], { status: "DEPARTED" }))

const advised = interchange(
  1,
  1,
  "856",
  "BSN*00*S1*20261128*0700*ZZZZ",
  "MAN*W*L1"
) + interchange(
  1,
  2,
  "945",
  "W06*F*O1*20261128*S1",
  "LX*1",
  "MAN*W*L1",
  "W12*CC*1*1*0*CA**SK*SKU",
  "LX*2",
  "MAN*W*L2",
  "W12*CP*1*0*1*CA**SK*SKU"
)

const expiring = (text: string | undefined) => {
  const script = departed().tell({ type: "dropped", business: "acme", id: 2, age: 1 })
  return text === undefined ? script : sends(script, "all", [5, text])
}

judges(
  "departures are told to partners",
  ["one that is told", sends(departed(), "all", [5, received(2, "S1", "L1")])],
  ["one that is not told", departed(), 1],
  [
    "one that is told twice",
    sends(departed(), "all", [5, received(2, "S1", "L1")], [6, received(3, "S1", "L1")]),
    1
  ],
  ["a pallet is told that did not come", sends(departed(), "all", [5, received(2, "S1", "L1", "L2")]), 1],
  ["a pallet is not told", sends(departed(), "all", [5, received(2, "S1", "L2")]), 1],
  [
    "one is told that has not departed",
    sends(answered().stored(stored(["L1", "L2"])), "all", [5, received(2, "S1")]),
    1
  ],
  [
    "one is told of another",
    sends(departed(), "all", [5, received(2, "S1", "L1")], [6, received(3, "S9")]),
    1
  ],
  ["one on which nothing passed is not told", departed(false)],
  ["one that no notice named is told to who is told of all", sends(loaded("ALL"), "all", [5, advised])],
  ["one that no notice named is not told to who is told of all", loaded("ALL"), 1],
  [
    "one that no notice named is told to who is told of its own",
    sends(loaded("OWN"), "all", [5, advised]),
    1
  ],
  ["one whose message was dropped is not told", expiring(undefined)],
  ["one whose message was dropped is told", expiring(received(2, "S1", "L1"))],
  ["one whose message was dropped is told wrong", expiring(received(2, "S1", "L2")), 1]
)

const end = (script: Script) => sends(script, "all", [1, "a"], [2, "b"], [4, "c"])

judges(
  "the outbox grows",
  ["a reader saw all", end(sends(history(), "cursor", [1, "a"], [2, "b"], [4, "c"]))],
  ["a reader saw the beginning", end(sends(history(), "cursor", [1, "a"], [2, "b"]))],
  ["one appears below a cursor", end(sends(history(), "cursor", [1, "a"], [4, "c"])), 1],
  ["one appears twice", end(sends(history(), "cursor", [1, "a"], [2, "b"], [2, "b"])), 1],
  ["one is gone at the end", end(sends(history(), "cursor", [1, "a"], [2, "b"], [3, "x"])), 1],
  ["one has another text", end(sends(history(), "cursor", [1, "x"])), 1],
  ["ids go back at the end", sends(history(), "all", [2, "b"], [1, "a"]), 1],
  [
    "what was seen is lost with its database",
    end(sends(sends(history(), "cursor", [1, "a"]).copied(), "cursor", [2, "x"], [3, "y"]).promoted())
  ]
)

describe("sets that tell", () => {
  it("name their shipment, and the pallets that passed", () => {
    assert.deepStrictEqual(setsOf(advised), [
      { kind: "856", shipment: "S1", lpns: ["L1"] },
      { kind: "945", shipment: "S1", lpns: ["L1"] }
    ])
    assert.deepStrictEqual(setsOf(received(1, "S1", "L2", "L1")), [
      { kind: "944", shipment: "S1", lpns: ["L1", "L2"] }
    ])
  })
})
