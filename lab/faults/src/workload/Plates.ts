/** The license plates of pallets: texts of a customer, and SSCCs, which each sender gives in a form of its own (D22). */
import { checkDigit, ssccOf } from "@dockline/core/Lpn"
import type { Actor } from "./Actor.ts"

/** The forms of one SSCC that documents and X12 may hold. */
const written: ReadonlyArray<(sscc: string) => string> = [
  (sscc) => sscc,
  (sscc) => `00${sscc}`,
  (sscc) => `(00)${sscc}`,
  (sscc) => `]C100${sscc}`,
  (sscc) => `https://id.gs1.org/00/${sscc}`
]

/** The forms that scanners send: those, and some with FNC1. */
const scanned = [
  ...written,
  (sscc: string) => `]d200${sscc}`,
  (sscc: string) => `]C1\u001d00${sscc}\u001d`,
  (sscc: string) => `]e000${sscc}`
]

/** How many of the license plates are SSCCs. */
const ssccShare = 0.6

/** So many license plates that nobody else has, as documents say them. */
export const platesOf = (actor: Actor, least: number, most: number): ReadonlyArray<string> =>
  actor.names("L", least, most).map((name) => {
    if (!actor.random.chance(ssccShare)) return name
    const digits = `3${String(actor.state.number()).padStart(16, "0")}`
    return actor.random.pick(written)(`${digits}${checkDigit(digits)}`)
  })

/** A license plate as a scanner sends it. */
export const scanOf = ({ random }: Actor, lpn: string): string => {
  const sscc = ssccOf(lpn)
  return sscc === undefined ? lpn : random.pick(scanned)(sscc)
}
