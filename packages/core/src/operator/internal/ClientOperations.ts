/**
 * The operations of operators on API clients, their secrets, and people, as values (D11, D14.4).
 */
import { Schema } from "effect"
import type { Redacted } from "effect"
import type { Grant } from "../../access/Access.ts"
import * as Operation from "../../access/Operation.ts"
import { Forbidden, InvalidRequest, StorageUnavailable } from "../../values/Errors.ts"
import {
  ClientNotFound,
  PersonExists,
  PersonNotFound,
  SecretNotFound,
  TooManySecrets
} from "../../values/OperatorErrors.ts"
import { PreconditionFailed } from "../../values/RequestErrors.ts"
import {
  clientState,
  ClientView,
  NewClientView,
  NewSecretView,
  personState,
  PersonView,
  unwrap
} from "../OperatorView.ts"
import * as OperatorInput from "./OperatorInput.ts"

export interface NewSecret {
  readonly secretId: string
  readonly clientSecret: Redacted.Redacted
}

export interface NewClient extends ClientView, Pick<NewSecret, "clientSecret"> {}

const client = { clientId: Operation.id("The client's id") }
const person = { personId: Operation.id("The person's id") }

const clientErrors = [ClientNotFound, Forbidden, StorageUnavailable] as const
const personErrors = [PersonNotFound, Forbidden, StorageUnavailable] as const

const grants: Operation.Table<{ readonly grants: ReadonlyArray<Grant> }> = [
  [
    "grants",
    ({ grants }) =>
      grants.map(({ business, facilities, permissions }) =>
        `${business}/${facilities === "*" ? "*" : facilities.join("+")}: ${permissions.join(" ")}`
      )
  ]
]

export const listClients = Operation.list("listClients", {
  rest: "GET /v1/operator/clients",
  params: {},
  filters: {},
  cursor: "name",
  row: ClientView,
  page: "ClientPage",
  columns: [...Operation.columns("id", "name", "enabled"), ...grants],
  errors: [Forbidden],
  summary: "List API clients",
  description:
    "The clients whose grants are only for businesses that the requesting client operates, in id order.",
  presentation: {
    lead: "These programs may use the interfaces, each with the permissions that its grants name."
  }
})

export const createClient = Operation.keylessWrite("createClient", {
  rest: "POST /v1/operator/clients",
  params: {},
  body: OperatorInput.clientSchema,
  read: OperatorInput.readClient,
  view: NewClientView,
  show: (client: NewClient) => unwrap(client, "clientSecret"),
  creates: "id",
  stateOf: clientState,
  errors: [Forbidden, InvalidRequest],
  summary: "Create an API client",
  description: "Only this answer shows its secret."
})

export const getClient = Operation.read("getClient", {
  rest: "GET /v1/operator/clients/:clientId",
  params: client,
  view: ClientView,
  stateOf: clientState,
  errors: clientErrors,
  summary: "Read an API client",
  description: "Its grants and the ids of its secrets, but never a secret."
})

export const updateClient = Operation.keylessWrite("updateClient", {
  rest: "PATCH /v1/operator/clients/:clientId",
  params: client,
  body: OperatorInput.clientChangeSchema,
  read: OperatorInput.readClientChange,
  view: ClientView,
  stateOf: clientState,
  errors: [...clientErrors, InvalidRequest, PreconditionFailed],
  summary: "Change an API client",
  description:
    "Fields that are left out stay as they are; grants are replaced as a whole. It takes effect within 5 seconds, even for issued tokens."
})

export const addClientGrants = Operation.keylessWrite("addClientGrants", {
  rest: "POST /v1/operator/clients/:clientId/grants",
  params: client,
  body: OperatorInput.grantsSchema,
  read: OperatorInput.readGrants,
  view: ClientView,
  errors: [...clientErrors, InvalidRequest],
  summary: "Let an API client do more",
  description:
    "Existing grants stay, also those that others add at the same time. It takes effect within 5 seconds, even for issued tokens."
})

export const withdrawClientGrants = Operation.keylessWrite("withdrawClientGrants", {
  rest: "POST /v1/operator/clients/:clientId/grants/withdraw",
  params: client,
  body: OperatorInput.grantsSchema,
  read: OperatorInput.readGrants,
  view: ClientView,
  errors: [...clientErrors, InvalidRequest],
  summary: "Take permissions away from an API client",
  description:
    "Withdraws each permission at the named facilities, or with `*` at all facilities of the business; other grants stay. It takes effect within 5 seconds, even for issued tokens."
})

export const createSecret = Operation.keylessWrite("createSecret", {
  rest: "POST /v1/operator/clients/:clientId/secrets",
  params: client,
  view: NewSecretView,
  isAdditive: true,
  show: (secret: NewSecret) => unwrap(secret, "clientSecret"),
  creates: "secretId",
  errors: [...clientErrors, TooManySecrets],
  summary: "Add a secret to an API client",
  description: "Two secrets are valid at once, so that one can replace the other without a gap."
})

export const deleteSecret = Operation.keylessWrite("deleteSecret", {
  rest: "DELETE /v1/operator/clients/:clientId/secrets/:secretId",
  params: { ...client, secretId: Operation.id("The secret's id") },
  view: Schema.Void,
  errors: [SecretNotFound, ...clientErrors],
  summary: "Delete a secret of an API client",
  description: "It gets no new tokens; issued tokens stay valid until they expire."
})

export const listPeople = Operation.list("listPeople", {
  rest: "GET /v1/operator/people",
  params: {},
  filters: {},
  cursor: "name",
  row: PersonView,
  page: "PersonPage",
  columns: [...Operation.columns("id", "name", "email", "subject"), ...grants],
  errors: [Forbidden],
  summary: "List people",
  description:
    "The people whose grants are only for businesses that the requesting client operates, in id order.",
  presentation: {
    lead: "These people can sign in with the OpenID Connect provider of the service.",
    empty: [
      "Nobody can sign in with the provider yet",
      "Add a person by the e-mail address that the provider has verified, or by their subject, which the sign-in page shows to people who have not been added."
    ]
  }
})

export const addPerson = Operation.keylessWrite("addPerson", {
  rest: "POST /v1/operator/people",
  params: {},
  body: OperatorInput.personSchema,
  read: OperatorInput.readPerson,
  view: PersonView,
  creates: "id",
  stateOf: personState,
  errors: [PersonExists, Forbidden, InvalidRequest],
  summary: "Let a person sign in to the dashboard",
  description: "The OpenID Connect provider of the service identifies people; grants give them permissions."
})

export const getPerson = Operation.read("getPerson", {
  rest: "GET /v1/operator/people/:personId",
  params: person,
  view: PersonView,
  stateOf: personState,
  errors: personErrors,
  summary: "Read a person",
  description: "How the OpenID Connect provider identifies the person, and the grants."
})

export const updatePerson = Operation.keylessWrite("updatePerson", {
  rest: "PATCH /v1/operator/people/:personId",
  params: person,
  body: OperatorInput.personChangeSchema,
  read: OperatorInput.readPersonChange,
  view: PersonView,
  stateOf: personState,
  errors: [...personErrors, PersonExists, InvalidRequest, PreconditionFailed],
  summary: "Change the name or the grants of a person",
  description:
    "Fields that are left out stay as they are; grants are replaced as a whole. It takes effect within 5 seconds, even for open sessions."
})

export const addPersonGrants = Operation.keylessWrite("addPersonGrants", {
  rest: "POST /v1/operator/people/:personId/grants",
  params: person,
  body: OperatorInput.grantsSchema,
  read: OperatorInput.readGrants,
  view: PersonView,
  errors: [...personErrors, PersonExists, InvalidRequest],
  summary: "Let a person do more",
  description:
    "Existing grants stay, also those that others add at the same time. It takes effect within 5 seconds, even for open sessions."
})

export const withdrawPersonGrants = Operation.keylessWrite("withdrawPersonGrants", {
  rest: "POST /v1/operator/people/:personId/grants/withdraw",
  params: person,
  body: OperatorInput.grantsSchema,
  read: OperatorInput.readGrants,
  view: PersonView,
  errors: [...personErrors, InvalidRequest],
  summary: "Take permissions away from a person",
  description:
    "Withdraws each permission at the named facilities, or with `*` at all facilities of the business; other grants stay. It takes effect within 5 seconds, even for open sessions."
})

export const removePerson = Operation.keylessWrite("removePerson", {
  rest: "DELETE /v1/operator/people/:personId",
  params: person,
  view: Schema.Void,
  errors: personErrors,
  summary: "Remove a person",
  description: "The sessions of the person end within 5 seconds."
})
