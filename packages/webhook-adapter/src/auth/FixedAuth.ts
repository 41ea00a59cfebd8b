/**
 * The schemes whose authorization never changes: `none` and `basic` (D9.1; RFC 7617).
 */
import { Effect, Redacted } from "effect"
import { Buffer } from "node:buffer"
import type { AuthenticationProvider, Authorization, EndpointAuth } from "./EndpointAuth.ts"

const fixed = (authorization: Authorization): Effect.Effect<EndpointAuth> =>
  Effect.succeed({
    current: () => authorization,
    obtain: Effect.succeed(authorization),
    refused: () => false
  })

export const none: AuthenticationProvider = { type: "none", open: () => fixed({ header: undefined }) }

export const basic: AuthenticationProvider = {
  type: "basic",
  open: ({ username = "" }, { password }) => {
    const secret = password === undefined ? "" : Redacted.value(password)
    const pair = `${username}:${secret}`
    // A password that is too short to be hidden wherever it occurs is hidden only together with its user name.
    return fixed({
      header: `Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
      secrets: [pair, secret]
    })
  }
}
