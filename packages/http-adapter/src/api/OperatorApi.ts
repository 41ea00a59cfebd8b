/**
 * The REST interface of operators as data: businesses and their places, API clients, people (D11, D14.4). Every operation takes the
 * permission `operator`, for the business that it is about or for the whole service.
 */
import * as ClientInput from "@dockline/core/internal/operator/ClientInput"
import { businessErrors, clientErrors, personErrors } from "@dockline/core/internal/operator/OperationErrors"
import * as OperatorInput from "@dockline/core/internal/operator/OperatorInput"
import * as OperatorView from "@dockline/core/internal/operator/OperatorView"
import { placeErrors } from "@dockline/core/internal/places/Authorize"
import * as Field from "@dockline/core/internal/values/Field"
import {
  AdvanceTooFar,
  BusinessExists,
  DockExists,
  FacilityExists,
  PersonExists,
  SecretNotFound,
  TooManyEntries,
  TooManySecrets
} from "@dockline/core/OperatorErrors"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { given, operated, problems, sent } from "./ApiErrors.ts"
import { about, correlationHeader, page, text, textPageQuery } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"

const business = { slug: text("The business's slug") }
const facility = { ...business, facility: text("The facility's slug") }
const client = { clientId: text("The client's id") }
const person = { personId: text("The person's id") }

const fieldMap = Schema.Array(OperatorView.MessageFieldView)

const headers = correlationHeader
const query = textPageQuery

export class Businesses extends HttpApiGroup.make("businesses")
  .add(
    HttpApiEndpoint.get("listBusinesses", "/v1/operator/businesses", {
      query,
      success: page(OperatorView.BusinessView, "BusinessPage"),
      error: problems(...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "List businesses",
      description: "The businesses that the client operates, in slug order."
    })),
    HttpApiEndpoint.post("createBusiness", "/v1/operator/businesses", {
      headers,
      payload: OperatorInput.businessSchema,
      success: OperatorView.BusinessView.pipe(HttpApiSchema.status(201)),
      error: problems(BusinessExists, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Create a business",
      description: "It takes the permission operator for the whole service."
    })),
    HttpApiEndpoint.get("getBusiness", "/v1/operator/businesses/:slug", {
      params: business,
      success: OperatorView.BusinessView,
      error: problems(...businessErrors, ...operated)
    }).annotateMerge(about("Read a business", "Its slug and its name.")),
    HttpApiEndpoint.patch("renameBusiness", "/v1/operator/businesses/:slug", {
      params: business,
      headers,
      payload: OperatorInput.renameSchema,
      success: OperatorView.BusinessView,
      error: problems(...businessErrors, ...given)
    }).annotateMerge(about("Rename a business", "Its name alone changes: its slug stays as it is.")),
    HttpApiEndpoint.get("getFieldMap", "/v1/operator/businesses/:slug/field-map", {
      params: business,
      success: fieldMap,
      error: problems(...businessErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Read the field map of a business",
      description: "Which labels of pallets its messages carry, and under which names."
    })),
    HttpApiEndpoint.put("setFieldMap", "/v1/operator/businesses/:slug/field-map", {
      params: business,
      headers,
      payload: OperatorInput.fieldMapSchema,
      success: fieldMap,
      error: problems(...businessErrors, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Replace the field map of a business",
      description: "Messages from then on carry these fields; those in the log stay as they are."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: businesses",
    description: "The businesses of the service, and which fields their messages carry"
  }))
{}

export class Facilities extends HttpApiGroup.make("facilities")
  .add(
    HttpApiEndpoint.get("listFacilities", "/v1/operator/businesses/:slug/facilities", {
      params: business,
      query,
      success: page(OperatorView.FacilityView, "FacilityPage"),
      error: problems(...businessErrors, ...operated)
    }).annotateMerge(about("List the facilities of a business", "In slug order.")),
    HttpApiEndpoint.post("createFacility", "/v1/operator/businesses/:slug/facilities", {
      params: business,
      headers,
      payload: OperatorInput.facilitySchema,
      success: OperatorView.FacilityView.pipe(HttpApiSchema.status(201)),
      error: problems(...businessErrors, FacilityExists, TooManyEntries, ...given)
    }).annotateMerge(
      about("Create a facility", "Its slug is unique within the business. Its docks are created after it.")
    ),
    HttpApiEndpoint.get("getFacility", "/v1/operator/businesses/:slug/facilities/:facility", {
      params: facility,
      success: OperatorView.FacilityView,
      error: problems(...placeErrors, ...operated)
    }).annotateMerge(about("Read a facility", "Its slug, its name and its time zone.")),
    HttpApiEndpoint.patch("updateFacility", "/v1/operator/businesses/:slug/facilities/:facility", {
      params: facility,
      headers,
      payload: OperatorInput.facilityChangeSchema,
      success: OperatorView.FacilityView,
      error: problems(...placeErrors, ...given)
    }).annotateMerge(
      about("Change a facility", "Its name or its time zone; what is left out stays as it is.")
    ),
    HttpApiEndpoint.get("listDocks", "/v1/operator/businesses/:slug/facilities/:facility/docks", {
      params: facility,
      query,
      success: page(OperatorView.DockView, "DockPage"),
      error: problems(...placeErrors, ...operated)
    }).annotateMerge(about("List the docks of a facility", "In slug order.")),
    HttpApiEndpoint.post("createDock", "/v1/operator/businesses/:slug/facilities/:facility/docks", {
      params: facility,
      headers,
      payload: OperatorInput.dockSchema,
      success: OperatorView.DockView.pipe(HttpApiSchema.status(201)),
      error: problems(...placeErrors, DockExists, TooManyEntries, ...given)
    }).annotateMerge(about("Create a dock", "Its slug is unique within the facility."))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: facilities and docks",
    description: "Where a business loads and unloads"
  }))
{}

export class Clients extends HttpApiGroup.make("clients")
  .add(
    HttpApiEndpoint.get("listClients", "/v1/operator/clients", {
      query,
      success: page(OperatorView.ClientView, "ClientPage"),
      error: problems(...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "List API clients",
      description: "Those whose grants are all for businesses that the asking client operates, in id order."
    })),
    HttpApiEndpoint.post("createClient", "/v1/operator/clients", {
      headers,
      payload: ClientInput.clientSchema,
      success: OperatorView.NewClientView.pipe(HttpApiSchema.status(201)),
      error: problems(...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Create an API client",
      description: "The answer is the only one that shows its secret."
    })),
    HttpApiEndpoint.get("getClient", "/v1/operator/clients/:clientId", {
      params: client,
      success: OperatorView.ClientView,
      error: problems(...clientErrors, ...operated)
    }).annotateMerge(
      about("Read an API client", "Its grants and the ids of its secrets, but never a secret.")
    ),
    HttpApiEndpoint.patch("updateClient", "/v1/operator/clients/:clientId", {
      params: client,
      headers,
      payload: ClientInput.clientChangeSchema,
      success: OperatorView.ClientView,
      error: problems(...clientErrors, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Change an API client",
      description:
        "What is left out stays as it is; grants are replaced as a whole. It takes effect within 5 seconds, for tokens at hand too."
    })),
    HttpApiEndpoint.post("createSecret", "/v1/operator/clients/:clientId/secrets", {
      params: client,
      headers,
      success: OperatorView.NewSecretView.pipe(HttpApiSchema.status(201)),
      error: problems(...clientErrors, TooManySecrets, ...sent)
    }).annotateMerge(OpenApi.annotations({
      summary: "Add a secret to an API client",
      description: "Two secrets are valid at once, so that one can replace the other without a gap."
    })),
    HttpApiEndpoint.delete("deleteSecret", "/v1/operator/clients/:clientId/secrets/:secretId", {
      params: { ...client, secretId: text("The secret's id") },
      headers,
      success: HttpApiSchema.NoContent,
      error: problems(SecretNotFound, ...clientErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Delete a secret of an API client",
      description: "No new token is given for it; tokens at hand stay valid until they expire."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: API clients",
    description: "Who may use the service, for what and where, and with which secrets"
  }))
{}

export class People extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("listPeople", "/v1/operator/people", {
      query,
      success: page(OperatorView.PersonView, "PersonPage"),
      error: problems(...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "List people",
      description: "Those whose grants are all for businesses that the asking client operates, in id order."
    })),
    HttpApiEndpoint.post("addPerson", "/v1/operator/people", {
      headers,
      payload: ClientInput.personSchema,
      success: OperatorView.PersonView.pipe(HttpApiSchema.status(201)),
      error: problems(PersonExists, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Let a person sign in to the dashboard",
      description:
        "The OpenID Connect provider of the service says who somebody is; the grants say what they may do."
    })),
    HttpApiEndpoint.get("getPerson", "/v1/operator/people/:personId", {
      params: person,
      success: OperatorView.PersonView,
      error: problems(...personErrors, ...operated)
    }).annotateMerge(
      about("Read a person", "Whom the OpenID Connect provider knows the person as, and the grants.")
    ),
    HttpApiEndpoint.patch("updatePerson", "/v1/operator/people/:personId", {
      params: person,
      headers,
      payload: ClientInput.personChangeSchema,
      success: OperatorView.PersonView,
      error: problems(...personErrors, PersonExists, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Change the name or the grants of a person",
      description:
        "What is left out stays as it is; grants are replaced as a whole. It takes effect within 5 seconds, for sessions at hand too."
    })),
    HttpApiEndpoint.delete("removePerson", "/v1/operator/people/:personId", {
      params: person,
      headers,
      success: HttpApiSchema.NoContent,
      error: problems(...personErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Remove a person",
      description: "The sessions of the person end within 5 seconds."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: people",
    description: "Who may sign in to the dashboard by the OpenID Connect provider, for what and where"
  }))
{}

export class Audit extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/v1/operator/audit", {
      query: {
        business: Schema.optionalKey(Field.text("Only changes of this business.")),
        clientId: Schema.optionalKey(Field.text("Only changes by this client.")),
        subject: Schema.optionalKey(
          Field.text("Only changes of this: a path below /v1/operator, such as clients/{id}.")
        ),
        from: Schema.optionalKey(Field.dateTime("Only changes of then or later.")),
        to: Schema.optionalKey(Field.dateTime("Only changes of then or earlier.")),
        ...query
      },
      success: page(OperatorView.AuditView, "AuditPage"),
      error: problems(...operated)
    }).annotateMerge(about(
      "Read what operators have changed",
      "Who changed what, when and from which address, newest first, for a year; for the businesses that the asking client operates."
    ))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: audit",
    description: "The record of what operators have changed"
  }))
{}

export class MessageLogs extends HttpApiGroup.make("messageLogs")
  .add(
    HttpApiEndpoint.post("advanceMessages", "/v1/operator/messages/advance", {
      headers,
      payload: OperatorInput.advanceSchema,
      success: OperatorView.AdvanceView,
      error: problems(AdvanceTooFar, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Move the ids of messages on",
      description:
        "After the database was restored from a backup or a standby was promoted: ids that were given and lost are not \
given again, and cursors up to `beyond` are good again. Ids are never moved back; a repetition does nothing. It takes the \
permission operator for the whole service."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: messages",
    description: "The ids of messages, after a restore"
  }))
{}
