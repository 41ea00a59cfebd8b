/** Partners, files and steps for the suites of EDI, with short names for what their cases repeat. */
import type { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as assert from "@dockline/testing/Assert"
import { unique } from "@dockline/testing/generators/Given"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import { Clock, Effect, Result } from "effect"
import { ediRetentionMillis } from "../domain/EdiFile.ts"
import type { EdiFileDraft } from "../domain/EdiFile.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange } from "../domain/EdiPartner.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import type {
  EdiAbout,
  EdiArrival,
  EdiFileFilter,
  EdiMark,
  EdiPartnerDraft,
  EdiPlan,
  EdiState,
  EdiStep,
  PartnerKey
} from "../domain/EdiStore.ts"

/** The port under test, and the ports that it needs. */
export type EdiStores = Directory | EdiStore | IntakeStore | MessageLog | ShipmentStore

export const createdAt = Timestamp.of("2026-11-20T17:00:00.000Z")

/** A time whose files expire in an hour, so that a storage that drops expired files by itself does not drop them yet. */
export const nearlyExpired = Effect.map(
  Clock.currentTimeMillis,
  (now) => now - ediRetentionMillis + 3_600_000
)

/** New ids for each test, because an envelope may match partners of any business. */
export const aSide = (id = unique("EDI")) => ({ qualifier: "ZZ", id, group: id })

export const draftOf = (
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

export const aFile = (fields: Partial<EdiFileDraft> = {}): EdiFileDraft => ({
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
export const rejecting = (group?: string): EdiMark => (set) =>
  (group ?? set.groupControl) === set.groupControl ? { ...set, outcome: "REJECTED" } : set

/** A step that makes only these changes. Its answer is the id of its file. */
export const writing =
  (change: Partial<EdiPlan>) =>
  ({ partner: { cursorId, nextGroup, nextInterchange } }: EdiState): Result.Result<EdiStep<number>, never> =>
    Result.succeed({
      plan: { cursorId, nextGroup, nextInterchange, file: null, ...change },
      answer: (file) => file?.id ?? 0
    })

/** A change to these settings, whatever the present settings are. */
export const setting = (change: EdiPartnerChange) => (): Result.Result<EdiPartnerChange, never> =>
  Result.succeed(change)

/** A step that adds a file, and uses up a control number for it. */
export const adding = (file: EdiFileDraft | null) => (state: EdiState) =>
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
export const stateOf = (name: PartnerKey, about: EdiAbout = {}) =>
  EdiStore.use((store) =>
    store.transact(name, about, (state) => Result.succeed({ plan: null, answer: () => state }))
  )

export const arrival = (fields: Partial<EdiArrival> = {}): EdiArrival => ({
  control: "000000101",
  fingerprint: "a",
  ...fields
})

/** Reserves a free control number; returns the id of the reservation. */
export const reserve = Effect.fnUntraced(function*(name: PartnerKey, fields: Partial<EdiArrival> = {}) {
  const reservation = yield* (yield* EdiStore).reserve(name, arrival(fields))
  assert.strictEqual(reservation?._tag, "Reserved")
  return reservation?._tag === "Reserved" ? reservation.id : 0
})

/** Records a received interchange. */
export const came = (name: PartnerKey, about: EdiAbout) => {
  const { control = "000000101" } = about
  const file = aFile({ direction: "IN", control })
  return EdiStore.use((store) => store.transact(name, { ...about, control }, writing({ file })))
}

export const all: EdiFileFilter = {
  business: undefined,
  facility: undefined,
  partner: undefined,
  direction: undefined,
  outcome: undefined,
  shipmentId: undefined
}

export const firstPage = { after: undefined, limit: 10 }

export const scopesOf = (
  business: string,
  facilities: "*" | ReadonlyArray<string> = "*"
) => [{ business, facilities }]

export const idsOf = ({ items }: { readonly items: ReadonlyArray<{ readonly id: number }> }) =>
  items.map(({ id }) => id)
