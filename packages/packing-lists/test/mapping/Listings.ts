/** Makes documents from files for tests, by the rules of the wire contract. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import * as Slices from "@dockline/core/input/Slices"
import { Effect } from "effect"
import { readFile } from "../../src/file/FileReader.ts"
import type { PackingListFile } from "../../src/file/FileReader.ts"
import type { CellFault } from "../../src/mapping/CellFault.ts"
import { listingOf } from "../../src/mapping/Listing.ts"
import type { Listing } from "../../src/mapping/Listing.ts"
import { emptyMapping } from "../../src/mapping/Mapping.ts"
import type { Mapping } from "../../src/mapping/Mapping.ts"

const strategies: Readonly<Record<string, (typeof defaultStrategies)[keyof typeof defaultStrategies]>> =
  defaultStrategies

const rules = {
  business: "acme",
  facility: "east",
  read: DocumentInput.stepReader(),
  requiredFields: (name: string) => strategies[name]?.requiredFields
}

/** The mapping of the lists in tests. */
export const mapping: Mapping = {
  ...emptyMapping,
  columns: [
    { column: "Order", field: "orderNumber" },
    { column: "Pallet", field: "lpn" },
    { column: "Article", field: "sku" },
    { column: "Qty", field: "quantity" },
    { column: "Unit", field: "quantityUnit" }
  ],
  values: [{ field: "direction", value: "INBOUND" }]
}

/** The mapping with further columns. */
export const withColumns = (
  fields: Readonly<Record<string, string>>,
  settings: Partial<Mapping> = {}
): Mapping => ({
  ...mapping,
  ...settings,
  columns: [...mapping.columns, ...Object.entries(fields).map(([column, field]) => ({ column, field }))]
})

/** The listing of a file. */
export const listing = async (file: PackingListFile, by: Mapping = mapping): Promise<Listing> => {
  const table = await Effect.runPromise(
    readFile(file, { sheet: by.sheet || undefined, separator: by.separator || undefined })
  )
  return Slices.atOnce(listingOf(table, by, rules))
}

/** The listing of a text of CSV. */
export const csvListing = (text: string, by?: Mapping): Promise<Listing> =>
  listing({ format: "csv", text }, by)

/** All faults as texts: the cell, and the description. */
export const faultsOf = ({ faults, shipments }: Listing): ReadonlyArray<string> =>
  [...faults, ...shipments.flatMap(({ orders }) => orders.flatMap((order) => order.faults))].map(textOf)

/** A fault as a text. */
export const textOf = ({ column, detail, field, row }: CellFault): string =>
  `${column}${row} ${field}: ${detail}`
