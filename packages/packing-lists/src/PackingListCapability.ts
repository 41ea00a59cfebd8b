/** Packing lists as a capability (D25): files of CSV and XLSX that become documents, and the mappings by which they are read. */
import * as Capability from "@dockline/core/capability/Capability"
import { Effect } from "effect"
import recorded from "./domain/answers.json" with { type: "json" }
import {
  deletePackingListMapping,
  listPackingListMappings,
  requests,
  savePackingListMapping
} from "./domain/SavedMapping.ts"
import { memory, SavedMappings } from "./domain/SavedMappings.ts"

/** Packing lists. */
export const packingLists = Capability.make("packing-lists", {
  title: "Packing lists",
  description: "Preview and send packing lists of CSV or XLSX, and store how they are read",
  operations: {
    /** The saved mappings of a business, in the order of their names (D25.7). */
    packingListMappings: listPackingListMappings,
    /** Saves a mapping: `{ business, name, mapping }` (D25.7). */
    savePackingListMapping,
    /** Deletes a mapping: `{ business, name }` (D25.7). */
    deletePackingListMapping
  },
  services: SavedMappings.layer,
  handlers: Effect.map(SavedMappings, (mappings) => ({
    packingListMappings: mappings.list,
    savePackingListMapping: mappings.save,
    deletePackingListMapping: mappings.delete
  })),
  memory,
  requests,
  answers: recorded.answers
})
