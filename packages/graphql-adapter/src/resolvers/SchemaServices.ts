/** What the schema is made of: core's services, and how its resolvers run effects. */
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { DocumentRules } from "@dockline/core/document/DocumentInput"
import { DocumentReader } from "@dockline/core/document/DocumentReader"
import { Intake } from "@dockline/core/document/Intake"
import { Strategies } from "@dockline/core/document/Strategy"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Messages } from "@dockline/core/messages/Messages"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Directory"
import { Search } from "@dockline/core/search/Search"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { Context, Effect } from "effect"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { makeRun } from "./Run.ts"
import type { Run } from "./Run.ts"

const core = {
  intake: Intake,
  shipments: Shipments,
  pallets: Pallets,
  search: Search,
  messages: Messages,
  /** The operations of which fields and mutations derive. */
  registry: OperationRegistry,
  log: MessageLog,
  directory: Directory,
  /** Reads the files of `uploadDocument`. */
  documentReader: DocumentReader
}

/** The services of core that the schema uses. */
export type CoreServices = { readonly [Name in keyof typeof core]: (typeof core)[Name]["Service"] }

/** The services of core, with settings and the way to run effects. */
export interface SchemaServices extends CoreServices {
  readonly rules: DocumentRules
  readonly config: GraphqlConfig
  readonly run: Run
  /** The references of operations outside of a request, such as the tracer. */
  readonly references: Context.Context<never>
}

/** Gathers the services, and references such as the logger, from the context of an effect. */
export const gatherServices = Effect.fnUntraced(function*(config: GraphqlConfig = defaultGraphqlConfig) {
  const references = yield* Effect.context<never>()
  const services: SchemaServices = {
    ...(yield* Effect.all(core)),
    rules: { vocabulary: yield* Vocabulary, strategies: yield* Strategies },
    config,
    references,
    run: makeRun(references)
  }
  return services
})
