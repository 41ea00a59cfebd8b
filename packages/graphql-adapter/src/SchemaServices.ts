/**
 * What the schema is made of: core's services, and how its resolvers run effects.
 */
import type { Directory } from "@dockline/core/Directory"
import type { DocumentRules } from "@dockline/core/DocumentInput"
import type { DocumentReader } from "@dockline/core/DocumentReader"
import type { Intake } from "@dockline/core/Intake"
import type { MessageLog } from "@dockline/core/MessageLog"
import type { Messages } from "@dockline/core/Messages"
import type { Pallets } from "@dockline/core/Pallets"
import type { Shipments } from "@dockline/core/Shipments"
import type { GraphqlConfig } from "./GraphqlConfig.ts"
import type { Run } from "./Run.ts"

/** Everything a schema needs. */
export interface SchemaServices {
  readonly intake: typeof Intake.Service
  readonly shipments: typeof Shipments.Service
  readonly pallets: typeof Pallets.Service
  readonly messages: typeof Messages.Service
  readonly log: typeof MessageLog.Service
  readonly directory: typeof Directory.Service
  /** Reads the files of `uploadDocument`. */
  readonly documentReader: typeof DocumentReader.Service
  /** What documents are read against. */
  readonly rules: DocumentRules
  readonly config: GraphqlConfig
  readonly run: Run
}
