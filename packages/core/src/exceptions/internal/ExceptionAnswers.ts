/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const exceptions1 = {
  id: "2",
  palletId: "",
  lpn: "000124",
  kind: "SHORT",
  priority: "HIGH",
  description: "Not on the truck",
  status: "OPEN",
  reportedAt: "2026-11-20T17:06:00.000Z",
  reportedBy: "acme-client",
  resolvedAt: "",
  resolvedBy: "",
  note: "",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentId: 1,
  shipmentNumber: "SHP-1001"
} as const

const exceptions2 = {
  id: "1",
  palletId: "1",
  lpn: "000123",
  kind: "DAMAGED",
  priority: "HIGH",
  description: "Two cartons crushed on the left",
  status: "RESOLVED",
  reportedAt: "2026-11-20T17:05:00.000Z",
  reportedBy: "acme-client",
  resolvedAt: "2026-11-20T17:40:00.000Z",
  resolvedBy: "acme-client",
  note: "Replaced both cartons",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentId: 1,
  shipmentNumber: "SHP-1001"
} as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  exceptions: [exceptions1, exceptions2],
  shipmentExceptions: [exceptions2, exceptions1],
  reportException: { exceptionId: "1" },
  resolveException: exceptions2
} as const

/** The payload of an example of each type of message. */
export const payloads = {
  EXCEPTION_REPORTED: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "1",
    shipmentNumber: "SHP-1001",
    orders: ["SO-1001"],
    url: "https://dashboard.example.com/shipments/1",
    dockId: "1",
    occurredAt: "2026-11-20T17:05:00.000Z",
    exception: {
      id: "1",
      palletId: "1",
      lpn: "000123",
      kind: "DAMAGED",
      priority: "HIGH",
      description: "Two cartons crushed on the left",
      status: "OPEN",
      reportedAt: "2026-11-20T17:05:00.000Z",
      reportedBy: "acme-client",
      resolvedAt: "",
      resolvedBy: "",
      note: "",
      business: { slug: "acme", name: "Acme" },
      facility: { slug: "east", name: "Acme East" },
      shipmentId: 1,
      shipmentNumber: "SHP-1001"
    }
  },
  EXCEPTION_RESOLVED: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "1",
    shipmentNumber: "SHP-1001",
    orders: ["SO-1001"],
    url: "https://dashboard.example.com/shipments/1",
    dockId: "1",
    occurredAt: "2026-11-20T17:40:00.000Z",
    exception: exceptions2
  }
} as const

/** What was recorded of `dockBoard`. */
export const dockBoard = {
  business: "acme",
  facility: "east",
  docks: [{
    dockSlug: "D1",
    shipments: [{
      status: "ARRIVED",
      direction: "OUTBOUND",
      expectedArrivalAt: "2026-11-20T17:00:00.000Z",
      trailerNumber: "TR-5521",
      carrier: "Northbound Freight",
      id: 1,
      shipmentNumber: "SHP-1001",
      dockSlug: "D1",
      arrivedAt: "2026-11-20T16:42:00.000Z",
      departedAt: "",
      lastPalletId: "2",
      lastPalletLpn: "000201",
      lastSeenAt: "2026-11-20T17:04:30.000Z",
      finishesAt: "2026-11-20T17:15:45.000Z",
      detainedAt: "2026-11-20T18:42:00.000Z",
      progress: { expectedPallets: 2, passedPallets: 2, missingPallets: 1, unexpectedPallets: 1 },
      openExceptions: 2,
      urgentExceptions: 2
    }],
    others: 0,
    nextId: 0
  }, { dockSlug: "D2", shipments: [], others: 0, nextId: 2 }],
  expected: [{
    status: "SCHEDULED",
    direction: "INBOUND",
    expectedArrivalAt: "2026-11-20T10:00:00.000Z",
    trailerNumber: "",
    carrier: "Cascade Lines",
    id: 2,
    shipmentNumber: "SHP-1002",
    dockSlug: "D2",
    arrivedAt: "",
    departedAt: "",
    lastPalletId: "",
    lastPalletLpn: "",
    lastSeenAt: "",
    finishesAt: "",
    detainedAt: "",
    progress: { expectedPallets: 3, passedPallets: 0, missingPallets: 3, unexpectedPallets: 0 },
    openExceptions: 0,
    urgentExceptions: 0
  }],
  moreExpected: false,
  late: 1,
  detained: 0,
  departed: [],
  departedToday: 0,
  shortToday: 0,
  openExceptions: 2,
  urgentExceptions: 2
} as const
