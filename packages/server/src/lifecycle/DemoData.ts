/** The demo data (D12.2): two businesses, and clients with public secrets. It is never for real freight. */
import type { Grant, Principal } from "@dockline/core/access/Access"
import { ClientStore } from "@dockline/core/access/Principals"
import { OperationRegistry, writing } from "@dockline/core/capability/OperationRegistry"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import * as PalletOperations from "@dockline/core/movement/PalletOperations"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Webhooks } from "@dockline/core/operator/Webhooks"
import { Directory } from "@dockline/core/places/Place"
import type { BusinessEntry } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import { hashSecret } from "@dockline/http-adapter/tokens/Clients"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Clock, Effect, Layer, References } from "effect"
import { wholeService } from "./OperatorClient.ts"

/** The demo businesses. */
export const businesses: ReadonlyArray<BusinessEntry> = [
  {
    slug: "acme",
    name: "Acme",
    fieldMap: [
      { name: "LPN", label: "lpn", list: false },
      { name: "SKUs", label: "sku", list: true },
      { name: "LotNumber", label: "lot", list: false },
      { name: "ExpirationDate", label: "expiration", list: false }
    ],
    facilities: [
      { slug: "east", name: "Acme East", docks: ["D1", "D2"] },
      { slug: "west", name: "Acme West", docks: ["D1", "D2"] }
    ]
  },
  {
    slug: "globex",
    name: "Globex",
    fieldMap: [],
    facilities: [{ slug: "main", name: "Globex Main", docks: ["D1"] }]
  }
]

const customer = (business: string, facilities: Grant["facilities"]): Grant => ({
  business,
  facilities,
  permissions: ["documents:write", "messages:read"]
})

const everywhere = (permissions: Grant["permissions"]): ReadonlyArray<Grant> =>
  businesses.map(({ slug }) => ({ business: slug, facilities: "*", permissions }))

/** The demo clients by id; the secret of each is its id followed by `-secret`. */
export const grants: Readonly<Record<string, ReadonlyArray<Grant>>> = {
  "acme-client": [customer("acme", "*")],
  "acme-east-client": [customer("acme", ["east"])],
  "globex-client": [customer("globex", "*")],
  tower: everywhere(["pallets:write", "shipments:write"]),
  operator: [wholeService]
}

/** The id of the secret that marks a demo client. */
const demoSecretId = "demo"

/** The secret of a demo client. */
export const secretOf = (clientId: string): string => `${clientId}-secret`

/** The purpose of each demo client, for the sign-in page of the dashboard. */
const descriptions: Readonly<Record<string, string>> = {
  "acme-client": "Everything of Acme",
  "acme-east-client": "Acme East only",
  "globex-client": "Everything of Globex",
  tower: "A tower at the docks: no messages",
  operator: "Operates the whole service"
}

/** The demo clients as the sign-in page of the dashboard offers them. */
export const clients = Object.entries(descriptions).map(([id, description]) => ({
  id,
  secret: secretOf(id),
  description
}))

const minute = 60_000
const day = 1440 * minute

const at = Timestamp.asOf

const clientOf = (clientId: string): Principal => ({ clientId, grants: grants[clientId] ?? [] })

/** The client of the towers at the docks of the demo. */
export const tower = clientOf("tower")

/** A truck: its shipment, with one order, which has `pallets` pallets. */
export interface Truck {
  readonly business: "acme" | "globex"
  readonly facility: "east" | "main" | "west"
  readonly number: string
  readonly orderNumber: string
  readonly direction: "INBOUND" | "OUTBOUND"
  readonly dockSlug: string
  readonly carrier: string
  readonly pallets: number
}

const goods = [
  { sku: "OAT-500", description: "Rolled oats 500 g" },
  { sku: "RICE-1K", description: "Basmati rice 1 kg" },
  { sku: "TEA-80", description: "Black tea, 80 bags" }
]

/** The content of the n-th pallet of a truck. The remainder is always a valid index. */
const goodsOf = (n: number) => goods[n % goods.length]!

/** The SSCC of the n-th pallet of a truck. */
export const lpnOf = ({ number }: Truck, n: number): string =>
  `3401234500${number.replaceAll(/\D/g, "")}${String(n).padStart(4, "0")}`

/** The LPNs of the pallets of a truck, without the last `leftOut` of them. */
export const lpnsOf = (truck: Truck, leftOut = 0): ReadonlyArray<string> =>
  Array.from({ length: truck.pallets - leftOut }, (_, n) => lpnOf(truck, n))

/** Sends the document of a truck; returns the id of its shipment. */
export const announce = Effect.fnUntraced(function*(truck: Truck, expectedAt: number) {
  const { number, orderNumber, pallets: _, ...shipment } = truck
  const document = DocumentInput.reader()({
    ...shipment,
    shipmentNumber: number,
    trailerNumber: `TR-${number.replaceAll(/\D/g, "")}`,
    expectedArrivalAt: Timestamp.fromMillis(expectedAt),
    orders: [{
      orderNumber,
      items: lpnsOf(truck).map((lpn, n) => ({
        ...goodsOf(n),
        lpn,
        quantity: 48,
        quantityUnit: "CASE"
      }))
    }]
  })
  const { submit } = yield* Intake
  const answer = yield* submit(yield* Effect.fromResult(document), clientOf(`${truck.business}-client`))
  return String(answer.shipment.id)
})

/** Records that pallets pass the dock, one every two minutes; returns the ids of the pallets. */
export const pass = Effect.fnUntraced(
  function*(truck: Truck, shipmentId: string, lpns: ReadonlyArray<string>, from: number) {
    const { record } = yield* Pallets
    const { business, direction, dockSlug, facility } = truck
    return yield* Effect.forEach(lpns, (lpn, n) => {
      const occurredAt = from + n * 2 * minute
      const event = PalletOperations.read({
        eventId: `demo-${lpn}`,
        business,
        facility,
        dockSlug,
        direction: direction === "OUTBOUND" ? "LOADING" : "UNLOADING",
        occurredAt: Timestamp.fromMillis(occurredAt),
        shipmentId: Number(shipmentId),
        labels: [
          { name: "lpn", value: lpn },
          { name: "sku", value: goodsOf(Number(lpn.slice(-4))).sku }
        ]
      })
      return Effect.fromResult(event).pipe(
        Effect.flatMap((event) => record(event, tower)),
        Effect.map(({ answer }) => answer.servicePalletId),
        at(occurredAt)
      )
    })
  }
)

/** A truck that departed last week while the server of its customer was unavailable: the delivery is dead, and the endpoint is disabled. */
const unheard = Effect.fnUntraced(function*(now: number) {
  const departedAt = now - 6 * day
  const truck: Truck = {
    business: "globex",
    facility: "main",
    number: "ASN-4700",
    orderNumber: "PO-9000",
    direction: "INBOUND",
    dockSlug: "D1",
    carrier: "Brook & Sons",
    pallets: 2
  }
  const { createWebhookEndpoint } = yield* Webhooks
  const { id } = yield* at(departedAt - day)(createWebhookEndpoint({
    body: {
      business: "globex",
      facility: null,
      baseUrl: "https://wms.globex.example",
      messageTypes: ["SHIPMENT_COMPLETE"],
      authentication: { type: "none", settings: {}, secrets: {} },
      signingSecret: undefined,
      ...plainSettings,
      fromId: null,
      enabled: true
    }
  }, clientOf("operator")))
  const shipmentId = yield* at(departedAt - 120 * minute)(announce(truck, departedAt - 60 * minute))
  yield* pass(truck, shipmentId, lpnsOf(truck), departedAt - 30 * minute)
  const { depart } = yield* Shipments
  yield* at(departedAt)(depart(shipmentId, {}, tower))
  yield* giveUp(Number(id), departedAt)
})

/** Records that all attempts of the schedule failed to reach an endpoint, as the dispatcher would have done by now. */
const giveUp = Effect.fnUntraced(function*(endpointId: number, since: number) {
  const { open, settle, take } = yield* DeliveryStore
  const now = Timestamp.fromMillis(since + 5 * day)
  const [endpoint] = yield* open([endpointId])
  if (endpoint === undefined) return
  const { endpoint: { cursorId: afterId, version }, lease } = endpoint
  const [result] = yield* take(
    [{ lease, version, afterId, takenIds: [], limit: 10, textLimit: 1_000_000 }],
    now
  )
  if (result?._tag !== "taken") return
  const failingSince = Timestamp.fromMillis(since)
  let time = since
  const attempts = [0, ...defaultWebhookConfig.retryDelays].map((wait) => ({
    at: Timestamp.fromMillis(time += wait),
    status: null,
    durationMs: 38,
    response: "",
    error: "wms.globex.example has no address"
  }))
  yield* settle([{
    lease,
    cursorId: result.messages.readTo,
    results: result.messages.fresh.map(({ message }) => ({
      messageId: message.id,
      messageType: message.type,
      shipmentId: message.shipmentId,
      status: "DEAD",
      attempts,
      nextAttemptAt: null,
      tries: attempts.length,
      failedSince: failingSince
    })),
    waitingMessages: [],
    failingSince,
    login: null,
    disable: "FAILING",
    expiredUpTo: undefined
  }], now)
})

const departed = Effect.fnUntraced(function*(now: number) {
  const truck: Truck = {
    business: "acme",
    facility: "east",
    number: "SHP-4701",
    orderNumber: "SO-9001",
    direction: "OUTBOUND",
    dockSlug: "D2",
    carrier: "Halden Transport",
    pallets: 6
  }
  const shipmentId = yield* at(now - 600 * minute)(announce(truck, now - 200 * minute))
  yield* pass(truck, shipmentId, lpnsOf(truck, 1), now - 190 * minute)
  const { depart } = yield* Shipments
  yield* at(now - 150 * minute)(depart(shipmentId, {}, tower))
})

/** A truck at the dock now: some pallets are loaded, one of them unexpected and one damaged. */
const loading = Effect.fnUntraced(function*(now: number) {
  const truck: Truck = {
    business: "acme",
    // The facility is not the east, where people report pallets by hand: a pallet without a shipment belongs to the shipment at its dock.
    facility: "west",
    number: "SHP-4702",
    orderNumber: "SO-9002",
    direction: "OUTBOUND",
    dockSlug: "D1",
    carrier: "Northline Freight",
    pallets: 8
  }
  const shipmentId = yield* at(now - 480 * minute)(announce(truck, now - 40 * minute))
  const lpns = [...lpnsOf(truck, 3), lpnOf(truck, 99)]
  const [palletId] = yield* pass(truck, shipmentId, lpns, now - 30 * minute)
  const registry = yield* OperationRegistry
  if (!("reportException" in registry.operations)) return
  yield* at(now - 10 * minute)(
    writing(registry)("reportException", {
      params: { id: shipmentId },
      body: Effect.succeed({
        ...(palletId === undefined ? {} : { palletId }),
        kind: "DAMAGED",
        priority: "HIGH",
        description: "Two cartons crushed at a corner"
      }),
      principal: tower,
      once: undefined
    })
  )
})

const expected: Truck = {
  business: "acme",
  facility: "east",
  number: "ASN-4703",
  orderNumber: "PO-9003",
  direction: "INBOUND",
  dockSlug: "D2",
  carrier: "Brook & Sons",
  pallets: 10
}

/** Makes the freight, unless a demo business already has a shipment. */
const installFreight = Effect.gen(function*() {
  const { listShipments } = yield* ShipmentStore
  const scopes = businesses.map(({ slug }) => ({ business: slug, facilities: "*" as const }))
  const filter = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const { items } = yield* listShipments(scopes, filter, { limit: 1, after: 0 })
  if (items.length > 0) return
  const now = yield* Clock.currentTimeMillis
  yield* unheard(now)
  yield* departed(now)
  yield* loading(now)
  yield* at(now - 60 * minute)(announce(expected, now + 120 * minute))
})

/**
 * Freight at the demo facilities for the first look: an expected shipment, a shipment that is being loaded with an unexpected and a damaged
 * pallet, a shipment that has departed with a pallet missing, and a customer whose server could not be reached.
 *
 * Guarantee: the freight is made once, and only if no demo business has a shipment; no customer is called. The services of core make it,
 * with times in the past; log lines have the current time.
 */
export const freight = Layer.effectDiscard(
  installFreight.pipe(
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.catch((error) => Effect.logWarning("The demo has no freight to show", error))
  )
)

/** Adds missing demo data, and resets changed demo data. */
export const install = Effect.gen(function*() {
  const directory = yield* Directory
  const clients = yield* ClientStore
  yield* directory.put(businesses)
  yield* clients.put(
    Object.entries(grants).map(([id, grants]) => ({
      id,
      name: id,
      enabled: true,
      secrets: [{ id: demoSecretId, hash: hashSecret(secretOf(id)) }],
      grants
    }))
  )
})

/** Disables the demo clients of an earlier start with demo data: their secrets are public. */
export const revoke = Effect.gen(function*() {
  const store = yield* ClientStore
  const rows = yield* Effect.forEach(Object.keys(grants), store.find)
  const clients = rows.filter((client) => client !== null)
    .filter(({ enabled, secrets }) => enabled && secrets.some(({ id }) => id === demoSecretId))
  if (clients.length === 0) return
  yield* store.put(clients.map((client) => ({ ...client, enabled: false })))
  yield* Effect.logWarning(`Demo clients disabled, as DEMO is off: ${clients.map(({ id }) => id).join(", ")}`)
})
