/**
 * Prepares the authentication of endpoints: finds the provider of the scheme, and passes it the settings and the opened
 * secrets (D9.1, D9.2).
 */
import type { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { repeatedType } from "@dockline/core/webhooks/WebhookEndpoint"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Context, Effect, Layer, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import { defaultWebhookConfig, InvalidConfig } from "../WebhookConfig.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { LoginFailed } from "./EndpointAuth.ts"
import type { AuthenticationProvider, Authorization, EndpointAuth } from "./EndpointAuth.ts"
import * as OAuthAuth from "./OAuthAuth.ts"
import * as TokenAuth from "./TokenAuth.ts"

/** Prepares how this service authenticates itself at endpoints. */
export class CustomerAuth extends Context.Service<CustomerAuth, {
  /**
   * Prepares the authentication of an endpoint, without a call. The result for a scheme without a provider fails every
   * sign-in with that reason.
   */
  readonly open: (
    endpoint: Pick<WebhookEndpoint, "business" | "authentication">
  ) => Effect.Effect<EndpointAuth, SecretUnreadable>
}>()("@dockline/webhook-adapter/auth/CustomerAuth") {
  /** Provides the schemes none, Basic, token and OAuth 2.0, and the given providers; fails when two provide one type. */
  static readonly layer = (
    providers: ReadonlyArray<AuthenticationProvider> = [],
    config: Pick<WebhookConfig, "userAgent"> = defaultWebhookConfig
  ): Layer.Layer<CustomerAuth, InvalidConfig, SecretsVault | OutboundHttp> =>
    Layer.effect(
      CustomerAuth,
      Effect.gen(function*() {
        const vault = yield* SecretsVault
        const http = yield* OutboundHttp
        const all = [
          none,
          basic,
          TokenAuth.provider(http, config),
          OAuthAuth.provider(http, config),
          ...providers
        ]
        const twice = repeatedType(all)
        if (twice !== undefined) {
          return yield* new InvalidConfig({
            setting: "authentication",
            reason: `two providers of the type ${twice}`
          })
        }
        const byType = new Map(all.map((provider) => [provider.type, provider]))
        return CustomerAuth.of({
          open: Effect.fn("CustomerAuth.open")(function*({ authentication, business }) {
            const { secrets, settings, type } = authentication
            const provider = byType.get(type)
            if (provider === undefined) return withoutProvider(type)
            const context = secretsContext(business)
            const plaintexts: Record<string, Redacted.Redacted> = {}
            for (const [name, ciphertext] of Object.entries(secrets)) {
              plaintexts[name] = yield* vault.open(ciphertext, context)
            }
            return yield* provider.open(settings, plaintexts)
          })
        })
      })
    )
}

const withoutProvider = (type: string): EndpointAuth => ({
  current: () => undefined,
  obtain: new LoginFailed({ error: `this service has no provider of the authentication ${type}` }),
  discard: () => false
})

/** The authentication of a scheme whose authorization never changes (D9.1; RFC 7617). */
const constantAuth = (authorization: Authorization): Effect.Effect<EndpointAuth> =>
  Effect.succeed({
    current: () => authorization,
    obtain: Effect.succeed(authorization),
    discard: () => false
  })

const none: AuthenticationProvider = { type: "none", open: () => constantAuth({ header: undefined }) }

const basic: AuthenticationProvider = {
  type: "basic",
  open: ({ username = "" }, { password }) => {
    const secret = password === undefined ? "" : Redacted.value(password)
    const pair = `${username}:${secret}`
    // A password that is too short to be hidden wherever it occurs is hidden only together with its user name.
    return constantAuth({
      header: `Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
      secrets: [pair, secret]
    })
  }
}
