/** Units of X12 (data element 355) and those of documents (D1.3). */

const quantityUnits: Readonly<Record<string, string>> = {
  EA: "UNIT",
  UN: "UNIT",
  PC: "UNIT",
  CA: "CASE",
  CS: "CASE",
  CT: "CASE",
  BX: "CASE",
  PL: "PALLET",
  PF: "PALLET"
}

export const unitCodes = Object.keys(quantityUnits).join(", ")

/** The unit of a code; `undefined` for one that is not read. */
export const unitOf = (code: string): string | undefined =>
  Object.hasOwn(quantityUnits, code) ? quantityUnits[code] : undefined

const written: Readonly<Record<string, string>> = { UNIT: "EA", CASE: "CA", PALLET: "PF" }

/** The code of a unit; `""` for a unit of the service's own, which X12 has no word for. */
export const codeOf = (unit: string): string => Object.hasOwn(written, unit) ? written[unit]! : ""

/** A quantity as X12 writes it: digits with a point, without an exponent. */
export const decimal = (quantity: number): string =>
  Math.abs(quantity) < 1e21 && /e/.test(String(quantity))
    ? quantity.toFixed(20).replace(/0{1,20}$/, "")
    : String(quantity)
