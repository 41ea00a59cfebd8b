/**
 * Small data for tests: builders that need only the fields under test, functions that run decisions and programs over the stores in memory,
 * times in the recent past, and unique names.
 *
 * Times that are long past are refused (D21.2), so times are relative to the day of the run. Suites may run on a database that others use
 * or have used, so the names of businesses are unique.
 */
import type { Grant, Permission, Principal } from "@dockline/core/access/Access"
import { decide } from "@dockline/core/document/Decision"
import type { Document, DocumentOrder } from "@dockline/core/document/Document"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { defaultIntakeConfig, Intake } from "@dockline/core/document/Intake"
import type { IntakeConfig } from "@dockline/core/document/Intake"
import type { Candidate, Plan, Snapshot } from "@dockline/core/document/Plan"
import * as Memory from "@dockline/core/memory/Memory"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import type { BusinessEntry } from "@dockline/core/places/Place"
import { emptyOrderFields, emptyOrderItem, emptyShipmentFields } from "@dockline/core/shipment/Shipment"
import type {
  Order,
  OrderFields,
  OrderItem,
  OrderItemDraft,
  Shipment,
  ShipmentHeader
} from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Result } from "effect"
import { randomBytes } from "node:crypto"

const day = 86_400_000

const dayBefore = (days: number): string => new Date(Date.now() - days * day).toISOString().slice(0, 10)

/** The day before the run. All its times are in the past. */
export const yesterday = dayBefore(1)

const dayBeforeYesterday = dayBefore(2)

const timeOf = (day: string, timeOfDay: string): Timestamp.Timestamp => {
  const time = Timestamp.parse(`${day}T${timeOfDay}`)
  if (time === undefined) throw new TypeError(`Not a time of day: ${timeOfDay}`)
  return time
}

/** A time of {@link yesterday}: `recently("17:00:00Z")`. */
export const recently = (timeOfDay: string): Timestamp.Timestamp => timeOf(yesterday, timeOfDay)

/** A time of the day before {@link yesterday}. */
export const lessRecently = (timeOfDay: string): Timestamp.Timestamp => timeOf(dayBeforeYesterday, timeOfDay)

/** An id of this process. */
const here = BigInt(`0x${randomBytes(5).toString("hex")}`).toString(36).padStart(8, "0")

let count = 0

/** A slug that no process has used before, such as `moving-k3f9x2ab-17`. */
export const unique = (prefix: string): string => `${prefix}-${here}-${++count}`

/** The time of every snapshot and the start of every clock. */
export const now = recently("17:00:00.000Z")

/** A time before {@link now}. */
export const earlier = lessRecently("08:30:00.000Z")

/** The business of these values. */
export const acme = { slug: "acme", name: "Acme Inc." }
/** Its facility. */
export const east = { slug: "east", name: "East Hub" }

/** An item of a document. */
export const anItem = (lpn: string, sku: string, fields: Partial<OrderItemDraft> = {}): OrderItemDraft => ({
  ...emptyOrderItem,
  lpn,
  sku,
  quantity: 5,
  quantityUnit: "CASE",
  ...fields
})

/** One order of a document. */
export const orderOf = (
  orderNumber: string,
  strategy = "OVERWRITE",
  items: ReadonlyArray<OrderItemDraft> = [],
  fields: Partial<OrderFields> = {}
): DocumentOrder => ({ orderNumber, strategy, fields: { ...emptyOrderFields, ...fields }, items })

/** A document for shipment S1. Without `orders`, it has the order O1 without items. */
export const aDocument = (
  fields: Partial<Omit<Document, "orders">> = {},
  ...orders: ReadonlyArray<DocumentOrder>
): Document => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  shipmentNumber: "S1",
  ...emptyShipmentFields,
  expectedArrivalAt: null,
  dockSlug: "",
  additionalFields: [],
  ...fields,
  orders: orders.length === 0 ? [orderOf("O1")] : orders
})

/** An order on a shipment. */
export const anOrder = (
  id: string,
  number: string,
  items: ReadonlyArray<OrderItem> = [],
  fields: Partial<Order> = {}
): Order => ({ ...emptyOrderFields, id, number, status: "CREATED", direction: "OUTBOUND", ...fields, items })

/** A stored shipment S1 with id 1, scheduled {@link earlier}. */
export const aShipment = (fields: Partial<Shipment> = {}): Shipment => ({
  id: 1,
  number: "S1",
  status: "SCHEDULED",
  direction: "OUTBOUND",
  scheduledAt: earlier,
  arrivedAt: null,
  departedAt: null,
  cancelledAt: null,
  linkedShipmentIds: [],
  checkIn: {},
  stepClients: {},
  version: 1,
  ...emptyShipmentFields,
  expectedArrivalAt: earlier,
  dock: null,
  additionalFields: [],
  orders: [],
  pallets: [],
  ...fields
})

/** A copy of a value without some of its members. */
export const without = <A extends object, Name extends keyof A>(
  value: A,
  ...names: ReadonlyArray<Name>
): Omit<A, Name> => {
  const rest: Partial<A> = { ...value }
  for (const name of names) delete rest[name]
  return rest as Omit<A, Name>
}

/** An order on another shipment, which is by default scheduled and not linked. */
export const aCandidate = (order: Order, fields: Partial<Candidate> = {}): Candidate => ({
  order,
  createdAt: earlier,
  shipmentId: 9,
  shipmentStatus: "SCHEDULED",
  shipmentIsLinked: false,
  ...fields
})

/** A snapshot of acme's east hub, by default without a shipment. */
export const aSnapshot = (fields: Partial<Snapshot> = {}): Snapshot => ({
  now,
  business: acme,
  facility: east,
  dock: null,
  target: null,
  candidates: [],
  ...fields
})

/** The part of a refusal that a client sees. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** The stable part of an error, for comparison as a whole. */
export const refusalOf = (error: Refusal): Refusal => ({ code: error.code, message: error.message })

/** The plan of a document that must be accepted. */
export const planOf = (document: Document, snapshot: Snapshot): Plan =>
  Result.getOrThrowWith(decide(document, snapshot), (error) => error)

/** The refusal of a document that must not be accepted. */
export const refusal = (document: Document, snapshot: Snapshot): Refusal =>
  refusalOf(Result.getOrThrow(Result.flip(decide(document, snapshot))))

/** Two businesses; acme has the facilities east (docks D1, D2) and west (dock D1). */
export const places: ReadonlyArray<BusinessEntry> = [
  {
    ...acme,
    fieldMap: [],
    facilities: [{ ...east, docks: ["D1", "D2"] }, { slug: "west", name: "West Hub", docks: ["D1"] }]
  },
  { slug: "globex", name: "Globex", fieldMap: [], facilities: [{ slug: "main", name: "Main", docks: [] }] }
]

/** A grant: permissions at some facilities of a business. */
export const aGrant = (
  business: string,
  facilities: Grant["facilities"] = "*",
  permissions: ReadonlyArray<Permission> = ["documents:write"]
): Grant => ({ business, facilities, permissions })

/** A client with these grants. */
export const aPrincipal = (...grants: ReadonlyArray<Grant>): Principal => ({ clientId: "client", grants })

/** A client with an id and these permissions at some or all (`"*"`) facilities of a business. */
export const aClient = (
  clientId: string,
  business: string,
  facilities: Grant["facilities"],
  ...permissions: ReadonlyArray<Permission>
): Principal => ({ clientId, grants: [aGrant(business, facilities, permissions)] })

/** A client that may submit documents everywhere at acme. */
export const acmeClient = aPrincipal(aGrant("acme"))

/** Intake over new stores in memory. */
export const services = (
  config: IntakeConfig = defaultIntakeConfig
): Layer.Layer<Intake | Memory.Stores> =>
  Layer.fresh(Layer.provideMerge(Intake.layer(config), Layer.fresh(Memory.layer)))

/** Submits a document as {@link acmeClient}. */
export const submit = Effect.fnUntraced(function*(document: Document, dryRun = false) {
  const intake = yield* Intake
  return yield* intake.submit(document, acmeClient, { dryRun })
})

/** Changes the shipment of a document (arrived, linked, …) by a handmade plan. */
export const alter = Effect.fnUntraced(function*(
  document: Document,
  change: (header: ShipmentHeader) => ShipmentHeader
) {
  const store = yield* IntakeStore
  return yield* store.transact(document, ({ target }) => {
    if (target === null) return Result.fail("no such shipment" as const)
    const { orders: _, pallets: __, ...header } = target
    const shipment = { _tag: "Update", shipment: change(header), isChanged: true } as const
    return Result.succeed({ shipment, orders: [] })
  }, { dryRun: false })
})

/** A client that may move everything at acme. */
export const mover = aPrincipal(aGrant("acme", "*", ["pallets:write", "shipments:write"]))

/** The address of the dashboard in links of messages. */
export const dashboardUrl = "https://dashboard.example.com"

/** The labels of a pallet, as `[name, value]`. */
export const labelsOf = (...labels: ReadonlyArray<readonly [name: string, value: string]>) =>
  labels.map(([name, value]) => ({ name, value }))

/** The pallet L1, loaded at dock D1 of acme's east hub. */
export const aPalletEvent = (fields: Partial<PalletEvent> = {}): PalletEvent => ({
  eventId: "E1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: earlier,
  shipmentId: null,
  shipmentNumber: "",
  labels: labelsOf(["lpn", "L1"]),
  ...fields
})
