/**
 * The operator side of core for servers under test.
 */
import { ApiClients } from "@dockline/core/operator/ApiClients"
import { Audit } from "@dockline/core/operator/Audit"
import { Businesses } from "@dockline/core/operator/Businesses"
import { Deliveries } from "@dockline/core/operator/Deliveries"
import { People } from "@dockline/core/operator/People"
import { Webhooks } from "@dockline/core/operator/Webhooks"
import { WebhookTests } from "@dockline/core/operator/WebhookTests"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import { Layer } from "effect"

/** Differences from a service without a key. */
export interface OperatorOptions {
  /** Seals secrets of webhook endpoints; by default the service has no key. */
  readonly vault?: Layer.Layer<SecretsVault>
  /** The allowed addresses of webhook endpoints; by default any over https. */
  readonly outboundUrls?: Layer.Layer<OutboundUrls>
  /** The sender of test messages; none by default. */
  readonly testSender?: Layer.Layer<never>
}

const httpsOnly = Layer.succeed(
  OutboundUrls,
  OutboundUrls.of({ fault: (url) => url.startsWith("https:") ? undefined : "must be an https address" })
)

/** The services that webhook endpoints and capabilities need to store addresses and secrets. */
export const ports = (
  { outboundUrls = httpsOnly, vault = SecretsVault.layerWithoutKey }: OperatorOptions = {}
) => Layer.merge(outboundUrls, vault)

/** The services over the stores, with these ports. */
export const layer = (options: OperatorOptions = {}) =>
  Layer.mergeAll(
    Businesses.layer,
    ApiClients.layer,
    People.layer,
    Webhooks.layer,
    WebhookTests.layer(),
    Deliveries.layer,
    Audit.layer
  ).pipe(
    Layer.provide(options.testSender ?? Layer.empty),
    Layer.provideMerge(ports(options))
  )
