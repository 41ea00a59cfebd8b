/** The rules for EDI partners and the record of exchanged files, for every storage (D18.3). */
import type { ReadScope } from "@dockline/core/access/Access"
import type { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { Intake } from "@dockline/core/document/Intake"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Directory"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { positionOf } from "@dockline/core/values/Page"
import type { NewestPageRequest } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as assert from "@dockline/testing/Assert"
import { aDocument, orderOf, unique } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { aBusiness, aDraft, append, at, longAgo } from "@dockline/testing/worlds/MessageLogWorld"
import { codeOf } from "@dockline/testing/worlds/MovementWorld"
import { anAnswerMemory, pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Cause, Clock, Effect, Exit, Result } from "effect"
import { ediOutcomes, ediRetentionMillis, ediTextLimit } from "../domain/EdiFile.ts"
import type { EdiFileDraft, EdiOutcome } from "../domain/EdiFile.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange } from "../domain/EdiPartner.ts"
import { ediLeaseMillis, EdiStore } from "../domain/EdiStore.ts"
import type {
  EdiAbout,
  EdiArrival,
  EdiFileFilter,
  EdiMark,
  EdiPartnerDraft,
  EdiPlan,
  EdiState,
  EdiStep,
  EdiWords,
  PartnerKey
} from "../domain/EdiStore.ts"

/** The port under test, and the ports that it needs. */
export type EdiStores = Directory | EdiStore | IntakeStore | MessageLog | ShipmentStore

const createdAt = Timestamp.of("2026-11-20T17:00:00.000Z")

/** A time whose files expire in an hour, so that a storage that drops expired files by itself does not drop them yet. */
const nearlyExpired = Effect.map(Clock.currentTimeMillis, (now) => now - ediRetentionMillis + 3_600_000)

/** New ids for each test, because an envelope may match partners of any business. */
const aSide = (id = unique("EDI")) => ({ qualifier: "ZZ", id, group: id })

const draftOf = (
  business: string,
  fields: Partial<EdiPartnerDraft> = {}
): EdiPartnerDraft & Pick<EdiPartner, "newPurposes" | "units"> => ({
  business,
  facility: "east",
  slug: unique("partner"),
  name: "Ärger & Söhne \"\\ 🚚",
  theirs: aSide(),
  ours: { qualifier: "01", id: "123456789", group: "US" },
  release: "005010",
  usage: "T",
  takes: ["856"],
  tells: ["944", "945"],
  tellsOf: "ALL",
  units: [{ code: "LB", unit: "UNIT" }, { code: "DZ", unit: "CASE" }],
  newPurposes: ["14"],
  nextInterchange: 7,
  nextGroup: 9,
  now: createdAt,
  ...fields
})

/** A partner, of a new business unless the fields name one. */
export const aPartner = Effect.fnUntraced(function*(fields: Partial<EdiPartnerDraft> = {}) {
  const business = fields.business ?? (yield* aBusiness)
  const partner = yield* (yield* EdiStore).create(draftOf(business, fields))
  return { business, partner, name: { business, partner: partner.slug, key: partner.key } }
})

const aFile = (fields: Partial<EdiFileDraft> = {}): EdiFileDraft => ({
  direction: "OUT",
  control: "000000007",
  outcome: "WAITING",
  sets: [{
    kind: "945",
    control: "0001",
    group: "SW",
    groupControl: "9",
    outcome: "WAITING",
    number: "SO-1 \"\\ ä",
    shipmentId: "12",
    faults: ["W0602 is \"long\""]
  }],
  faults: ["none"],
  text: "ISA*00*~\nä",
  answer: "ISA*01*~",
  ...fields
})

/** Rejects the sets of a group, and leaves other sets unchanged. Without a group, it rejects all sets. */
const rejecting = (group?: string): EdiMark => (set) =>
  (group ?? set.groupControl) === set.groupControl ? { ...set, outcome: "REJECTED" } : set

/** A step that makes only these changes. Its answer is the id of its file. */
const writing =
  (change: Partial<EdiPlan>) =>
  ({ partner: { cursorId, nextGroup, nextInterchange } }: EdiState): Result.Result<EdiStep<number>, never> =>
    Result.succeed({
      plan: { cursorId, nextGroup, nextInterchange, file: null, ...change },
      answer: (file) => file?.id ?? 0
    })

/** A change to these settings, whatever the present settings are. */
const setting = (change: EdiPartnerChange) => (): Result.Result<EdiPartnerChange, never> =>
  Result.succeed(change)

/** A step that adds a file, and uses up a control number for it. */
const adding = (file: EdiFileDraft | null) => (state: EdiState) =>
  writing({
    nextInterchange: controlAfter(state.partner.nextInterchange, 1),
    nextGroup: controlAfter(state.partner.nextGroup, 1),
    file
  })(state)

/** Adds a file in a step that uses up a control number; returns the id of the file. */
export const add = (name: PartnerKey, fields: Partial<EdiFileDraft> = {}, about: EdiAbout = {}) =>
  EdiStore.use((store) => Effect.map(store.transact(name, about, adding(aFile(fields))), (id) => id ?? 0))

/** Adds a file whose only set its partner has rejected; returns the id of the file. */
export const addRejected = (name: PartnerKey, control = "000000007") => {
  const outcome = "REJECTED"
  return add(name, { control, outcome, sets: aFile().sets.map((set) => ({ ...set, outcome })) })
}

/** The state that a step would see. */
const stateOf = (name: PartnerKey, about: EdiAbout = {}) =>
  EdiStore.use((store) =>
    store.transact(name, about, (state) => Result.succeed({ plan: null, answer: () => state }))
  )

const arrival = (fields: Partial<EdiArrival> = {}): EdiArrival => ({
  control: "000000101",
  fingerprint: "a",
  ...fields
})

/** Reserves a free control number; returns the id of the reservation. */
const reserve = Effect.fnUntraced(function*(name: PartnerKey, fields: Partial<EdiArrival> = {}) {
  const reservation = yield* (yield* EdiStore).reserve(name, arrival(fields))
  assert.strictEqual(reservation?._tag, "Reserved")
  return reservation?._tag === "Reserved" ? reservation.id : 0
})

/** Records a received interchange. */
const came = (name: PartnerKey, about: EdiAbout) => {
  const { control = "000000101" } = about
  const file = aFile({ direction: "IN", control })
  return EdiStore.use((store) => store.transact(name, { ...about, control }, writing({ file })))
}

const all: EdiFileFilter = {
  business: undefined,
  facility: undefined,
  partner: undefined,
  direction: undefined,
  outcome: undefined,
  shipmentId: undefined
}

const firstPage = { after: undefined, limit: 10 }

const scopesOf = (
  business: string,
  facilities: "*" | ReadonlyArray<string> = "*"
) => [{ business, facilities }]

const idsOf = ({ items }: { readonly items: ReadonlyArray<{ readonly id: number }> }) =>
  items.map(({ id }) => id)

/** The suite of the store of partners and files. */
export const ediStoreSuite: Suite.Suite<EdiStores> = Suite.make(
  "the store of EDI partners and files",
  ({ describe, test }) => {
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
)
