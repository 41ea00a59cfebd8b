/**
 * `dockline client` and `dockline secret`: API clients, their grants and secrets.
 */
import type { Grant } from "@dockline/core/Access"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import * as GrantText from "../GrantText.ts"
import { clients, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const once = "Keep the secret now: the service shows it this once and stores only a hash of it."

const { grants, name, readGrants } = Arguments

const list = Command.make(
  "list",
  Pages.flags,
  (extent) =>
    Pages.pages(extent, (query) => clients((api) => api.listClients({ query, ...full }))).pipe(
      Output.list(ShownColumns.clients, "No clients.")
    )
).pipe(about("List the API clients of the businesses that you operate", "dockline client list"))

const show = Command.make(
  "show",
  { clientId: Arguments.client },
  (params) => clients((api) => api.getClient({ params, ...full })).pipe(Output.record(ShownColumns.client))
).pipe(
  about("Show an API client: what it may do, and which secrets it has", "dockline client show acme-client")
)

const create = Command.make(
  "create",
  {
    name,
    grants,
    disabled: Arguments.isSet("disabled", "It gets no tokens until it is enabled")
  },
  ({ disabled, grants, name }) =>
    Effect.flatMap(readGrants(grants), (grants) => {
      const payload = { name, grants, enabled: !disabled }
      return clients((api) => api.createClient({ headers: {}, payload, ...full }))
    }).pipe(Output.revealed(ShownColumns.newClient, once))
).pipe(
  about(
    "Create an API client; its secret is shown once",
    "dockline client create --name \"Initech WMS\" --grant initech=documents:write,messages:read",
    "dockline client create --name Tower --grant acme/east=pallets:write,shipments:write"
  )
)

interface Change {
  readonly name?: string
  readonly grants?: ReadonlyArray<Grant>
  readonly enabled?: boolean
}

const change = (clientId: string, payload: Change) =>
  clients((api) => api.updateClient({ params: { clientId }, headers: {}, payload, ...full })).pipe(
    Output.record(ShownColumns.client)
  )

const grant = Command.make(
  "grant",
  {
    clientId: Arguments.client,
    grants,
    replace: Arguments.isSet("replace", "It may do this and nothing else; without --grant, nothing at all")
  },
  ({ clientId, grants, replace }) =>
    Effect.gen(function*() {
      const given = yield* readGrants(grants)
      if (replace) return yield* change(clientId, { grants: given })
      if (given.length === 0) return yield* new WrongUsage({ message: "Say what it may do: --grant" })
      const { value } = yield* clients((api) => api.getClient({ params: { clientId }, ...full }))
      yield* change(clientId, { grants: GrantText.add(value.grants, given) })
    })
).pipe(
  about(
    "Let an API client do more, or with --replace exactly this; it takes effect within 5 seconds",
    "dockline client grant acme-client --grant acme/west=pallets:write",
    "dockline client grant acme-client --replace --grant acme=messages:read"
  )
)

const rename = Command.make(
  "rename",
  { clientId: Arguments.client, name },
  ({ clientId, name }) => change(clientId, { name })
).pipe(
  about(
    "Change the name of an API client; its id stays",
    "dockline client rename acme-client --name \"Acme WMS\""
  )
)

const enable = Command.make(
  "enable",
  { clientId: Arguments.client },
  ({ clientId }) => change(clientId, { enabled: true })
).pipe(about("Let an API client get tokens again", "dockline client enable acme-client"))

const disable = Command.make(
  "disable",
  { clientId: Arguments.client },
  ({ clientId }) => change(clientId, { enabled: false })
).pipe(
  about(
    "Give an API client no more tokens; those at hand become invalid within 5 seconds",
    "dockline client disable acme-client"
  )
)

export const client = Command.make("client").pipe(
  Command.withDescription("API clients: who may use the service, and for what"),
  Command.withSubcommands([list, show, create, grant, rename, enable, disable])
)

const createSecret = Command.make(
  "create",
  { clientId: Arguments.client },
  (params) =>
    clients((api) => api.createSecret({ params, headers: {}, ...full })).pipe(
      Output.revealed(ShownColumns.newSecret, once)
    )
).pipe(
  about(
    "Add a secret to an API client, to replace the other one without a gap; shown once",
    "dockline secret create acme-client"
  )
)

const deleteSecret = Command.make(
  "delete",
  { clientId: Arguments.client, secretId: Arguments.secret, yes: Arguments.yes },
  ({ yes, ...params }) =>
    Effect.gen(function*() {
      if (!yes) yield* confirm(`Delete secret ${params.secretId} of client ${params.clientId}?`)
      yield* clients((api) => api.deleteSecret({ params, headers: {}, ...full }))
      yield* Output.done(`Deleted secret ${params.secretId}: no new token is given for it.`)
    })
).pipe(
  about(
    "Delete a secret of an API client",
    "dockline secret delete acme-client 1b7e9f10-3a52-4a51-9a39-0f1c5d1f5a7e --yes"
  )
)

export const secret = Command.make("secret").pipe(
  Command.withDescription("Secrets of API clients; two are valid at once"),
  Command.withSubcommands([createSecret, deleteSecret])
)
