/**
 * Basic authentication: `Basic` and base64 of `user:password`, in UTF-8 (WIRE.md, authentication; RFC 7617).
 */
import { Effect, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { shortest } from "../outbound/HiddenSecrets.ts"
import type { AuthenticationProvider, Authorization } from "./EndpointAuth.ts"

/** The scheme `basic`. A 401 is final: there is nothing to renew. */
export const provider: AuthenticationProvider = {
  type: "basic",
  open: ({ username = "" }, { password }) => {
    const secret = password === undefined ? "" : Redacted.value(password)
    const encoded = Buffer.from(`${username}:${secret}`, "utf8").toString("base64")
    // A password that is too short to be hidden wherever it stands is hidden with its user name.
    const told = secret.length < shortest ? `${username}:${secret}` : secret
    const authorization: Authorization = { header: `Basic ${encoded}`, secrets: [encoded, told] }
    return Effect.succeed({
      current: () => authorization,
      obtain: Effect.succeed(authorization),
      refused: () => false
    })
  }
}
