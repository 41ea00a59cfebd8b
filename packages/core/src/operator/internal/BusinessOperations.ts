/**
 * The operations of operators on businesses, their field maps, facilities and docks, as values (D11).
 */
import { Schema } from "effect"
import * as Operation from "../../access/Operation.ts"
import { placeErrors } from "../../places/Authorize.ts"
import { Business, Facility } from "../../places/Place.ts"
import { BusinessNotFound, Forbidden, InvalidRequest, StorageUnavailable } from "../../values/Errors.ts"
import { BusinessExists, DockExists, FacilityExists, TooManyEntries } from "../../values/OperatorErrors.ts"
import { PreconditionFailed } from "../../values/RequestErrors.ts"
import { DockView, MessageFieldView } from "../OperatorView.ts"
import * as OperatorInput from "./OperatorInput.ts"

const business = { slug: Operation.id("The business's slug") }
const facility = { ...business, facility: Operation.id("The facility's slug") }

const businessErrors = [BusinessNotFound, Forbidden, StorageUnavailable] as const

const fieldMap = Schema.Array(MessageFieldView)

export const listBusinesses = Operation.list("listBusinesses", {
  rest: "GET /v1/operator/businesses",
  params: {},
  filters: {},
  cursor: "name",
  row: Business,
  page: "BusinessPage",
  columns: Operation.columnsOf(Business),
  errors: [Forbidden],
  summary: "List businesses",
  description: "The businesses that the client operates, in slug order.",
  presentation: {
    lead:
      "These are the customers of the service. Each has its facilities, its docks and its messages, apart from the others."
  }
})

export const createBusiness = Operation.keylessWrite("createBusiness", {
  rest: "POST /v1/operator/businesses",
  params: {},
  body: OperatorInput.businessSchema,
  read: OperatorInput.readBusiness,
  view: Business,
  creates: "slug",
  errors: [BusinessExists, Forbidden],
  summary: "Create a business",
  description: "It needs the permission operator for the whole service."
})

export const getBusiness = Operation.read("getBusiness", {
  rest: "GET /v1/operator/businesses/:slug",
  params: business,
  view: Business,
  errors: businessErrors,
  summary: "Read a business",
  description: "Its slug and its name."
})

export const renameBusiness = Operation.keylessWrite("renameBusiness", {
  rest: "PATCH /v1/operator/businesses/:slug",
  params: business,
  body: OperatorInput.renameSchema,
  read: OperatorInput.readRename,
  view: Business,
  errors: businessErrors,
  summary: "Rename a business",
  description: "Only its name changes; its slug stays."
})

export const getFieldMap = Operation.read("getFieldMap", {
  rest: "GET /v1/operator/businesses/:slug/field-map",
  params: business,
  view: fieldMap,
  stateOf: (fields) => fields,
  errors: businessErrors,
  summary: "Read the field map of a business",
  description: "The labels of pallets that its messages carry, and the names of their fields.",
  presentation: {
    lead: "Which labels of pallets the messages of the business carry, and under which names."
  }
})

export const setFieldMap = Operation.keylessWrite("setFieldMap", {
  rest: "PUT /v1/operator/businesses/:slug/field-map",
  params: business,
  body: OperatorInput.fieldMapSchema,
  read: OperatorInput.readFieldMap,
  view: fieldMap,
  stateOf: (fields) => fields,
  errors: [...businessErrors, InvalidRequest, PreconditionFailed],
  summary: "Replace the field map of a business",
  description: "New messages carry these fields; messages in the log stay as they are."
})

export const listFacilities = Operation.list("listFacilities", {
  rest: "GET /v1/operator/businesses/:slug/facilities",
  params: business,
  filters: {},
  cursor: "name",
  row: Facility,
  page: "FacilityPage",
  columns: Operation.columnsOf(Facility),
  errors: businessErrors,
  summary: "List the facilities of a business",
  description: "In slug order."
})

export const createFacility = Operation.keylessWrite("createFacility", {
  rest: "POST /v1/operator/businesses/:slug/facilities",
  params: business,
  body: OperatorInput.facilitySchema,
  read: OperatorInput.readFacility,
  view: Facility,
  creates: "slug",
  errors: [...businessErrors, FacilityExists, TooManyEntries],
  summary: "Create a facility",
  description: "Its slug is unique within the business. Its docks are created after it."
})

export const getFacility = Operation.read("getFacility", {
  rest: "GET /v1/operator/businesses/:slug/facilities/:facility",
  params: facility,
  view: Facility,
  errors: placeErrors,
  summary: "Read a facility",
  description: "Its slug, its name, its time zone and its detention limit."
})

export const updateFacility = Operation.keylessWrite("updateFacility", {
  rest: "PATCH /v1/operator/businesses/:slug/facilities/:facility",
  params: facility,
  body: OperatorInput.facilityChangeSchema,
  read: OperatorInput.readFacilityChange,
  view: Facility,
  errors: placeErrors,
  summary: "Change a facility",
  description:
    "Changes its name, its time zone or its detention limit; fields that are left out stay as they are."
})

export const listDocks = Operation.list("listDocks", {
  rest: "GET /v1/operator/businesses/:slug/facilities/:facility/docks",
  params: facility,
  filters: {},
  cursor: "name",
  row: DockView,
  page: "DockPage",
  columns: Operation.columnsOf(DockView),
  errors: placeErrors,
  summary: "List the docks of a facility",
  description: "In slug order."
})

export const createDock = Operation.keylessWrite("createDock", {
  rest: "POST /v1/operator/businesses/:slug/facilities/:facility/docks",
  params: facility,
  body: OperatorInput.dockSchema,
  read: OperatorInput.readDock,
  view: DockView,
  creates: null,
  errors: [...placeErrors, DockExists, TooManyEntries],
  summary: "Create a dock",
  description: "Its slug is unique within the facility."
})
