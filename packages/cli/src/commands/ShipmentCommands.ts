/**
 * `dockline shipment`: shipments, their pallets and what is wrong with them.
 */
import { operations } from "@dockline/core/Operations"
import { Argument, Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import * as Following from "../follow/Following.ts"
import * as Watching from "../follow/Watching.ts"
import { full, pallets, shipments } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"
import * as Filters from "./Filters.ts"

/** The flags that are shorter than their filters. */
const shipmentFlags = { shipmentNumber: "number", trailerNumber: "trailer" }

const list = Command.make(
  "list",
  {
    only: Filters.flags(operations.shipments, shipmentFlags),
    extent: Pages.flags
  },
  ({ extent, only: values }) => {
    const only = Filters.given(operations.shipments, values)
    return Pages.timed(
      extent,
      (page) => shipments((api) => api.listShipments({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.shipments, "No shipments."))
  }
).pipe(
  about(
    "List shipments, and how many of their expected pallets have passed",
    "dockline shipment list --business acme --facility east --status ARRIVED",
    { command: "dockline shipment list --number SO-1001", description: "Find the id of a shipment" },
    {
      command: "dockline shipment list --lpn 003401234500004711",
      description: "Which shipment a pallet belongs to"
    },
    {
      command: "dockline shipment list --status SCHEDULED --order EARLIEST --limit 10",
      description: "What comes next"
    },
    {
      command: "dockline shipment list --status DEPARTED --discrepancies",
      description: "What has left with something missing, or too much"
    },
    { command: "dockline shipment list --csv", description: "All of them, for a spreadsheet" }
  )
)

const params = { id: Arguments.shipment }

const show = Command.make(
  "show",
  params,
  (params) =>
    shipments((api) => api.getShipment({ params, ...full })).pipe(Output.record(ShownColumns.shipment))
).pipe(about("Show a shipment; with --json, each item too", "dockline shipment show 1"))

const listPallets = Command.make(
  "pallets",
  { ...params, extent: Pages.flags },
  ({ extent, id }) =>
    Pages.numbered(
      extent,
      (query) => pallets((api) => api.listShipmentPallets({ params: { id }, query, ...full }))
    ).pipe(Output.list(ShownColumns.shipmentPallets, "No pallet was seen."))
).pipe(about("List the pallets that were seen of a shipment", "dockline shipment pallets 1"))

const listItems = Command.make(
  "items",
  { ...params, only: Filters.flags(operations.items), extent: Pages.flags },
  ({ extent, id, only: values }) => {
    const only = Filters.given(operations.items, values)
    return Pages.numbered(
      extent,
      (page) => shipments((api) => api.listItems({ params: { id }, query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.items, "No items."))
  }
).pipe(
  about(
    "List the items of a shipment, over all its orders",
    "dockline shipment items 1",
    {
      command: "dockline shipment items 1 --find lot-7",
      description: "By an LPN, SKU, description, lot or purchase order"
    },
    { command: "dockline shipment items 1 --unseen", description: "What no tower has seen" }
  )
)

const listDiscrepancies = Command.make(
  "discrepancies",
  { ...params, only: Filters.flags(operations.discrepancies), extent: Pages.flags },
  ({ extent, id, only: values }) => {
    const only = Filters.given(operations.discrepancies, values)
    return Pages.numbered(
      extent,
      (page) =>
        shipments((api) => api.listDiscrepancies({ params: { id }, query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.discrepancies, "No discrepancies."))
  }
).pipe(
  about(
    "List what is missing on a shipment, and what does not belong there",
    "dockline shipment discrepancies 1"
  )
)

const watch = Command.make(
  "watch",
  {
    ids: Arguments.shipment.pipe(Argument.between(1, Watching.most)),
    interval: Following.interval
  },
  ({ ids, interval }) => Watching.watch(ids, interval)
).pipe(
  about(
    "Watch shipments until they have departed, or until Ctrl-C: bars at a terminal, elsewhere a line for each change",
    "dockline shipment watch 1",
    { command: "dockline shipment watch 1 2 --json", description: "One JSON document for each change" }
  )
)

const cancel = Command.make(
  "cancel",
  { ...params, idempotencyKey: Arguments.idempotencyKey },
  ({ idempotencyKey, ...params }) =>
    shipments((api) =>
      api.cancelShipment({ params, headers: Arguments.writeHeaders(idempotencyKey), payload: {}, ...full })
    ).pipe(Output.record(ShownColumns.shipment))
).pipe(
  about(
    "Cancel a scheduled shipment and its orders, for good; repeating it changes nothing",
    "dockline shipment cancel 1"
  )
)

export const shipment = Command.make("shipment").pipe(
  Command.withDescription("Shipments, and the pallets that have passed"),
  Command.withSubcommands([list, show, listItems, listPallets, listDiscrepancies, watch, cancel])
)
