/** `dockline business`: the customers of the service. */
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { businesses, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const { name } = Arguments

const list = Command.make(
  "list",
  Pages.flags,
  (extent) =>
    Pages.pages(extent, (query) => businesses((api) => api.listBusinesses({ query, ...full }))).pipe(
      Output.list(ShownColumns.businesses, "No businesses.")
    )
).pipe(about("List the businesses that you operate", "dockline business list"))

const show = Command.make(
  "show",
  { slug: Arguments.business },
  ({ slug }) =>
    businesses((api) => api.getBusiness({ params: { slug }, ...full })).pipe(
      Output.record(ShownColumns.businesses)
    )
).pipe(about("Show a business", "dockline business show acme"))

const create = Command.make(
  "create",
  {
    slug: Arguments.slug,
    name,
    sandbox: Arguments.isSet("sandbox", "To try integrations, without real freight; it stays so")
  },
  (payload) =>
    businesses((api) => api.createBusiness({ headers: {}, payload, ...full })).pipe(
      Output.record(ShownColumns.businesses)
    )
).pipe(
  about(
    "Create a business; takes an operator of the whole service",
    "dockline business create initech --name \"Initech Foods\"",
    {
      command: "dockline business create initech-test --name \"Initech, test\" --sandbox",
      description:
        "To try an integration: dockline trigger makes its messages, dockline webhook certify checks its receiver"
    }
  )
)

const rename = Command.make(
  "rename",
  { slug: Arguments.business, name },
  ({ name, slug }) =>
    businesses((api) => api.renameBusiness({ params: { slug }, headers: {}, payload: { name }, ...full }))
      .pipe(Output.record(ShownColumns.businesses))
).pipe(
  about("Change the name of a business; its slug stays", "dockline business rename initech --name Initech")
)

export const business = Command.make("business").pipe(
  Command.withDescription("Businesses: the customers of the service"),
  Command.withSubcommands([list, show, create, rename])
)
