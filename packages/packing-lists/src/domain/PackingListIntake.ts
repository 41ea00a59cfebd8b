/**
 * Port: accepts packing lists for an interface that knows nothing of their formats. Its errors are rows of the catalogue (D4.4).
 * `PackingListServices.intake` implements the port. A program without that layer refuses all packing lists.
 */
import type { Principal } from "@dockline/core/access/Access"
import { placeErrors } from "@dockline/core/places/Authorize"
import { CatalogueError } from "@dockline/core/values/CatalogueError"
import type { ErrorOf } from "@dockline/core/values/CatalogueError"
import { nameText } from "@dockline/core/values/Clip"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context, Effect } from "effect"
import type { PackingListFile } from "../file/FileReader.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { PackingListAnswer } from "./PackingList.ts"

/** A file cannot be read as a table; none of its orders was executed. */
export class PackingListRefused extends CatalogueError("PACKING_LIST_REFUSED", "malformed", {
  when: "the file is neither CSV nor XLSX, is damaged, or is too large; `detail` names the remedy",
  example: {
    row: 7,
    detail: "a quoted cell does not end",
    remedy: "Close its quotes, and double those inside it."
  },
  message: ({ detail, remedy, row }) =>
    `${row === 0 ? "The file" : `Row ${row}`}: ${detail}. ${remedy.replace(/\.$/, "")}`
}) {}

/** Cells have faults, and the request does not allow leaving out orders, or the faults belong to no order. No order was executed. */
export class PackingListFaulty extends CatalogueError("PACKING_LIST_FAULTY", "unprocessable", {
  when:
    "cells of the file have faults, and `faultless` is not set, or a fault belongs to no order, such as a line without an order number; a \
dry run names each fault, and with `faultless` the orders without faults are sent",
  example: {
    faultCount: 1,
    errors: [{ path: "C12", detail: "quantity: is no number" }]
  },
  message: ({ faultCount }) =>
    `The file has ${
      faultCount === 1 ? "a fault" : `${faultCount} faults`
    }; mend the cells, or send the other orders if each fault is of an order (faultless=true)`
}) {}

/** The request for a later part has another file or mapping than the previous part. */
export class PackingListChanged extends CatalogueError("PACKING_LIST_CHANGED", "conflict", {
  when:
    "`from` belongs to another file, or to the same file with another mapping; nothing of this part was executed",
  example: {},
  message:
    "The file or its mapping differs from that of the part before, so that orders would be left out; send it again from its beginning"
}) {}

/** The business has no mapping with this name. */
export class PackingListMappingNotFound extends CatalogueError("PACKING_LIST_MAPPING_NOT_FOUND", "notFound", {
  when: "the business has no mapping with that name",
  example: { business: "acme", name: "nordwind" },
  message: ({ business, name }) =>
    `Unknown mapping of packing lists: ${nameText(name)} of business ${nameText(business)}`
}) {}

/** The service accepts no packing lists: it is embedded without their intake. */
export class PackingListsNotServed extends CatalogueError("PACKING_LISTS_NOT_SERVED", "notImplemented", {
  when: "the service is embedded without the intake of packing lists",
  example: {},
  message: "This service accepts no packing lists; add the intake of @dockline/packing-lists to it"
}) {}

/** The errors with which a packing list is refused, as an interface declares them. */
export const packingListErrors = [
  PackingListRefused,
  PackingListFaulty,
  PackingListsNotServed,
  PackingListMappingNotFound,
  PackingListChanged,
  InvalidParameter,
  ...placeErrors,
  Overloaded
] as const

/** The reason why a packing list is not accepted. */
export type PackingListError = ErrorOf<typeof packingListErrors>

/** A file, with the options for reading and sending it. */
export interface PackingListRequest {
  readonly business: string
  readonly facility: string
  readonly file: PackingListFile
  /** The mapping, or the name of a saved mapping. A dry run adds suggested columns to a mapping without columns. */
  readonly mapping?: Mapping | string | undefined
  /** Whether nothing may be written. */
  readonly dryRun: boolean
  /** Whether the orders without faults are sent even if other orders have faults. */
  readonly faultless: boolean
  /** The `next` of the previous part; `""` for the first part. */
  readonly from: string
}

/** Accepts packing lists. */
export interface PackingListIntakeService {
  /** Handles the next part of a file, for a client with `documents:write` at the facility. */
  readonly take: (
    request: PackingListRequest,
    principal: Principal
  ) => Effect.Effect<PackingListAnswer, PackingListError>
}

/** The service that accepts packing lists; by default it refuses all of them. */
export const PackingListIntake: Context.Reference<PackingListIntakeService> = Context.Reference(
  "@dockline/packing-lists/domain/PackingListIntake",
  {
    defaultValue: (): PackingListIntakeService => ({ take: () => Effect.fail(new PackingListsNotServed()) })
  }
)
