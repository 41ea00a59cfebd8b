/**
 * Unique names: suites also run on databases that others use, at the same time or earlier, so that their places must not collide with any
 * others.
 */
import { randomBytes } from "node:crypto"

/** An id of this process. */
const here = BigInt(`0x${randomBytes(5).toString("hex")}`).toString(36).padStart(8, "0")

let count = 0

/** A slug that was never used before, by this or another process: `moving-k3f9x2ab-17`. */
export const unique = (prefix: string): string => `${prefix}-${here}-${++count}`
