/**
 * What operators send about businesses, facilities, docks and field maps, and the ranges they replay (D11).
 *
 * Guarantee: as of `RequestInput.ts`.
 */
import { Schema } from "effect"
import * as RequestInput from "../input/RequestInput.ts"
import { maxMessageFields } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import { dockSlugFault, maxDockSlugLength, slugFault } from "../places/PlaceRules.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import type { ReplayRange } from "../webhooks/DeliveryStore.ts"

/** The longest name of a business, a facility or a client. */
export const maxNameLength = 200

const optional = Schema.optionalKey

/** What is wrong with a name, or nothing. */
const nameFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  if (Array.from(text).length > maxNameLength) return `must be at most ${maxNameLength} characters long`
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u001f\u007f-\u009f]/.test(text) ? "must not contain control characters" : undefined
}

/** The name of something, as people read it. */
export const nameField = (description: string) =>
  Field.stringField(description, nameFault, { minLength: 1, maxLength: maxNameLength })

const newSlug = (description: string) =>
  Field.stringField(description, slugFault, { pattern: slugPattern.source, maxLength: 63 })

const name = nameField("Its name, as people read it")

/** The schema of a new business's JSON form. */
export const businessSchema = Schema.Struct({ slug: newSlug("Names it for ever"), name }).annotate({
  identifier: "CreateBusiness"
})

/** A business to be made. */
export type BusinessInput = typeof businessSchema.Type

/** The schema of a new facility's JSON form. */
export const facilitySchema = Schema.Struct({
  slug: newSlug("Names it for ever within its business"),
  name
}).annotate({ identifier: "CreateFacility" })

/** A facility to be made. */
export type FacilityInput = typeof facilitySchema.Type

/** The schema of a new name's JSON form, of a business or a facility. */
export const renameSchema = Schema.Struct({ name }).annotate({ identifier: "Rename" })

/** A new name. */
export type RenameInput = typeof renameSchema.Type

/** The schema of a new dock's JSON form. */
export const dockSchema = Schema.Struct({
  slug: Field.stringField("Names it for ever within its facility, as documents name it", dockSlugFault, {
    minLength: 1,
    maxLength: maxDockSlugLength
  })
}).annotate({ identifier: "CreateDock" })

/** A dock to be made. */
export type DockInput = typeof dockSchema.Type

/** The schema of a field map's JSON form (D6.4). Which names it may use is checked by `Businesses`. */
export const fieldMapSchema = Schema.Array(
  Schema.Struct({
    name: Field.requiredText("The field's name in messages"),
    label: Field.requiredText("The label of the pallet that it is read from"),
    list: optional(Field.flag("Whether all values of the label are sent, as a list; false when absent"))
  }).annotate({ identifier: "MessageFieldInput" })
).check(Field.atMost(maxMessageFields)).annotate({ identifier: "FieldMap" })

/** The schema of a replay's JSON form: two ids, or two times. */
export const replaySchema = Schema.Struct({
  fromId: optional(Field.id("Id of the first message; with toId")),
  toId: optional(Field.id("Id of the last message")),
  from: optional(Field.requiredDateTime("When the first message was sent; with to, instead of the ids")),
  to: optional(Field.requiredDateTime("When the last message was sent"))
}).annotate({ identifier: "ReplayRange" })

/** The schema of the JSON form of moving ids on. */
export const advanceSchema = Schema.Struct({
  beyond: Field.id("The highest id that any consumer may have seen; the next message gets a higher one")
}).annotate({ identifier: "AdvanceMessages" })

/** Beyond which id ids are to be moved. */
export type AdvanceInput = typeof advanceSchema.Type

/** Reads an untyped value into an id to move ids beyond. */
export const readAdvance: RequestInput.Reader<AdvanceInput> = RequestInput.reader(
  advanceSchema,
  "an id to move ids beyond"
)

/** Reads an untyped value into a new business. */
export const readBusiness: RequestInput.Reader<BusinessInput> = RequestInput.reader(
  businessSchema,
  "a business"
)

/** Reads an untyped value into a new facility. */
export const readFacility: RequestInput.Reader<FacilityInput> = RequestInput.reader(
  facilitySchema,
  "a facility"
)

/** Reads an untyped value into a new name. */
export const readRename: RequestInput.Reader<RenameInput> = RequestInput.reader(
  renameSchema,
  "a change of a name"
)

/** Reads an untyped value into a new dock. */
export const readDock: RequestInput.Reader<DockInput> = RequestInput.reader(dockSchema, "a dock")

const readFieldMapInput = RequestInput.reader(fieldMapSchema, "a field map")

/** Reads an untyped value into a field map. */
export const readFieldMap: RequestInput.Reader<ReadonlyArray<MessageField>> = RequestInput.mapped(
  readFieldMapInput,
  (fields) => fields.map(({ name, label, list = false }) => ({ name, label, list }))
)

const pairs = [["fromId", "toId"], ["from", "to"]] as const

const readReplayInput = RequestInput.reader(replaySchema, "a replay", (input, faults) => {
  const given = pairs.filter((pair) => pair.some((field) => Object.hasOwn(input, field)))
  if (given.length === 0) faults.add("must hold fromId and toId, or from and to")
  if (given.length === 2) {
    for (const field of pairs[1].filter((field) => Object.hasOwn(input, field))) {
      faults.add("cannot be sent beside ids; send ids or times", field)
    }
    return
  }
  for (const field of given.flat()) if (!Object.hasOwn(input, field)) faults.add("is required", field)
  const { fromId, toId, from, to } = input
  if (typeof fromId === "number" && typeof toId === "number" && fromId > toId) {
    faults.add("must not be less than fromId", "toId")
  }
  const [start, end] = [from, to].map((text) => typeof text === "string" ? Timestamp.parse(text) : undefined)
  if (start !== undefined && end !== undefined && start > end) faults.add("must not be before from", "to")
})

/** Reads an untyped value into the range of a replay. */
export const readReplay: RequestInput.Reader<ReplayRange> = RequestInput.mapped(
  readReplayInput,
  ({ fromId, toId, from, to }): ReplayRange =>
    // Both of a pair are known to be given, and good, once the value has been checked.
    from === undefined
      ? { fromId: fromId!, toId: toId! }
      : { from: Timestamp.parse(from)!, to: Timestamp.parse(to!)! }
)
