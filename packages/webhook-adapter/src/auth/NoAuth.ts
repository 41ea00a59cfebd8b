/**
 * No authentication: the customer knows us by the signature, or by our address (D9.1).
 */
import { Effect } from "effect"
import type { AuthenticationProvider, Authorization } from "./EndpointAuth.ts"

const nothing: Authorization = { header: undefined }

/** The scheme `none`. */
export const provider: AuthenticationProvider = {
  type: "none",
  open: () =>
    Effect.succeed({
      current: () => nothing,
      obtain: Effect.succeed(nothing),
      refused: () => false
    })
}
