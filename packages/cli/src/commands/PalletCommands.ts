/** `dockline pallet`: pallets over all shipments. */
import { placeFilters } from "@dockline/core/internal/places/ListQuery"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { full, pallets } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"
import * as Filters from "./Filters.ts"

const find = Command.make(
  "find",
  { lpn: Arguments.lpn, only: Filters.flags({ filters: placeFilters }), extent: Pages.flags },
  ({ extent, lpn, only: values }) => {
    const only = { lpn, ...Filters.given({ filters: placeFilters }, values) }
    return Pages.numbered(
      extent,
      (page) => pallets((api) => api.listPallets({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.foundPallets, "No pallet with this license plate was seen."))
  }
).pipe(
  about(
    "Find where a pallet was seen: on which shipments, at which docks, the newest first",
    "dockline pallet find LPN-1",
    "dockline pallet find LPN-1 --business acme --facility east --json"
  )
)

export const pallet = Command.make("pallet").pipe(
  Command.withDescription("Pallets that towers have seen"),
  Command.withSubcommands([find])
)
