/** Whether the secrets of customers can be stored and read: the keys, against what is stored. */
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option } from "effect"
import * as ServerDatabase from "../lifecycle/ServerDatabase.ts"
import type { Settings } from "../settings/Settings.ts"
import { on } from "./SettingsCheck.ts"
import type { Finding } from "./SettingsCheck.ts"

const { ok, problem, warning } = on("keys")

/** Whether every secret of an endpoint opens. */
const opens = ({ authentication, business, headers, signingSecrets }: WebhookEndpoint) =>
  Effect.flatMap(SecretsVault, (vault) =>
    Effect.forEach(
      [
        ...Object.values(authentication.secrets),
        ...[...signingSecrets, ...headers].map(({ sealed }) => sealed)
      ],
      (ciphertext) => vault.open(ciphertext, secretsContext(business)),
      { discard: true }
    )).pipe(Effect.match({ onSuccess: () => true, onFailure: () => false }))

export const check = (
  settings: Settings,
  endpoints: ReadonlyArray<WebhookEndpoint>
): Effect.Effect<Finding, never, SecretsVault> =>
  Effect.gen(function*() {
    if (Option.isNone(settings.secretsKeys) && ServerDatabase.isShared(settings) && endpoints.length === 0) {
      return warning("no webhook can be set up; set SECRETS_KEY, made with: openssl rand -base64 32")
    }
    const closed = yield* Effect.filter(endpoints, (each) => Effect.map(opens(each), (isOpen) => !isOpen))
    const [first] = closed
    return first === undefined
      ? ok(`all secrets of ${endpoints.length} webhook endpoints can be read`)
      : problem(
        `the secrets of ${closed.length} of ${endpoints.length} webhook endpoints cannot be read, of ${first.id} for one; add the key that they were stored with to SECRETS_KEY, after a comma`
      )
  })
