/** `dockline client` and `dockline secret`: who may use the service, and for what. */
import type { Grant } from "@dockline/core/Access"
import { permissions } from "@dockline/core/Access"
import { Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Columns from "../Columns.ts"
import { WrongUsage } from "../Failure.ts"
import * as GrantText from "../GrantText.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"

const once = "Keep the secret now: the service shows it this once and stores only a hash of it."

const name = Flag.String("name").pipe(Flag.withDescription("Its name, as people read it"))

const grants = Flag.String("grant").pipe(
  Flag.withMetavar("BUSINESS=PERMISSION,…"),
  Flag.withDescription(
    `What it may do: ${GrantText.form}; the permissions are ${permissions.join(", ")}; * is every business`
  ),
  Flag.atLeast(0)
)

const readGrants = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Grant>, WrongUsage> =>
  Effect.forEach(texts, (text) =>
    Result.match(GrantText.read(text), {
      onFailure: (fault) => Effect.fail(new WrongUsage({ message: `--grant: ${fault}` })),
      onSuccess: Effect.succeed
    }))

const list = Command.make("list", Pages.flags, (extent) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const pages = Pages.pages(extent, (query) =>
      call("clients", (clients) => clients.listClients({ query, ...full })))
    yield* Output.list(Columns.clients, pages, "No clients.")
  })).pipe(
    Command.withDescription("List the API clients of the businesses that you operate"),
    Command.withExamples([{ command: "dockline client list" }])
  )

const show = Command.make("show", { clientId: Arguments.client }, (params) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    yield* Output.record(
      Columns.client,
      yield* call("clients", (clients) => clients.getClient({ params, ...full }))
    )
  })).pipe(
    Command.withDescription("Show an API client: what it may do, and which secrets it has"),
    Command.withExamples([{ command: "dockline client show acme-client" }])
  )

const created = [...Columns.client, { title: "client secret", text: secretText }]

function secretText({ clientSecret }: { readonly clientSecret: string }): string {
  return clientSecret
}

const create = Command.make(
  "create",
  {
    name,
    grants,
    disabled: Flag.Boolean("disabled").pipe(
      Flag.withDescription("It gets no tokens until it is enabled"),
      Flag.withDefault(false)
    )
  },
  ({ disabled, grants, name }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const payload = { name, grants: yield* readGrants(grants), enabled: !disabled }
      const answer = yield* call("clients", (clients) =>
        clients.createClient({ headers: {}, payload, ...full }))
      yield* Output.revealed(created, answer, once)
    })
).pipe(
  Command.withDescription("Create an API client; its secret is shown once"),
  Command.withExamples([
    {
      command: "dockline client create --name \"Initech WMS\" --grant initech=documents:write,messages:read"
    },
    { command: "dockline client create --name Tower --grant acme/east=pallets:write,shipments:write" }
  ])
)

interface Change {
  readonly name?: string
  readonly grants?: ReadonlyArray<Grant>
  readonly enabled?: boolean
}

const change = Effect.fnUntraced(function*(clientId: string, payload: Change) {
  const { call } = yield* Operator
  const answer = yield* call(
    "clients",
    (clients) => clients.updateClient({ params: { clientId }, headers: {}, payload, ...full })
  )
  yield* Output.record(Columns.client, answer)
})

const grant = Command.make(
  "grant",
  {
    clientId: Arguments.client,
    grants,
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("It may do this and nothing else; without --grant, nothing at all"),
      Flag.withDefault(false)
    )
  },
  ({ clientId, grants, replace }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const given = yield* readGrants(grants)
      if (replace) return yield* change(clientId, { grants: given })
      if (given.length === 0) return yield* new WrongUsage({ message: "Say what it may do: --grant" })
      const { value } = yield* call("clients", (clients) =>
        clients.getClient({ params: { clientId }, ...full }))
      yield* change(clientId, { grants: GrantText.add(value.grants, given) })
    })
).pipe(
  Command.withDescription(
    "Let an API client do more, or with --replace exactly this; it takes effect within 5 seconds"
  ),
  Command.withExamples([
    { command: "dockline client grant acme-client --grant acme/west=pallets:write" },
    { command: "dockline client grant acme-client --replace --grant acme=messages:read" }
  ])
)

const rename = Command.make(
  "rename",
  { clientId: Arguments.client, name },
  ({ clientId, name }) => change(clientId, { name })
).pipe(
  Command.withDescription("Change the name of an API client; its id stays"),
  Command.withExamples([{ command: "dockline client rename acme-client --name \"Acme WMS\"" }])
)

const enable = Command.make(
  "enable",
  { clientId: Arguments.client },
  ({ clientId }) => change(clientId, { enabled: true })
).pipe(
  Command.withDescription("Let an API client get tokens again"),
  Command.withExamples([{ command: "dockline client enable acme-client" }])
)

const disable = Command.make(
  "disable",
  { clientId: Arguments.client },
  ({ clientId }) => change(clientId, { enabled: false })
).pipe(
  Command.withDescription("Give an API client no more tokens; those at hand become invalid within 5 seconds"),
  Command.withExamples([{ command: "dockline client disable acme-client" }])
)

/** `dockline client` */
export const client = Command.make("client").pipe(
  Command.withDescription("API clients: who may use the service, and for what"),
  Command.withSubcommands([list, show, create, grant, rename, enable, disable])
)

const createSecret = Command.make(
  "create",
  { clientId: Arguments.client },
  (params) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call(
        "clients",
        (clients) => clients.createSecret({ params, headers: {}, ...full })
      )
      yield* Output.revealed(
        [{ title: "secret", text: ({ secretId }) => secretId }, { title: "client secret", text: secretText }],
        answer,
        once
      )
    })
).pipe(
  Command.withDescription(
    "Add a secret to an API client, to replace the other one without a gap; shown once"
  ),
  Command.withExamples([{ command: "dockline secret create acme-client" }])
)

const deleteSecret = Command.make(
  "delete",
  {
    clientId: Arguments.client,
    secretId: Arguments.secret,
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask"), Flag.withDefault(false))
  },
  ({ yes, ...params }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      if (!yes) yield* confirm(`Delete secret ${params.secretId} of client ${params.clientId}?`)
      yield* call("clients", (clients) => clients.deleteSecret({ params, headers: {}, ...full }))
      yield* Output.done(`Deleted secret ${params.secretId}: no new token is given for it.`)
    })
).pipe(
  Command.withDescription("Delete a secret of an API client"),
  Command.withExamples([{
    command: "dockline secret delete acme-client 1b7e9f10-3a52-4a51-9a39-0f1c5d1f5a7e --yes"
  }])
)

/** `dockline secret` */
export const secret = Command.make("secret").pipe(
  Command.withDescription("Secrets of API clients; two are valid at once"),
  Command.withSubcommands([createSecret, deleteSecret])
)
