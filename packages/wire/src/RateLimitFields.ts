/** The header fields that tell a client how many requests it may still send (D10.5). */
import type { Allowance } from "@dockline/core/access/RequestLimits"
import type { RateLimited } from "@dockline/core/values/RequestErrors"

/** The fields of the IETF draft of RateLimit headers for HTTP (D10.5). */
export const rateLimitFields = (
  { limit, windowSeconds, remaining, resetSeconds }: Allowance
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"default";q=${limit};w=${windowSeconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`
})

/** The allowance of a refused client: nothing is left before the seconds of `Retry-After` have passed. */
export const allowanceOf = ({ limit, windowSeconds, retryAfterSeconds }: RateLimited): Allowance => ({
  limit,
  windowSeconds,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})
