/**
 * Units of X12 (data element 355) and those of documents (D1.3), and quantities as X12 writes them.
 */

/** A code of a partner's, and the unit that it means. */
export interface UnitCode {
  readonly code: string
  readonly unit: string
}

const codes = { UNIT: ["EA", "UN", "PC"], CASE: ["CA", "CS", "CT", "BX"], PALLET: ["PL", "PF"] }

const units = new Map(Object.entries(codes).flatMap(([unit, read]) => read.map((code) => [code, unit])))

export const unitCodes = Array.from(units.keys()).join(", ")

/** The unit of a code, by what is agreed on with its partner first; `undefined` for one that nobody knows. */
export const unitOf = (code: string, partnerUnits: ReadonlyArray<UnitCode> = []): string | undefined =>
  partnerUnits.find((each) => each.code === code)?.unit ?? units.get(code)

const writtenCodes = new Map([["UNIT", "EA"], ["CASE", "CA"], ["PALLET", "PF"]])

/** The code of a unit; `""` for a unit of the service's own, which X12 has no word for. */
export const codeOf = (unit: string): string => writtenCodes.get(unit) ?? ""

/** A quantity as X12 writes it: digits with a point, without an exponent. */
export const decimal = (quantity: number): string =>
  Math.abs(quantity) < 1e21 && /e/.test(String(quantity))
    ? quantity.toFixed(20).replace(/0{1,20}$/, "")
    : String(quantity)
