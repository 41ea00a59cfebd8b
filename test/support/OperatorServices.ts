/**
 * The operator side of core for servers under test.
 */
import { ApiClients } from "@dockline/core/ApiClients"
import { Audit } from "@dockline/core/Audit"
import { Businesses } from "@dockline/core/Businesses"
import { Deliveries } from "@dockline/core/Deliveries"
import { EdiPartners } from "@dockline/core/operator/edi/EdiPartners"
import { WebhookTests } from "@dockline/core/operator/WebhookTests"
import { People } from "@dockline/core/People"
import { SecretsVault } from "@dockline/core/SecretsVault"
import { Webhooks } from "@dockline/core/Webhooks"
import { OutboundUrls } from "@dockline/core/webhooks/OutboundUrls"
import { Layer } from "effect"

/** What differs from a service without a key. */
export interface OperatorOptions {
  /** What seals secrets of webhook endpoints; the service has no key unless given. */
  readonly vault?: Layer.Layer<SecretsVault>
  /** Which addresses webhook endpoints may have; any over https unless given. */
  readonly outboundUrls?: Layer.Layer<OutboundUrls>
  /** What sends test messages; nothing does unless given. */
  readonly testSender?: Layer.Layer<never>
}

const httpsOnly = Layer.succeed(
  OutboundUrls,
  OutboundUrls.of({ fault: (url) => url.startsWith("https:") ? undefined : "must be an https address" })
)

/** The services over the stores, with the vault. */
export const layer = (
  {
    vault = SecretsVault.layerWithoutKey,
    outboundUrls = httpsOnly,
    testSender = Layer.empty
  }: OperatorOptions = {}
) =>
  Layer.mergeAll(
    Businesses.layer,
    ApiClients.layer,
    People.layer,
    Webhooks.layer,
    WebhookTests.layer(),
    Deliveries.layer,
    EdiPartners.layer,
    Audit.layer
  ).pipe(
    Layer.provide([outboundUrls, testSender]),
    Layer.provideMerge(vault)
  )
