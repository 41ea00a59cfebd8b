/**
 * The field map of a business: the pallet labels that its messages carry, and the names of the fields (D6.4).
 *
 * Guarantee: a customer's field never replaces a field of the contract.
 */
import { Result } from "effect"
import type { FieldError } from "../values/CatalogueError.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"

/** A value that was read from a label of a pallet; a name may occur several times. */
export interface Label {
  readonly name: string
  readonly value: string
}

/** A field that pallet messages of a business take from a label (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label that the field takes its value from. */
  readonly label: string
  /** Whether the field holds all values of the label, as a list, or only the first. */
  readonly list: boolean
}

/** The values of a label in the order of reading. A label without a value counts as absent. */
export const labelValues = (labels: ReadonlyArray<Label>, name: string): ReadonlyArray<string> =>
  labels.filter((label) => label.name === name && label.value !== "").map(({ value }) => value)

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

/** The names of fields in the payload profile `kargo`, by those of the contract (D15.3). */
export const kargoFieldNames = {
  serviceShipmentId: "kargoShipmentId",
  servicePalletId: "kargoPalletId"
} as const satisfies { readonly [_ in (typeof palletFieldNames)[number]]?: string }

/** The field that marks a test message (D9.9). No other message has it. */
export const testFieldName = "test"

/** The names that a field map must not use (D6.4). */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  ...palletFieldNames,
  ...completionFieldNames,
  ...Object.values(kargoFieldNames),
  testFieldName
])

/**
 * The most fields of one map. Each field repeats its name in every message, and its values for every pallet of a
 * completion.
 */
export const maxMessageFields = 50

/** The longest name of a field. */
const maxFieldName = 64

/**
 * The fields that a map makes from labels. A list field holds all values, or `[]`; another field holds the first value,
 * or `""`.
 */
export const customerFields = (
  fieldMap: ReadonlyArray<MessageField>,
  labels: ReadonlyArray<Label>
): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    fieldMap.map(({ name, label, list }) => {
      const values = labelValues(labels, label)
      return [name, list ? values : (values[0] ?? "")]
    })
  )

/** Refuses a field map with a reserved, repeated, empty or overlong name; `at` is the path of the map. */
export const checkFieldMap = (
  fieldMap: ReadonlyArray<MessageField>,
  at = "fieldMap"
): Result.Result<ReadonlyArray<MessageField>, InvalidRequest> => {
  if (fieldMap.length > maxMessageFields) {
    const detail = `must hold at most ${maxMessageFields} entries`
    return Result.fail(new InvalidRequest({ errors: [{ path: at, detail }] }))
  }
  const names = new Set<string>()
  const errors = fieldMap.flatMap(({ name, label }, index) => {
    const faults = named([
      { path: `${at}[${index}].name`, detail: nameFault(name, names) },
      { path: `${at}[${index}].label`, detail: filledTextFault(label) }
    ])
    names.add(name)
    return faults
  })
  return errors.length === 0 ? Result.succeed(fieldMap) : Result.fail(new InvalidRequest({ errors }))
}

/** The faults among the checks of some fields. */
export const named = (
  checks: ReadonlyArray<{ readonly path: string; readonly detail: string | undefined }>
): ReadonlyArray<FieldError> => checks.filter((check): check is FieldError => check.detail !== undefined)

const filledTextFault = (text: string): string | undefined => (text === "" ? "is required" : textFault(text))

const nameFault = (name: string, taken: ReadonlySet<string>): string | undefined => {
  if (reservedFieldNames.has(name)) {
    return `${name} is a field of every message; take another name`
  }
  if (taken.has(name)) return "is the name of an earlier field; take another name"
  return name.length > maxFieldName
    ? `must be at most ${maxFieldName} characters long`
    : filledTextFault(name)
}
