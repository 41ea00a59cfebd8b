/** `dockline search`: what a number or an LPN on paper leads to. */
import { placeFilters } from "@dockline/core/internal/places/ListQuery"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { full, shipments } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"
import * as Filters from "./Filters.ts"

export const search = Command.make(
  "search",
  { text: Arguments.searched, only: Filters.flags({ filters: placeFilters }), extent: Pages.flags },
  ({ extent, only: values, text }) => {
    const only = { text, ...Filters.given({ filters: placeFilters }, values) }
    return Pages.numbered(
      extent,
      (page) => shipments((api) => api.search({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.hits, "Nothing has this number or license plate."))
  }
).pipe(
  about(
    "Find what a number or a license plate on paper leads to: in any case, and from six characters on by its end",
    "dockline search SO-1001",
    { command: "dockline search 000018 --business acme", description: "By the end of an SSCC" }
  )
)
