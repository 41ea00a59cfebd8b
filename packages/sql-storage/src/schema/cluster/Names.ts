/**
 * The distribution of tables in a cluster: the rows of businesses are in shards, each on a node; places are on every node, and all other
 * tables on the coordinator.
 */

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

/** The tables that each node has. */
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
