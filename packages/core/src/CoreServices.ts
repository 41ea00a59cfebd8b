/**
 * All services of core over a storage, as one layer: what an adapter, or the façade of `Dockline.ts`, is built on.
 */
import { Layer } from "effect"
import { ApiClients } from "./ApiClients.ts"
import { Businesses } from "./Businesses.ts"
import { Deliveries } from "./Deliveries.ts"
import { defaultItemLimit } from "./DocumentInput.ts"
import { Intake } from "./Intake.ts"
import type { Stores } from "./Memory.ts"
import { defaultMessagesConfig, Messages } from "./Messages.ts"
import { defaultMovementConfig } from "./Movement.ts"
import type { MovementConfig } from "./Movement.ts"
import { OutboundUrls } from "./OutboundUrls.ts"
import { Pallets } from "./Pallets.ts"
import { SecretsVault } from "./SecretsVault.ts"
import { Shipments } from "./Shipments.ts"
import { Webhooks } from "./Webhooks.ts"

/** Every service of core. */
export type CoreServices =
  | Intake
  | Pallets
  | Shipments
  | Messages
  | Businesses
  | ApiClients
  | Webhooks
  | Deliveries

/** What the setting up of webhook endpoints needs of the program that sends them. */
export type WebhookParts = SecretsVault | OutboundUrls

/** Settings of the services. */
export interface CoreConfig extends MovementConfig {
  /** The most items, and the most orders, of a document (D2.7). */
  readonly itemLimit: number
  /** The most messages of one answer (D8.1). */
  readonly messageLimit: number
}

/** 10,000 items, 10,000 messages, a dashboard of this machine. */
export const defaultCoreConfig: CoreConfig = {
  itemLimit: defaultItemLimit,
  messageLimit: defaultMessagesConfig.maxMessages,
  ...defaultMovementConfig
}

/** The services of core, with the settings given. */
export const layer = (
  config: CoreConfig = defaultCoreConfig
): Layer.Layer<CoreServices, never, Stores | WebhookParts> =>
  Layer.mergeAll(
    Intake.layer(config),
    Pallets.layer(config),
    Shipments.layer(config),
    Messages.layer({ maxMessages: config.messageLimit }),
    Businesses.layer,
    ApiClients.layer,
    Webhooks.layer,
    Deliveries.layer
  )

/** For a program that sends no webhooks: none can be set up. */
export const withoutWebhooks: Layer.Layer<WebhookParts> = Layer.mergeAll(
  SecretsVault.layerWithoutKey,
  Layer.succeed(OutboundUrls, { fault: () => "cannot be called: this service sends no webhooks" })
)
