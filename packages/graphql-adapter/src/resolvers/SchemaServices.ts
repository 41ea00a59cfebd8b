/** What the schema is made of: core's services, and how its resolvers run effects. */
import { Directory } from "@dockline/core/Directory"
import { defaultRules } from "@dockline/core/DocumentInput"
import type { DocumentRules } from "@dockline/core/DocumentInput"
import { DocumentReader } from "@dockline/core/DocumentReader"
import { EdiFiles } from "@dockline/core/EdiFiles"
import { Exceptions } from "@dockline/core/Exceptions"
import { Intake } from "@dockline/core/Intake"
import { MessageLog } from "@dockline/core/MessageLog"
import { Messages } from "@dockline/core/Messages"
import { Pallets } from "@dockline/core/Pallets"
import { Search } from "@dockline/core/Search"
import { Shipments } from "@dockline/core/Shipments"
import { Skus } from "@dockline/core/Skus"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Context, Effect } from "effect"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { makeRun } from "./Run.ts"
import type { Run } from "./Run.ts"

/** The services of core that the schema uses. */
export interface CoreServices {
  readonly intake: typeof Intake.Service
  readonly shipments: typeof Shipments.Service
  readonly pallets: typeof Pallets.Service
  readonly exceptions: typeof Exceptions.Service
  readonly search: typeof Search.Service
  readonly skus: typeof Skus.Service
  readonly messages: typeof Messages.Service
  readonly ediFiles: typeof EdiFiles.Service
  readonly log: typeof MessageLog.Service
  readonly directory: typeof Directory.Service
  /** Reads the files of `uploadDocument`. */
  readonly documentReader: typeof DocumentReader.Service
}

/** The services of core, with settings and the way to run effects. */
export interface SchemaServices extends CoreServices {
  readonly rules: DocumentRules
  readonly config: GraphqlConfig
  readonly run: Run
  /** The references of operations outside of a request, such as the tracer. */
  readonly references: Context.Context<never>
}

/** {@link SchemaServices}, with defaults for everything but core's services. */
export interface GivenServices extends CoreServices {
  readonly rules?: DocumentRules
  readonly config?: Partial<GraphqlConfig>
  readonly run?: Run
  readonly references?: Context.Context<never>
}

/** Puts the defaults in place. */
export const makeServices = (given: GivenServices): SchemaServices => ({
  rules: defaultRules,
  run: makeRun(given.references ?? Context.empty()),
  references: Context.empty(),
  ...given,
  config: { ...defaultGraphqlConfig, ...given.config }
})

/** Gathers the services, and references such as the logger, from the context of an effect. */
export const gatherServices = Effect.fnUntraced(function*(config: Partial<GraphqlConfig> = {}) {
  return makeServices({
    intake: yield* Intake,
    shipments: yield* Shipments,
    pallets: yield* Pallets,
    exceptions: yield* Exceptions,
    search: yield* Search,
    skus: yield* Skus,
    messages: yield* Messages,
    ediFiles: yield* EdiFiles,
    log: yield* MessageLog,
    directory: yield* Directory,
    documentReader: yield* DocumentReader,
    rules: { vocabulary: yield* Vocabulary, strategies: yield* Strategies },
    config,
    references: yield* Effect.context<never>()
  })
})
