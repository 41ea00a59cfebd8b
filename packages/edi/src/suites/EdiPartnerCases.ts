/** The rules for EDI partners, for every storage (D18.3). */
import { Directory } from "@dockline/core/places/Place"
import * as assert from "@dockline/testing/Assert"
import { unique } from "@dockline/testing/generators/Given"
import type * as Suite from "@dockline/testing/Suite"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { codeOf } from "@dockline/testing/worlds/MovementWorld"
import { Effect } from "effect"
import type { EdiPartner } from "../domain/EdiPartner.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import type { EdiPartnerDraft } from "../domain/EdiStore.ts"
import {
  add,
  all,
  aPartner,
  aSide,
  came,
  draftOf,
  firstPage,
  reserve,
  scopesOf,
  setting,
  stateOf,
  writing
} from "./EdiWorld.ts"
import type { EdiStores } from "./EdiWorld.ts"

/** The cases about partners. */
export const partnerCases = ({ describe, test }: Suite.Author<EdiStores>): void => {
  describe("D18.3 partners", () => {
    test("are kept as they were made, and are told of what departs from then on", function*() {
      const store = yield* EdiStore
      const business = yield* aBusiness
      const [message] = yield* append(aDraft(business, 1))
      const draft = draftOf(business)
      const { now, ...settings } = draft
      const row = yield* store.create(draft)
      const { key } = row
      const partner: EdiPartner = { ...settings, key, createdAt: now, cursorId: message!.id, due: [] }
      assert.deepStrictEqual(row, partner)
      assert.deepStrictEqual(yield* store.find({ business, partner: draft.slug }), partner)
      assert.isNull(yield* store.find({ business, partner: "nobody" }))
      assert.isNull(yield* store.find({ business: yield* aBusiness, partner: draft.slug }))
    })

    test("have a slug and ids in envelopes that no other of the business has", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner()
      const code = (fields: Partial<EdiPartnerDraft>) => codeOf(store.create(draftOf(business, fields)))
      assert.strictEqual(yield* code({ slug: partner.slug }), "EDI_PARTNER_EXISTS")
      assert.strictEqual(yield* code({ theirs: partner.theirs }), "EDI_PARTNER_EXISTS")
      assert.strictEqual(yield* code({ facility: "nowhere" }), "FACILITY_NOT_FOUND")
      assert.strictEqual(yield* codeOf(store.create(draftOf(unique("nothing")))), "BUSINESS_NOT_FOUND")
      yield* store.create(draftOf(business, { theirs: { ...partner.theirs, qualifier: "14" } }))
      yield* aPartner({ theirs: partner.theirs, slug: partner.slug })
      const { partner: other } = yield* aPartner({ business })
      assert.strictEqual(
        yield* codeOf(store.update(name, setting({ ...partner, theirs: other.theirs }))),
        "EDI_PARTNER_EXISTS"
      )
    })

    test("change all but their place and their numbers, and are removed", function*() {
      const store = yield* EdiStore
      const { name, partner } = yield* aPartner()
      const change = {
        name: "Other",
        theirs: aSide(),
        ours: aSide(),
        release: "004010",
        usage: "P",
        takes: [],
        tells: [],
        tellsOf: "OWN",
        units: [{ code: "BG", unit: "CASE" }],
        newPurposes: []
      } as const
      assert.deepStrictEqual(yield* store.update(name, setting(change)), { ...partner, ...change })
      assert.deepStrictEqual(yield* store.find(name), { ...partner, ...change })
      assert.isNull(
        yield* store.update({ ...name, partner: "nobody" }, setting({ ...change, theirs: aSide() }))
      )
      yield* add(name)
      assert.isTrue(yield* store.remove(name))
      assert.isFalse(yield* store.remove(name))
      assert.isNull(yield* store.find(name))
      assert.isNull(yield* stateOf(name))
      const files = yield* store.files(scopesOf(name.business), all, firstPage)
      assert.strictEqual(files.items.length, 1, "the record stays")
    })

    test("that are told from now on are told of what departs from now on", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner({ tells: [] })
      const [message] = yield* append(aDraft(business, 1))
      assert.strictEqual((yield* store.update(name, setting(partner)))!.cursorId, partner.cursorId)
      const advising = { ...partner, tells: ["944"] } as const
      assert.strictEqual((yield* store.update(name, setting(advising)))!.cursorId, message!.id)
      yield* append(aDraft(business, 2))
      yield* store.update(name, setting({ ...advising, tells: ["945"] }))
      assert.strictEqual((yield* store.find(name))!.cursorId, message!.id)
    })

    test("are listed by their slugs", function*() {
      const store = yield* EdiStore
      const business = yield* aBusiness
      yield* aPartner()
      for (const slug of ["b", "a-b", "a"]) yield* store.create(draftOf(business, { slug }))
      const page = (after: string, limit: number) =>
        Effect.map(
          store.list(business, { after, limit }),
          ({ items, next }) => [items.map(({ slug }) => slug), next]
        )
      assert.deepStrictEqual(yield* page("", 2), [["a", "a-b"], "a-b"])
      assert.deepStrictEqual(yield* page("a-b", 2), [["b"], null])
    })

    test("are found by both sides of an envelope, among some businesses or all", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner()
      const { ours, slug, theirs } = partner
      const { business: other } = yield* aPartner({ theirs, slug })
      const control = "000000101"
      const between = (scope: "*" | ReadonlyArray<string>, sender = theirs, receiver = ours) =>
        Effect.map(
          store.between(scope, { sender, receiver, control }),
          (addressees) => addressees.map(({ partner: { business } }) => business).toSorted()
        )
      assert.deepStrictEqual(yield* between([business]), [business])
      assert.deepStrictEqual(yield* between([business, other, business]), [business, other].toSorted())
      assert.deepStrictEqual(yield* between("*"), [business, other].toSorted())
      assert.deepStrictEqual(yield* between([]), [])
      assert.deepStrictEqual(yield* between([business], ours, theirs), [])
      assert.deepStrictEqual(yield* between("*", { ...theirs, qualifier: "14" }), [])
      // Ids that may occur in a file, but that no partner has.
      for (const text of ["", "\0", "\ud800"]) {
        assert.deepStrictEqual(yield* between("*", { ...theirs, id: text }), [])
        assert.deepStrictEqual(yield* between("*", theirs, { ...ours, qualifier: text }), [])
      }
      const { timeZone } = (yield* (yield* Directory).facility(business, "east"))!
      const isKnownBy = (control: string) =>
        store.between([business], { sender: theirs, receiver: ours, control })
      assert.deepStrictEqual(yield* isKnownBy(control), [{ partner, timeZone, isKnown: false }])
      yield* add(name, { direction: "IN", control })
      yield* add(name, { direction: "OUT", control: "000000102" })
      const after = { partner: (yield* store.find(name))!, timeZone }
      assert.deepStrictEqual(yield* isKnownBy(control), [{ ...after, isKnown: true }])
      assert.deepStrictEqual(yield* isKnownBy("000000102"), [{ ...after, isKnown: false }])
    })
  })

  describe("D18.3 partners that are behind", () => {
    test("are those of whose facility a shipment has departed after their cursor", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      yield* aPartner({ business, tells: [] })
      yield* aPartner({ business, facility: "west" })
      const behind = Effect.map(
        store.behind(10_000),
        (partners) => partners.filter((each) => each.business === business)
      )
      yield* append(aDraft(business, 1))
      assert.deepStrictEqual(yield* behind, [])
      const { cursorId } = (yield* store.find(name))!
      const [departed] = yield* append(
        aDraft(business, 2, { type: "SHIPMENT_COMPLETE" }),
        aDraft(business, 3)
      )
      const { key } = (yield* store.find(name))!
      assert.deepStrictEqual(yield* behind, [{ ...name, key, facility: "east", cursorId, due: [] }])
      yield* store.transact(name, {}, writing({ cursorId: departed!.id }))
      assert.deepStrictEqual(yield* behind, [])
      assert.strictEqual((yield* store.find(name))!.cursorId, departed!.id)
    })

    test("are those of whose facility a shipment has changed after it departed (D23.8)", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const behind = Effect.map(
        store.behind(10_000),
        (partners) => partners.filter((each) => each.business === business).map(({ partner }) => partner)
      )
      const [message] = yield* append(aDraft(business, 1, { type: "SHIPMENT_DISCREPANCIES" }))
      assert.deepStrictEqual(yield* behind, [name.partner])
      yield* store.transact(name, {}, writing({ cursorId: message!.id }))
      assert.deepStrictEqual(yield* behind, [])
    })

    test("are found part by part in one order, none twice", function*() {
      const store = yield* EdiStore
      const businesses = [yield* aBusiness, yield* aBusiness]
      for (const business of businesses) {
        for (let count = 0; count < 3; count++) yield* aPartner({ business })
        yield* append(aDraft(business, 1, { type: "SHIPMENT_COMPLETE" }))
      }
      const all = yield* store.behind(10_000)
      const parts: Array<(typeof all)[number]> = []
      for (;;) {
        const part = yield* store.behind(2, parts.at(-1))
        assert.isTrue(part.length <= 2)
        parts.push(...part)
        if (part.length < 2) break
      }
      assert.deepStrictEqual(parts, all)
      assert.strictEqual(all.filter(({ business }) => businesses.includes(business)).length, 6)
    })

    test("are those that are to be told anew, until they are (D23.6)", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const behind = Effect.map(
        store.behind(10_000),
        (partners) => partners.flatMap((each) => each.business === business ? [each.due] : [])
      )
      const [one, two] = [yield* add(name), yield* add(name)]
      yield* store.transact(name, {}, writing({ due: [two, one] }))
      assert.deepStrictEqual(yield* behind, [[two, one]])
      assert.deepStrictEqual((yield* store.find(name))!.due, [two, one])
      assert.deepStrictEqual((yield* stateOf(name))!.partner.due, [two, one])
      // A plan without `due` leaves the due files unchanged.
      const reservation = yield* reserve(name)
      yield* came(name, { reservation })
      yield* add(name)
      yield* store.update(name, setting({ ...(yield* store.find(name))!, tells: [] }))
      assert.deepStrictEqual(yield* behind, [])
      yield* store.update(name, setting({ ...(yield* store.find(name))!, tells: ["944"] }))
      assert.deepStrictEqual(yield* behind, [[two, one]])
      yield* store.transact(name, {}, writing({ due: [one] }))
      assert.deepStrictEqual(yield* behind, [[one]])
      yield* store.transact(name, {}, writing({ due: [] }))
      assert.deepStrictEqual(yield* behind, [])
    })

    test(
      "are looked for when files are due",
      Effect.gen(function*() {
        const store = yield* EdiStore
        const { name } = yield* aPartner()
        let wakeups = 0
        yield* store.watch(() => {
          wakeups++
        })
        yield* store.transact(name, {}, writing({ due: [1] }))
        assert.isAbove(wakeups, 0)
      }).pipe(Effect.scoped)
    )

    test(
      "are looked for when messages are appended",
      Effect.gen(function*() {
        const store = yield* EdiStore
        let wakeups = 0
        yield* store.watch(() => {
          wakeups++
        })
        yield* append(aDraft(yield* aBusiness, 1))
        assert.isAbove(wakeups, 0)
      }).pipe(Effect.scoped)
    )
  })
}
