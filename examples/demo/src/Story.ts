/**
 * What happens in the demo, step by step. A step that changes something ends when the customer has the message of it.
 */
import type { Entry } from "@dockline/example-customer/src/Books.ts"
import { randomBytes } from "node:crypto"
import * as CustomerOfDemo from "./Customer.ts"
import type { Account, Customer } from "./Customer.ts"
import * as Endpoints from "./Endpoints.ts"
import type { Screen } from "./Screen.ts"
import * as Site from "./Site.ts"

export interface Place {
  readonly baseUrl: string
  readonly booksFile: string
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

const oats: Freight = { lpn: "LPN-0001", sku: "SKU-OATS", lot: "L-77", expiration: "2027-03-31" }
const laterOats: Freight = { lpn: "LPN-0002", sku: "SKU-OATS", lot: "L-78", expiration: "2027-04-30" }
const rice: Freight = { lpn: "LPN-0003", sku: "SKU-RICE", lot: "L-12", expiration: "2028-01-31" }

const freight = [oats, laterOats, rice]

/** The second pallet goes in, out again, and in. */
const crossings: ReadonlyArray<readonly [pallet: Freight, direction: "LOADING" | "UNLOADING"]> = [
  [oats, "LOADING"],
  [laterOats, "LOADING"],
  [laterOats, "UNLOADING"],
  [laterOats, "LOADING"],
  [rice, "LOADING"]
]

/** Tells the story; rejects with the reason when a step does not go as it should. */
export const tell = async (screen: Screen, place: Place, signal: AbortSignal): Promise<void> => {
  const site = (clientId: string) => Site.make(place.baseUrl, clientId, signal)
  const [shipper, tower, operator] = [site("acme-client"), site("tower"), site("operator")]
  await Promise.all([shipper, tower, operator].map(({ signIn }) => signIn()))
  screen.step(
    "tokens",
    "POST /oauth/token",
    "for acme-client, the customer; tower, the cameras; and the operator"
  )
  const agreed = {
    business,
    facility,
    signingSecret: `whsec_${randomBytes(32).toString("base64")}`,
    account: { username: "dockline", password: randomBytes(12).toString("base64url") }
  }
  const customer = await CustomerOfDemo.start({ ...place, ...agreed, clientId: "acme-client" }, signal)
  try {
    screen.step("follow", "GET /v1/messages", `the customer follows ${business}/${facility}`)
    const endpoint = await Endpoints.create(screen, operator, { ...agreed, baseUrl: customer.url })
    await ship(screen, shipper, tower, customer)
    await repeat(screen, operator, customer, endpoint, signal)
    await forge(screen, customer, agreed.account)
  } finally {
    await customer.close()
  }
}

/** An order, its pallets over the dock, and its departure. */
const ship = async (
  screen: Screen,
  shipper: Site.Site,
  tower: Site.Site,
  customer: Customer
): Promise<void> => {
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
  compare(screen, await customer.receives("the completion of the shipment", isCompletion))
}

const isCompletion = ({ message }: Entry): boolean => message.messageType === "SHIPMENT_COMPLETE"

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
  if (!Site.isObject(shipment)) throw new Error("The answer to the order holds no shipment")
  const shipmentId = String(shipment["id"])
  screen.step(
    "order",
    `POST /v1/documents, ${orderNumber} with ${freight.length} pallets`,
    `201, shipment ${shipmentId} ${String(shipment["status"])}`
  )
  return shipmentId
}

const movePallets = async (screen: Screen, tower: Site.Site, customer: Customer): Promise<void> => {
  screen.step("pallets", "POST /v1/pallet-events", "what the tower sends, and what the customer receives")
  const addRow = screen.table([
    { title: "event", width: 6 },
    { title: "LPN", width: 8 },
    { title: "direction", width: 9 },
    { title: "message", width: 7 },
    { title: "pallet", width: 6 },
    { title: "on truck", width: 8 },
    { title: "first, again by", width: 16 }
  ])
  let first: Entry | undefined
  for (const [index, [{ lpn, sku, lot, expiration }, direction]] of crossings.entries()) {
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
    const entry = await customer.receives(
      `message ${String(answer["messageId"])}`,
      ({ message }) => message.id === answer["messageId"]
    )
    first ??= entry
    const { message: { id, message }, pallets } = entry
    if (message["LPN"] !== lpn || message["direction"] !== direction) {
      throw new Error(`The customer received ${JSON.stringify(message)}, not ${lpn} ${direction}`)
    }
    const count = [String(id), String(message["servicePalletId"]), String(pallets.length)]
    addRow([eventId, lpn, direction, ...count, await waysOf(entry, customer)])
  }
  screen.lines(`The first message in full:\n${JSON.stringify(first?.message, null, 2)}`)
}

/** By which way a message came first, and by which it first came again. */
const waysOf = async ({ message, way }: Entry, customer: Customer): Promise<string> => {
  const again = await customer.receivesAgain(message.id, 1)
  return [way, ...again.slice(0, 1).map((repeat) => repeat.way)].join(", ")
}

const compare = (screen: Screen, { differences, message: { id, message }, pallets }: Entry): void => {
  const list = Array.isArray(message["pallets"]) ? message["pallets"].filter(Site.isObject) : []
  const addRow = screen.table([
    { title: "message", width: 7 },
    { title: "pallet", width: 6 },
    { title: "LPN", width: 8 },
    { title: "direction", width: 9 },
    { title: "dock", width: 4 },
    { title: "order", width: 7 }
  ])
  for (const { direction, dockId, LPN, orders, servicePalletId } of list) {
    addRow([id, servicePalletId, LPN, direction, dockId, orders].map(String))
  }
  if (differences.length > 0) {
    throw new Error(`The completion and the customer's own count differ: ${differences.join("; ")}`)
  }
  screen.step(
    "compare",
    `the service says ${list.length} pallets`,
    `the customer counted ${pallets.length}: they agree`
  )
}

/** Each message came both ways and was counted once; so it is when the operator has one delivered again. */
const repeat = async (
  screen: Screen,
  operator: Site.Site,
  customer: Customer,
  endpoint: string,
  signal: AbortSignal
): Promise<void> => {
  const completion = await customer.receives("the completion of the shipment", isCompletion)
  const { message: { id } } = completion
  await customer.receivesAgain(id, 1)
  // What is not in the record yet cannot be replayed.
  await Endpoints.deliveries(operator, endpoint, crossings.length + 1, signal)
  await Endpoints.replay(operator, endpoint, id)
  await customer.receivesAgain(id, 2)
  screen.step(
    "replay",
    `POST …/deliveries/${id}/replay`,
    `the customer knows webhook-id msg_${id}, and counts it once`
  )
  const addRow = screen.table([
    { title: "message", width: 7 },
    { title: "type", width: 17 },
    { title: "first by", width: 8 },
    { title: "again by", width: 16 },
    { title: "delivery", width: 9 },
    { title: "answers", width: 8 }
  ])
  const records = await Endpoints.deliveries(operator, endpoint, crossings.length + 1, signal)
  await showDeliveries(records, customer, addRow)
}

/** By which way each message came, and what the service wrote down of its delivery. */
const showDeliveries = async (
  records: ReadonlyArray<Endpoints.Delivered>,
  customer: Customer,
  addRow: (cells: ReadonlyArray<string>) => void
): Promise<void> => {
  for (const { attempts, messageId, messageType, status } of records) {
    const { way } = await customer.receives(
      `message ${messageId}`,
      ({ message }) => message.id === messageId
    )
    const again = await customer.receivesAgain(messageId, 1)
    const ways = again.map((each) => each.way).join(", ")
    addRow([String(messageId), messageType, way, ways, status, attempts.join(", ")])
    if (status !== "DELIVERED") throw new Error(`The delivery of message ${messageId} is ${status}`)
  }
}

/** Somebody who knows the password and not the signing secret. */
const forge = async (
  screen: Screen,
  customer: Customer,
  { password, username }: Account
): Promise<void> => {
  const response = await fetch(`${customer.url}/api/shipmentComplete`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      "webhook-id": "msg_1000",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": `v1,${randomBytes(32).toString("base64")}`
    },
    body: JSON.stringify({ serviceShipmentId: "1", orders: [], pallets: [] })
  })
  if (response.status !== 401) throw new Error(`A forged message was answered ${response.status}, not 401`)
  screen.step("forge", "a completion with a signature of somebody else", "the customer refuses it with 401")
}
