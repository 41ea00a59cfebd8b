/**
 * `dockline person`: people who sign in to the dashboard by the OpenID Connect provider, and their grants.
 */
import type { Grant } from "@dockline/core/Access"
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import * as GrantText from "../GrantText.ts"
import { full, people } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const { grants, readGrants } = Arguments

const list = Command.make(
  "list",
  Pages.flags,
  (extent) =>
    Pages.pages(extent, (query) => people((api) => api.listPeople({ query, ...full }))).pipe(
      Output.list(ShownColumns.people, "No people.")
    )
).pipe(about("List the people who may sign in to the dashboard", "dockline person list"))

const show = Command.make(
  "show",
  { personId: Arguments.person },
  (params) => people((api) => api.getPerson({ params, ...full })).pipe(Output.record(ShownColumns.people))
).pipe(about("Show a person", "dockline person show 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55"))

const add = Command.make(
  "add",
  {
    name: Arguments.name,
    email: Arguments.text("email", "The address that the provider has verified"),
    subject: Arguments.text("subject", "The sub of the provider, which the sign-in page shows"),
    grants
  },
  ({ email, grants, name, subject }) =>
    Effect.gen(function*() {
      if (Option.isSome(email) === Option.isSome(subject)) {
        return yield* new WrongUsage({ message: "Say whom the provider means: either --email or --subject" })
      }
      const payload = {
        name,
        grants: yield* readGrants(grants),
        ...Arguments.ifGiven("email", email),
        ...Arguments.ifGiven("subject", subject)
      }
      yield* people((api) => api.addPerson({ headers: {}, payload, ...full })).pipe(
        Output.record(ShownColumns.people)
      )
    })
).pipe(
  about(
    "Let a person sign in to the dashboard",
    "dockline person add --name \"Ada Byron\" --email ada@acme.example --grant acme/east=messages:read",
    "dockline person add --name \"Ada Byron\" --subject 248289761001 --grant acme=messages:read"
  )
)

/** Changes the grants by those that are given. */
const changing = (
  change: (known: ReadonlyArray<Grant>, given: ReadonlyArray<Grant>) => ReadonlyArray<Grant>
) =>
({ grants, personId }: { readonly grants: ReadonlyArray<string>; readonly personId: string }) =>
  Effect.gen(function*() {
    const given = yield* readGrants(grants)
    if (given.length === 0) return yield* new WrongUsage({ message: "Say which grant: --grant" })
    const params = { personId }
    const { value } = yield* people((api) => api.getPerson({ params, ...full }))
    const payload = { grants: change(value.grants, given) }
    yield* people((api) => api.updatePerson({ params, headers: {}, payload, ...full })).pipe(
      Output.record(ShownColumns.people)
    )
  })

const grant = Command.make("grant", { personId: Arguments.person, grants }, changing(GrantText.add)).pipe(
  about(
    "Let a person do more; it takes effect within 5 seconds",
    "dockline person grant 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --grant acme/west=shipments:write"
  )
)

const revoke = Command.make("revoke", { personId: Arguments.person, grants }, changing(GrantText.without))
  .pipe(
    about(
      "Take permissions away from a person; it takes effect within 5 seconds",
      "dockline person revoke 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --grant acme/west=shipments:write"
    )
  )

const remove = Command.make(
  "remove",
  { personId: Arguments.person, yes: Arguments.yes },
  ({ personId, yes }) =>
    Effect.gen(function*() {
      if (!yes) yield* confirm(`Remove person ${personId}?`)
      yield* people((api) => api.removePerson({ params: { personId }, headers: {}, ...full }))
      yield* Output.done(`Removed person ${personId}: their sessions end within 5 seconds.`)
    })
).pipe(
  about(
    "Remove a person, whose sessions end",
    "dockline person remove 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --yes"
  )
)

export const person = Command.make("person").pipe(
  Command.withDescription("People who sign in to the dashboard by your OpenID Connect provider"),
  Command.withSubcommands([list, show, add, grant, revoke, remove])
)
