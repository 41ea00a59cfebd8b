/** The license plates of pallets: texts of a customer, and SSCCs, which each sender writes in its own form (D22). */
import { checkDigit, ssccOf } from "@dockline/core/labels/Lpn"
import type { Actor } from "./Actor.ts"

type Form = (sscc: string) => string

/** The forms of an SSCC in the characters of X12. */
export const inX12: ReadonlyArray<Form> = [
  (sscc) => sscc,
  (sscc) => `00${sscc}`,
  (sscc) => `(00)${sscc}`
]

/** The forms in documents. */
export const inDocuments: ReadonlyArray<Form> = [
  ...inX12,
  (sscc) => `]C100${sscc}`,
  (sscc) => `https://id.gs1.org/00/${sscc}`
]

/** The forms of scanners: those of documents, and some with FNC1. */
const scanned = [
  ...inDocuments,
  (sscc: string) => `]d200${sscc}`,
  (sscc: string) => `]C1\u001d00${sscc}\u001d`,
  (sscc: string) => `]e000${sscc}`
]

/** The share of license plates that are SSCCs. */
const ssccShare = 0.6

/** A number of unique license plates, or one to three, with SSCCs in one of the forms. */
export const platesOf = (actor: Actor, forms: ReadonlyArray<Form>, count?: number): ReadonlyArray<string> =>
  actor.names("L", count ?? 1, count ?? 3).map((name) => {
    if (!actor.random.chance(ssccShare)) return name
    const digits = `3${String(actor.state.number()).padStart(16, "0")}`
    return actor.random.pick(forms)(`${digits}${checkDigit(digits)}`)
  })

/** A license plate as a scanner sends it. */
export const scanOf = ({ random }: Actor, lpn: string): string => {
  const sscc = ssccOf(lpn)
  return sscc === undefined ? lpn : random.pick(scanned)(sscc)
}
