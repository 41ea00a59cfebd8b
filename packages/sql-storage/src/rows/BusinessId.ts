/**
 * The id of a business is made of its slug, so that no statement has to look it up, and a restored database has the same
 * ids. The table `business` makes it in the same way.
 */
import { createHash } from "node:crypto"

/** The id of a business: the first 60 bits of the SHA-256 of its slug, as a decimal number. */
export const businessId = (slug: string): string =>
  BigInt(`0x${createHash("sha256").update(slug).digest("hex").slice(0, 15)}`).toString()
