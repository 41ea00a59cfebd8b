/**
 * The id of a business is made of its slug, so that no statement has to look it up, and a restored database has the same
 * ids. The table `business` makes it in the same way.
 */
import { createHash } from "node:crypto"

/** The most ids that are remembered; a request needs the one of its business several times. */
const capacity = 1000

const known = new Map<string, string>()

/** The id of a business: the first 60 bits of the SHA-256 of its slug, as a decimal number. */
export const businessId = (slug: string): string => {
  const before = known.get(slug)
  if (before !== undefined) return before
  const id = BigInt(`0x${createHash("sha256").update(slug).digest("hex").slice(0, 15)}`).toString()
  if (known.size >= capacity) known.clear()
  known.set(slug, id)
  return id
}
