/**
 * What a client is told of its limit: the fields of the IETF's draft of RateLimit headers for HTTP (D10.5).
 */
import type { Allowance } from "../access/RequestLimits.ts"
import type { TooManyRequests } from "../values/Errors.ts"

/** The header fields of an allowance. */
export const rateLimitFields = (
  { limit, windowSeconds, remaining, resetSeconds }: Allowance
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"default";q=${limit};w=${windowSeconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`
})

/** What is left to a client that is refused. */
export const allowanceOf = ({ limit, windowSeconds, retryAfterSeconds }: TooManyRequests): Allowance => ({
  limit,
  windowSeconds,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})
