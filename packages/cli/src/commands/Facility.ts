/** `dockline facility` and `dockline dock`: the places of a business. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Columns from "../Columns.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"

const name = Flag.String("name").pipe(Flag.withDescription("Its name, as people read it"))

const listFacilities = Command.make(
  "list",
  { slug: Arguments.business, extent: Pages.flags },
  ({ extent, slug }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const pages = Pages.pages(extent, (query) =>
        call("facilities", (facilities) =>
          facilities.listFacilities({ params: { slug }, query, ...full })))
      yield* Output.list(Columns.named, pages, "No facilities.")
    })
).pipe(
  Command.withDescription("List the facilities of a business"),
  Command.withExamples([{ command: "dockline facility list acme" }])
)

const showFacility = Command.make(
  "show",
  { slug: Arguments.business, facility: Arguments.facility },
  (params) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call("facilities", (facilities) => facilities.getFacility({ params, ...full }))
      yield* Output.record(Columns.named, answer)
    })
).pipe(
  Command.withDescription("Show a facility"),
  Command.withExamples([{ command: "dockline facility show acme east" }])
)

const createFacility = Command.make(
  "create",
  { business: Arguments.business, slug: Arguments.slug, name },
  ({ business, ...payload }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call("facilities", (facilities) =>
        facilities.createFacility({ params: { slug: business }, headers: {}, payload, ...full }))
      yield* Output.record(Columns.named, answer)
    })
).pipe(
  Command.withDescription("Create a facility of a business"),
  Command.withExamples([{ command: "dockline facility create initech north --name \"Initech North\"" }])
)

const renameFacility = Command.make(
  "rename",
  { slug: Arguments.business, facility: Arguments.facility, name },
  ({ name, ...params }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call("facilities", (facilities) =>
        facilities.renameFacility({ params, headers: {}, payload: { name }, ...full }))
      yield* Output.record(Columns.named, answer)
    })
).pipe(
  Command.withDescription("Change the name of a facility; its slug stays"),
  Command.withExamples([{ command: "dockline facility rename initech north --name North" }])
)

/** `dockline facility` */
export const facility = Command.make("facility").pipe(
  Command.withDescription("Facilities of a business"),
  Command.withSubcommands([listFacilities, showFacility, createFacility, renameFacility])
)

const listDocks = Command.make(
  "list",
  { slug: Arguments.business, facility: Arguments.facility, extent: Pages.flags },
  ({ extent, ...params }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const pages = Pages.pages(extent, (query) =>
        call("facilities", (facilities) => facilities.listDocks({ params, query, ...full })))
      yield* Output.list(Columns.docks, pages, "No docks.")
    })
).pipe(
  Command.withDescription("List the docks of a facility"),
  Command.withExamples([{ command: "dockline dock list acme east" }])
)

const createDock = Command.make(
  "create",
  { business: Arguments.business, facility: Arguments.facility, slug: Arguments.slug },
  ({ business, facility, slug }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const params = { slug: business, facility }
      const answer = yield* call("facilities", (facilities) =>
        facilities.createDock({ params, headers: {}, payload: { slug }, ...full }))
      yield* Output.record(Columns.docks, answer)
    })
).pipe(
  Command.withDescription("Create a dock, under the slug that documents name it by"),
  Command.withExamples([{ command: "dockline dock create initech north D1" }])
)

/** `dockline dock` */
export const dock = Command.make("dock").pipe(
  Command.withDescription("Docks of a facility"),
  Command.withSubcommands([listDocks, createDock])
)
