/**
 * The inputs with which the tests of tenants and places call each declared operation, over every interface: a missing one does not compile.
 * The refused clients, and their refusals, follow from the declaration.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Capability from "@dockline/core/capability/Capability"
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import type { Operations } from "@dockline/core/operations/Operations"
import { capabilities } from "@dockline/server/Capabilities"
import { palletEvent } from "../../http/facility/Facility.ts"
import { order } from "../../http/Sample.ts"
import { unique } from "../../support/TestServer.ts"
import { mayDo } from "./Everywhere.ts"
import type { Client, Made } from "./Everywhere.ts"

/** The operations of the contract and of the capabilities that ship. */
type All = Operations & Capability.OperationsOf<typeof capabilities>

export const operations = declaredOperations(capabilities) as All

export type Method = keyof All

export const methods = Object.keys(operations) as ReadonlyArray<Method>

/** The parameters of a path, with the filters of a list or the members of a body beside them. */
export type Given = Readonly<Record<string, unknown>>

const place = ({ business, facility }: Made) => ({ business, facility })

const shipment = ({ id }: Made): Given => ({ id })

/** The input of each operation about a shipment at a place. */
export const asked: { readonly [Name in Method]: (made: Made) => Given } = {
  submit: (made) => order({ ...place(made), orderNumber: made.number }),
  shipment,
  shipments: (made) => ({ ...place(made), shipmentNumber: made.number, discrepancies: true }),
  orders: (made) => ({ ...place(made), orderNumber: made.number }),
  items: shipment,
  discrepancies: shipment,
  arrive: shipment,
  depart: shipment,
  checkIn: ({ id }) => ({ id, step: "AT_FACILITY" }),
  link: ({ id, otherId }) => ({ id, linkedShipmentId: otherId }),
  cancel: shipment,
  recordPallet: (made) => palletEvent({ ...place(made), shipmentId: made.id }),
  pallet: ({ id, palletId }) => ({ id, palletId }),
  shipmentPallets: shipment,
  pallets: (made) => ({ ...place(made), lpn: made.lpn }),
  shipmentExceptions: shipment,
  exceptions: (made) => ({ ...place(made), status: "OPEN", priority: "HIGH" }),
  reportException: ({ id, palletId }) => ({
    id,
    palletId,
    kind: "OTHER",
    priority: "LOW",
    description: unique("Wet")
  }),
  resolveException: ({ exceptionId, id }) => ({ id, exceptionId, note: "Done" }),
  document: ({ documentId }) => ({ id: documentId }),
  documents: (made) => ({ ...place(made), orderNumber: made.number }),
  messages: (made) => ({ ...place(made) }),
  search: (made) => ({ ...place(made), text: made.lpn }),
  dockBoard: place,
  day: (made) => place(made),
  dayShipments: (made) => place(made),
  dayTrend: (made) => place(made),
  trace: (made) => ({ ...place(made), lpn: made.lpn }),
  skus: place,
  setSkus: (made) => ({ ...place(made), skus: [{ id: "SKU-1", description: made.number }] }),
  deleteSkus: (made) => ({ ...place(made), ids: [unique("SKU")] }),
  packingListMappings: ({ business }) => ({ business }),
  savePackingListMapping: ({ business, number }) => ({
    business,
    name: "partner",
    mapping: { columns: [{ column: number, field: "lpn" }] }
  }),
  deletePackingListMapping: ({ business }) => ({ business, name: unique("partner").toLowerCase() }),
  ediFiles: (made) => ({ ...place(made), partner: made.partner, direction: "IN" }),
  ediFile: ({ ediFileId }) => ({ id: ediFileId }),
  ediOutbox: (made) => ({ ...place(made), partner: made.partner })
}

/** Whether an operation is about the days of one facility. */
const isDay = (method: Method): boolean => ["day", "dayShipments", "dayTrend"].includes(method)

/** Whether an operation is about one facility, which it has to name. */
const isOfFacility = (method: Method): boolean => isDay(method) || method === "skus" || method === "dockBoard"

/** Whether an operation is about data that all facilities of a business share: changing it takes the permission at all of them. */
const isOfBusiness = (method: Method): boolean => /PackingListMapping/i.test(method)

/** Whether an operation reads what customers are sent, which takes a permission of its own and names a business. */
const isTold = (method: Method): boolean => method === "messages" || method === "ediOutbox"

/** The number of entries in lists for the shipment that `Everywhere.ts` makes; other lists have some. */
export const entriesOf = (method: Method): number | undefined =>
  method === "messages" || isOfFacility(method) || isOfBusiness(method)
    ? undefined
    : method === "items"
    ? 2
    : 1

export const isReading = ({ kind }: Operation.Any): boolean => kind === "read" || kind === "list"

/** Whether a list can cover all places at once; a partner belongs to one facility. */
export const isEverywhere = (method: Method): boolean => {
  const { kind, ...operation }: Operation.Any = operations[method]
  return kind === "list" && "filters" in operation && "business" in operation.filters &&
    !isTold(method) && !isOfFacility(method) && !isOfBusiness(method) && method !== "ediFiles"
}

/** The refusal for a client that does not see the place of an id. */
const missing = (method: Method) =>
  method === "document"
    ? "DOCUMENT_NOT_FOUND"
    : method === "ediFile"
    ? "EDI_FILE_NOT_FOUND"
    : "SHIPMENT_NOT_FOUND"

/** The refusal of a client at a place: an id of a place that it does not see is not found, and a name is forbidden. */
export const refusalOf = (method: Method, client: Client, made: Made): string | undefined => {
  const operation: Operation.Any = operations[method]
  const seen = isOfBusiness(method)
    ? client.grants.some(({ business }) => ["*", made.business].includes(business))
    : (isTold(method) ? client.reads : client.sees).includes(made.place)
  const place = isOfBusiness(method) ? `${made.business}/*` : made.place
  const isAllowed = "may" in operation ? mayDo(client, operation.may, place) : seen
  if (isAllowed) return undefined
  return client.sees.includes(made.place) || !("id" in operation.params) ? "FORBIDDEN" : missing(method)
}

/** A cursor after which the page with the made entity begins, if the list is from the newest on. */
const cursorBefore = (method: Method, { id }: Made): string =>
  ["exceptions", "documents", "pallets", "ediFiles"].includes(method)
    ? "9999-12-31T23:59:59.999Z_1"
    : String(id - 1)

/** A request of an intruder with a shipment of its own, and its refusal: a code or a pattern; none if it sees its own data. */
export type Probe = readonly [given: Given, refusal: string | RegExp | undefined]

/** The requests of an intruder, who may do everything at globex, about known facts of another business. */
export const probesOf = (method: Method, made: Made, own: Pick<Made, "id">): ReadonlyArray<Probe> => {
  const operation: Operation.Any = operations[method]
  const given = asked[method](made)
  if ("id" in operation.params) {
    return [
      [given, missing(method)],
      ...method === "link" ? [[{ ...given, linkedShipmentId: own.id }, "SHIPMENT_NOT_FOUND"] as const] : [],
      // Entities of the victim, on a shipment of the intruder.
      ...Object.keys(given).some((name) => name !== "id" && name.endsWith("Id"))
        ? [[{ ...given, id: own.id }, /_NOT_FOUND$/] as const]
        : []
    ]
  }
  const { business: _business, facility: _facility, ...others } = given
  const away: Probe = [{ ...given, business: "globex", facility: "west" }, "FACILITY_NOT_FOUND"]
  const here = { ...given, business: "globex", facility: "main", dockSlug: "D1" }
  if (method === "submit") return [[given, "FORBIDDEN"], away, [here, undefined]]
  if (method === "recordPallet") return [[given, "FORBIDDEN"], away, [here, "SHIPMENT_NOT_FOUND"]]
  if (method === "setSkus" || method === "deleteSkus") {
    return [[given, "FORBIDDEN"], away]
  }
  if (isOfBusiness(method)) {
    return [
      [given, "FORBIDDEN"],
      [{ ...given, business: "nobody" }, /BUSINESS_NOT_FOUND|FORBIDDEN/],
      [{ ...given, business: "globex" }, undefined]
    ]
  }
  if (isOfFacility(method)) {
    return [[given, "FORBIDDEN"], away, [{ business: "globex", facility: "main" }, undefined]]
  }
  if (isTold(method)) {
    return [
      [given, "FORBIDDEN"],
      [{ business: "acme" }, "FORBIDDEN"],
      away,
      [{ business: "globex" }, undefined]
    ]
  }
  return [
    [given, "FORBIDDEN"],
    [{ ...others, business: "acme" }, "FORBIDDEN"],
    away,
    [{ ...others, facility: "west" }, undefined],
    [others, undefined],
    [{ ...others, business: "globex", after: cursorBefore(method, made), limit: 1 }, undefined]
  ]
}
