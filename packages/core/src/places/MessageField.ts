/**
 * The field map of a business: which labels of a pallet its messages carry, and under which names (D6.4).
 *
 * Guarantee: a customer's field never takes the place of a field of the contract.
 */
import { Result } from "effect"
import { InvalidRequest } from "../values/Errors.ts"
import type { FieldError } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"

/** One value read from a label of a pallet; a name may occur several times. */
export interface Label {
  readonly name: string
  readonly value: string
}

/** How one label of a pallet becomes a field of a business's pallet messages (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label it is read from. */
  readonly label: string
  /** Whether all values of the label are sent, as a list, or the first only. */
  readonly list: boolean
}

/** The values of a label in the order in which they were read. One without a value counts as absent. */
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

/** The names that a field map may not use (D6.4). */
export const reservedFieldNames: ReadonlySet<string> = new Set([...palletFieldNames, ...completionFieldNames])

/** The most fields of one map: each repeats its name in every message, and what it reads in every pallet of one. */
export const maxMessageFields = 50

/** The longest name of a field. */
export const maxFieldName = 64

/**
 * The fields that a map makes of labels: all values of a list field, `[]` without one; else the first value, `""`
 * without one.
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

/** Refuses a field map with a reserved, repeated, empty or overlong name; `at` is where it stands. */
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
    const faults: ReadonlyArray<FieldError | undefined> = [
      fault(`${at}[${index}].name`, nameFault(name, names)),
      fault(`${at}[${index}].label`, filledTextFault(label))
    ]
    names.add(name)
    return faults.filter((each) => each !== undefined)
  })
  return errors.length === 0 ? Result.succeed(fieldMap) : Result.fail(new InvalidRequest({ errors }))
}

const fault = (path: string, detail: string | undefined): FieldError | undefined =>
  detail === undefined ? undefined : { path, detail }

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
