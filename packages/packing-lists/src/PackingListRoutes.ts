/** Packing lists: `Client.make({ …, capabilities: [packingLists] })` lists, saves and deletes mappings (D25.7). */
import * as ClientCapability from "@dockline/client/ClientCapability"
import type { packingLists as capability } from "./PackingListCapability.ts"

/** The mappings of packing lists. */
export const packingLists = ClientCapability.make<typeof capability>()({
  packingListMappings: "list GET /v1/packing-lists/mappings",
  savePackingListMapping: "write POST /v1/packing-lists/mappings",
  deletePackingListMapping: "write POST /v1/packing-lists/mappings/delete"
})
