/** What may be wrong in the exchange with partners. */
import { assert, it } from "@effect/vitest"
import { setsOf } from "../src/checker/SentSets.ts"
import type { Asked } from "../src/history/History.ts"
import { answer, eventAt, history, interchange, item, judges, shipment } from "./Script.ts"
import type { Script } from "./Script.ts"

const notice = (number = 7, shipment = "S1"): Asked => {
  const [control, own] = [String(number).padStart(9, "0"), { O1: ["L1", "L2"] }]
  return { operation: "notice", partner: "P", control, shipment, own }
}
const received = (control: number, number: string, ...lpns: ReadonlyArray<string>) => {
  const items = lpns.flatMap((lpn) => ["W07*1*CA**SK*SKU", `N9*LV*${lpn}`])
  return interchange(control, control, "944", `W17*F*20261128*1*O1*${number}`, ...items, "W14*1")
}
const partner = (tellsOf: "OWN" | "ALL" = "OWN") => {
  const place = { business: "acme", facility: "east", client: "acme-client" }
  return history().tell({ type: "partner", partner: "P", ...place, tellsOf })
}
const answered = () => partner().done(notice(), answer(7))
const goods = (...lpns: ReadonlyArray<string>) => shipment({}, lpns)
const both = goods("L1", "L2")
const again = (second: ReturnType<typeof answer>) =>
  partner().done(notice(), answer(7), { request: "a" }).done(notice(), second, { request: "a" }).stored(both)

judges("notices are done", {
  "one is not stored": answered(),
  "a pallet is lost": answered().stored(goods("L1")),
  "a pallet is there twice": answered().stored(goods("L1", "L2", "L2")),
  "one that nobody knows is stored in part": partner().lost(notice()).stored(goods("L1")),
  "one that was refused is stored": partner().denied(notice(), "EDI_REFUSED", 400).stored(both),
  "one is rejected": partner().done(notice(), answer(7, 1, "R")).stored(both),
  "one is answered as another": partner().done(notice(), answer(8)).stored(both),
  "a repeat gets another answer": again(answer(7, 2))
}, {
  "one that nobody knows is not stored": partner().lost(notice()),
  "a repeat is answered": again(answer(7))
})

const sends = (
  script: Script,
  reader: string,
  ...rows: ReadonlyArray<readonly [id: number, text: string]>
) => {
  for (const [id, text] of rows) script.tell({ type: "outgoing", reader, partner: "P", id, text })
  return script
}
const sent = (script: Script, ...texts: ReadonlyArray<string>) =>
  sends(script, "all", ...texts.map((text, at) => [at + 5, text] as const))
const two = () => answered().done(notice(8, "S2"), answer(8, 3))

judges("control numbers have no gap", {
  "a number is left out": two(),
  "a number is given twice": sent(two(), received(3, "S1", "L1"), received(2, "S1")),
  "the first number is left out": partner().done(notice(), answer(7, 2)),
  "the number of a group is given twice": sent(
    answered(),
    interchange(2, 1, "944", "W17*F*20261128*1*O1*S1")
  ),
  "a number is given again that the copy has": answered().copied().promoted().done(
    notice(9, "S3"),
    answer(9, 1)
  )
}, {
  "of answers and the outbox together": sent(two(), received(2, "S1", "L1")),
  "an answer is lost with its database": answered().copied().done(notice(8, "S2"), answer(8, 2)).promoted()
    .done(notice(9, "S3"), answer(9, 2))
})

/** One of two pallets was unloaded, or loaded, and the shipment is gone. */
const parted = shipment({ status: "DEPARTED" }, ["L1", "L2"].map((lpn) => item(lpn)))
const departed = (more = {}) =>
  answered().done(eventAt(1, { lpn: "L1", direction: "UNLOADING" }), { messageId: 1 }).log(1, more)
    .completion(2).stored(parted)
/** The other pallet is reported after the departure. */
const withLate = () =>
  departed().done(eventAt(3, { lpn: "L2", direction: "UNLOADING" }), { messageId: 3 }).log(3)
const loaded = (tellsOf: "OWN" | "ALL") =>
  partner(tellsOf).done(eventAt(1, { lpn: "L1" }), { messageId: 1 }).log(1).completion(2).stored(parted)
const first = ["LX*1", "MAN*W*L1", "W12*CC*1*1*0*CA**SK*SKU"]
const advised = interchange(1, 1, "856", "BSN*00*S1*20261128*0700*ZZZZ", "MAN*W*L1") +
  interchange(1, 2, "945", "W06*F*O1*20261128*S1", ...first, "LX*2", "MAN*W*L2", "W12*CP*1*0*1*CA**SK*SKU")
const right = received(2, "S1", "L1")
const corrected = received(3, "S1", "L1", "L2").replace("W07", "NTE*GEN*REPLACES~W07")
const expiring = () => departed().tell({ type: "dropped", business: "acme", id: 2, age: 1 })

judges("departures are told to partners", {
  "one is not told": departed(),
  "one is told twice": sent(departed(), right, received(3, "S1", "L1")),
  "a pallet is told that did not come": sent(departed(), received(2, "S1", "L1", "L2")),
  "a pallet is not told": sent(departed(), received(2, "S1", "L2")),
  "one is told that has not departed": sent(answered().stored(both), received(2, "S1")),
  "one is told of another": sent(departed(), right, received(3, "S9")),
  "one that no notice named is not told to who is told of all": loaded("ALL"),
  "one that no notice named is told to who is told of its own": sent(loaded("OWN"), advised),
  "one whose message was dropped is told wrong": sent(expiring(), received(2, "S1", "L2")),
  "one is told before a late pallet, and not corrected": sent(withLate(), right),
  "one is corrected as if it were new": sent(withLate(), right, received(3, "S1", "L1", "L2")),
  "one is corrected wrong": sent(withLate(), right, corrected.replace("LV*L2", "LV*L1")),
  "one is corrected of which nothing was told": sent(withLate(), corrected),
  "a pallet that did not come is not told": sent(loaded("ALL"), advised.replace("MAN*W*L2", "MAN*W*L1"))
}, {
  "one that is told": sent(departed(), right),
  "one that is corrected by a late pallet": sent(withLate(), right, corrected),
  "one that is told with a late pallet": sent(withLate(), received(2, "S1", "L1", "L2")),
  "one on which nothing passed is not told": departed({ business: "globex" }),
  "one that no notice named is told to who is told of all": sent(loaded("ALL"), advised),
  "one whose message was dropped is not told": expiring()
})

/** A notice of another partner on the same shipment. */
const ofAnother = () =>
  answered().done({
    operation: "notice",
    partner: "Q",
    control: "8",
    shipment: "S1",
    own: { O2: ["L3", "(00)300000000000000017"] }
  }, answer(8))

judges("partners are apart", {
  "an order of another is told": sent(ofAnother(), interchange(2, 2, "944", "W17*F*20261128*1*O2*S1")),
  "a pallet of another is told": sent(ofAnother(), received(2, "S1", "L1", "L3")),
  "an SSCC of another is told": sent(ofAnother(), received(2, "S1", "00300000000000000017"))
}, { "its own is told": sent(ofAnother(), received(2, "S1", "L1", "L2")) })

const end = (script: Script) => sends(script, "all", [1, "a"], [2, "b"], [4, "c"])

judges("the outbox grows", {
  "one appears below a cursor": end(sends(history(), "cursor", [1, "a"], [4, "c"])),
  "one appears twice": end(sends(history(), "cursor", [1, "a"], [2, "b"], [2, "b"])),
  "one is gone at the end": end(sends(history(), "cursor", [1, "a"], [2, "b"], [3, "x"])),
  "one has another text": end(sends(history(), "cursor", [1, "x"])),
  "ids go back at the end": sends(history(), "all", [2, "b"], [1, "a"])
}, {
  "a reader saw the beginning": end(sends(history(), "cursor", [1, "a"], [2, "b"])),
  "what was seen is lost with its database": end(
    sends(sends(history(), "cursor", [1, "a"]).copied(), "cursor", [2, "x"], [3, "y"]).promoted()
  )
})

it("sets name their shipment, and the pallets that passed", () => {
  assert.deepStrictEqual([...setsOf(advised), ...setsOf(received(1, "S1", "L2", "L1"))], [
    { kind: "856", shipment: "S1", order: "", isAgain: false, lpns: ["L1"], absent: [] },
    { kind: "945", shipment: "S1", order: "O1", isAgain: false, lpns: ["L1"], absent: ["L2"] },
    { kind: "944", shipment: "S1", order: "O1", isAgain: false, lpns: ["L1", "L2"], absent: [] }
  ])
  assert.deepStrictEqual(setsOf(received(1, "S1", "(00)300000000000000017"))[0]?.lpns, ["300000000000000017"])
})
