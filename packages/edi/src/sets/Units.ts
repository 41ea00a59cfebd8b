/**
 * Units of X12 (data element 355) and of documents (D1.3), and quantities in the notation of X12.
 */

/** A partner's code of a unit, and its meaning. */
export interface UnitCode {
  readonly code: string
  readonly unit: string
}

const codes = { UNIT: ["EA", "UN", "PC"], CASE: ["CA", "CS", "CT", "BX"], PALLET: ["PL", "PF"] }

const units = new Map(Object.entries(codes).flatMap(([unit, read]) => read.map((code) => [code, unit])))

export const unitCodes = Array.from(units.keys()).join(", ")

/** The unit of a code, first by the agreement with its partner; `undefined` for an unknown code. */
export const unitOf = (code: string, partnerUnits: ReadonlyArray<UnitCode> = []): string | undefined =>
  partnerUnits.find((each) => each.code === code)?.unit ?? units.get(code)

const writtenCodes = new Map([["UNIT", "EA"], ["CASE", "CA"], ["PALLET", "PF"]])

/** The code of a unit; `""` for one of the service's own units, which X12 lacks. */
export const codeOf = (unit: string): string => writtenCodes.get(unit) ?? ""

/** A quantity in the notation of X12: digits with a point, without an exponent. */
export const decimal = (quantity: number): string =>
  Math.abs(quantity) < 1e21 && /e/.test(String(quantity))
    ? quantity.toFixed(20).replace(/0{1,20}$/, "")
    : String(quantity)
