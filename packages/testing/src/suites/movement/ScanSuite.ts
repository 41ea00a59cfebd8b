/** The rules for the forms in which scanners send one SSCC, for every storage of shipments (D22). */
import { Intake } from "@dockline/core/document/Intake"
import { payloadOf } from "@dockline/core/messages/Message"
import * as PalletOperations from "@dockline/core/movement/PalletOperations"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Search } from "@dockline/core/search/Search"
import { Effect, Result, Struct } from "effect"
import * as assert from "../../Assert.ts"
import { aDocument, anItem, aPalletEvent, labelsOf, orderOf } from "../../generators/Given.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

const [sscc, other] = ["106141411234567897", "306141411234567895"]

const gs = "\u001d"

/** Some forms of an SSCC, which all interfaces treat as equal. The tests of `Lpn` in core have all forms. */
const formsOf = (code: string): ReadonlyArray<string> => [
  code,
  `00${code}`,
  `(00)${code}`,
  `]C100${code}`,
  `]C110LOT${gs}00${code}${gs}`,
  `https://id.example.com/00/${code}?10=LOT`
]

/** Pairs of two forms: one for documents, and one for labels and requests. */
const pairs = formsOf(sscc).flatMap((form, at) => {
  const otherForm = assert.present(formsOf(sscc)[(at + 1) % formsOf(sscc).length])
  return [[form, otherForm], [otherForm, form]] as const
})

/** Cases of a pallet whose documents and events have different forms of its SSCC. */
export const scans = (test: AddTest): void => {
  test("D22.1 a pallet is matched, judged, counted and found in each form of its SSCC", function*() {
    const shipments = yield* Shipments
    const pallets = yield* Pallets
    for (const [lpn, otherForm] of pairs) {
      const { business, client, moves, record, submit } = yield* aWorld([
        { name: "LPN", label: "lpn", list: false }
      ])
      const id = String(yield* submit("S1", [withItem("O1", lpn), withItem("O2", "L1")]))
      const there = { business, facility: "east" }
      const unseen = Effect.map(
        shipments.items(id, { unseen: true }, client),
        ({ items }) => items.map(({ lpn }) => lpn)
      )
      assert.deepStrictEqual(yield* unseen, [lpn, "L1"])
      const { answer } = yield* record({ labels: labelsOf(["lpn", otherForm]) })
      assert.deepStrictEqual(
        [answer.serviceShipmentId, answer.orders, answer.verdict.kind],
        [id, ["O1"], "EXPECTED"],
        `${lpn} as ${otherForm}`
      )
      const again = yield* record({ eventId: "E2", occurredAt: at(1), labels: labelsOf(["lpn", lpn]) })
      assert.deepStrictEqual(
        [again.answer.servicePalletId, again.answer.verdict.kind],
        [answer.servicePalletId, "REPEATED"]
      )
      // The forms of the item and of the label are stored and sent unchanged.
      assert.strictEqual(payloadOf(assert.at(yield* moves, 0))["LPN"], otherForm)
      const { progress } = yield* shipments.get(id, client)
      assert.deepStrictEqual(progress, {
        expectedPallets: 2,
        passedPallets: 1,
        missingPallets: 1,
        unexpectedPallets: 0
      })
      assert.deepStrictEqual(yield* unseen, ["L1"])
      const differences = yield* shipments.discrepancies(id, {}, client)
      assert.deepStrictEqual(differences.items.map(({ kind, lpn }) => `${kind} ${lpn}`), ["SHORT L1"])
      for (const form of formsOf(sscc)) {
        const list = yield* pallets.list({ ...there, lpn: form }, client)
        assert.deepStrictEqual(
          list.items.map(({ expected, lpn, orders }) => [lpn, expected, orders]),
          [[otherForm, true, ["O1"]]],
          form
        )
        const expecting = yield* shipments.list({ ...there, lpn: form }, client)
        assert.deepStrictEqual(expecting.items.map(({ shipmentNumber }) => shipmentNumber), ["S1"], form)
        const items = yield* shipments.items(id, { find: form }, client)
        assert.deepStrictEqual(items.items.map(({ lpn }) => lpn), [lpn], form)
      }
      assert.deepStrictEqual((yield* pallets.list({ ...there, lpn: other }, client)).items, [])
      yield* shipments.depart(id, {}, client)
      const last = yield* shipments.discrepancies(id, {}, client)
      assert.deepStrictEqual(last.items.map(({ kind, lpn }) => `${kind} ${lpn}`), ["SHORT L1"])
    }
  })

  test("D22.1 a pallet is told to be on the wrong shipment in each form of its SSCC", function*() {
    const shipments = yield* Shipments
    for (const [form, otherForm] of pairs) {
      const { client, record, submit } = yield* aWorld()
      const id = String(yield* submit("S1", [withItem("O1", `00${other}`)]))
      yield* submit("S2", [withItem("O2", form)])
      const { answer } = yield* record({ shipmentNumber: "S1", labels: labelsOf(["lpn", otherForm]) })
      assert.deepStrictEqual([answer.verdict.kind, answer.verdict.shipmentNumber], ["WRONG_SHIPMENT", "S2"])
      const rows = Effect.map(
        shipments.discrepancies(id, {}, client),
        ({ items }) =>
          items.map(({ expectedOnNumber, kind, lpn }) => `${kind} ${lpn} ${expectedOnNumber}`.trim())
      )
      const differences = [`SHORT 00${other}`, `WRONG_SHIPMENT ${otherForm} S2`]
      assert.deepStrictEqual(yield* rows, differences)
      yield* shipments.depart(id, {}, client)
      assert.deepStrictEqual(yield* rows, differences)
    }
  })

  test("D22.1 items of one SSCC have one key, and an item keeps the form in which it came", function*() {
    const intake = yield* Intake
    const { business, client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1", [withItem("O1", `]C100${sscc}`), withItem("O2", "L1")]))
    const send = (strategy: string, ...items: ReadonlyArray<ReturnType<typeof anItem>>) =>
      intake.submit(aDocument({ business }, orderOf("O1", strategy, items)), client)
    const lpns = Effect.map(
      shipments.items(id, {}, client),
      ({ items }) => items.map(({ lpn, quantity, sku }) => `${lpn} ${sku} ${quantity}`)
    )
    assert.strictEqual(yield* codeOf(send("APPEND", anItem(`(00)${sscc}`, "S1"))), "DUPLICATE_ORDER_ITEM_KEY")
    assert.strictEqual(
      yield* codeOf(send("MERGE", anItem(sscc, "S1"), anItem(`00${sscc}`, "S1"))),
      "DUPLICATE_ITEM_IN_REQUEST"
    )
    yield* send("MERGE", anItem(`00${sscc}`, "S1", { quantity: 7 }), anItem(sscc, "S2"))
    assert.deepStrictEqual(yield* lpns, [`]C100${sscc} S1 7`, "L1 S1 5", `${sscc} S2 5`])
    // Both items are on one pallet, which leaves the shipment only with its last item.
    const expected = Effect.map(
      shipments.get(id, client),
      ({ progress }) => [progress.expectedPallets, progress.missingPallets]
    )
    assert.deepStrictEqual(yield* expected, [2, 2])
    yield* send("OVERWRITE", anItem(`00${sscc}`, "S1"), anItem(`(00)${other}`, "S1"))
    assert.deepStrictEqual(yield* expected, [3, 3])
    yield* send("DELETE", anItem(`]C100${sscc}`, "S1"))
    assert.deepStrictEqual(yield* lpns, ["L1 S1 5", `(00)${other} S1 5`])
    const [deletion, overwritten] = (yield* intake.records({ business, removed: true }, client)).items
    assert.deepStrictEqual(assert.present(overwritten).counts, {
      created: 2,
      updated: 2,
      removed: 2,
      replaced: 1
    })
    for (const lpn of formsOf(sscc)) {
      const { items } = yield* intake.records({ business, lpn }, client)
      assert.deepStrictEqual(items.map(({ id }) => id), [
        assert.present(deletion).id,
        assert.present(overwritten).id
      ], lpn)
    }
  })

  test("D22.1 a shipment misses a pallet no more when the last order with a form of its SSCC leaves", function*() {
    const { client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const orders = [withItem("O1", sscc), withItem("O2", `00${sscc}`, "S2"), withItem("O3", `(00)${other}`)]
    const id = String(yield* submit("S1", orders))
    const counts = Effect.map(
      Effect.all([
        shipments.get(id, client),
        shipments.list({ discrepancies: true, shipmentNumber: "S1" }, client)
      ]),
      ([{ progress }, { items }]) => [progress.missingPallets, items.length]
    )
    assert.deepStrictEqual(yield* counts, [2, 1])
    yield* submit("S2", [orderOf("O1"), orderOf("O3")])
    assert.deepStrictEqual(yield* counts, [1, 1])
    yield* submit("S3", [orderOf("O2")])
    assert.deepStrictEqual(yield* counts, [0, 0])
  })

  test("D22.3 an answer notes what is odd about an LPN, also at a repeat, and nothing else", function*() {
    const { record, submit } = yield* aWorld()
    yield* submit("S1", [withItem("O1", sscc)])
    const read = (eventId: string, lpn: string) => {
      const { leftOut, ...event } = Result.getOrThrow(
        PalletOperations.read({
          ...Struct.omit(aPalletEvent({ eventId }), ["shipmentId", "shipmentNumber"]),
          shipmentNumber: "S1",
          labels: labelsOf(["lpn", lpn], ["text", "\u200b\n"])
        })
      )
      return { ...Struct.omit(event, ["business"]), ...(leftOut === undefined ? {} : { leftOut }) }
    }
    const odd = `${sscc.slice(0, -1)}0`
    for (
      const [lpn, notes, kind] of [
        [`]C100${sscc}${gs}`, undefined, "EXPECTED"],
        [
          `\u200b00${sscc}\r`,
          ["label lpn: left out invisible characters: U+200B, U+000D"],
          "REPEATED"
        ],
        [`L1${gs}`, ["label lpn: left out invisible characters: U+001D"], "UNEXPECTED"],
        [`(00)${odd}`, [`label lpn: the check digit of SSCC ${odd} should be 7`], "UNEXPECTED"]
      ] as const
    ) {
      const first = yield* record(read(lpn, lpn))
      assert.deepStrictEqual(
        [first.answer.notes, first.answer.verdict.kind],
        [notes, kind],
        JSON.stringify(lpn)
      )
      assert.deepStrictEqual(yield* record(read(lpn, lpn)), { answer: first.answer, repeated: true })
    }
  })

  test("D22.3 the answer to a document notes check digits that do not fit, and shipments that orders have left", function*() {
    const intake = yield* Intake
    const { business, client } = yield* aWorld()
    const odd = `${sscc.slice(0, -1)}0`
    const note = (order: string) => `order ${order}: the check digit of SSCC ${odd} should be 7`
    const send = (shipmentNumber: string, dryRun: boolean, ...lpns: ReadonlyArray<string>) =>
      intake.submit(
        aDocument({ business, shipmentNumber }, orderOf("O1", "MERGE", lpns.map((lpn) => anItem(lpn, "S")))),
        client,
        { dryRun }
      )
    const fine = yield* send("S1", false, sscc, "L1", "123456789012345678 ")
    assert.isFalse("notes" in fine)
    for (const dryRun of [true, false]) {
      for (const lpn of formsOf(odd)) {
        assert.deepStrictEqual((yield* send("S1", dryRun, sscc, lpn)).notes, [note("O1")])
      }
    }
    const move = yield* send("S2", false, odd)
    assert.deepStrictEqual(move.notes, [`order O1: it has left shipment ${fine.shipment.id}`, note("O1")])
    assert.isFalse("notes" in (yield* send("S2", false)))
    const many = yield* send(
      "S3",
      true,
      ...Array.from({ length: 120 }, (_, n) => `${1061414112345600 + n}00`)
    )
    assert.strictEqual(assert.present(many.notes).length, 101)
    assert.match(assert.at(assert.present(many.notes), -1), /^\d+ more like these$/)
  })

  test("D22.4 messages carry the parts of element strings that the field map asks for", function*() {
    const shipments = yield* Shipments
    const { client, moves, record, submit } = yield* aWorld([
      { name: "LOT", label: "gs1:10", list: false },
      { name: "BEST", label: "gs1:17", list: false },
      { name: "GTINS", label: "gs1:02", list: true },
      { name: "COUNT", label: "gs1:37", list: false }
    ])
    const id = String(yield* submit("S1", [withItem("O1", sscc)]))
    yield* record({
      labels: labelsOf(["lpn", `]C100${sscc}`], ["content", `]C10209506000134352173002003712${gs}10LOT-7`])
    })
    yield* shipments.depart(id, {}, client)
    const parts = { LOT: "LOT-7", BEST: "2030-02-28", GTINS: ["09506000134352"], COUNT: "12" }
    const [pallet, completion] = (yield* moves).map(payloadOf)
    const keys = ["LOT", "BEST", "GTINS", "COUNT"] as const
    assert.deepStrictEqual(Struct.pick(pallet as typeof parts, keys), parts)
    const [palletParts] = assert.present(completion)["pallets"] as ReadonlyArray<typeof parts>
    assert.deepStrictEqual(Struct.pick(assert.present(palletParts), keys), parts)
  })

  test("D22.1 a search finds each form of an SSCC", function*() {
    const search = yield* Effect.provide(Search, Search.layer)
    const intake = yield* Intake
    for (const [lpn, otherForm] of pairs) {
      const { business, client, record, submit } = yield* aWorld()
      yield* submit("S1", [withItem("O1", lpn)])
      const hits = (text: string) =>
        Effect.map(
          search.search({ business, text }, client),
          ({ items }) => items.map(({ exact, kind, text }) => [kind, text, exact])
        )
      for (const form of formsOf(sscc)) {
        assert.deepStrictEqual(yield* hits(form), [["ITEM", lpn, true]], form)
      }
      yield* record({ labels: labelsOf(["lpn", otherForm]) })
      for (const form of formsOf(sscc)) {
        assert.deepStrictEqual(yield* hits(form), [["PALLET", otherForm, true]], form)
      }
      assert.deepStrictEqual(yield* hits(sscc.slice(-8)), [["PALLET", otherForm, false]])
      yield* intake.submit(aDocument({ business, shipmentNumber: "S2" }, withItem("O2", lpn)), client)
      yield* intake.submit(
        aDocument({ business, shipmentNumber: "S2" }, orderOf("O2", "DELETE", [anItem(sscc, "S1")])),
        client
      )
      const removals = (yield* hits(otherForm)).filter(([kind]) => kind === "REMOVAL")
      assert.deepStrictEqual(removals, [["REMOVAL", sscc, true]])
    }
  })
}
