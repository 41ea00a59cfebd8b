/**
 * The claims of connections for reads of clients: who is counted, and that nobody takes the share of others (ADR 17).
 */
import { everything } from "@dockline/core/Access"
import type { BusinessScope, ReadScope } from "@dockline/core/Access"
import type { Claim } from "../connections/ConnectionPool.ts"
import { businessId } from "./BusinessId.ts"

/**
 * The claim of a read. Its holder is all businesses that who asks may read, whichever of them the read is about: a client
 * has one share, whatever it asks for, and takes nothing from the share of others. Who may read all businesses has another.
 */
export const readsOf = (scope: BusinessScope | ReadonlyArray<ReadScope>): Claim => {
  const named = scope === everything
    ? [everything]
    : scope.map((each) => typeof each === "string" ? each : each.business)
  const businesses = Array.from(new Set(named)).sort()
  if (businesses.includes(everything)) return { lane: "reads", holder: everything }
  const [first = ""] = businesses
  return businesses.length === 1
    ? readsOfBusiness(businessId(first))
    : { lane: "reads", holder: JSON.stringify(businesses) }
}

/** The claim of a read for who may read one business, by its id. */
export const readsOfBusiness = (id: string): Claim => ({ lane: "reads", holder: id })
