/**
 * `dockline client` and `secret`: API clients, their grants and secrets; `dockline person`: people who sign in to the
 * dashboard.
 */
import type { Grant } from "@dockline/core/access/Access"
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import type { ClientView, PersonView } from "@dockline/core/operator/OperatorView"
import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about, noun } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import * as FieldText from "../FieldText.ts"
import * as Output from "../Output.ts"
import { ServiceCalls } from "../ServiceCalls.ts"
import type { Column } from "../Table.ts"
import { commandOf, listCommand } from "./DerivedCommand.ts"

const { addClientGrants, createClient, createSecret, deleteSecret, getClient, listClients } =
  operatorOperations
const { addPerson, addPersonGrants, getPerson, listPeople, removePerson, updatePerson } = operatorOperations
const { updateClient, withdrawClientGrants, withdrawPersonGrants } = operatorOperations

const once = () =>
  Output.done("Save the secret now: the service shows it only once and stores only a hash of it.")

const grants = [
  "grants",
  ({ grants }: { readonly grants: ReadonlyArray<Grant> }) => grants.map(FieldText.writeGrant)
] as const

const clientColumns: ReadonlyArray<Column<ClientView>> = [
  "id",
  "name",
  "enabled",
  ["secrets", ({ secrets }) => secrets.length],
  grants
]

const personColumns: ReadonlyArray<Column<PersonView>> = [
  "id",
  "name",
  ["known by", ({ email, subject }) => email ?? `subject ${subject ?? ""}`],
  grants
]

/** The grants of a change, at least one. */
const bodyOfGrants = (_: unknown, { grants }: { readonly grants: ReadonlyArray<Grant> }) =>
  grants.length === 0
    ? Effect.fail(wrongUsage("Name its permissions with --grant"))
    : Effect.succeed({ grants })

const changing = { fields: [], more: { grants: Arguments.grants }, body: bodyOfGrants }

export const client = noun(
  "client",
  "API clients: the programs that may use the service, and their permissions",
  [
    listCommand("list", listClients, {
      columns: clientColumns,
      nothing: "No clients.",
      examples: ["dockline client list"]
    }),
    commandOf("show", getClient, { examples: ["dockline client show acme-client"] }),
    commandOf("create", createClient, {
      flags: {
        grants: Arguments.grants,
        enabled: Arguments.isEnabled("It gets no tokens until it is enabled")
      },
      done: once,
      examples: [
        "dockline client create --name \"Initech WMS\" --grant initech=documents:write,messages:read",
        "dockline client create --name Tower --grant acme/east=pallets:write,shipments:write"
      ]
    }),
    commandOf("grant", addClientGrants, {
      ...changing,
      description: "Let an API client do more; takes effect within 5 seconds",
      examples: ["dockline client grant acme-client --grant acme/west=pallets:write"]
    }),
    commandOf("revoke", withdrawClientGrants, {
      ...changing,
      description: "Take permissions away from an API client; takes effect within 5 seconds",
      examples: ["dockline client revoke acme-client --grant acme/west=pallets:write"]
    }),
    commandOf("set-grants", updateClient, {
      description: "Replace all grants of an API client by these; without --grant, it may do nothing",
      fields: [],
      more: { grants: Arguments.grants },
      body: (_, { grants }) => Effect.succeed({ grants }),
      examples: ["dockline client set-grants acme-client --grant acme=messages:read"]
    }),
    commandOf("rename", updateClient, {
      description: "Change the name of an API client; its id stays",
      fields: ["name"],
      examples: ["dockline client rename acme-client --name \"Acme WMS\""]
    }),
    commandOf("enable", updateClient, {
      description: "Let an API client get tokens again",
      fields: [],
      body: () => Effect.succeed({ enabled: true }),
      examples: ["dockline client enable acme-client"]
    }),
    commandOf("disable", updateClient, {
      description: "Give an API client no more tokens; issued tokens become invalid within 5 seconds",
      fields: [],
      body: () => Effect.succeed({ enabled: false }),
      examples: ["dockline client disable acme-client"]
    })
  ]
)

export const secret = noun("secret", "Secrets of API clients; two are valid at once", [
  commandOf("create", createSecret, {
    done: once,
    examples: ["dockline secret create acme-client"]
  }),
  commandOf("delete", deleteSecret, {
    question: ({ clientId, secretId }) => Effect.succeed(`Delete secret ${secretId} of client ${clientId}?`),
    done: ({ secretId }) => Output.done(`Deleted secret ${secretId}: it gets no new tokens.`),
    examples: ["dockline secret delete acme-client 1b7e9f10-3a52-4a51-9a39-0f1c5d1f5a7e --yes"]
  })
])

export const person = noun(
  "person",
  "People who sign in to the dashboard with your OpenID Connect provider",
  [
    listCommand("list", listPeople, {
      columns: personColumns,
      examples: ["dockline person list"]
    }),
    commandOf("show", getPerson, {
      examples: ["dockline person show 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55"]
    }),
    commandOf("add", addPerson, {
      flags: { grants: Arguments.grants },
      body: (body) =>
        (body["email"] === undefined) === (body["subject"] === undefined)
          ? Effect.fail(wrongUsage("Name the person by either --email or --subject"))
          : Effect.succeed(body),
      examples: [
        "dockline person add --name \"Ada Byron\" --email ada@acme.example --grant acme/east=messages:read",
        "dockline person add --name \"Ada Byron\" --subject 248289761001 --grant acme=messages:read"
      ]
    }),
    commandOf("rename", updatePerson, {
      description: "Change the name of a person",
      fields: ["name"],
      examples: ["dockline person rename 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --name \"Ada King\""]
    }),
    commandOf("grant", addPersonGrants, {
      ...changing,
      description: "Let a person do more; it takes effect within 5 seconds",
      examples: [
        "dockline person grant 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --grant acme/west=shipments:write"
      ]
    }),
    commandOf("revoke", withdrawPersonGrants, {
      ...changing,
      description: "Take permissions away from a person; it takes effect within 5 seconds",
      examples: [
        "dockline person revoke 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --grant acme/west=shipments:write"
      ]
    }),
    commandOf("remove", removePerson, {
      question: ({ personId }) => Effect.succeed(`Remove person ${personId}?`),
      done: ({ personId }) => Output.done(`Removed person ${personId}: their sessions end within 5 seconds.`),
      examples: ["dockline person remove 0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55 --yes"]
    })
  ]
)

/** `dockline token`: an access token for other programs. */
export const token = Command.make(
  "token",
  {},
  Effect.fnUntraced(function*() {
    const { body, value } = yield* Effect.flatMap(ServiceCalls, ({ token }) => token)
    yield* Output.answer({ body, value: Redacted.value(value) })
  })
).pipe(
  about(
    "Print an access token, which is valid for a day. Anyone who has it may do what you may do",
    "dockline token",
    "curl -H \"Authorization: Bearer $(dockline token)\" http://localhost:8080/v1/shipments  # Use it with curl"
  )
)
