/**
 * Sends webhooks over built services, for plain asynchronous code: `start` begins to send, and `close` ends it.
 *
 * Guarantee: deliveries are those of `WebhookAdapter`. A delivery that is under way at the end may finish within `drainMillis`; otherwise the
 * next dispatcher sends it again.
 *
 * ```ts
 * await using dockline = await Dockline.open({ storage, webhooks: WebhookSender.setup({ secretsKey }) })
 * await using webhooks = await WebhookSender.start(dockline.layer)
 * ```
 */
import { withDefaults } from "@dockline/core/values/Defaults"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import { CustomerAuth } from "./auth/CustomerAuth.ts"
import type { AuthenticationProvider } from "./auth/EndpointAuth.ts"
import * as SecretsKey from "./auth/SecretsKey.ts"
import * as TestMessages from "./dispatch/TestMessages.ts"
import type { OutboundHttp } from "./outbound/OutboundHttp.ts"
import * as OutboundPolicy from "./outbound/OutboundPolicy.ts"
import * as UndiciHttp from "./outbound/UndiciHttp.ts"
import { Placement } from "./placement/Placement.ts"
import * as WebhookAdapter from "./WebhookAdapter.ts"
import { defaultWebhookConfig } from "./WebhookConfig.ts"
import type { InvalidConfig, WebhookConfig } from "./WebhookConfig.ts"

/** The settings for calling customers. */
export interface CustomerCalls {
  /** The client that calls customers; `UndiciHttp` under the outbound policy by default. */
  readonly outboundHttp?: Layer.Layer<OutboundHttp, InvalidConfig>
  /** Authentication schemes besides those of D9.1 and D9.2. */
  readonly authentication?: ReadonlyArray<AuthenticationProvider>
  /** The time limit for the answer of a customer, in milliseconds; 15,000 by default (D9.3). */
  readonly timeoutMillis?: number
}

/** The settings for setting up and testing endpoints. */
export interface WebhookSetup extends CustomerCalls {
  /**
   * The key that encrypts customers' passwords and signing secrets: 32 bytes in base64 (`openssl rand -base64 32`).
   * Several keys are separated by commas; the first encrypts.
   */
  readonly secretsKey: string
  /** Networks in CIDR form that may be called in addition to public addresses, also over plain http; none by default. */
  readonly allow?: ReadonlyArray<string>
}

/** The parts that `Dockline.open` takes as `webhooks`. */
export const setup = (
  { secretsKey, allow = [], ...calls }: WebhookSetup
): Layer.Layer<SecretsVault | OutboundUrls, InvalidConfig> =>
  Layer.mergeAll(TestMessages.layer(configOf(calls)), OutboundPolicy.layer({ allow })).pipe(
    Layer.provide(callsOf(calls, allow, configOf(calls))),
    Layer.provideMerge(
      Layer.unwrap(Effect.fromResult(Result.map(SecretsKey.parse(secretsKey), SecretsKey.layer)))
    )
  )

const configOf = (
  { timeoutMillis = defaultWebhookConfig.timeoutMillis }: CustomerCalls
): WebhookConfig => ({ ...defaultWebhookConfig, timeoutMillis })

const callsOf = (
  { authentication, outboundHttp }: CustomerCalls,
  allow: ReadonlyArray<string>,
  config: WebhookConfig
): Layer.Layer<CustomerAuth | OutboundHttp, InvalidConfig, SecretsVault> =>
  CustomerAuth.layer(authentication, config).pipe(
    Layer.provideMerge(outboundHttp ?? UndiciHttp.layer({ allow, timeoutMillis: config.timeoutMillis }))
  )

/** The settings for sending webhooks. Absent settings have the defaults of `WebhookConfig.ts`. */
export interface WebhookSenderOptions extends Partial<WebhookConfig>, CustomerCalls {
  /** Networks in CIDR form that `UndiciHttp` may call in addition to public addresses; use the same as in {@link WebhookSetup}. */
  readonly allow?: ReadonlyArray<string>
  /** The endpoints that this process serves; by default all of them, which is right for a single process. */
  readonly placement?: Layer.Layer<Placement>
}

/** A running sender of webhooks. */
export interface WebhookSender extends AsyncDisposable {
  /** Begins no more deliveries, and waits for those under way. */
  readonly close: () => Promise<void>
}

/** Starts to send; rejects with `InvalidConfig` when a setting is wrong. */
export const start = async (
  services: Layer.Layer<DeliveryStore | SecretsVault>,
  settings: WebhookSenderOptions = {}
): Promise<WebhookSender> => {
  const { allow = [], authentication: _, outboundHttp: __, placement, ...options } = settings
  const config = withDefaults(defaultWebhookConfig, options)
  const layer = WebhookAdapter.layer(config).pipe(
    Layer.provide(callsOf(settings, allow, config)),
    Layer.provide(placement ?? Placement.layerSingle),
    Layer.provide(services)
  )
  const scope = Scope.makeUnsafe()
  await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return { close, [Symbol.asyncDispose]: close }
}
