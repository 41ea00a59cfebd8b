import { AuthenticationSchemes, defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import type { AuthenticationProvider } from "@dockline/webhook-adapter/auth/EndpointAuth"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import * as UndiciHttp from "@dockline/webhook-adapter/outbound/UndiciHttp"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { Effect, Layer, Redacted } from "effect"

/** A scheme of your own: `Authorization: ApiKey <key>`. */
const apiKey: AuthenticationProvider = {
  type: "apiKey",
  open: (_settings, { key }) => {
    const authorization = { header: `ApiKey ${Redacted.value(key!)}` }
    return Effect.succeed({
      current: () => authorization,
      obtain: Effect.succeed(authorization),
      discard: () => false // nothing to renew: a 401 is a failure like any other
    })
  }
}

/** Lets operators set up the scheme: the key is stored sealed and never shown. */
export const schemes = Layer.succeed(AuthenticationSchemes, [...defaultSchemes, {
  type: "apiKey",
  fields: [{
    name: "key",
    description: "The key agreed with the customer",
    secret: true,
    default: undefined,
    kind: "text"
  }]
}])

/** Delivers as long as the layer lives. It needs a `DeliveryStore`, from `Memory.layer` or from sql-storage's `Sql.layer`. */
export const webhooks = (
  settings: { readonly secretsKey: Redacted.Redacted; readonly allow: ReadonlyArray<string> }
) =>
  WebhookAdapter.layer().pipe(
    Layer.provide(CustomerAuth.layer([apiKey])),
    Layer.provide([
      UndiciHttp.layer({ allow: settings.allow, timeoutMillis: 15_000 }),
      SecretsKey.layer([settings.secretsKey]),
      Placement.layerSingle
    ])
  )
