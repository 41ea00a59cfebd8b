/**
 * Freight that goes on coming and going at the docks of the demo, for the board of the dashboard to show.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Site from "./Site.ts"

const business = "acme"

/** A dock, and what happens there. */
interface Lane {
  readonly facility: string
  readonly dock: string
  readonly direction: "INBOUND" | "OUTBOUND"
  readonly carrier: string
  readonly pallets: number
  /** The milliseconds between two pallets. */
  readonly every: number
}

const lanes: ReadonlyArray<Lane> = [
  {
    facility: "east",
    dock: "D1",
    direction: "INBOUND",
    carrier: "Northline Freight",
    pallets: 12,
    every: 1500
  },
  {
    facility: "east",
    dock: "D2",
    direction: "OUTBOUND",
    carrier: "Halden Transport",
    pallets: 18,
    every: 2100
  },
  { facility: "west", dock: "D1", direction: "INBOUND", carrier: "Brook & Sons", pallets: 8, every: 2600 }
]

const goods = [
  { sku: "OAT-500", description: "Rolled oats 500 g" },
  { sku: "RICE-1K", description: "Basmati rice 1 kg" },
  { sku: "TEA-80", description: "Black tea, 80 bags" }
]

/** What the n-th pallet of a truck holds. The remainder is always a place of the list. */
const goodsOf = (n: number) => goods[n % goods.length]!

/** Numbers that no other run on this database has. */
const numbers = (() => {
  let last = 4800
  return () => ++last
})()

/** The n-th pallet of a truck, by an SSCC. */
const lpnOf = (truck: number, n: number): string => `00340123450${String(truck * 100 + n).padStart(9, "0")}`

/** Sends the document of the next truck of a lane; returns its number and its shipment. */
const announce = async (lane: Lane, shipper: Site.Site) => {
  const truck = numbers()
  const { carrier, direction, dock, facility } = lane
  const { shipment } = await shipper.post("/v1/documents", {
    business,
    facility,
    direction,
    shipmentNumber: `${direction === "INBOUND" ? "ASN" : "SHP"}-${truck}`,
    carrier,
    trailerNumber: `TR-${truck + 2300}`,
    dockSlug: dock,
    orders: [{
      orderNumber: `${direction === "INBOUND" ? "PO" : "SO"}-${truck + 4300}`,
      items: Array.from({ length: lane.pallets }, (_, n) => ({
        ...goodsOf(n),
        lpn: lpnOf(truck, n),
        quantity: 48,
        quantityUnit: "CASE"
      }))
    }]
  }, 201)
  return { truck, id: (shipment as { readonly id: number }).id }
}

/** Trucks at one dock, one after the other, each with a pallet that stays behind and one that nobody expected. */
const work = async (
  lane: Lane,
  { shipper, tower }: Readonly<Record<"shipper" | "tower", Site.Site>>,
  signal: AbortSignal
): Promise<void> => {
  const { direction, dock: dockSlug, every, facility, pallets } = lane
  let next = await announce(lane, shipper)
  for (;;) {
    const { id, truck } = next
    next = await announce(lane, shipper)
    await tower.post(`/v1/shipments/${id}/arrive`, { dockSlug }, 200)
    for (let n = 0; n < pallets; n++) {
      await sleep(every, undefined, { signal })
      const lpn = n === 4 ? lpnOf(truck, 99) : lpnOf(truck, n)
      await tower.post("/v1/pallet-events", {
        eventId: `board-${truck}-${n}`,
        business,
        facility,
        dockSlug,
        direction: direction === "INBOUND" ? "UNLOADING" : "LOADING",
        occurredAt: new Date().toISOString(),
        shipmentId: id,
        labels: [{ name: "lpn", value: lpn }, { name: "sku", value: goodsOf(n).sku }]
      }, 201)
    }
    await sleep(2 * every, undefined, { signal })
    await tower.trigger(`/v1/shipments/${id}/depart`, 200)
    await sleep(2 * every, undefined, { signal })
  }
}

/** Moves freight until the signal aborts; rejects with the reason when that, or a request, ends it. */
export const move = async (baseUrl: string, signal: AbortSignal): Promise<never> => {
  const shipper = Site.make(baseUrl, "acme-client", signal)
  const tower = Site.make(baseUrl, "tower", signal)
  await Promise.all(lanes.map((lane) => work(lane, { shipper, tower }, signal)))
  throw new Error("The freight has come to an end")
}

export const addressOf = (baseUrl: string): string => `${baseUrl}/dashboard/docks?at=${business}/east`
