/**
 * The parts of the schema, of the contract and of capabilities: the functions and views, and the names of the tables and sequences that a
 * cluster distributes. In a cluster the rows of businesses are in shards, each on one node; every node has copies of the tables of `places`,
 * and all other tables are on the coordinator.
 */
import type { Text } from "./cluster/Merging.ts"
import { spanning } from "./cluster/Spanning.ts"
import { define, inOrder } from "./Definitions.ts"
import type { Definition } from "./Definitions.ts"
import type * as SqlCapability from "./SqlCapability.ts"
import { functionsOf } from "./SqlCapability.ts"

/** The statements that create the functions and views of the contract, with one file for each subject. */
const functions: ReadonlyArray<string> = [
  new URL("../../sql/access.sql", import.meta.url),
  new URL("../../sql/answers.sql", import.meta.url),
  new URL("../../sql/basics.sql", import.meta.url),
  new URL("../../sql/deliveries.sql", import.meta.url),
  new URL("../../sql/documents.sql", import.meta.url),
  new URL("../../sql/endpoints.sql", import.meta.url),
  new URL("../../sql/intake.sql", import.meta.url),
  new URL("../../sql/messages.sql", import.meta.url),
  new URL("../../sql/movement.sql", import.meta.url),
  new URL("../../sql/outboxes.sql", import.meta.url),
  new URL("../../sql/pallets.sql", import.meta.url),
  new URL("../../sql/places.sql", import.meta.url),
  new URL("../../sql/replays.sql", import.meta.url),
  new URL("../../sql/retention.sql", import.meta.url),
  new URL("../../sql/search.sql", import.meta.url),
  new URL("../../sql/shipment_lists.sql", import.meta.url),
  new URL("../../sql/shipments.sql", import.meta.url),
  new URL("../../sql/steps.sql", import.meta.url)
].flatMap(functionsOf)

/** The definitions of the contract, in an order in which they can be created. */
export const definitions: ReadonlyArray<Definition> = inOrder(functions.map((text) => define(text)))

/** The tables whose rows belong to a business, each before the tables that refer to it. */
export const tables = [
  "shipment",
  "shipment_link",
  "customer_order",
  "order_item",
  "document_record",
  "document_order",
  "document_removal",
  "pallet",
  "pallet_event",
  "message_log",
  "message",
  "outbox",
  "outbox_entry",
  "webhook_endpoint",
  "webhook_delivery"
] as const

/** The tables of which each node of a cluster has a complete copy. */
export const places = ["business", "facility", "dock"] as const

/** The tables of the coordinator that are written in the transactions of businesses. */
export const keptTables = ["idempotent_answer", "audit_entry"] as const

/** The sequences of the ids of rows of businesses; each shard has its own. */
export const sequences = [
  "shipment_id",
  "customer_order_id",
  "order_item_id",
  "document_record_id",
  "pallet_id",
  "message_id",
  "webhook_endpoint_id"
] as const

/** The schema of the contract and of capabilities. */
export interface SqlSchema {
  /** The functions and views, in an order in which they can be created. */
  readonly definitions: ReadonlyArray<Definition>
  /** The tables whose rows belong to a business, each before the tables that refer to it. */
  readonly tables: ReadonlyArray<string>
  /** The sequences of the ids of rows of businesses. */
  readonly sequences: ReadonlyArray<string>
  /** The functions that span businesses, by name. */
  readonly spanning: Readonly<Record<string, Text>>
}

/** Fails if a name stands for two things: in the functions of a shard a name is replaced wherever it stands, whatever it names. */
const namingEachOnce = (schema: SqlSchema): SqlSchema => {
  const { definitions, sequences, tables } = schema
  const names = [...places, ...keptTables, ...tables, ...sequences, ...definitions.map(({ name }) => name)]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return schema
  throw new Error(
    `dockline.${twice} is the name of two tables, sequences, views or functions, which a cluster could not tell apart: rename one of them`
  )
}

/** The schema of the contract and of these capabilities. It throws if a name stands for two things. */
export const schemaOf = (capabilities: SqlCapability.List): SqlSchema =>
  namingEachOnce({
    definitions: inOrder([
      ...definitions,
      ...capabilities.flatMap(({ functions = [], name }) => functions.map((text) => define(text, name)))
    ]),
    tables: [...tables, ...capabilities.flatMap(({ cluster }) => cluster?.tables ?? [])],
    sequences: [...sequences, ...capabilities.flatMap(({ cluster }) => cluster?.sequences ?? [])],
    spanning: Object.assign({}, spanning, ...capabilities.map(({ cluster }) => cluster?.spanning))
  })
