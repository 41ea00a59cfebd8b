/**
 * What happens in the demo, step by step. A step that changes something ends when the customer has the message of it.
 */
import { isObject } from "@dockline/example-customer/src/Json.ts"
import type { Effect } from "@dockline/example-customer/src/Ledger.ts"
import type { Pallet } from "@dockline/example-customer/src/PushMessage.ts"
import * as CustomerOfDemo from "./Customer.ts"
import type { Customer, Received } from "./Customer.ts"
import type { Screen } from "./Screen.ts"
import * as Site from "./Site.ts"

/** Where the story happens. */
export interface Place {
  readonly baseUrl: string
  readonly stateFile: string
}

const business = "acme"
const facility = "east"
const orderNumber = "SO-1001"
const dockSlug = "D1"

interface Freight {
  readonly lpn: string
  readonly sku: string
  readonly lot: string
  readonly expiration: string
}

const freight: ReadonlyArray<Freight> = [
  { lpn: "LPN-0001", sku: "SKU-OATS", lot: "L-77", expiration: "2027-03-31" },
  { lpn: "LPN-0002", sku: "SKU-OATS", lot: "L-78", expiration: "2027-04-30" },
  { lpn: "LPN-0003", sku: "SKU-RICE", lot: "L-12", expiration: "2028-01-31" }
]

/** The second pallet goes in, out again, and in. */
const crossings: ReadonlyArray<readonly [pallet: number, direction: Pallet["direction"]]> = [
  [0, "LOADING"],
  [1, "LOADING"],
  [1, "UNLOADING"],
  [1, "LOADING"],
  [2, "LOADING"]
]

/** Tells the story; rejects with the reason when a step does not go as it should. */
export const tell = async (
  screen: Screen,
  { baseUrl, stateFile }: Place,
  signal: AbortSignal
): Promise<void> => {
  const shipper = Site.make(baseUrl, "acme-client", signal)
  const tower = Site.make(baseUrl, "tower", signal)
  await Promise.all([shipper.signIn(), tower.signIn()])
  screen.step(
    "tokens",
    "POST /oauth/token",
    "for acme-client, the customer, and tower, the cameras at the docks"
  )

  const customer = await CustomerOfDemo.start(
    { baseUrl, clientId: "acme-client", business, facility, stateFile },
    signal
  )
  await customer.live
  screen.step(
    "follow",
    "pushMessages, then subscription pushMessage",
    `the customer follows ${business}/${facility} live`
  )

  const shipmentId = await intake(screen, shipper)
  await tower.post(`/v1/shipments/${shipmentId}/arrive`, { dockSlug }, 200)
  screen.step(
    "arrive",
    `POST /v1/shipments/${shipmentId}/arrive, at dock ${dockSlug}`,
    `shipment ${shipmentId} ARRIVED`
  )

  await movePallets(screen, tower, customer)

  const departed = await tower.post(`/v1/shipments/${shipmentId}/depart`, {}, 200)
  screen.step(
    "depart",
    `POST /v1/shipments/${shipmentId}/depart`,
    `shipment ${shipmentId} ${String(departed["status"])}`
  )
  const { message, effect } = await customer.receives(
    "the completion of the shipment",
    ({ message }) => message.messageType === "SHIPMENT_COMPLETE"
  )
  compare(screen, message.id, effect)
}

const intake = async (screen: Screen, shipper: Site.Site): Promise<string> => {
  const answer = await shipper.post("/v1/documents", {
    business,
    facility,
    direction: "OUTBOUND",
    orderNumber,
    dockSlug,
    items: freight.map(({ lpn, sku, lot, expiration }) => ({
      lpn,
      sku,
      quantity: 48,
      quantityUnit: "CASE",
      lot,
      expirationDate: expiration
    }))
  }, 201)
  const { shipment } = answer
  if (!isObject(shipment)) throw new Error("The answer to the order holds no shipment")
  const shipmentId = String(shipment["id"])
  screen.step(
    "order",
    `POST /v1/documents, ${orderNumber} with ${freight.length} pallets`,
    `201, shipment ${shipmentId} ${String(shipment["status"])}`
  )
  return shipmentId
}

const movePallets = async (screen: Screen, tower: Site.Site, customer: Customer): Promise<void> => {
  screen.step("pallets", "POST /v1/pallet-events: what the tower sends, and what the customer receives")
  const addRow = screen.table([
    { title: "event", width: 6 },
    { title: "LPN", width: 8 },
    { title: "direction", width: 9 },
    { title: "=>", width: 2 },
    { title: "message", width: 7 },
    { title: "pallet", width: 6 },
    { title: "LPN", width: 8 },
    { title: "direction", width: 9 },
    { title: "dock", width: 4 },
    { title: "order", width: 7 },
    { title: "count", width: 12 }
  ])
  let first: Received | undefined
  for (const [index, [pallet, direction]] of crossings.entries()) {
    const { lpn, sku, lot, expiration } = freight[pallet]!
    const eventId = `evt-${index + 1}`
    const answer = await tower.post("/v1/pallet-events", {
      eventId,
      business,
      facility,
      dockSlug,
      direction,
      occurredAt: new Date().toISOString(),
      labels: Object.entries({ lpn, sku, lot, expiration }).map(([name, value]) => ({ name, value }))
    }, 201)
    const received = await customer.receives(
      `message ${String(answer["messageId"])}`,
      ({ message }) => message.id === answer["messageId"]
    )
    first ??= received
    addRow([eventId, lpn, direction, "=>", String(received.message.id), ...cellsOf(received.effect)])
  }
  screen.lines(`The first message in full:\n${JSON.stringify(first?.message, null, 2)}`)
}

const cellsOf = (effect: Effect): ReadonlyArray<string> => {
  if (effect.type !== "pallet") throw new Error("The customer received a message that is not about a pallet")
  const { servicePalletId, lpn, direction, dockId, orders } = effect.pallet
  const change = { counts: "+1", cancels: "pair cancels", repeats: "repeat" }[effect.change]
  return [servicePalletId, lpn, direction, dockId, orders.join(", "), change]
}

const compare = (screen: Screen, messageId: number, effect: Effect): void => {
  if (effect.type !== "completion") throw new Error("The customer cannot read the completion")
  const { completion, counted, differences } = effect
  const addRow = screen.table([
    { title: "message", width: 7 },
    { title: "pallet", width: 6 },
    { title: "LPN", width: 8 },
    { title: "direction", width: 9 },
    { title: "dock", width: 4 },
    { title: "order", width: 7 }
  ])
  for (const { servicePalletId, lpn, direction, dockId, orders } of completion.pallets) {
    addRow([String(messageId), servicePalletId, lpn, direction, dockId, orders.join(", ")])
  }
  if (differences.length > 0) {
    throw new Error(`The completion and the customer's own count differ: ${differences.join("; ")}`)
  }
  const { cancelledPairs, crossings, remaining } = counted
  screen.step(
    "compare",
    `the service says ${completion.pallets.length} pallets`,
    `the customer counted ${remaining.length} (${crossings} messages, ${cancelledPairs} cancelled pair): they agree`
  )
}
