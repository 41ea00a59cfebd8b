/**
 * The SKU master: `Client.make({ …, capabilities: [skus] })` has `skus`, `setSkus` and `deleteSkus`, and its fields are part of `items`
 * (D17.4).
 */
import type { skus as capability } from "@dockline/core/skus/SkuCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** The SKU master of facilities. */
export const skus = ClientCapability.make<typeof capability>()({
  skus: "list GET /v1/skus",
  setSkus: "write POST /v1/skus",
  deleteSkus: "write POST /v1/skus/delete"
})
