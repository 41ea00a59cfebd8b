/**
 * Opens how an endpoint authenticates us: finds the provider of its scheme and hands it the settings and the opened
 * secrets (D9.1, D9.2).
 */
import type { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { SecretsVault } from "@dockline/core/SecretsVault"
import type { EndpointAuthentication, WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import { defaultWebhookConfig } from "../WebhookConfig.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import * as BasicAuth from "./BasicAuth.ts"
import { LoginFailed } from "./EndpointAuth.ts"
import type { AuthenticationProvider, EndpointAuth } from "./EndpointAuth.ts"
import * as NoAuth from "./NoAuth.ts"
import * as TokenAuth from "./TokenAuth.ts"

/** The context under which the secrets of a business' endpoints are sealed. */
export const sealingContext = (business: string): string => `webhook:${business}`

/** How endpoints authenticate us. */
export class CustomerAuth extends Context.Service<CustomerAuth, {
  /**
   * Prepares the authentication of an endpoint; calls nobody yet. A scheme without a provider opens to one that
   * never signs in and says so.
   */
  readonly open: (
    endpoint: Pick<WebhookEndpoint, "business" | "authentication">
  ) => Effect.Effect<EndpointAuth, SecretUnreadable>
}>()("@dockline/webhook-adapter/CustomerAuth") {
  /** None, Basic and token, and further providers; one of the same type replaces ours. */
  static readonly layer = (
    providers: ReadonlyArray<AuthenticationProvider> = [],
    config: Pick<WebhookConfig, "userAgent"> = defaultWebhookConfig
  ): Layer.Layer<CustomerAuth, never, SecretsVault | OutboundHttp> =>
    Layer.effect(
      CustomerAuth,
      Effect.gen(function*() {
        const vault = yield* SecretsVault
        const http = yield* OutboundHttp
        const byType = new Map(
          [NoAuth.provider, BasicAuth.provider, TokenAuth.provider(http, config), ...providers].map(
            (provider) => [provider.type, provider]
          )
        )

        const openSecrets = Effect.fnUntraced(function*(
          { secrets }: EndpointAuthentication,
          context: string
        ) {
          const opened: Record<string, Redacted.Redacted> = {}
          for (const [name, sealed] of Object.entries(secrets)) {
            opened[name] = yield* vault.open(sealed, context)
          }
          return opened
        })

        return CustomerAuth.of({
          open: Effect.fn("CustomerAuth.open")(function*({ authentication, business }) {
            const provider = byType.get(authentication.type)
            if (provider === undefined) return withoutProvider(authentication.type)
            const secrets = yield* openSecrets(authentication, sealingContext(business))
            return yield* provider.open(authentication.settings, secrets)
          })
        })
      })
    )
}

const withoutProvider = (type: string): EndpointAuth => ({
  current: () => undefined,
  obtain: Effect.fail(
    new LoginFailed({ error: `this service has no provider of the authentication ${type}` })
  ),
  refused: () => false
})
