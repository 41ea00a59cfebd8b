/**
 * The bootstrap operator (D11): a client of the settings that may operate the whole service, and so create the first
 * business and the first clients.
 */
import type { Grant } from "@dockline/core/access/Access"
import { ClientStore } from "@dockline/core/access/Principals"
import type { Client } from "@dockline/core/access/Principals"
import { hashSecret } from "@dockline/http-adapter/tokens/Clients"
import { Effect, Redacted } from "effect"
import type { Settings } from "../settings/Settings.ts"

/** The grant to operate every business, future ones included. */
export const wholeService: Grant = { business: "*", facilities: "*", permissions: ["operator"] }

/** The id of the secret that marks a client of the settings. */
const settingsSecretId = "settings"

/**
 * Stores the client of the settings at each start, and disables the clients of earlier settings, so that a secret that was removed from the
 * settings no longer works.
 */
export const install = Effect.fnUntraced(function*(operator: Settings["operator"]) {
  const store = yield* ClientStore
  const earlier: Array<Client> = []
  for (let after = "";;) {
    const page = yield* store.list("*", { after, limit: 100 })
    earlier.push(
      ...page.items.filter(({ id, enabled, secrets }) =>
        enabled && id !== operator?.id && secrets.some((secret) => secret.id === settingsSecretId)
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
  if (operator === undefined) return
  yield* store.put([{
    id: operator.id,
    name: "Operator of the settings",
    enabled: true,
    secrets: [{ id: settingsSecretId, hash: hashSecret(Redacted.value(operator.secret)) }],
    grants: [wholeService]
  }])
})
