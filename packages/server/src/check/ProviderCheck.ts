/** Whether the providers can be reached that tokens and people come from. */
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { Effect, Option } from "effect"
import type { Settings } from "../settings/Settings.ts"
import { on } from "./SettingsCheck.ts"
import type { Finding } from "./SettingsCheck.ts"

/** How long somebody else's server may take to answer. */
const patienceMillis = 5000

const keysAt = async (url: string): Promise<number> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMillis) })
  const { keys } = await response.json() as { readonly keys: ReadonlyArray<unknown> }
  return keys.length
}

const issuer = ({ external }: Settings): Effect.Effect<ReadonlyArray<Finding>> => {
  if (Option.isNone(external)) return Effect.succeed([])
  const { jwksUrl } = external.value
  const { ok, problem } = on("issuer")
  return Effect.tryPromise(() => keysAt(jwksUrl)).pipe(
    Effect.match({
      onSuccess: (count) => ok(`${jwksUrl} has ${count} keys`),
      onFailure: () =>
        problem(
          `the keys of the tokens cannot be read from ${jwksUrl}; see to EXTERNAL_ISSUER, EXTERNAL_JWKS_URL`
        )
    }),
    Effect.map((finding) => [finding])
  )
}

const people = ({ baseUrl, provider }: Settings): Effect.Effect<ReadonlyArray<Finding>> => {
  if (provider === undefined) return Effect.succeed([])
  const { ok, problem } = on("sign-in")
  return Effect.map(Dashboard.providerFault(provider), (fault) => [
    fault === undefined
      ? ok(
        `people sign in at ${provider.issuer}, which must lead them back to ${baseUrl}/dashboard/sign-in/callback`
      )
      : problem(`nobody can sign in at ${provider.issuer} (${fault}); see to OIDC_ISSUER`)
  ])
}

/** All findings. */
export const check = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(Effect.all([issuer(settings), people(settings)]), (found) => found.flat())
