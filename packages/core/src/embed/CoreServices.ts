/**
 * All services of core over a storage, as one layer for adapters and for the façade of `Dockline.ts`.
 */
import { Clock, Effect, Layer } from "effect"
import * as Capability from "../capability/Capability.ts"
import * as Words from "../capability/DeclaredOperations.ts"
import { OperationRegistry } from "../capability/OperationRegistry.ts"
import { defaultItemLimit } from "../document/DocumentInput.ts"
import type { DocumentRules } from "../document/DocumentInput.ts"
import { DocumentRecordConfig } from "../document/DocumentRecord.ts"
import { Intake } from "../document/Intake.ts"
import { defaultStrategies, Strategies } from "../document/Strategy.ts"
import type { Strategy } from "../document/Strategy.ts"
import type { Stores } from "../memory/Memory.ts"
import { MessageLogConfig } from "../messages/MessageLog.ts"
import { defaultMessageLimit, Messages } from "../messages/Messages.ts"
import { defaultMovementConfig, MovementSettings } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import { Pallets } from "../movement/Pallets.ts"
import { Shipments } from "../movement/Shipments.ts"
import { ApiClients } from "../operator/ApiClients.ts"
import { Audit } from "../operator/Audit.ts"
import { Businesses } from "../operator/Businesses.ts"
import { Deliveries } from "../operator/Deliveries.ts"
import { People } from "../operator/People.ts"
import { Webhooks } from "../operator/Webhooks.ts"
import { WebhookTests } from "../operator/WebhookTests.ts"
import { Search } from "../search/Search.ts"
import { defaultReportedTimes, ReportedTimes } from "../shipment/CheckIn.ts"
import type { ReportedTimeSettings } from "../shipment/CheckIn.ts"
import { withDefaults } from "../values/Defaults.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { defaultVocabulary, Vocabulary } from "../values/Vocabulary.ts"
import type { VocabularyWords } from "../values/Vocabulary.ts"
import { SecretsVault } from "../webhooks/SecretsVault.ts"
import { OutboundUrls } from "../webhooks/WebhookEndpoint.ts"

/** The services of the contract, and the registry of their operations. */
export type CoreServices = Layer.Success<ReturnType<typeof contract>> | OperationRegistry

/** The stores, the services over them, and the ports that webhook endpoints need. */
export type Services = Stores | CoreServices | WebhookParts

/** The ports that a program implements to set up webhook endpoints. */
type WebhookParts = SecretsVault | OutboundUrls

/** The settings of the services. */
export interface CoreConfig extends MovementConfig {
  /** The most items, and the most orders, of a document (D2.7). */
  readonly itemLimit: number
  /** The most messages of one answer (D8.1). */
  readonly messageLimit: number
}

const defaultCoreConfig: CoreConfig = {
  itemLimit: defaultItemLimit,
  messageLimit: defaultMessageLimit,
  ...defaultMovementConfig
}

const contract = (config: CoreConfig) =>
  Layer.mergeAll(
    Intake.layer(config),
    Pallets.layer(config),
    Shipments.layer(config),
    Search.layer,
    Messages.layer(config),
    Businesses.layer,
    ApiClients.layer,
    People.layer,
    Webhooks.layer,
    WebhookTests.layer(config),
    Deliveries.layer,
    Audit.layer
  )

/** The services of the contract and of capabilities, with their operations. */
export const layer = <const Capabilities extends Capability.List = []>(
  config: CoreConfig,
  capabilities: Capabilities
) =>
  OperationRegistry.layer(capabilities).pipe(
    Layer.provideMerge(Capability.servicesOf(capabilities)),
    Layer.provideMerge(contract(config)),
    Layer.provideMerge(Words.layer(capabilities)),
    Layer.provideMerge(Layer.succeed(MovementSettings, config))
  )

/** The ports for a program without webhooks, in which no endpoint can be set up. */
const withoutWebhooks: Layer.Layer<WebhookParts> = Layer.mergeAll(
  SecretsVault.layerWithoutKey,
  Layer.succeed(OutboundUrls, { fault: () => "cannot be called: this service sends no webhooks" })
)

/** Settings that differ from their defaults. */
interface DocklineParts extends Partial<CoreConfig>, Partial<ReportedTimeSettings> {
  /** The clock of all timestamps that are written; the system's clock unless given. */
  readonly clock?: {
    /** The time, in milliseconds since 1970. */
    readonly now: () => number
  }
  /** Item strategies in addition to the four of the wire contract, by the names that documents use. */
  readonly strategies?: Readonly<Record<string, Strategy>>
  /** The permitted words of documents. Each list that is passed replaces the list of the wire contract (D1.3). */
  readonly vocabulary?: Partial<VocabularyWords>
  /** How long messages are kept, in milliseconds; 90 days by default (D7.4). */
  readonly retentionMillis?: number
  /** How long the record of documents is kept, in milliseconds; 90 days by default. If 0, nothing is recorded (D13.6). */
  readonly documentRetentionMillis?: number
}

/** The ports of other capabilities that the capabilities need in addition to the contract; none for a list of unknown members. */
type OthersPorts<Capabilities extends Capability.List> = unknown extends Capability.NeedsOf<Capabilities> ?
  never
  : Exclude<Capability.NeedsOf<Capabilities>, Services>

/** The storage, and settings that differ from their defaults. */
export interface Options<Capabilities extends Capability.List = Capability.List> extends DocklineParts {
  /** The capabilities (D20.1); none by default. The storage must provide their ports, and the ports of others that they need. */
  readonly capabilities?: Capabilities
  /** The storage: `Memory.layer`, `Postgres.layer` of `@dockline/sql-storage`, or other implementations of the ports. */
  readonly storage: Layer.Layer<
    Stores | Capability.PortsOf<Capabilities> | OthersPorts<Capabilities>,
    unknown
  >
  /** The ports for webhook endpoints; without them no endpoint can be set up. */
  readonly webhooks?: Layer.Layer<WebhookParts, unknown>
}

/** The rules of documents with the program's own strategies and words; by default the wire contract's. */
export const rulesOf = ({ strategies, vocabulary }: DocklineParts): DocumentRules => ({
  strategies: withDefaults(defaultStrategies, strategies),
  vocabulary: withDefaults(defaultVocabulary, vocabulary)
})

/** The settings of the services; each that the program leaves out has its default. */
export const configOf = ({ itemLimit, messageLimit, dashboardUrl }: DocklineParts): CoreConfig =>
  withDefaults(defaultCoreConfig, { itemLimit, messageLimit, dashboardUrl })

/** The services over a storage, with the clock, the rules of documents and the retention under which they run. */
export const layerOf = (options: Options): Layer.Layer<Services, unknown> =>
  // The type of `Options` ensures that the storage has the ports that the capabilities need.
  layer(configOf(options), (options.capabilities ?? []) as []).pipe(
    Layer.provideMerge(Layer.mergeAll(options.storage, options.webhooks ?? withoutWebhooks)),
    Layer.provideMerge(references(options))
  )

const references = (options: DocklineParts): Layer.Layer<never> => {
  const { strategies, vocabulary } = rulesOf(options)
  const { clock, clockToleranceSeconds, documentRetentionMillis, lateEventHours, retentionMillis } = options
  return Layer.mergeAll(
    Layer.succeed(Strategies, strategies),
    Layer.succeed(Vocabulary, vocabulary),
    Layer.succeed(
      ReportedTimes,
      withDefaults(defaultReportedTimes, { clockToleranceSeconds, lateEventHours })
    ),
    retentionMillis === undefined ? Layer.empty : Layer.effect(
      MessageLogConfig,
      Effect.map(MessageLogConfig, (settings) => ({ ...settings, retentionMillis }))
    ),
    documentRetentionMillis === undefined
      ? Layer.empty
      : Layer.succeed(DocumentRecordConfig, { retentionMillis: documentRetentionMillis }),
    clock === undefined
      ? Layer.empty
      : Layer.effect(
        Clock.Clock,
        Effect.map(Clock.Clock, (system) => Timestamp.clockOf(() => clock.now(), system))
      )
  )
}
