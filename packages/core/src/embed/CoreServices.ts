/**
 * All services of core over a storage, as one layer: what an adapter, or the façade of `Dockline.ts`, is built on.
 */
import { Layer } from "effect"
import { defaultItemLimit } from "../document/DocumentInput.ts"
import { Intake } from "../document/Intake.ts"
import type { Stores } from "../memory/Memory.ts"
import { defaultMessagesConfig, Messages } from "../messages/Messages.ts"
import { defaultMovementConfig } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import { Pallets } from "../movement/Pallets.ts"
import { Shipments } from "../movement/Shipments.ts"
import { ApiClients } from "../operator/ApiClients.ts"
import { Businesses } from "../operator/Businesses.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import { OutboundUrls } from "../webhooks/OutboundUrls.ts"
import { SecretsVault } from "../webhooks/SecretsVault.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"

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
