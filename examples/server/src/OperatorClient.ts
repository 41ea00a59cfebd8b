/**
 * The bootstrap operator (D11): a client from the settings that may operate the whole service, so that there is
 * somebody to make the first business and the first clients.
 */
import type { Grant } from "@dockline/core/Access"
import { ClientStore } from "@dockline/core/ClientStore"
import type { Client } from "@dockline/core/ClientStore"
import { hashSecret } from "@dockline/http-adapter/Clients"
import { Effect, Redacted } from "effect"

/** The client of the settings. */
export interface OperatorCredentials {
  readonly id: string
  readonly secret: Redacted.Redacted
}

/** Operating every business, those to come included. */
export const wholeService: Grant = { business: "*", facilities: "*", permissions: ["operator"] }

/** By which a client is known to come from the settings. */
const settingsSecretId = "settings"

/**
 * Brings the client of the settings in, as they say at each start, and disables one that earlier settings named: a
 * secret that was taken out of the settings opens nothing.
 */
export const install = Effect.fnUntraced(function*(given: OperatorCredentials | undefined) {
  const store = yield* ClientStore
  const earlier: Array<Client> = []
  for (let after = "";;) {
    const page = yield* store.list("*", { after, limit: 100 })
    earlier.push(
      ...page.items.filter(({ id, enabled, secrets }) =>
        enabled && id !== given?.id && secrets.some((secret) => secret.id === settingsSecretId)
      )
    )
    if (page.next === null) break
    after = page.next
  }
  if (earlier.length > 0) {
    yield* store.put(earlier.map((client) => ({ ...client, enabled: false })))
    yield* Effect.logWarning(
      `Operators of earlier settings disabled: ${earlier.map(({ id }) => id).join(", ")}`
    )
  }
  if (given === undefined) return
  yield* store.put([{
    id: given.id,
    name: "Operator of the settings",
    enabled: true,
    secrets: [{ id: settingsSecretId, hash: hashSecret(Redacted.value(given.secret)) }],
    grants: [wholeService]
  }])
})
