/**
 * Names that nobody else has: suites also run on databases that others use, at the same time and earlier, so that the
 * places they make must not meet any others.
 */
import { randomBytes } from "node:crypto"

/** This process: different in every one. */
const here = BigInt(`0x${randomBytes(5).toString("hex")}`).toString(36).padStart(8, "0")

let count = 0

/** A slug that was never made before, here or in another process: `moving-k3f9x2ab-17`. */
export const unique = (prefix: string): string => `${prefix}-${here}-${++count}`
