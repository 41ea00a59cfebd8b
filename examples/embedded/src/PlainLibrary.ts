/**
 * Dockline as a library, without any HTTP: an order, a pallet, a departure, and the messages that a customer gets.
 */
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"

const dockline = await Dockline.open({ storage: Memory.layer })

const acme = { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "Acme East", docks: ["D1"] }] }
const known = await dockline.places([acme])
if (!known.ok) throw known.error

const warehouse = {
  clientId: "warehouse",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "pallets:write", "shipments:write", "messages:read"]
  }]
} as const

const order: Dockline.DocumentJson = {
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: "SO-1001",
  dockSlug: "D1",
  items: [{ lpn: "LPN-1", sku: "SKU-1", quantity: 12, quantityUnit: "CASE" }]
}

const submitted = await dockline.submit(order, warehouse)
if (!submitted.ok) throw submitted.error
const { created, shipment } = submitted.value
console.log(`created: ${created.map(({ type }) => type).join(", ")}`)

// What is refused is an answer with an error, which its code narrows.
const again = await dockline.submit({ ...order, orderItemUpdateStrategy: "APPEND" }, warehouse)
if (!again.ok && again.error.code === "DUPLICATE_ORDER_ITEM_KEY") {
  console.log(`there already: ${again.error.lpn}`)
}

// A consumer of its own, which gets each message once, from the first one on.
const consumer = (async () => {
  for await (const message of dockline.follow({ business: "acme", afterId: 0 }, warehouse)) {
    console.log(`message: ${message.type}`)
    if (message.type === "SHIPMENT_COMPLETE") break
  }
})()

const event = {
  eventId: "tower-1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: new Date().toISOString(),
  labels: [{ name: "lpn", value: "LPN-1" }]
}
const recorded = await dockline.recordPallet(event, warehouse)
if (!recorded.ok) throw recorded.error

const departed = await dockline.depart(shipment.id, {}, warehouse)
console.log(departed.ok ? `shipment: ${departed.value.status}` : departed.error.message)

await consumer
await dockline.close()
