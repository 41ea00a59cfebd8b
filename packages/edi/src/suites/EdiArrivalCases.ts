/** The rules for interchanges that arrive, for every storage (D18.3). */
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as assert from "@dockline/testing/Assert"
import { unique } from "@dockline/testing/generators/Given"
import type * as Suite from "@dockline/testing/Suite"
import { aBusiness, at, longAgo } from "@dockline/testing/worlds/MessageLogWorld"
import { Effect, Exit } from "effect"
import { ediRetentionMillis } from "../domain/EdiFile.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import { ediLeaseMillis, EdiStore } from "../domain/EdiStore.ts"
import type { PartnerKey } from "../domain/EdiStore.ts"
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
  nearlyExpired,
  rejecting,
  reserve,
  scopesOf,
  setting,
  stateOf,
  writing
} from "./EdiWorld.ts"
import type { EdiStores } from "./EdiWorld.ts"

/** The cases about interchanges that arrive, and their control numbers. */
export const arrivalCases = ({ describe, test }: Suite.Author<EdiStores>): void => {
  describe("D18.3 an interchange that was refused", () => {
    test("is on record once, as rejected, and takes no control number", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business, facility: "west" })
      const { name: foreign, business: elsewhere } = yield* aPartner()
      const refusal = {
        control: "000000101",
        fingerprint: unique("hash"),
        fault: "IEA is missing \"ä\".",
        text: "ISA*"
      }
      assert.isTrue(yield* store.refuse(name, refusal))
      assert.isFalse(yield* store.refuse(name, refusal))
      yield* store.refuse(name, { ...refusal, fingerprint: unique("hash"), text: "ISA*other" })
      yield* store.refuse(other, { ...refusal, fingerprint: unique("hash") })
      yield* store.refuse(foreign, refusal)
      yield* store.refuse({ business, key: "0" }, { ...refusal, fingerprint: unique("hash") })
      const list = (business: string) =>
        Effect.map(
          store.files(scopesOf(business), { ...all, business, outcome: "REJECTED" }, firstPage),
          ({ items }) => items
        )
      const [west, second, first] = yield* list(business)
      assert.deepStrictEqual((yield* list(business)).length, 3)
      assert.deepStrictEqual((yield* list(elsewhere)).length, 1)
      assert.deepStrictEqual(
        [west!, second!, first!].map((
          { control, direction, kinds, location, partner, rejectedCount, setCount }
        ) => [
          control,
          direction,
          location.facility.slug,
          partner,
          [...kinds, setCount, rejectedCount]
        ]),
        [
          ["000000101", "IN", "west", other.partner, [0, 0]],
          ["000000101", "IN", "east", name.partner, [0, 0]],
          ["000000101", "IN", "east", name.partner, [0, 0]]
        ]
      )
      const file = yield* store.file(first!.id, scopesOf(business))
      assert.deepStrictEqual(
        [file?.text, file?.answer, file?.faults, file?.sets],
        ["ISA*", "", [refusal.fault], []]
      )
      assert.isNull(yield* store.fileByControl(name, refusal.control))
      const reservation = yield* reserve(name, arrival({ control: refusal.control }))
      yield* came(name, { control: refusal.control, reservation })
      assert.strictEqual((yield* store.fileByControl(name, refusal.control))?.outcome, "WAITING")
    })

    test("is on record with what answers it, or not at all (D23.6)", function*() {
      const store = yield* EdiStore
      const { business, name, partner } = yield* aPartner()
      const refusal = { control: "1", fingerprint: unique("hash"), fault: "It is damaged.", text: "ISA*" }
      const outcomes = Effect.map(
        store.files(scopesOf(business), all, firstPage),
        ({ items }) => items.map(({ control, direction, outcome }) => [direction, control, outcome])
      )
      const exit = yield* Effect.exit(
        store.refuse(name, refusal, () => {
          throw new Error("broken")
        })
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(yield* outcomes, [])
      const answer = aFile({ outcome: "ACCEPTED" })
      assert.isTrue(yield* store.refuse(name, refusal, adding(answer)))
      assert.isFalse(yield* store.refuse(name, refusal, adding(answer)))
      assert.deepStrictEqual(yield* outcomes, [["OUT", answer.control, "ACCEPTED"], [
        "IN",
        "1",
        "REJECTED"
      ]])
      const { nextInterchange } = (yield* store.find(name))!
      assert.strictEqual(nextInterchange, controlAfter(partner.nextInterchange, 1))
    })

    test("is kept as long as others, and on record again when it comes after that", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const refusal = { control: "1", fingerprint: unique("hash"), fault: "It is damaged.", text: "ISA*" }
      const count = Effect.map(
        store.files(scopesOf(business), { ...all, business, direction: "IN" }, firstPage),
        ({ items }) => items.length
      )
      yield* at(longAgo)(store.refuse(name, refusal))
      assert.strictEqual(yield* count, 1)
      const later = longAgo + ediRetentionMillis + 1
      yield* at(later)(store.dropExpired)
      assert.strictEqual(yield* count, 0)
      yield* at(later)(store.refuse(name, refusal))
      yield* at(later)(store.refuse(name, refusal))
      assert.strictEqual(yield* count, 1)
    })
  })

  describe("D26.2 what was rejected", () => {
    test("is found from a time on, by when it was rejected", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const begin = Timestamp.of("2026-01-01T00:00:00.000Z")
      const rejectionsFrom = (since: Timestamp.Timestamp) =>
        Effect.map(
          store.rejections(business, since),
          (all) => all.map(({ file: { id, outcome } }) => [id, outcome])
        )
      const rejectedId = yield* add(name, { control: "000000008" })
      yield* add(name, { outcome: "ACCEPTED", control: "000000009" })
      const partialId = yield* add(name, { control: "000000010", direction: "IN", outcome: "PARTIAL" })
      const unwrittenId = yield* add(name, { control: "", outcome: "UNWRITTEN", text: "" })
      assert.deepStrictEqual(yield* rejectionsFrom(begin), [[partialId, "PARTIAL"], [
        unwrittenId,
        "UNWRITTEN"
      ]])
      yield* store.transact(name, { interchanges: ["000000008"] }, writing({ mark: rejecting() }))
      yield* store.refuse(name, {
        control: "000000011",
        fingerprint: unique("hash"),
        fault: "no",
        text: "ISA*"
      })
      const all = yield* store.rejections(business, begin)
      // In memory, some of them have the same time.
      assert.deepStrictEqual(all.map(({ file: { control } }) => control).toSorted(), [
        "",
        "000000008",
        "000000010",
        "000000011"
      ])
      const times = all.map(({ at }) => at)
      assert.deepStrictEqual(times, times.toSorted())
      const last = all.find(({ file: { id } }) => id === rejectedId)!.at
      assert.isTrue(all.find(({ file: { id } }) => id === partialId)!.at <= last)
      assert.strictEqual((yield* store.rejections(business, last)).every(({ at }) => at >= last), true)
      assert.deepStrictEqual(yield* store.rejections(yield* aBusiness, begin), [])
      yield* store.transact(
        name,
        { interchanges: ["000000008"] },
        writing({ mark: (set) => ({ ...set, outcome: "ACCEPTED" }) })
      )
      assert.strictEqual((yield* rejectionsFrom(begin)).length, 3)
    })
  })

  describe("D18.3 an interchange that is being done", () => {
    test("is reserved until it is recorded: the same again is running, another is refused", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const id = yield* reserve(name)
      assert.deepStrictEqual(yield* store.reserve(name, arrival()), { _tag: "Running" })
      assert.deepStrictEqual(yield* store.reserve(name, arrival({ fingerprint: "b" })), {
        _tag: "Reused"
      })
      yield* reserve(name, { control: "000000102" })
      yield* reserve(other)
      assert.isNull(yield* store.reserve({ ...name, key: "0" }, arrival()))
      const [mine, others] = yield* Effect.all([
        stateOf(name, { reservation: id }),
        stateOf(name, { reservation: id + 1_000_000 })
      ])
      assert.deepStrictEqual([mine!.isReserved, others!.isReserved], [true, false])
      yield* came(name, { reservation: id })
      assert.deepStrictEqual(yield* store.reserve(name, arrival()), { _tag: "Known" })
      assert.deepStrictEqual(yield* store.reserve(name, arrival({ fingerprint: "b" })), { _tag: "Known" })
      assert.isFalse(yield* store.renew(name, id))
    })

    test("is reserved by one of many at once", function*() {
      const store = yield* EdiStore
      const { name } = yield* aPartner()
      const reservations = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => store.reserve(name, arrival()),
        { concurrency: 10 }
      )
      assert.deepStrictEqual(
        reservations.map((each) => each?._tag).toSorted(),
        ["Reserved", ...Array.from({ length: 9 }, () => "Running")].toSorted()
      )
    })

    test("is reserved for a time: until it is released, or no longer renewed", function*() {
      const store = yield* EdiStore
      const { name } = yield* aPartner()
      const tag = (millis: number, fingerprint = "a") =>
        Effect.map(
          at(longAgo + millis)(store.reserve(name, arrival({ fingerprint }))),
          (reservation) => reservation?._tag
        )
      const id = yield* at(longAgo)(reserve(name))
      assert.isTrue(yield* at(longAgo + ediLeaseMillis - 1)(store.renew(name, id)))
      assert.strictEqual(yield* tag(ediLeaseMillis), "Running")
      assert.strictEqual(yield* tag(2 * ediLeaseMillis, "b"), "Reserved")
      assert.isFalse(yield* at(longAgo + 2 * ediLeaseMillis)(store.renew(name, id)))
      yield* at(longAgo + 2 * ediLeaseMillis)(store.release(name, id))
      assert.strictEqual(
        yield* tag(2 * ediLeaseMillis, "b"),
        "Running",
        "of who has lost it nothing ends"
      )
      const next = yield* at(longAgo + 2 * ediLeaseMillis)(reserve(name, { control: "000000102" }))
      yield* store.release(name, next)
      yield* at(longAgo + 2 * ediLeaseMillis)(
        reserve(name, { control: "000000102", fingerprint: "b" })
      )
    })

    test("that was left behind is forgotten after 90 days", function*() {
      const store = yield* EdiStore
      const { name } = yield* aPartner()
      const before = yield* nearlyExpired
      const id = yield* at(before)(reserve(name))
      const isHeld = Effect.map(stateOf(name, { reservation: id }), (state) => state!.isReserved)
      yield* at(before + ediRetentionMillis - 1)(store.dropExpired)
      assert.isTrue(yield* isHeld)
      yield* at(before + ediRetentionMillis + ediLeaseMillis + 1)(store.dropExpired)
      assert.isFalse(yield* isHeld)
    })
  })

  describe("D18.3 control numbers", () => {
    test("count apart in tests and in production, and for a partner that is made anew", function*() {
      const store = yield* EdiStore
      const { name, partner } = yield* aPartner({ usage: "T" })
      yield* came(name, {})
      const test = yield* add(name)
      const seenBy = (name: PartnerKey) =>
        Effect.map(
          stateOf(name, { control: "000000101", groups: [9] }),
          (state) => [state!.earlierFile?.control, state!.sentFiles.map(({ id }) => id)]
        )
      const view = seenBy(name)
      assert.deepStrictEqual(yield* view, ["000000101", [test]])
      yield* store.update(name, setting({ ...partner, usage: "P" }))
      assert.deepStrictEqual(yield* view, [undefined, []])
      assert.isNull(yield* store.fileByControl(name, "000000101"))
      yield* came(name, {})
      const production = yield* add(name)
      assert.deepStrictEqual(yield* view, ["000000101", [production]])
      yield* store.update(name, setting({ ...partner, usage: "T" }))
      assert.deepStrictEqual(yield* view, ["000000101", [test]])
      const { createdAt: _at, cursorId: _cursor, key, ...draft } = partner
      yield* reserve(name, { control: "000000105" })
      yield* store.remove(name)
      const anew = yield* store.create({ ...draft, now: createdAt })
      assert.notStrictEqual(anew.key, key)
      assert.deepStrictEqual(yield* seenBy(anew), [undefined, []])
      yield* reserve(anew, { control: "000000105", fingerprint: "b" })
      yield* came(anew, {})
    })

    test("of interchanges name what was sent under them to the partner (D23.6)", function*() {
      const { business, name } = yield* aPartner()
      const { name: other } = yield* aPartner({ business })
      const first = yield* add(name, { control: "000000007" })
      yield* add(name, { direction: "IN", control: "000000008" })
      yield* add(name, { control: "000000009", outcome: "UNWRITTEN", sets: [], text: "" })
      yield* add(other, { control: "000000010" })
      const ids = (interchanges: ReadonlyArray<string>, groups: ReadonlyArray<number> = []) =>
        Effect.map(
          stateOf(name, { interchanges, groups }),
          (state) => state!.sentFiles.map(({ control, id }) => [control, id])
        )
      const all = ["000000007", "000000008", "000000009", "000000010"]
      assert.deepStrictEqual(yield* ids(all), [["000000007", first]])
      assert.deepStrictEqual(yield* ids(all, [9]), [["000000007", first]], "once, by whatever it is named")
      const again = yield* add(name, { control: "000000007" })
      assert.deepStrictEqual(yield* ids(all), [["000000007", again]])
    })

    test("of a group name the newest file that has it", function*() {
      const { name } = yield* aPartner()
      yield* add(name)
      const second = yield* add(name)
      assert.deepStrictEqual((yield* stateOf(name, { groups: [9] }))!.sentFiles.map(({ id }) => id), [
        second
      ])
    })
  })
}
