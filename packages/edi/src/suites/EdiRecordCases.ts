/** The rules for the record of exchanged files, for every storage (D18.3). */
import type { ReadScope } from "@dockline/core/access/Access"
import { positionOf } from "@dockline/core/values/Page"
import type { NewestPageRequest } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as assert from "@dockline/testing/Assert"
import type * as Suite from "@dockline/testing/Suite"
import { at, longAgo } from "@dockline/testing/worlds/MessageLogWorld"
import { codeOf } from "@dockline/testing/worlds/MovementWorld"
import { anAnswerMemory, pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Effect } from "effect"
import { ediOutcomes, ediRetentionMillis } from "../domain/EdiFile.ts"
import type { EdiOutcome } from "../domain/EdiFile.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import type { EdiFileFilter } from "../domain/EdiStore.ts"
import { add, aFile, all, aPartner, firstPage, idsOf, rejecting, scopesOf, writing } from "./EdiWorld.ts"
import type { EdiStores } from "./EdiWorld.ts"

/** The cases about the record of files. */
export const recordCases = ({ describe, test }: Suite.Author<EdiStores>): void => {
  describe("D18.3 the record", () => {
    test("lists files newest first, by place, partner, direction and outcome", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: west } = yield* aPartner({ business, facility: "west" })
      const { business: elsewhere, name: others } = yield* aPartner()
      const first = yield* add(name, { direction: "IN", control: "1", outcome: "ACCEPTED" })
      const second = yield* add(name, { direction: "IN", control: "2", outcome: "REJECTED" })
      const third = yield* add(west, { outcome: "REJECTED" })
      const fourth = yield* add(others, { outcome: "REJECTED" })
      const ids = (
        filter: Partial<EdiFileFilter> = {},
        scopes: ReadonlyArray<ReadScope> = scopesOf(business),
        after: NewestPageRequest["after"] = undefined,
        limit = 10
      ) => Effect.map(store.files(scopes, { ...all, ...filter }, { after, limit }), idsOf)
      const listedAt = (yield* store.file(second, []))!.at
      assert.deepStrictEqual(yield* ids(), [third, second, first])
      assert.deepStrictEqual(yield* ids({}, scopesOf(business), { at: listedAt, id: second }), [first])
      assert.deepStrictEqual(yield* ids({}, scopesOf(business, ["east"])), [second, first])
      assert.deepStrictEqual(yield* ids({}, []), [])
      for (
        const [filter, expected] of [
          [{ business }, [third, second, first]],
          [{ business, facility: "west" }, [third]],
          [{ partner: name.partner }, [second, first]],
          [{ direction: "OUT" }, [third]],
          [{ outcome: "REJECTED" }, [third, second]],
          [{ direction: "IN", outcome: "REJECTED", partner: name.partner }, [second]],
          [{ business: elsewhere }, []]
        ] as const
      ) assert.deepStrictEqual(yield* ids(filter), expected, JSON.stringify(filter))
      assert.deepStrictEqual(
        yield* ids({ business: elsewhere }, [{ business: "*", facilities: "*" }]),
        [fourth]
      )
      const page = yield* store.files(scopesOf(business), all, { after: undefined, limit: 2 })
      assert.deepStrictEqual([idsOf(page), page.next], [[third, second], `${listedAt}_${second}`])
      const { answer: _answer, faults: _faults, sets: _sets, text: _text, ...file } =
        (yield* store.file(second, []))!
      assert.deepStrictEqual(page.items[1], { ...file, kinds: ["945"], setCount: 1, rejectedCount: 0 })
      assert.isNull(yield* store.file(2 ** 40, []))
    })

    test("lists the files with a set about a shipment, newest first", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const set = aFile().sets[0]!
      const about = (...ids: ReadonlyArray<number>) =>
        ids.map((id) => ({ ...set, shipmentId: id === 0 ? "" : String(id) }))
      // So many sets are stored in several parts.
      const many = Array.from({ length: 1200 }, () => 41).concat(43)
      const first = yield* add(name, {
        direction: "IN",
        control: "1",
        outcome: "ACCEPTED",
        sets: about(0, 41, 42, 41)
      })
      const second = yield* add(name, {
        direction: "IN",
        control: "2",
        outcome: "REJECTED",
        sets: about(...many)
      })
      const third = yield* add(name, { sets: about(42) })
      const list = (filter: Partial<EdiFileFilter>, scopes = scopesOf(business), limit = 10) =>
        Effect.map(store.files(scopes, { ...all, ...filter }, { after: undefined, limit }), idsOf)
      for (
        const [filter, expected] of [
          [{ shipmentId: 41 }, [second, first]],
          [{ shipmentId: 42 }, [third, first]],
          [{ shipmentId: 43 }, [second]],
          [{ shipmentId: 0 }, []],
          [{ shipmentId: 41, facility: "west" }, []]
        ] as const
      ) assert.deepStrictEqual(yield* list(filter), expected, JSON.stringify(filter))
      assert.deepStrictEqual(yield* list({ shipmentId: 41 }, []), [])
      const { items: [newest], next } = yield* store.files(scopesOf(business), { ...all, shipmentId: 41 }, {
        after: undefined,
        limit: 1
      })
      assert.deepStrictEqual([newest?.id, next], [second, `${newest?.at}_${second}`])
      const after = yield* Effect.fromResult(positionOf(String(next)))
      const rest = yield* store.files(scopesOf(business), { ...all, shipmentId: 41 }, { after, limit: 1 })
      assert.deepStrictEqual([idsOf(rest), rest.next], [[first], null])
    })

    test("lists the newest first over businesses, by time and not by the ids that each counts for itself", function*() {
      const store = yield* EdiStore
      const [one, two] = [yield* aPartner(), yield* aPartner()]
      const scopes = [...scopesOf(one.business), ...scopesOf(two.business)]
      const start = Date.now()
      const files: Array<{ readonly at: string; readonly id: number }> = []
      for (const [n, { name }] of [one, one, one, two, one, two, two, one].entries()) {
        // Some files are later than files with a higher id, and two have the same time.
        const millis = start + [0, 5, 3, 1, 5, 2, 9, 8][n]!
        files.push({ at: Timestamp.fromMillis(millis), id: yield* at(millis)(add(name)) })
      }
      const newest = files.toSorted((left, right) => right.at.localeCompare(left.at) || right.id - left.id)
        .map(({ id }) => id)
      const list = (after: NewestPageRequest["after"], limit: number, partner?: string) =>
        store.files(scopes, { ...all, partner }, { after, limit })
      assert.deepStrictEqual(idsOf(yield* list(undefined, 10)), newest)
      const ofOne = new Set(idsOf(yield* list(undefined, 10, one.name.partner)))
      assert.deepStrictEqual([...ofOne], newest.filter((id) => ofOne.has(id)))
      const pages = yield* pagesOf(
        ({ after = "" }) =>
          Effect.flatMap(Effect.fromResult(positionOf(String(after))), (position) => list(position, 3)),
        3
      )
      assert.deepStrictEqual(pages.map((items) => idsOf({ items })), [
        newest.slice(0, 3),
        newest.slice(3, 6),
        newest.slice(6)
      ])
    })

    test("gives long texts and acknowledgments of many sets as they were written", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const text = "ISA*ä🚚~".repeat(300_000)
      const set = aFile().sets[0]!
      const sets = Array.from({ length: 2500 }, (_, at) => ({ ...set, control: String(at) }))
      const ids = yield* Effect.forEach(
        ["000000021", "000000022"],
        (control) =>
          add(name, {
            control,
            sets: sets.map((each) => ({ ...each, groupControl: control })),
            text: `${text}${control}`,
            answer: text
          })
      )
      const isRejected = (control: string) => Number(control) >= 1200
      yield* store.transact(
        name,
        { interchanges: ["000000021", "000000022"] },
        writing({
          mark: (set) => isRejected(set.control) ? rejecting()(set, "") : { ...set, outcome: "NOTED" }
        })
      )
      for (const id of ids) {
        const file = yield* store.file(id, scopesOf(business))
        assert.deepStrictEqual([file!.text.slice(0, -9), file!.answer], [text, text])
        assert.strictEqual(file!.outcome, "PARTIAL")
        assert.deepStrictEqual(
          file!.sets.map(({ control, outcome }) => [control, outcome]),
          sets.map(({ control }) => [control, isRejected(control) ? "REJECTED" : "NOTED"])
        )
      }
      const page = yield* store.files(scopesOf(business), { ...all, outcome: "PARTIAL" }, firstPage)
      assert.deepStrictEqual(page.items.map(({ rejectedCount, setCount }) => [rejectedCount, setCount]), [
        [1300, 2500],
        [1300, 2500]
      ])
      const { items } = yield* store.outbox({ business, facility: undefined, partner: undefined }, {
        after: 0,
        limit: 1
      })
      assert.strictEqual(items[0]!.text, `${text}000000021`)
      const file = aFile({ direction: "IN", control: "000000031", text })
      const came = yield* store.transact(name, {}, writing({ file, fingerprint: "as it was" }))
      const recent = yield* store.fileByControl(name, "000000031")
      assert.deepStrictEqual([recent!.id, recent!.text], [came, text])
      assert.deepStrictEqual(yield* store.fileByControl(name, "000000031", "as it was"), recent)
      assert.isNull(yield* store.fileByControl(name, "000000031", "another"))
    })

    test("loads the texts of files once the answer has room for them, and is refused otherwise", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const [text, answer] = ["t".repeat(400_000), "a".repeat(200_000)]
      const id = yield* add(name, { text, answer })
      yield* add(name, { text })
      const came = aFile({ direction: "IN", control: "000000031", text, answer })
      yield* store.transact(name, {}, writing({ file: came, fingerprint: "as it was" }))
      const other = anAnswerMemory(0)
      assert.isNull(yield* other.within(store.fileByControl(name, "000000031", "another")))
      assert.strictEqual(other.memory.asked, 0)
      const outbox = store.outbox({ business, facility: undefined, partner: undefined }, {
        after: 0,
        limit: 10
      })
      for (
        const [read, characters] of [
          [Effect.asVoid(store.file(id, scopesOf(business))), 600_000],
          [Effect.asVoid(store.fileByControl(name, "000000031", "as it was")), 600_000],
          [Effect.asVoid(outbox), 800_000]
        ] as const
      ) {
        const enough = anAnswerMemory(Number.MAX_SAFE_INTEGER)
        yield* enough.within(read)
        const { asked } = enough.memory
        assert.isTrue(asked >= characters && asked <= characters + 1000, String(asked))
        const failure = yield* Effect.flip(anAnswerMemory(asked - 1).within(read))
        assert.strictEqual(failure._tag, "Overloaded")
      }
    })

    test("takes files of every outcome", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      for (const outcome of ediOutcomes) yield* add(name, { outcome })
      const { items } = yield* store.files(scopesOf(business), all, firstPage)
      assert.deepStrictEqual(
        items.map(({ outcome }): EdiOutcome => outcome),
        ediOutcomes.toReversed()
      )
    })

    test("gives what is to be sent in the order of ids, again and again", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: west } = yield* aPartner({ business, facility: "west" })
      yield* add((yield* aPartner()).name)
      const first = yield* add(name)
      yield* add(name, { direction: "IN", control: "1" })
      yield* add(name, { outcome: "UNWRITTEN", text: "" })
      const second = yield* add(west)
      const third = yield* add(name, { text: "last" })
      const page = (
        filter: { readonly facility?: string; readonly partner?: string } = {},
        after = 0,
        limit = 10
      ) => store.outbox({ business, facility: filter.facility, partner: filter.partner }, { after, limit })
      assert.deepStrictEqual(idsOf(yield* page()), [first, second, third])
      assert.deepStrictEqual(idsOf(yield* page()), [first, second, third])
      assert.deepStrictEqual(idsOf(yield* page({}, first)), [second, third])
      assert.deepStrictEqual(idsOf(yield* page({ partner: name.partner })), [first, third])
      assert.deepStrictEqual(idsOf(yield* page({ facility: "west" })), [second])
      assert.deepStrictEqual(idsOf(yield* page({ facility: "west", partner: name.partner })), [])
      const { items, next } = yield* page({}, 0, 1)
      assert.deepStrictEqual([items.map(({ text }) => text), next], [["ISA*00*~\nä"], String(first)])
      assert.deepStrictEqual((yield* page({}, third)).items, [])
      assert.deepStrictEqual(
        Object.keys(items[0]!).toSorted(),
        ["at", "control", "direction", "id", "kinds", "location", "outcome", "partner", "text"]
      )
    })

    test("is kept for 90 days; who reads on from before what was dropped is told so", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const [first, second] = yield* at(longAgo)(Effect.all([add(name), add(name)]))
      const later = longAgo + ediRetentionMillis
      const third = yield* at(later)(add(name))
      assert.strictEqual(yield* at(later - 1)(store.dropExpired), 0)
      yield* at(later + 1)(store.dropExpired)
      const outbox = (after: number) =>
        store.outbox({ business, facility: undefined, partner: undefined }, { after, limit: 10 })
      assert.deepStrictEqual(idsOf(yield* outbox(0)), [third])
      assert.deepStrictEqual(idsOf(yield* outbox(second)), [third])
      assert.strictEqual(yield* codeOf(outbox(first)), "HISTORY_EXPIRED")
      assert.isNull(yield* store.file(first, scopesOf(business)))
      // Ids are never reused for other files.
      assert.isAbove(yield* add(name), third)
    })

    test("ends with its newest id, dropped or not: a cursor beyond it is told so", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { business: empty } = yield* aPartner()
      const first = yield* at(longAgo)(add(name))
      const outbox = (business: string, after: number, partner?: string) =>
        store.outbox({ business, facility: undefined, partner }, { after, limit: 10 })
      const newestOf = (business: string, after: number) =>
        Effect.map(
          Effect.flip(outbox(business, after)),
          (error) => error._tag === "CursorAhead" && error.newestId
        )
      const isGood = Effect.fnUntraced(function*(after: number) {
        for (const partner of [undefined, name.partner, "nobody"]) {
          assert.deepStrictEqual(idsOf(yield* outbox(business, after, partner)), [])
        }
        assert.strictEqual(yield* newestOf(business, after + 1), after)
      })
      yield* isGood(first)
      assert.strictEqual(yield* newestOf(empty, first), 0)
      assert.deepStrictEqual(idsOf(yield* outbox(empty, 0)), [])
      yield* at(longAgo + ediRetentionMillis + 1)(store.dropExpired)
      yield* isGood(first)
      yield* isGood(yield* add(name, { direction: "IN", control: "1" }))
    })

    test("is missed by nobody whose own interchanges were not dropped", function*() {
      const store = yield* EdiStore
      const { business, name } = yield* aPartner()
      const { name: west } = yield* aPartner({ business, facility: "west" })
      const { name: quiet } = yield* aPartner({ business })
      const [had, ofWest] = yield* at(longAgo)(Effect.all([add(name), add(west)]))
      yield* at(longAgo + 1)(Effect.all([
        add(name, { direction: "IN", control: "1" }),
        add(name, { outcome: "UNWRITTEN", text: "" })
      ]))
      const later = longAgo + ediRetentionMillis + 2
      const ids = yield* at(later)(Effect.forEach([name, west, quiet], (each) => add(each)))
      yield* at(later)(store.dropExpired)
      const outbox = (filter: { readonly facility?: string; readonly partner?: string }, after = had) =>
        Effect.map(
          store.outbox({ business, facility: filter.facility, partner: filter.partner }, {
            after,
            limit: 10
          }),
          idsOf
        )
      // Received files, and files that could not be written, were not to be sent.
      assert.deepStrictEqual(yield* outbox({ partner: name.partner }), [ids[0]])
      assert.deepStrictEqual(yield* outbox({ facility: "east" }), [ids[0], ids[2]])
      assert.deepStrictEqual(yield* outbox({ partner: quiet.partner }, 1), [ids[2]])
      for (const filter of [{}, { facility: "west" }, { partner: west.partner }]) {
        assert.strictEqual(yield* codeOf(outbox(filter)), "HISTORY_EXPIRED", JSON.stringify(filter))
      }
      assert.deepStrictEqual(yield* outbox({}, ofWest), ids)
    })
  })
}
