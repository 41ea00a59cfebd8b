/**
 * The rules of field maps (D6.4): which names the fields of a business may have.
 *
 * Guarantee: a customer's field never replaces a field of the contract.
 */
import { Result } from "effect"
import { isAi } from "../labels/internal/ElementString.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"
import { partPrefix } from "./CustomerFields.ts"
import type { MessageField } from "./CustomerFields.ts"
import type { PayloadProfile } from "./PayloadProfile.ts"

export { customerFields, labelValues } from "./CustomerFields.ts"
export type { Label, MessageField } from "./CustomerFields.ts"

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

/** The names that a field map must not use (D6.4), beside those of the profiles of payloads. */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  ...palletFieldNames,
  ...completionFieldNames,
  testFieldName,
  lateFieldName
])

/** The most fields of a map: every message repeats their names, and a completion their values for every pallet. */
export const maxMessageFields = 50

const maxFieldName = 64

/** Refuses a field map with a reserved, repeated, empty or overlong name; `at` is the path of the map. */
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
  const reservedNames = new Set(profiles.flatMap(({ fieldNames }) => fieldNames))
  const errors = fieldMap.flatMap(({ name, label }, index) => {
    const faults = withPaths([
      { path: `${at}[${index}].name`, detail: nameFault(name, names, reservedNames) },
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
  ownNames: ReadonlySet<string>
): string | undefined => {
  if (reservedFieldNames.has(name) || ownNames.has(name)) {
    return `${name} is a field of every message; choose another name`
  }
  if (names.has(name)) return "is the name of an earlier field; choose another name"
  return name.length > maxFieldName
    ? `must be at most ${maxFieldName} characters long`
    : filledTextFault(name)
}
