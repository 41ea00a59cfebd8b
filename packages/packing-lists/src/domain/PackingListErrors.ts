/** The refusals of packing lists (D4.4): rows of the catalogue. */
import { CatalogueError } from "@dockline/core/values/CatalogueError"
import { nameText } from "@dockline/core/values/Clip"

/** A file cannot be read as a table; none of its orders was executed. */
export class PackingListRefused extends CatalogueError("PACKING_LIST_REFUSED", "malformed", {
  when: "the file is no CSV or XLSX, is damaged, or holds too much; `detail` names the remedy",
  example: {
    row: 7,
    detail: "a quoted cell does not end",
    remedy: "Close its quotes, and double those inside it."
  },
  message: ({ detail, remedy, row }) =>
    `${row === 0 ? "The file" : `Row ${row}`}: ${detail}. ${remedy.replace(/\.$/, "")}`
}) {}

/** Cells have faults, and the file had to be sent as a whole; none of its orders was executed. */
export class PackingListFaulty extends CatalogueError("PACKING_LIST_FAULTY", "unprocessable", {
  when:
    "cells of the file have faults, and `faultless` is not set, or a fault is of no order, such as a line without an order number; a dry \
run names each of them, and with `faultless` the orders without faults are sent",
  example: {
    faultCount: 1,
    errors: [{ path: "C12", detail: "quantity: is no number" }]
  },
  message: ({ faultCount }) =>
    `The file has ${
      faultCount === 1 ? "a fault" : `${faultCount} faults`
    }; mend the cells, or send the other orders if each fault is of an order (faultless=true)`
}) {}

/** The request for a later part has another file or mapping than the part before. */
export class PackingListChanged extends CatalogueError("PACKING_LIST_CHANGED", "conflict", {
  when: "`from` is of another file, or of the same file read otherwise; nothing of this part was done",
  example: {},
  message:
    "The file, or how it is read, is not that of the part before, so that orders would be left out; send it again from its beginning"
}) {}

/** The business has no mapping with this name. */
export class PackingListMappingNotFound extends CatalogueError("PACKING_LIST_MAPPING_NOT_FOUND", "notFound", {
  when: "the business has kept no mapping of that name",
  example: { business: "acme", name: "nordwind" },
  message: ({ business, name }) =>
    `Unknown mapping of packing lists: ${nameText(name)} of business ${nameText(business)}`
}) {}

/** The service accepts no packing lists: it is embedded without their intake. */
export class PackingListsNotServed extends CatalogueError("PACKING_LISTS_NOT_SERVED", "notImplemented", {
  when: "the service is embedded without the intake of packing lists",
  example: {},
  message: "This service takes no packing lists; add the intake of @dockline/packing-lists to it"
}) {}
