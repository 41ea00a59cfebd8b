/**
 * `dockline facility` and `dockline dock`: the places of a business.
 */
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { facilities, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const { name } = Arguments

const timeZone = Arguments.text(
  "time-zone",
  "IANA name of the zone that its clocks show, such as Europe/Berlin"
)

const listFacilities = Command.make(
  "list",
  { slug: Arguments.business, extent: Pages.flags },
  ({ extent, slug }) =>
    Pages.pages(
      extent,
      (query) => facilities((api) => api.listFacilities({ params: { slug }, query, ...full }))
    ).pipe(Output.list(ShownColumns.facilities, "No facilities."))
).pipe(about("List the facilities of a business", "dockline facility list acme"))

const showFacility = Command.make(
  "show",
  { slug: Arguments.business, facility: Arguments.facility },
  (params) =>
    facilities((api) => api.getFacility({ params, ...full })).pipe(Output.record(ShownColumns.facilities))
).pipe(about("Show a facility", "dockline facility show acme east"))

const createFacility = Command.make(
  "create",
  { business: Arguments.business, slug: Arguments.slug, name, timeZone },
  ({ business, timeZone, ...given }) => {
    const payload = { ...given, ...Arguments.ifGiven("timeZone", timeZone) }
    return facilities((api) =>
      api.createFacility({ params: { slug: business }, headers: {}, payload, ...full })
    ).pipe(Output.record(ShownColumns.facilities))
  }
).pipe(
  about("Create a facility of a business", "dockline facility create initech north --name \"Initech North\"")
)

const updateFacility = Command.make(
  "update",
  {
    slug: Arguments.business,
    facility: Arguments.facility,
    name: Arguments.text("name", "Its display name"),
    timeZone
  },
  ({ name, timeZone, ...params }) => {
    const payload = { ...Arguments.ifGiven("name", name), ...Arguments.ifGiven("timeZone", timeZone) }
    return facilities((api) => api.updateFacility({ params, headers: {}, payload, ...full })).pipe(
      Output.record(ShownColumns.facilities)
    )
  }
).pipe(
  about(
    "Change the name or the time zone of a facility; its slug stays",
    "dockline facility update initech north --name North",
    "dockline facility update initech north --time-zone Europe/Berlin"
  )
)

export const facility = Command.make("facility").pipe(
  Command.withDescription("Facilities of a business"),
  Command.withSubcommands([listFacilities, showFacility, createFacility, updateFacility])
)

const listDocks = Command.make(
  "list",
  { slug: Arguments.business, facility: Arguments.facility, extent: Pages.flags },
  ({ extent, ...params }) =>
    Pages.pages(extent, (query) => facilities((api) => api.listDocks({ params, query, ...full }))).pipe(
      Output.list(ShownColumns.docks, "No docks.")
    )
).pipe(about("List the docks of a facility", "dockline dock list acme east"))

const createDock = Command.make(
  "create",
  { business: Arguments.business, facility: Arguments.facility, slug: Arguments.slug },
  ({ business, facility, slug }) =>
    facilities((api) =>
      api.createDock({ params: { slug: business, facility }, headers: {}, payload: { slug }, ...full })
    ).pipe(Output.record(ShownColumns.docks))
).pipe(
  about("Create a dock, under the slug that documents name it by", "dockline dock create initech north D1")
)

export const dock = Command.make("dock").pipe(
  Command.withDescription("Docks of a facility"),
  Command.withSubcommands([listDocks, createDock])
)
