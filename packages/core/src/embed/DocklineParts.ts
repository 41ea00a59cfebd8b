/**
 * What the façade is made of: the settings, the references that every effect of it sees, and the services as one layer.
 */
import { Clock, Effect, Layer, Predicate } from "effect"
import type { DocumentRules } from "../document/DocumentInput.ts"
import { defaultStrategies, Strategies } from "../document/Strategy.ts"
import type { Strategy } from "../document/Strategy.ts"
import * as Given from "../internal/Given.ts"
import type { Stores } from "../memory/Memory.ts"
import { MessageLogConfig } from "../messages/MessageLog.ts"
import { withDefaults } from "../values/Defaults.ts"
import { defaultVocabulary, Vocabulary } from "../values/Vocabulary.ts"
import type { VocabularyWords } from "../values/Vocabulary.ts"
import * as CoreServices from "./CoreServices.ts"
import type { CoreConfig, WebhookParts } from "./CoreServices.ts"

/** What may be different from its default. */
export interface DocklineParts extends Partial<CoreConfig> {
  /** The time of everything that is written, in milliseconds since 1970; the system's unless given. */
  readonly clock?: {
    /** The time, in milliseconds since 1970. */
    readonly now: () => number
  }
  /** Item strategies beside the four of the wire contract, by the name that documents give. */
  readonly strategies?: Readonly<Record<string, Strategy>>
  /** Words that documents may use; each list that is given takes the place of the one of the wire contract (D1.3). */
  readonly vocabulary?: Partial<VocabularyWords>
  /** How long messages are kept, in milliseconds; 90 days (D7.4). */
  readonly retentionMillis?: number
}

/** Where everything is kept, and whatever is to be different from its default. */
export interface Options extends DocklineParts {
  /** Where everything is kept: `Memory.layer`, `Postgres.layer` of `@dockline/sql-storage`, or one's own ports. */
  readonly storage: Layer.Layer<Stores, unknown>
  /** What the setting up of webhook endpoints needs; without it none can be set up. */
  readonly webhooks?: Layer.Layer<WebhookParts, unknown>
}

/** Whether each member of an object is good; one that is `undefined` is not given. */
const isRecordOf = (isMember: (value: unknown, name: string) => boolean) => (value: unknown): boolean =>
  Predicate.isObject(value) &&
  Object.entries(value).every(([name, member]) => member === undefined || isMember(member, name))

const isListOfText = (value: unknown): boolean => Array.isArray(value) && value.every(Predicate.isString)

const isStrategy = (value: unknown): boolean =>
  Predicate.isObject(value) && isListOfText(value["requiredFields"]) && typeof value["apply"] === "function"

/** What each option must be. */
export const known: Given.Options<Options> = {
  storage: { is: Layer.isLayer, expected: "a layer, such as Memory.layer", isRequired: true },
  webhooks: { is: Layer.isLayer, expected: "a layer" },
  itemLimit: Given.count,
  messageLimit: Given.count,
  dashboardUrl: Given.text,
  clock: {
    is: (value) => Predicate.hasProperty(value, "now") && typeof value.now === "function",
    expected: "an object with a function now"
  },
  strategies: {
    is: isRecordOf(isStrategy),
    expected: "strategies by name, each with requiredFields and apply"
  },
  vocabulary: {
    is: isRecordOf((words, name) => Object.hasOwn(defaultVocabulary, name) && isListOfText(words)),
    expected: `lists of text: ${Object.keys(defaultVocabulary).join(", ")}`
  },
  retentionMillis: {
    is: (value) => typeof value === "number" && value >= 0,
    expected: "a number of at least 0"
  }
}

/** What documents are read against. */
export const rulesOf = ({ strategies, vocabulary }: DocklineParts): DocumentRules => ({
  strategies: withDefaults(defaultStrategies, strategies),
  vocabulary: withDefaults(defaultVocabulary, vocabulary)
})

/** The settings of the services. */
export const configOf = (
  {
    itemLimit = CoreServices.defaultCoreConfig.itemLimit,
    messageLimit = CoreServices.defaultCoreConfig.messageLimit,
    dashboardUrl = CoreServices.defaultCoreConfig.dashboardUrl
  }: DocklineParts
): CoreConfig => ({ itemLimit, messageLimit, dashboardUrl })

/** The services over a storage, with the references they were built with. */
export const layer = (
  options: Options
): Layer.Layer<Stores | CoreServices.CoreServices | WebhookParts, unknown> =>
  CoreServices.layer(configOf(options)).pipe(
    Layer.provideMerge(Layer.mergeAll(options.storage, options.webhooks ?? CoreServices.withoutWebhooks)),
    Layer.provideMerge(references(options))
  )

/** What is seen by whatever runs over the services: the time, the rules of documents, how long messages are kept. */
const references = (options: DocklineParts): Layer.Layer<never> => {
  const { strategies, vocabulary } = rulesOf(options)
  const { clock, retentionMillis } = options
  return Layer.mergeAll(
    Layer.succeed(Strategies, strategies),
    Layer.succeed(Vocabulary, vocabulary),
    retentionMillis === undefined ? Layer.empty : Layer.effect(
      MessageLogConfig,
      Effect.map(MessageLogConfig, (settings) => ({ ...settings, retentionMillis }))
    ),
    clock === undefined
      ? Layer.empty
      : Layer.effect(Clock.Clock, Effect.map(Clock.Clock, (own) => clockOf(clock, own)))
  )
}

/** A clock that tells another time. Waiting is done by the system's: how long something takes is no matter of the hour. */
const clockOf = ({ now }: { readonly now: () => number }, system: Clock.Clock): Clock.Clock => {
  // Whole, as the system's is: `performance.now()` counts in fractions.
  const millis = () => Math.trunc(now())
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => system.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: system.monotonicTimeNanos,
    sleep: (duration) => system.sleep(duration)
  }
}
