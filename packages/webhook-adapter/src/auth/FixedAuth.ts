/**
 * The schemes whose authorization never changes: `none` and `basic` (D9.1; RFC 7617).
 */
import { Effect, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { shortest } from "../outbound/HiddenSecrets.ts"
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
    const encoded = Buffer.from(`${username}:${secret}`, "utf8").toString("base64")
    // A password that is too short to be hidden wherever it occurs is hidden only together with its user name.
    const told = secret.length < shortest ? `${username}:${secret}` : secret
    return fixed({ header: `Basic ${encoded}`, secrets: [encoded, told] })
  }
}
