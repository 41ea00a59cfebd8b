/**
 * The sending of webhooks over built services, for plain asynchronous code: begins when it is started, ends when it is
 * disposed.
 *
 * Guarantee: as of `Dispatcher.ts`. What is on its way when it ends is finished within `drainMillis`; what is not is sent
 * again by whoever starts next.
 *
 * ```ts
 * await using dockline = await Dockline.open({ storage, webhooks: WebhookSender.setup({ secretsKey }) })
 * await using webhooks = await WebhookSender.start(dockline.layer)
 * ```
 */
import { withDefaults } from "@dockline/core/Defaults"
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import type { OutboundUrls } from "@dockline/core/OutboundUrls"
import type { SecretsVault } from "@dockline/core/SecretsVault"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import { CustomerAuth } from "./auth/CustomerAuth.ts"
import type { AuthenticationProvider } from "./auth/EndpointAuth.ts"
import * as SecretsKey from "./auth/SecretsKey.ts"
import type { InvalidConfig } from "./InvalidConfig.ts"
import type { OutboundHttp } from "./outbound/OutboundHttp.ts"
import * as OutboundPolicy from "./outbound/OutboundPolicy.ts"
import * as UndiciHttp from "./outbound/UndiciHttp.ts"
import { Placement } from "./placement/Placement.ts"
import * as WebhookAdapter from "./WebhookAdapter.ts"
import { defaultWebhookConfig } from "./WebhookConfig.ts"
import type { WebhookConfig } from "./WebhookConfig.ts"

/** What the setting up of endpoints needs. */
export interface WebhookSetup {
  /**
   * Encrypts customers' passwords and signing secrets: base64 of 32 bytes (`openssl rand -base64 32`); several with
   * commas, of which the first encrypts.
   */
  readonly secretsKey: string
  /** Networks in CIDR form that may be called besides public addresses, and over plain http; none. */
  readonly allow?: ReadonlyArray<string>
}

/** The parts that `Dockline.open` takes as `webhooks`. */
export const setup = (
  { secretsKey, allow = [] }: WebhookSetup
): Layer.Layer<SecretsVault | OutboundUrls, InvalidConfig> =>
  Layer.mergeAll(
    Layer.unwrap(Effect.fromResult(Result.map(SecretsKey.parse(secretsKey), SecretsKey.layer))),
    OutboundPolicy.layer({ allow })
  )

/** How webhooks are sent. What is not given is as in `WebhookConfig.ts`. */
export interface WebhookSenderOptions extends Partial<WebhookConfig> {
  /** What calls customers; our own client, under the outbound policy, unless given. */
  readonly outboundHttp?: Layer.Layer<OutboundHttp, InvalidConfig>
  /** Networks in CIDR form that our own client may call besides public addresses; the same as of {@link WebhookSetup}. */
  readonly allow?: ReadonlyArray<string>
  /** Ways to sign in at customers besides those of D9.1, D9.2. */
  readonly authentication?: ReadonlyArray<AuthenticationProvider>
  /** Which endpoints this process sends to; all of them, which is right for one process, unless given. */
  readonly placement?: Layer.Layer<Placement>
}

/** The sending, and its end. */
export interface WebhookSender extends AsyncDisposable {
  /** Begins no more deliveries, and waits for those on their way. */
  readonly dispose: () => Promise<void>
}

/** Starts to send; rejects with `InvalidConfig` when a setting is wrong. */
export const start = async (
  services: Layer.Layer<DeliveryStore | SecretsVault>,
  { outboundHttp, allow = [], authentication, placement, ...options }: WebhookSenderOptions = {}
): Promise<WebhookSender> => {
  const config = withDefaults(defaultWebhookConfig, options)
  const { timeoutMillis } = config
  const layer = WebhookAdapter.layer(config).pipe(
    Layer.provide(CustomerAuth.layer(authentication, config)),
    Layer.provide(outboundHttp ?? UndiciHttp.layer({ allow, timeoutMillis })),
    Layer.provide(placement ?? Placement.layerSingle),
    Layer.provide(services)
  )
  const scope = Scope.makeUnsafe()
  await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const dispose = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return { dispose, [Symbol.asyncDispose]: dispose }
}
