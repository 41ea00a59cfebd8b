/**
 * Field maps (D6.4), which put labels of pallets into the messages of a business under its own names, and profiles of payloads (D15.3),
 * which name and shape the fields of messages for an endpoint.
 *
 * Guarantee: a customer's field never replaces a field of the contract. The values of fields are a function of only the map, the labels and
 * the time of the event. A page of the dashboard runs the same function to preview a map.
 */
import { Context, Result } from "effect"
import { elementsOf, isAi, partOf } from "../labels/Lpn.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** A value from a label of a pallet; a name may occur several times. */
export interface Label {
  readonly name: string
  readonly value: string
}

/** A field of the pallet messages of a business, with the label that provides its value (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label that provides the value. `gs1:` with an application identifier stands for that part of all labels (D22). */
  readonly label: string
  /** Whether the field holds all values of the label, as a list, or only the first. */
  readonly list: boolean
}

/** The values of a label in the order of reading. A label without a value counts as absent. */
export const labelValues = (labels: ReadonlyArray<Label>, name: string): ReadonlyArray<string> =>
  labels.filter((label) => label.name === name && label.value !== "").map(({ value }) => value)

/** The prefix with which a field map names a part of GS1 element strings. */
const partPrefix = "gs1:"

/** The distinct values of an application identifier in labels that are GS1 element strings, in the order of reading (D22). */
const partsOf = (labels: ReadonlyArray<Label>, ai: string, at: string): ReadonlyArray<string> =>
  Array.from(
    new Set(labels.flatMap(({ value }) =>
      elementsOf(value)?.flatMap((element) => element.ai === ai ? partOf(element, at) : []) ?? []
    ))
  )

/**
 * The fields that a map makes from labels of an event at a time. A list field has all values, or `[]`; any other field has the first value,
 * or `""`.
 */
export const customerFields = (
  fieldMap: ReadonlyArray<MessageField>,
  labels: ReadonlyArray<Label>,
  at: string
): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    fieldMap.map(({ name, label, list }) => {
      const ownValues = labelValues(labels, label)
      const values = label.startsWith(partPrefix)
        ? [...ownValues, ...partsOf(labels, label.slice(partPrefix.length), at)]
        : ownValues
      return [name, list ? values : (values[0] ?? "")]
    })
  )

/** A profile of payloads. */
export interface PayloadProfile {
  /** Its name in the settings of an endpoint. */
  readonly name: string
  /** Its names for fields of the contract. A field map must not use these names (D6.4). */
  readonly fieldNames: ReadonlyArray<string>
  /** Writes the payload of a message, which is JSON in the contract's profile. */
  readonly write: (type: MessageType, json: string) => string
}

/** The contract's profile: messages as the log keeps them. */
export const contractProfile: PayloadProfile = {
  name: "dockline",
  fieldNames: [],
  write: (_type, json) => json
}

/** The profiles that endpoints may use: the contract's, and those that capabilities add. */
export const PayloadProfiles = Context.Reference<ReadonlyArray<PayloadProfile>>(
  "@dockline/core/PayloadProfiles",
  { defaultValue: () => [contractProfile] }
)

/** The fields of the pallet message (WIRE.md, pallet message). */
export const palletFieldNames = [
  "businessSlug",
  "facilitySlug",
  "serviceShipmentId",
  "servicePalletId",
  "occurredAt",
  "url",
  "direction",
  "orders",
  "dockId"
] as const

/** The fields of the shipment-completion message (WIRE.md, shipment-completion message). */
export const completionFieldNames = ["serviceShipmentId", "orders", "url", "dockId", "pallets"] as const

/** The field that marks a test message (D9.9). No other message has it. */
export const testFieldName = "test"

/** The field that marks a pallet that was reported after its shipment departed (D21.4). No other message has it. */
export const lateFieldName = "late"

/** The names that a field map must not use (D6.4). Profiles of payloads add further names. */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  ...palletFieldNames,
  ...completionFieldNames,
  testFieldName,
  lateFieldName
])

/** The most fields of a map. The limit bounds messages: each repeats the names, and a completion has the values of every pallet. */
export const maxMessageFields = 50

const maxFieldName = 64

/**
 * Refuses a field map with too many fields, with an invalid label, or with a reserved, repeated, empty or overlong name. `at` is the path
 * of the map.
 */
export const checkFieldMap = (
  fieldMap: ReadonlyArray<MessageField>,
  profiles: ReadonlyArray<PayloadProfile> = [],
  at = "fieldMap"
): Result.Result<ReadonlyArray<MessageField>, InvalidRequest> => {
  if (fieldMap.length > maxMessageFields) {
    const detail = `must hold at most ${maxMessageFields} entries`
    return Result.fail(new InvalidRequest({ errors: [{ path: at, detail }] }))
  }
  const names = new Set<string>()
  const profileNames = new Set(profiles.flatMap(({ fieldNames }) => fieldNames))
  const errors = fieldMap.flatMap(({ name, label }, index) => {
    const faults = withPaths([
      { path: `${at}[${index}].name`, detail: nameFault(name, names, profileNames) },
      { path: `${at}[${index}].label`, detail: filledTextFault(label) ?? partFault(label) }
    ])
    names.add(name)
    return faults
  })
  return errors.length === 0 ? Result.succeed(fieldMap) : Result.fail(new InvalidRequest({ errors }))
}

/** The faults among the checks of some fields. */
export const withPaths = (
  checks: ReadonlyArray<{ readonly path: string; readonly detail: string | undefined }>
): ReadonlyArray<FieldError> => checks.filter((check): check is FieldError => check.detail !== undefined)

const filledTextFault = (text: string): string | undefined => (text === "" ? "is required" : textFault(text))

const partFault = (label: string): string | undefined =>
  !label.startsWith(partPrefix) || isAi(label.slice(partPrefix.length))
    ? undefined
    : "must name an application identifier of GS1 after gs1:, such as gs1:10 or gs1:3103"

const nameFault = (
  name: string,
  names: ReadonlySet<string>,
  profileNames: ReadonlySet<string>
): string | undefined => {
  if (reservedFieldNames.has(name) || profileNames.has(name)) {
    return `${name} is a field of every message; choose another name`
  }
  if (names.has(name)) return "is the name of an earlier field; choose another name"
  return name.length > maxFieldName
    ? `must be at most ${maxFieldName} characters long`
    : filledTextFault(name)
}
