/** The rules for steps of the exchange, and what they remember, for every storage (D18.3, D23). */
import { Intake } from "@dockline/core/document/Intake"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as assert from "@dockline/testing/Assert"
import { aDocument, orderOf, unique } from "@dockline/testing/generators/Given"
import type * as Suite from "@dockline/testing/Suite"
import { at, longAgo } from "@dockline/testing/worlds/MessageLogWorld"
import { codeOf } from "@dockline/testing/worlds/MovementWorld"
import { Cause, Effect, Exit, Result } from "effect"
import { ediRetentionMillis, ediTextLimit } from "../domain/EdiFile.ts"
import type { EdiPartner } from "../domain/EdiPartner.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import type { EdiWords, PartnerKey } from "../domain/EdiStore.ts"
import {
  add,
  adding,
  aFile,
  all,
  aPartner,
  arrival,
  came,
  createdAt,
  firstPage,
  idsOf,
  rejecting,
  reserve,
  scopesOf,
  stateOf,
  writing
} from "./EdiWorld.ts"
import type { EdiStores } from "./EdiWorld.ts"

/** The cases about steps: their plans, the words and the owners of orders, and the files that told a partner about a shipment. */
export const stepCases = ({ describe, test }: Suite.Author<EdiStores>): void => {
  describe("D18.3 a step", () => {
    test("gives numbers without a gap, and ids in the order of commits", function*() {
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const numbers: Array<number> = []
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          EdiStore.use((store) =>
            store.transact(index % 4 === 0 ? other : name, {}, (state) => {
              if (state.partner.slug === name.partner) {
                numbers.push(state.partner.nextInterchange)
              }
              return adding(aFile({ control: String(state.partner.nextInterchange) }))(state)
            })
          ),
        { concurrency: 10, discard: true }
      )
      const store = yield* EdiStore
      assert.deepStrictEqual(
        Array.from(new Set(numbers)).toSorted((one, other) => one - other),
        Array.from({ length: 15 }, (_, index) => 7 + index)
      )
      const { items } = yield* store.outbox({ business, facility: undefined, partner: name.partner }, {
        after: 0,
        limit: 100
      })
      assert.deepStrictEqual(
        items.map(({ control }) => Number(control)),
        Array.from({ length: 15 }, (_, index) => 7 + index)
      )
      const partner = yield* store.find(name)
      assert.deepStrictEqual([partner!.nextInterchange, partner!.nextGroup], [22, 24])
    })

    test("records what came at once, each as if it had come alone", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const each = Array.from({ length: 40 }, (_, index) => ({
        to: index % 2 === 0 ? name : other,
        control: String(Math.floor(index / 2)).padStart(9, "0"),
        number: `S-${index}`
      }))
      const reservations = yield* Effect.forEach(
        each,
        ({ control, to }) => reserve(to, { control }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(reservations).size, 40)
      // Each interchange is recorded twice at once: the second request sees the file of the first. The third interchange of each partner
      // is refused.
      const outcomes = yield* Effect.forEach(
        [...each, ...each],
        ({ control, number, to }, index) => {
          const about = { control, reservation: reservations[index % 40] }
          return Effect.exit(store.transact(to, about, (state) =>
            Number(control) === 2
              ? Result.fail("no" as const)
              : Result.map(
                adding(aFile({ direction: "IN", control, text: number, answer: `to ${number}` }))(state),
                ({ plan }) => ({
                  plan: state.earlierFile === null ? plan : null,
                  answer: (file) => ({ file: file ?? state.earlierFile!, isHeld: state.isReserved })
                })
              )))
        },
        { concurrency: "unbounded" }
      )
      for (const [index, { control, number, to }] of each.entries()) {
        const [one, again] = [outcomes[index]!, outcomes[index + 40]!]
        if (Number(control) === 2) {
          assert.isTrue(Exit.isFailure(one) && Exit.isFailure(again))
          continue
        }
        const [{ file, isHeld }, same] = [(yield* one)!, (yield* again)!]
        assert.deepStrictEqual([isHeld, same.isHeld, same.file.id], [true, false, file.id])
        assert.deepStrictEqual([file.partner, file.control, file.text, file.answer], [
          to.partner,
          control,
          number,
          `to ${number}`
        ])
        assert.deepStrictEqual(yield* store.fileByControl(to, control), file)
      }
      for (const to of [name, other]) assert.strictEqual((yield* store.find(to))!.nextInterchange, 26)
    })

    test("that is refused, or breaks, changes nothing", function*() {
      const store = yield* EdiStore
      const { name, partner } = yield* aPartner()
      const failure = yield* Effect.flip(store.transact(name, {}, () => Result.fail("no" as const)))
      assert.strictEqual(failure, "no")
      const exit = yield* Effect.exit(store.transact(name, {}, () => {
        throw new Error("broken")
      }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* store.find(name), partner)
      assert.deepStrictEqual(
        (yield* store.files(scopesOf(name.business), all, firstPage)).items,
        []
      )
      assert.isNull(yield* store.transact({ ...name, key: "0" }, {}, adding(null)))
    })

    test("sees the file that came with a control number, of its partner alone", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      assert.isNull(yield* store.fileByControl(name, "000000101"))
      const id = yield* add(name, { direction: "IN", control: "000000101", outcome: "NOTED" })
      yield* add(name, { direction: "OUT", control: "000000102" })
      const file = yield* store.fileByControl(name, "000000101")
      assert.deepStrictEqual(file, {
        ...aFile({ direction: "IN", control: "000000101", outcome: "NOTED" }),
        id,
        partner: name.partner,
        at: file!.at,
        location: {
          business: { slug: business, name: business },
          facility: { slug: "east", name: "East" }
        }
      })
      assert.deepStrictEqual((yield* stateOf(name, { control: "000000101" }))!.earlierFile, file)
      assert.deepStrictEqual(yield* store.file(id, scopesOf(business)), file)
      assert.isNull((yield* stateOf(name, {}))!.earlierFile)
      for (const [reader, control] of [[other, "000000101"], [name, "000000102"]] as const) {
        assert.isNull(yield* store.fileByControl(reader, control))
      }
    })

    test("sees what was sent with the groups that are acknowledged, and marks it", function*() {
      const store = yield* EdiStore
      const { name } = yield* aPartner()
      const [set] = aFile().sets
      const withGroups = (...groups: ReadonlyArray<number>) => ({
        sets: groups.map((group) => ({ ...set!, groupControl: String(group) }))
      })
      const first = yield* add(name, withGroups(9, 10))
      const second = yield* add(name, withGroups(11))
      yield* add(name, { ...withGroups(10), direction: "IN", control: "000000101" })
      const sentIds = (...groups: ReadonlyArray<number>) =>
        Effect.map(
          stateOf(name, { groups }),
          (state) => state!.sentFiles.map(({ id }) => id).toSorted((one, other) => one - other)
        )
      const groups = (yield* stateOf(name, { groups: [9] }))!.sentFiles.flatMap(({ groups }) => groups)
      const { group, kind } = set!
      assert.deepStrictEqual(groups, [
        { group, groupControl: "9", kind, setCount: 1 },
        { group, groupControl: "10", kind, setCount: 1 }
      ])
      assert.deepStrictEqual(yield* sentIds(9, 10), [first])
      assert.deepStrictEqual(yield* sentIds(11, 10), [first, second])
      assert.deepStrictEqual(yield* sentIds(8, 12), [])
      assert.deepStrictEqual(yield* sentIds(8), [])
      assert.deepStrictEqual(
        yield* sentIds(...Array.from({ length: 5000 }, (_, index) => 9 + index % 3)),
        [first, second]
      )
      assert.deepStrictEqual(yield* sentIds(), [])
      yield* store.transact(name, { groups: [9, 11] }, writing({ mark: rejecting("11") }))
      const file = yield* store.file(second, scopesOf(name.business))
      assert.deepStrictEqual([file!.outcome, file!.sets], [
        "REJECTED",
        [{ ...set!, groupControl: "11", outcome: "REJECTED" }]
      ])
      assert.strictEqual((yield* store.file(first, scopesOf(name.business)))!.outcome, "WAITING")
      const { items } = yield* store.files(
        scopesOf(name.business),
        { ...all, outcome: "REJECTED" },
        firstPage
      )
      assert.deepStrictEqual(items.map(({ id, rejectedCount }) => [id, rejectedCount]), [[second, 1]])
    })
  })

  describe("D23.5 the words of orders", () => {
    test("are kept by partner and order, until others are, or the partner is removed", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const long = "O".repeat(3000)
      const numbers = ["O-1", "o-1", long, "O-3"]
      const keep = (of: PartnerKey, words: ReadonlyArray<EdiWords>) =>
        store.transact(of, {}, writing({ words }))
      yield* keep(name, [
        { orderNumber: "O-1", words: "{\"\": [\"CT\"]}" },
        { orderNumber: "O-1", words: "ä 1" },
        { orderNumber: long, words: "long" }
      ])
      yield* keep(other, [{ orderNumber: "O-1", words: "theirs" }])
      const wordsOf = (of: PartnerKey) =>
        Effect.map(
          store.words(of, numbers),
          (words) => words.map(({ orderNumber, words }) => [orderNumber, words]).sort()
        )
      assert.deepStrictEqual(yield* wordsOf(name), [["O-1", "ä 1"], [long, "long"]])
      assert.deepStrictEqual(yield* wordsOf(other), [["O-1", "theirs"]])
      yield* keep(name, [{ orderNumber: "O-1", words: "" }, { orderNumber: "O-3", words: "3" }])
      assert.deepStrictEqual(yield* wordsOf(name), [["O-3", "3"], [long, "long"]])
      // A step sees the words of the orders in its query.
      const orders = { orders: ["O-1", long, "O-3"] }
      const texts = (yield* stateOf(name, orders))!.words.map(({ words }) => words)
      assert.deepStrictEqual(texts.toSorted(), ["3", "long"])
      assert.deepStrictEqual((yield* stateOf(other, orders))!.words, [{
        orderNumber: "O-1",
        words: "theirs"
      }])
      assert.deepStrictEqual((yield* stateOf(name))!.words, [])
      yield* store.remove(other)
      assert.isNull(yield* keep(other, [{ orderNumber: "O-3", words: "late" }]))
      assert.deepStrictEqual(yield* wordsOf(other), [])
      assert.deepStrictEqual(yield* store.words(name, []), [])
    })
  })

  describe("D23.2 orders belong to the partner whose file wrote them first", () => {
    /** A business with two partners, and the results of documents in their names. */
    const twoPartners = Effect.fnUntraced(function*() {
      const { business, name, partner } = yield* aPartner()
      const { name: other, partner: rival } = yield* aPartner({ business })
      const intake = yield* Effect.provide(Intake, Intake.layer())
      const store = yield* ShipmentStore
      const everywhere = [{ business, facilities: "*" as const }]
      const client = {
        clientId: "edi",
        grants: [{ business, facilities: "*" as const, permissions: ["documents:write" as const] }]
      }
      /** Submits a document in the name of an owner, if any. Returns the id of its shipment, or the faults of its orders. */
      const submit = (
        owner: string | undefined,
        shipmentNumber: string,
        orders: ReadonlyArray<string>,
        fields: Partial<Parameters<typeof aDocument>[0]> = {}
      ) => {
        const document = aDocument(
          { business, facility: "east", shipmentNumber, ...fields },
          ...orders.map((number) => orderOf(number))
        )
        return Effect.match(
          intake.receiveAlongside(Effect.succeed({ document, also: { owner } }), client),
          {
            onSuccess: ({ shipment }) => Number(shipment.id),
            onFailure: (refusal) =>
              refusal._tag === "InvalidRequest"
                ? refusal.errors.map(({ detail, path }) => `${path} ${detail}`)
                : [refusal.code]
          }
        )
      }
      const shipmentOf = (id: unknown) =>
        Effect.map(store.find(Number(id), everywhere), (location) => location!.shipment)
      const ownersOf = (id: unknown) =>
        Effect.map(
          shipmentOf(id),
          (
            { orders, owner }
          ): ReadonlyArray<string | undefined | ReadonlyArray<string | undefined>> => [
            owner,
            ...orders.map(({ number, owner }) => [number, owner])
          ]
        )
      return { name, other, own: partner.key, rival: rival.key, submit, shipmentOf, ownersOf }
    })

    const ofAnother = (index: number, number: string) =>
      `orders[${index}].orderNumber names the order ${number}, which belongs to another partner`

    test("and no document in another's name changes, moves or empties them", function*() {
      const { own, ownersOf, rival, shipmentOf, submit } = yield* twoPartners()
      const id = yield* submit(own, "S-1", ["O-1", "O-2"], { carrier: "SWFT" })
      assert.deepStrictEqual(yield* ownersOf(id), [own, ["O-1", own], ["O-2", own]])
      const before = yield* shipmentOf(id)
      assert.deepStrictEqual(yield* submit(rival, "S-1", ["O-3", "O-2"]), [ofAnother(1, "O-2")])
      assert.deepStrictEqual(yield* submit(rival, "S-2", ["O-1"]), [ofAnother(0, "O-1")])
      assert.deepStrictEqual(yield* submit(rival, "O-2", ["O-2"]), [ofAnother(0, "O-2")])
      assert.deepStrictEqual(yield* shipmentOf(id), before)
      // If partners share a load, only the partner that created it may change the fields of the load.
      assert.strictEqual(yield* submit(rival, "S-1", ["O-3"], { carrier: "OTHR", trailerNumber: "T" }), id)
      assert.deepStrictEqual(yield* ownersOf(id), [own, ["O-1", own], ["O-2", own], ["O-3", rival]])
      const { carrier, trailerNumber } = yield* shipmentOf(id)
      assert.deepStrictEqual([carrier, trailerNumber], ["SWFT", ""])
      // A partner may move its own order, and the creator of a load may add fields to the load.
      const outcome = yield* submit(rival, "S-3", ["O-3"])
      assert.deepStrictEqual(yield* ownersOf(outcome), [rival, ["O-3", rival]])
      yield* submit(own, "S-1", ["O-1"], { carrier: "NEXT" })
      assert.strictEqual((yield* shipmentOf(id)).carrier, "NEXT")
    })

    test("whatever is nobody's: customers' own systems are bound by no ownership, and change none", function*() {
      const { own, ownersOf, rival, submit } = yield* twoPartners()
      const id = yield* submit(undefined, "S-1", ["O-1", "O-2"])
      assert.deepStrictEqual(yield* ownersOf(id), [undefined, ["O-1", undefined], ["O-2", undefined]])
      yield* submit(own, "S-1", ["O-1"])
      assert.deepStrictEqual(yield* ownersOf(id), [own, ["O-1", own], ["O-2", undefined]])
      assert.deepStrictEqual(yield* submit(rival, "S-1", ["O-1"]), [ofAnother(0, "O-1")])
      const outcome = yield* submit(undefined, "S-2", ["O-1"])
      assert.deepStrictEqual(yield* ownersOf(outcome), [undefined, ["O-1", own]])
    })

    test("of two that come at once, one has each order", function*() {
      const { own, ownersOf, rival, submit } = yield* twoPartners()
      const numbers = Array.from({ length: 20 }, (_, index) => `O-${index}`)
      const outcomes = yield* Effect.forEach(
        numbers.flatMap((number) => [[own, number], [rival, number]] as const),
        ([owner, number], index) =>
          Effect.map(
            submit(owner, `S-${number}-${index % 3}`, [number]),
            (came) => [owner, number, came] as const
          ),
        { concurrency: "unbounded" }
      )
      for (const number of numbers) {
        const [winner, ...others] = outcomes.filter(([, of, came]) =>
          of === number && typeof came === "number"
        )
        assert.strictEqual(others.length, 0)
        assert.deepStrictEqual((yield* ownersOf(winner![2])).filter((each) => each?.[0] === number), [[
          number,
          winner![0]
        ]])
      }
    })

    test("and a step knows which of some shipments have an order of the partner", function*() {
      const { name, other, own, rival, submit } = yield* twoPartners()
      const { name: elsewhere } = yield* aPartner()
      const long = "n".repeat(1000)
      const ids = yield* Effect.forEach(
        [[own, long], [undefined, "S-1"], [own, "S-2"], [rival, "S-3"]] as const,
        ([owner, number]) => Effect.map(submit(owner, number, [`O ${number}`]), Number)
      )
      yield* submit(rival, "S-2", ["O-4"])
      const ownIds = (partner: PartnerKey, shipmentIds = ids) =>
        Effect.map(
          stateOf(partner, { shipmentIds }),
          (state) => state!.ownIds.toSorted((one, other) => one - other)
        )
      assert.deepStrictEqual(yield* ownIds(name, [...ids, 2 ** 40]), [ids[0]!, ids[2]!])
      assert.deepStrictEqual(yield* ownIds(other), [ids[2]!, ids[3]!])
      // The ids of shipments of another business do not count.
      assert.deepStrictEqual(yield* ownIds(elsewhere), [])
      assert.deepStrictEqual((yield* stateOf(name))!.ownIds, [])
      // A new partner with the same slug inherits nothing from the earlier partner.
      const store = yield* EdiStore
      const { createdAt: _at, cursorId: _cursor, key: _key, ...draft } = (yield* store.find(name))!
      yield* store.remove(name)
      const anew = yield* store.create({ ...draft, now: createdAt })
      assert.deepStrictEqual(yield* ownIds(anew), [])
      assert.deepStrictEqual(yield* submit(anew.key, "S-2", ["O S-2"]), [ofAnother(0, "O S-2")])
    })
  })

  describe("D23.2 a partner that is made anew under the slug of another", () => {
    test("has nothing of the one before, whose files stay on record", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner()
      const { slug } = partner
      const [before, expiredId] = yield* at(longAgo)(Effect.all([add(name), add(name)]))
      yield* at(longAgo + ediRetentionMillis + 1)(store.dropExpired)
      const [first, second] = [yield* add(name), yield* add(name)]
      yield* came(name, { control: "000000101" })
      const refusal = { control: "000000102", fingerprint: unique("hash"), fault: "no", text: "ISA*" }
      assert.isTrue(yield* store.refuse(name, refusal))
      yield* store.transact(name, {}, writing({ words: [{ orderNumber: "O-1", words: "1" }] }))
      const reservation = yield* reserve(name, { control: "000000103" })
      const files = Effect.map(store.files(scopesOf(business), { ...all, partner: slug }, firstPage), idsOf)
      const outbox = (after: number) =>
        store.outbox({ business, facility: undefined, partner: slug }, { after, limit: 10 })
      assert.strictEqual((yield* files).length, 4)
      assert.deepStrictEqual(idsOf(yield* outbox(0)), [first, second])
      assert.strictEqual(yield* codeOf(outbox(before)), "HISTORY_EXPIRED")
      yield* store.remove(name)
      assert.deepStrictEqual(yield* files, [])
      const { name: anew } = yield* aPartner({ business, slug, facility: "west" })
      assert.deepStrictEqual(yield* files, [])
      for (const after of [0, before, expiredId, first]) {
        assert.deepStrictEqual(idsOf(yield* outbox(after)), [])
      }
      assert.strictEqual((yield* store.files(scopesOf(business), all, firstPage)).items.length, 4)
      // The new partner may refuse the same file, and has its own record.
      assert.isTrue(yield* store.refuse(anew, refusal))
      const own = yield* add(anew)
      assert.deepStrictEqual(idsOf(yield* outbox(0)), [own])
      assert.strictEqual((yield* files).length, 2)
      // Work that began for the earlier partner can no longer be completed.
      assert.isNull(yield* store.transact(name, { reservation }, adding(null)))
      assert.isNull(yield* store.reserve(name, arrival({ control: "000000104" })))
      assert.isFalse(yield* store.renew(name, reservation))
      assert.isFalse(yield* store.refuse(name, { ...refusal, fingerprint: unique("hash") }))
      assert.deepStrictEqual(yield* store.words(anew, ["O-1"]), [])
      assert.isNull(yield* store.fileByControl(anew, "000000101"))
      const { partner: after, sentFiles } =
        (yield* stateOf(anew, { groups: [9], interchanges: ["000000007"] }))!
      assert.deepStrictEqual([after.nextInterchange, sentFiles.map(({ id }) => id)], [8, [own]])
    })
  })

  describe("D23.8 what told a partner of a shipment", () => {
    test("is what told this partner, in its usage of now, the newest first, written or not", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const about = (shipmentId: string) => aFile().sets.map((set) => ({ ...set, shipmentId }))
      yield* add(name, { text: "first" })
      yield* add(name, { text: "of another", sets: about("13") })
      yield* add(name, { text: "of none", sets: about("") })
      yield* add(name, { text: "came", direction: "IN", control: "1" })
      yield* add(other, { text: "another's" })
      const unwritten = aFile().sets.map((set) => ({ ...set, outcome: "UNWRITTEN" as const }))
      yield* add(name, { text: "", sets: unwritten, outcome: "UNWRITTEN" })
      const history = yield* store.adviceHistory(partner, 12)
      assert.deepStrictEqual(history.files.map(({ sets, text }) => ({ sets, text })), [
        { sets: unwritten, text: "" },
        { sets: aFile().sets, text: "first" }
      ])
      assert.isTrue(history.isWhole)
      const count = (of: EdiPartner, id = 12) =>
        Effect.map(store.adviceHistory(of, id), ({ files }) => files.length)
      assert.strictEqual(yield* count(partner, 14), 0)
      assert.strictEqual(yield* count({ ...partner, usage: "P" }), 0)
      yield* store.remove(name)
      const { partner: anew } = yield* aPartner({ business, slug: partner.slug })
      assert.strictEqual(yield* count(anew), 0)
    })

    test("is the newest of it, where all of it is too much to load", function*() {
      const store = yield* EdiStore
      const { name, partner } = yield* aPartner()
      const text = "t".repeat(ediTextLimit / 2)
      for (const first of ["a", "b", "c"]) yield* add(name, { text: `${first}${text.slice(1)}` })
      const history = yield* store.adviceHistory(partner, 12)
      assert.deepStrictEqual([history.files.map(({ text }) => text[0]), history.isWhole], [
        ["c", "b"],
        false
      ])
    })
  })
}
