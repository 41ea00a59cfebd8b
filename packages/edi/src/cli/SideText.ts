/**
 * The ids of a side in envelopes as one text: `ZZ/SUPPLIER`, or `ZZ/SUPPLIER/GROUP` where groups have another.
 */
import { Result } from "effect"

/** How a side is written. */
export const form = "as QUALIFIER/ID, or QUALIFIER/ID/GROUP where groups have another id"

export interface Side {
  readonly qualifier: string
  readonly id: string
  readonly group?: string
}

/** Reads a side. The service judges its parts. An id may hold slashes only where the group is given too. */
export const read = (text: string): Result.Result<Side, string> => {
  const [qualifier, id, group, ...others] = text.split("/")
  if (qualifier === undefined || id === undefined || id === "" || others.length > 0) {
    return Result.fail(`must be written ${form}`)
  }
  return Result.succeed({ qualifier, id, ...(group === undefined ? {} : { group }) })
}
