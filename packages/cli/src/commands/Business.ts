/** `dockline business`: the customers of the service. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Columns from "../Columns.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"

const name = Flag.String("name").pipe(Flag.withDescription("Its name, as people read it"))

const list = Command.make("list", Pages.flags, (extent) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const pages = Pages.pages(extent, (query) =>
      call("businesses", (businesses) => businesses.listBusinesses({ query, ...full })))
    yield* Output.list(Columns.named, pages, "No businesses.")
  })).pipe(
    Command.withDescription("List the businesses that you operate"),
    Command.withExamples([{ command: "dockline business list" }])
  )

const show = Command.make("show", { slug: Arguments.business }, ({ slug }) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const answer = yield* call("businesses", (businesses) =>
      businesses.getBusiness({ params: { slug }, ...full }))
    yield* Output.record(Columns.named, answer)
  })).pipe(
    Command.withDescription("Show a business"),
    Command.withExamples([{ command: "dockline business show acme" }])
  )

const create = Command.make("create", { slug: Arguments.slug, name }, (payload) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const answer = yield* call("businesses", (businesses) =>
      businesses.createBusiness({ headers: {}, payload, ...full }))
    yield* Output.record(Columns.named, answer)
  })).pipe(
    Command.withDescription("Create a business; takes an operator of the whole service"),
    Command.withExamples([{ command: "dockline business create initech --name \"Initech Foods\"" }])
  )

const rename = Command.make(
  "rename",
  { slug: Arguments.business, name },
  ({ name, slug }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call(
        "businesses",
        (businesses) =>
          businesses.renameBusiness({ params: { slug }, headers: {}, payload: { name }, ...full })
      )
      yield* Output.record(Columns.named, answer)
    })
).pipe(
  Command.withDescription("Change the name of a business; its slug stays"),
  Command.withExamples([{ command: "dockline business rename initech --name Initech" }])
)

/** `dockline business` */
export const business = Command.make("business").pipe(
  Command.withDescription("Businesses: the customers of the service"),
  Command.withSubcommands([list, show, create, rename])
)
