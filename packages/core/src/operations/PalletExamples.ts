/**
 * The example pallet events and the answers to them and to the steps of shipments. A service with the demo data
 * (D12.2) that has taken the first example document accepts every event, in this order and repeatedly.
 */
import { Struct } from "effect"
import { example } from "../access/Operation.ts"
import type { RequestExample } from "../access/Operation.ts"
import type { MessageView } from "../messages/MessageView.ts"
import type { PalletAnswer } from "../movement/Pallet.ts"
import type { schema } from "../movement/PalletEventInput.ts"
import type { PalletView } from "../movement/PalletView.ts"
import type { SearchHit } from "../search/SearchHit.ts"
import type { Discrepancy } from "../shipment/Discrepancies.ts"
import type { BoardShipment, DockBoard } from "../shipment/DockBoard.ts"
import type { ShipmentView } from "../shipment/View.ts"
import type { messageTypes } from "../values/Vocabulary.ts"

const at = { business: "acme", facility: "east", dockSlug: "D1", direction: "LOADING" } as const

/** Pallet events, by what they show; each has a summary, a description and a body. */
export const events = {
  byLpn: example("By the pallet's lpn", {
    eventId: "E-1001",
    ...at,
    occurredAt: "2026-11-20T17:02:11Z",
    labels: [
      { name: "lpn", value: "000123" },
      { name: "sku", value: "SKU-100" },
      { name: "lot", value: "L-2026-47" },
      { name: "expiration", value: "2027-05-31" }
    ]
  }, "The shipment is the one that has an item with this lpn. It arrives with its first pallet."),
  byShipmentNumber: example("Of a shipment by its number", {
    eventId: "E-1002",
    ...at,
    occurredAt: "2026-11-20T18:05:40+01:00",
    shipmentNumber: "SHP-1001",
    labels: [
      { name: "lpn", value: "000124" },
      { name: "sku", value: "SKU-200" },
      { name: "sku", value: "SKU-201" }
    ]
  }, "Several values of one label are sent as several entries."),
  withoutLabels: example("Nothing could be read", {
    eventId: "E-1003",
    ...at,
    occurredAt: "2026-11-20T17:09:02Z",
    labels: []
  }, "The shipment is the one that arrived last at the dock; the pallet is one of its own.")
} satisfies Readonly<Record<string, RequestExample<(typeof schema)["Encoded"]>>>

/** The answer to `byLpn`. */
export const answer: PalletAnswer = {
  messageId: 90_071,
  serviceShipmentId: "4711",
  servicePalletId: "815",
  orders: ["SO-1001"],
  verdict: {
    kind: "EXPECTED",
    shipmentId: 4711,
    shipmentNumber: "SHP-1001",
    dockSlug: "D1",
    text: "Shipment SHP-1001 expects the pallet."
  }
}

/** The pallet of `byLpn`, after its event. */
export const pallet: PalletView = {
  id: answer.servicePalletId,
  lpn: "000123",
  state: "LOADED",
  expected: true,
  orders: answer.orders,
  dockId: "1",
  dockSlug: "D1",
  firstSeenAt: "2026-11-20T17:02:11.000Z",
  lastSeenAt: "2026-11-20T17:02:11.000Z",
  url:
    `https://dashboard.example.com/shipments/${answer.serviceShipmentId}/pallets/${answer.servicePalletId}`,
  labels: events.byLpn.value.labels,
  events: [{
    direction: "LOADING",
    occurredAt: "2026-11-20T17:02:11.000Z",
    dockSlug: "D1",
    messageId: answer.messageId,
    verdict: answer.verdict
  }],
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentId: Number(answer.serviceShipmentId),
  shipmentNumber: "SHP-1001"
}

const { business, facility, shipmentId, shipmentNumber } = pallet

/** What a search for the LPN of `byLpn` finds. */
export const hit: SearchHit = {
  id: `PALLET-${pallet.id}`,
  kind: "PALLET",
  text: pallet.lpn,
  exact: true,
  business,
  facility,
  shipmentId,
  shipmentNumber,
  status: "ARRIVED",
  missingPallets: 1,
  unexpectedPallets: 0,
  orderNumber: "",
  palletId: pallet.id,
  documentId: 0,
  removedAt: "",
  removedBy: ""
}

/** The message of `byLpn`, with the fields of the demo data. */
export const message: MessageView = {
  id: answer.messageId,
  businessSlug: at.business,
  facilitySlug: at.facility,
  messageType: "PALLET_EVENT",
  message: {
    businessSlug: at.business,
    facilitySlug: at.facility,
    serviceShipmentId: answer.serviceShipmentId,
    servicePalletId: answer.servicePalletId,
    occurredAt: pallet.lastSeenAt,
    url: pallet.url,
    direction: at.direction,
    orders: answer.orders,
    dockId: pallet.dockId,
    LPN: "000123",
    SKUs: ["SKU-100"],
    LotNumber: "L-2026-47",
    ExpirationDate: "2027-05-31"
  },
  sentAt: "2026-11-20T17:02:11.482+00:00"
}

const { occurredAt: _occurredAt, ...left } = message.message

/** The discrepancies of a shipment that lacks a pallet and has a pallet of another shipment. */
export const discrepancies: ReadonlyArray<Discrepancy> = [
  {
    kind: "SHORT",
    lpn: "000124",
    palletId: "",
    dockSlug: "",
    expectedOnId: 0,
    expectedOnNumber: "",
    provisional: true
  },
  {
    kind: "WRONG_SHIPMENT",
    lpn: "000900",
    palletId: "816",
    dockSlug: "D1",
    expectedOnId: 4712,
    expectedOnNumber: "SHP-1002",
    provisional: true
  }
]

/** What messages tell of its shipment. */
export const shipment = {
  businessSlug: at.business,
  facilitySlug: at.facility,
  serviceShipmentId: answer.serviceShipmentId,
  shipmentNumber,
  orders: answer.orders,
  url: pallet.url.replace(/\/pallets\/.*$/, ""),
  dockId: pallet.dockId
}

const departedAt = "2026-11-20T18:05:00.000Z"

/** A payload of each type of message: that of `byLpn`, and those of its shipment. */
export const payloads: Readonly<Record<(typeof messageTypes)[number], MessageView["message"]>> = {
  PALLET_EVENT: message.message,
  SHIPMENT_COMPLETE: {
    serviceShipmentId: shipment.serviceShipmentId,
    orders: shipment.orders,
    url: shipment.url,
    dockId: shipment.dockId,
    pallets: [left]
  },
  SHIPMENT_ARRIVED: { ...shipment, occurredAt: pallet.firstSeenAt },
  SHIPMENT_CANCELLED: { ...shipment, occurredAt: departedAt },
  SHIPMENT_DISCREPANCIES: {
    ...shipment,
    occurredAt: departedAt,
    discrepancies: discrepancies.map((each) => ({ ...each, provisional: false }))
  }
}

/** The answers to the steps of the example shipment, given how it is shown before any of them. */
export const moved = (
  scheduled: ShipmentView
): Readonly<Record<"arrived" | "departed" | "cancelled" | "checkedIn", ShipmentView>> => {
  const arrived = step(scheduled, "ARRIVED", "2026-11-20T16:42:00.000Z")
  const departed = step(arrived, "DEPARTED", departedAt)
  return {
    arrived,
    departed: { ...departed, orders: departed.orders.map((order) => ({ ...order, status: "COMPLETED" })) },
    checkedIn: {
      ...scheduled,
      version: scheduled.version + 1,
      dockSlug: "D1",
      statusEvents: scheduled.statusEvents.toSpliced(1, 0, {
        status: "DOOR_ASSIGNED",
        displayName: "Door assigned",
        completed: true,
        completedAt: "2026-11-20T16:35:00.000Z"
      })
    },
    cancelled: {
      ...scheduled,
      status: "CANCELLED",
      version: scheduled.version + 1,
      orders: scheduled.orders.map((order) => ({ ...order, status: "CANCELLED" }))
    }
  }
}

const step = (shipment: ShipmentView, status: ShipmentView["status"], completedAt: string): ShipmentView => ({
  ...shipment,
  status,
  version: shipment.version + 1,
  statusEvents: shipment.statusEvents.map((event) =>
    event.status === status ? { ...event, completed: true, completedAt } : event
  )
})

/** What the docks see while a shipment is there. */
export const boardOf = (shipment: ShipmentView): DockBoard => {
  const arrivedAt = shipment.statusEvents.find(({ status }) => status === "ARRIVED")?.completedAt ?? ""
  const there: BoardShipment = {
    ...Struct.pick(shipment, [
      "shipmentNumber",
      "direction",
      "carrier",
      "trailerNumber",
      "expectedArrivalAt",
      "progress"
    ]),
    id: Number(shipment.id),
    status: "ARRIVED",
    dockSlug: "D1",
    arrivedAt,
    departedAt: "",
    lastPalletId: pallet.id,
    lastPalletLpn: pallet.lpn,
    lastSeenAt: pallet.lastSeenAt
  }
  return {
    business: shipment.business.slug,
    facility: shipment.facility.slug,
    docks: [
      { dockSlug: "D1", shipments: [there], others: 0 },
      { dockSlug: "D2", shipments: [], others: 0 }
    ],
    expected: [],
    moreExpected: false,
    departed: [],
    departedToday: 0,
    shortToday: 0
  }
}
