/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const additionalFields1 = [{ name: "temperatureZone", value: "AMBIENT" }, {
  name: "driverName",
  value: "Robin Vega"
}, { name: "driverLicensePlate", value: "8ABC123" }] as const

const statusEvents2 = [
  { status: "SCHEDULED", displayName: "Scheduled", completed: true, completedAt: "2026-11-20T09:30:00.000Z" },
  { status: "ARRIVED", displayName: "Arrived", completed: false, completedAt: "" },
  { status: "DEPARTED", displayName: "Departed", completed: false, completedAt: "" }
] as const

const items3 = {
  id: "2",
  identifier: "",
  lpn: "000124",
  sku: "SKU-200",
  quantity: 24,
  quantityUnit: "UNIT",
  purchaseOrder: "",
  description: "",
  upc: "",
  weightPerUnit: 0,
  weightUnit: "",
  height: 0,
  length: 0,
  width: 0,
  dimensionUnit: "",
  isDangerousGood: true,
  lot: "",
  expirationDate: "",
  manufacturingDate: "",
  caseSerials: []
} as const

const items4 = {
  id: "1",
  identifier: "LINE-1",
  lpn: "000123",
  sku: "SKU-100",
  quantity: 40,
  quantityUnit: "CASE",
  purchaseOrder: "",
  description: "Oat drink, 1 l",
  upc: "036000291452",
  weightPerUnit: 12.5,
  weightUnit: "KILOGRAM",
  height: 120,
  length: 100,
  width: 80,
  dimensionUnit: "CENTIMETER",
  isDangerousGood: false,
  lot: "L-2026-48",
  expirationDate: "2027-05-31",
  manufacturingDate: "2026-11-02",
  caseSerials: [{ id: "CS-1", quantity: 24 }, { id: "CS-2", quantity: 24 }]
} as const

const items5 = [items4, items3] as const

const orders6 = {
  id: "1",
  orderNumber: "SO-1001",
  status: "CREATED",
  direction: "OUTBOUND",
  orderType: "SALES",
  purchaseOrder: "PO-88210",
  consigneeName: "Harbor Grocers",
  consigneePhoneNumber: "",
  bolNumber: "",
  expectedQuantity: 72,
  carrier: "Northbound Freight",
  sealNumber: "",
  supplier: "",
  client: "",
  destination: "Oakland",
  items: items5
} as const

const orders7 = [orders6] as const

const shipment8 = {
  id: 1,
  shipmentNumber: "SHP-1001",
  status: "SCHEDULED",
  direction: "OUTBOUND",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  expectedArrivalAt: "2026-11-20T17:00:00.000Z",
  scheduledAt: "2026-11-20T09:30:00.000Z",
  dockId: "1",
  dockSlug: "D1",
  trailerNumber: "TR-5521",
  carrier: "Northbound Freight",
  additionalFields: additionalFields1,
  statusEvents: statusEvents2,
  progress: { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 },
  version: 2,
  orders: orders7
} as const

const changes9 = [{ change: "UPDATED", type: "SHIPMENT", id: "1", reference: "SHP-1001" }, {
  change: "UPDATED",
  type: "ORDER",
  id: "1",
  reference: "SO-1001"
}, { change: "UPDATED", type: "ORDER_ITEM", id: "1", reference: "LINE-1" }] as const

const document10 = {
  id: 2,
  receivedAt: "2026-11-20T09:45:00.000Z",
  clientId: "acme-client",
  correlationId: "wms-000871",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentNumber: "SHP-1001",
  shipmentId: 1,
  orderNumbers: ["SO-1001"],
  strategies: ["MERGE"],
  outcome: "UPDATED",
  code: "",
  counts: { created: 0, updated: 3, removed: 0, replaced: 0 },
  changes: changes9
} as const

const statusEvents11 = [
  { status: "SCHEDULED", displayName: "Scheduled", completed: true, completedAt: "2026-11-20T09:30:00.000Z" },
  {
    status: "DOOR_ASSIGNED",
    displayName: "Door assigned",
    completed: true,
    completedAt: "2026-11-20T16:35:00.000Z"
  },
  { status: "ARRIVED", displayName: "Arrived", completed: true, completedAt: "2026-11-20T16:42:00.000Z" },
  { status: "DEPARTED", displayName: "Departed", completed: false, completedAt: "" }
] as const

const verdict12 = {
  kind: "EXPECTED",
  shipmentId: 1,
  shipmentNumber: "SHP-1001",
  dockSlug: "D1",
  text: "Shipment SHP-1001 expects the pallet."
} as const

const labels13 = [{ name: "lpn", value: "000123" }, { name: "sku", value: "SKU-100" }, {
  name: "lot",
  value: "L-2026-47"
}, { name: "expiration", value: "2027-05-31" }] as const

const events14 = {
  direction: "LOADING",
  occurredAt: "2026-11-20T17:02:11.000Z",
  dockSlug: "D1",
  messageId: 2,
  verdict: verdict12
} as const

const events15 = [events14] as const

const pallet16 = {
  id: "1",
  lpn: "000123",
  state: "LOADED",
  expected: true,
  orders: ["SO-1001"],
  dockId: "1",
  dockSlug: "D1",
  firstSeenAt: "2026-11-20T17:02:11.000Z",
  lastSeenAt: "2026-11-20T17:02:11.000Z",
  url: "https://dashboard.example.com/shipments/1/pallets/1",
  labels: labels13,
  events: events15,
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentId: 1,
  shipmentNumber: "SHP-1001"
} as const

const shipmentPallets17 = [pallet16] as const

const message18 = {
  businessSlug: "acme",
  facilitySlug: "east",
  serviceShipmentId: "1",
  servicePalletId: "1",
  occurredAt: "2026-11-20T17:02:11.000Z",
  url: "https://dashboard.example.com/shipments/1/pallets/1",
  direction: "LOADING",
  orders: ["SO-1001"],
  dockId: "1",
  LPN: "000123",
  SKUs: ["SKU-100"],
  LotNumber: "L-2026-47",
  ExpirationDate: "2027-05-31"
} as const

/** What was recorded of `submit`. */
export const submit = {
  created: {
    created: [
      { type: "SHIPMENT", id: "1", reference: "SHP-1001" },
      { type: "ORDER", id: "1", reference: "SO-1001" },
      { type: "ORDER_ITEM", id: "1", reference: "LINE-1" },
      { type: "ORDER_ITEM", id: "2", reference: "000124" }
    ],
    updated: [],
    removed: [],
    shipment: {
      id: 1,
      shipmentNumber: "SHP-1001",
      status: "SCHEDULED",
      direction: "OUTBOUND",
      business: { slug: "acme", name: "Acme" },
      facility: { slug: "east", name: "Acme East" },
      expectedArrivalAt: "2026-11-20T17:00:00.000Z",
      scheduledAt: "2026-11-20T09:30:00.000Z",
      dockId: "1",
      dockSlug: "D1",
      trailerNumber: "TR-5521",
      carrier: "Northbound Freight",
      additionalFields: additionalFields1,
      statusEvents: statusEvents2,
      progress: { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 },
      version: 1,
      orders: [{
        id: "1",
        orderNumber: "SO-1001",
        status: "CREATED",
        direction: "OUTBOUND",
        orderType: "SALES",
        purchaseOrder: "PO-88210",
        consigneeName: "Harbor Grocers",
        consigneePhoneNumber: "",
        bolNumber: "",
        expectedQuantity: 72,
        carrier: "Northbound Freight",
        sealNumber: "",
        supplier: "",
        client: "",
        destination: "Oakland",
        items: [{
          id: "1",
          identifier: "LINE-1",
          lpn: "000123",
          sku: "SKU-100",
          quantity: 48,
          quantityUnit: "CASE",
          purchaseOrder: "",
          description: "Oat drink, 1 l",
          upc: "036000291452",
          weightPerUnit: 12.5,
          weightUnit: "KILOGRAM",
          height: 120,
          length: 100,
          width: 80,
          dimensionUnit: "CENTIMETER",
          isDangerousGood: false,
          lot: "L-2026-47",
          expirationDate: "2027-05-31",
          manufacturingDate: "2026-11-02",
          caseSerials: [{ id: "CS-1", quantity: 24 }, { id: "CS-2", quantity: 24 }]
        }, items3]
      }]
    }
  },
  updated: {
    created: [],
    updated: [{ type: "SHIPMENT", id: "1", reference: "SHP-1001" }, {
      type: "ORDER",
      id: "1",
      reference: "SO-1001"
    }, { type: "ORDER_ITEM", id: "1", reference: "LINE-1" }],
    removed: [],
    shipment: shipment8
  }
} as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  document: document10,
  documents: [document10],
  shipment: shipment8,
  shipments: [shipment8],
  orders: [{
    id: "1",
    orderNumber: "SO-1001",
    status: "CREATED",
    direction: "OUTBOUND",
    orderType: "SALES",
    purchaseOrder: "PO-88210",
    consigneeName: "Harbor Grocers",
    consigneePhoneNumber: "",
    bolNumber: "",
    expectedQuantity: 72,
    carrier: "Northbound Freight",
    sealNumber: "",
    supplier: "",
    client: "",
    destination: "Oakland",
    items: items5,
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    shipmentId: 1,
    shipmentNumber: "SHP-1001"
  }],
  items: [{
    id: "1",
    identifier: "LINE-1",
    lpn: "000123",
    sku: "SKU-100",
    quantity: 40,
    quantityUnit: "CASE",
    purchaseOrder: "",
    description: "Oat drink, 1 l",
    upc: "036000291452",
    weightPerUnit: 12.5,
    weightUnit: "KILOGRAM",
    height: 120,
    length: 100,
    width: 80,
    dimensionUnit: "CENTIMETER",
    isDangerousGood: false,
    lot: "L-2026-48",
    expirationDate: "2027-05-31",
    manufacturingDate: "2026-11-02",
    caseSerials: [{ id: "CS-1", quantity: 24 }, { id: "CS-2", quantity: 24 }],
    orderId: "1",
    orderNumber: "SO-1001"
  }, {
    id: "2",
    identifier: "",
    lpn: "000124",
    sku: "SKU-200",
    quantity: 24,
    quantityUnit: "UNIT",
    purchaseOrder: "",
    description: "",
    upc: "",
    weightPerUnit: 0,
    weightUnit: "",
    height: 0,
    length: 0,
    width: 0,
    dimensionUnit: "",
    isDangerousGood: true,
    lot: "",
    expirationDate: "",
    manufacturingDate: "",
    caseSerials: [],
    orderId: "1",
    orderNumber: "SO-1001"
  }],
  checkIn: {
    id: 1,
    shipmentNumber: "SHP-1001",
    status: "SCHEDULED",
    direction: "OUTBOUND",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    expectedArrivalAt: "2026-11-20T17:00:00.000Z",
    scheduledAt: "2026-11-20T09:30:00.000Z",
    dockId: "1",
    dockSlug: "D1",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    additionalFields: additionalFields1,
    statusEvents: [
      {
        status: "SCHEDULED",
        displayName: "Scheduled",
        completed: true,
        completedAt: "2026-11-20T09:30:00.000Z"
      },
      {
        status: "DOOR_ASSIGNED",
        displayName: "Door assigned",
        completed: true,
        completedAt: "2026-11-20T16:35:00.000Z"
      },
      { status: "ARRIVED", displayName: "Arrived", completed: false, completedAt: "" },
      { status: "DEPARTED", displayName: "Departed", completed: false, completedAt: "" }
    ],
    progress: { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 },
    version: 3,
    orders: orders7
  },
  arrive: {
    id: 1,
    shipmentNumber: "SHP-1001",
    status: "ARRIVED",
    direction: "OUTBOUND",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    expectedArrivalAt: "2026-11-20T17:00:00.000Z",
    scheduledAt: "2026-11-20T09:30:00.000Z",
    dockId: "1",
    dockSlug: "D1",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    additionalFields: additionalFields1,
    statusEvents: statusEvents11,
    progress: { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 },
    version: 4,
    orders: orders7
  },
  recordPallet: {
    messageId: 2,
    serviceShipmentId: "1",
    servicePalletId: "1",
    orders: ["SO-1001"],
    verdict: verdict12
  },
  pallet: pallet16,
  shipmentPallets: shipmentPallets17,
  pallets: shipmentPallets17,
  search: [{
    id: "PALLET-1",
    kind: "PALLET",
    text: "000123",
    exact: true,
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    shipmentId: 1,
    shipmentNumber: "SHP-1001",
    status: "ARRIVED",
    missingPallets: 1,
    unexpectedPallets: 1,
    orderNumber: "",
    palletId: "1",
    documentId: 0,
    removedAt: "",
    removedBy: ""
  }],
  dockBoard: {
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
        progress: { expectedPallets: 2, passedPallets: 2, missingPallets: 1, unexpectedPallets: 1 }
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
      progress: { expectedPallets: 3, passedPallets: 0, missingPallets: 3, unexpectedPallets: 0 }
    }],
    moreExpected: false,
    late: 1,
    detained: 0,
    departed: [],
    departedToday: 0,
    shortToday: 0
  },
  discrepancies: [{
    palletId: "",
    dockSlug: "",
    expectedOnId: 0,
    expectedOnNumber: "",
    provisional: true,
    kind: "SHORT",
    lpn: "000124"
  }, {
    palletId: "2",
    dockSlug: "D1",
    expectedOnId: 2,
    expectedOnNumber: "SHP-1002",
    provisional: true,
    lpn: "000201",
    kind: "WRONG_SHIPMENT"
  }],
  link: {
    id: 1,
    shipmentNumber: "SHP-1001",
    status: "ARRIVED",
    direction: "OUTBOUND",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    expectedArrivalAt: "2026-11-20T17:00:00.000Z",
    scheduledAt: "2026-11-20T09:30:00.000Z",
    dockId: "1",
    dockSlug: "D1",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    additionalFields: additionalFields1,
    statusEvents: statusEvents11,
    progress: { expectedPallets: 2, passedPallets: 2, missingPallets: 1, unexpectedPallets: 1 },
    version: 7,
    orders: orders7
  },
  depart: {
    id: 1,
    shipmentNumber: "SHP-1001",
    status: "DEPARTED",
    direction: "OUTBOUND",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    expectedArrivalAt: "2026-11-20T17:00:00.000Z",
    scheduledAt: "2026-11-20T09:30:00.000Z",
    dockId: "1",
    dockSlug: "D1",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    additionalFields: additionalFields1,
    statusEvents: [{
      status: "SCHEDULED",
      displayName: "Scheduled",
      completed: true,
      completedAt: "2026-11-20T09:30:00.000Z"
    }, {
      status: "DOOR_ASSIGNED",
      displayName: "Door assigned",
      completed: true,
      completedAt: "2026-11-20T16:35:00.000Z"
    }, {
      status: "ARRIVED",
      displayName: "Arrived",
      completed: true,
      completedAt: "2026-11-20T16:42:00.000Z"
    }, {
      status: "DEPARTED",
      displayName: "Departed",
      completed: true,
      completedAt: "2026-11-20T18:05:00.000Z"
    }],
    progress: { expectedPallets: 2, passedPallets: 2, missingPallets: 1, unexpectedPallets: 1 },
    version: 8,
    orders: [{
      id: "1",
      orderNumber: "SO-1001",
      status: "COMPLETED",
      direction: "OUTBOUND",
      orderType: "SALES",
      purchaseOrder: "PO-88210",
      consigneeName: "Harbor Grocers",
      consigneePhoneNumber: "",
      bolNumber: "",
      expectedQuantity: 72,
      carrier: "Northbound Freight",
      sealNumber: "",
      supplier: "",
      client: "",
      destination: "Oakland",
      items: items5
    }]
  },
  cancel: {
    id: 3,
    shipmentNumber: "SHP-2001",
    status: "CANCELLED",
    direction: "OUTBOUND",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    expectedArrivalAt: "2026-11-20T17:00:00.000Z",
    scheduledAt: "2026-11-20T18:10:00.000Z",
    dockId: "1",
    dockSlug: "D1",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    additionalFields: additionalFields1,
    statusEvents: [
      {
        status: "SCHEDULED",
        displayName: "Scheduled",
        completed: true,
        completedAt: "2026-11-20T18:10:00.000Z"
      },
      { status: "ARRIVED", displayName: "Arrived", completed: false, completedAt: "" },
      { status: "DEPARTED", displayName: "Departed", completed: false, completedAt: "" }
    ],
    progress: { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 },
    version: 2,
    orders: [{
      id: "4",
      orderNumber: "SO-2001",
      status: "CANCELLED",
      direction: "OUTBOUND",
      orderType: "SALES",
      purchaseOrder: "PO-88210",
      consigneeName: "Harbor Grocers",
      consigneePhoneNumber: "",
      bolNumber: "",
      expectedQuantity: 72,
      carrier: "Northbound Freight",
      sealNumber: "",
      supplier: "",
      client: "",
      destination: "Oakland",
      items: [{
        id: "6",
        identifier: "LINE-1",
        lpn: "000123",
        sku: "SKU-100",
        quantity: 48,
        quantityUnit: "CASE",
        purchaseOrder: "",
        description: "Oat drink, 1 l",
        upc: "036000291452",
        weightPerUnit: 12.5,
        weightUnit: "KILOGRAM",
        height: 120,
        length: 100,
        width: 80,
        dimensionUnit: "CENTIMETER",
        isDangerousGood: false,
        lot: "L-2026-47",
        expirationDate: "2027-05-31",
        manufacturingDate: "2026-11-02",
        caseSerials: [{ id: "CS-1", quantity: 24 }, { id: "CS-2", quantity: 24 }]
      }, {
        id: "7",
        identifier: "",
        lpn: "000124",
        sku: "SKU-200",
        quantity: 24,
        quantityUnit: "UNIT",
        purchaseOrder: "",
        description: "",
        upc: "",
        weightPerUnit: 0,
        weightUnit: "",
        height: 0,
        length: 0,
        width: 0,
        dimensionUnit: "",
        isDangerousGood: true,
        lot: "",
        expirationDate: "",
        manufacturingDate: "",
        caseSerials: []
      }]
    }]
  },
  messages: [{
    id: 2,
    businessSlug: "acme",
    facilitySlug: "east",
    messageType: "PALLET_EVENT",
    message: message18,
    sentAt: "2026-11-20T17:02:11.482+00:00"
  }]
} as const

/** The payload of an example of each type of message. */
export const payloads = {
  PALLET_EVENT: message18,
  SHIPMENT_COMPLETE: {
    serviceShipmentId: "1",
    orders: ["SO-1001"],
    url: "https://dashboard.example.com/shipments/1",
    dockId: "1",
    pallets: [{
      businessSlug: "acme",
      facilitySlug: "east",
      serviceShipmentId: "1",
      servicePalletId: "1",
      url: "https://dashboard.example.com/shipments/1/pallets/1",
      direction: "LOADING",
      orders: ["SO-1001"],
      dockId: "1",
      LPN: "000123",
      SKUs: ["SKU-100"],
      LotNumber: "L-2026-47",
      ExpirationDate: "2027-05-31"
    }, {
      businessSlug: "acme",
      facilitySlug: "east",
      serviceShipmentId: "1",
      servicePalletId: "2",
      url: "https://dashboard.example.com/shipments/1/pallets/2",
      direction: "LOADING",
      orders: ["SO-1001"],
      dockId: "1",
      LPN: "000201",
      SKUs: [],
      LotNumber: "",
      ExpirationDate: ""
    }]
  },
  SHIPMENT_ARRIVED: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "1",
    shipmentNumber: "SHP-1001",
    orders: ["SO-1001"],
    url: "https://dashboard.example.com/shipments/1",
    dockId: "1",
    occurredAt: "2026-11-20T16:42:00.000Z"
  },
  SHIPMENT_CANCELLED: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "3",
    shipmentNumber: "SHP-2001",
    orders: ["SO-2001"],
    url: "https://dashboard.example.com/shipments/3",
    dockId: "1",
    occurredAt: "2026-11-20T18:11:00.000Z"
  },
  SHIPMENT_DISCREPANCIES: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "1",
    shipmentNumber: "SHP-1001",
    orders: ["SO-1001"],
    url: "https://dashboard.example.com/shipments/1",
    dockId: "1",
    occurredAt: "2026-11-20T18:05:00.000Z",
    discrepancies: [{
      palletId: "",
      dockSlug: "",
      expectedOnId: 0,
      expectedOnNumber: "",
      provisional: false,
      kind: "SHORT",
      lpn: "000124"
    }, {
      palletId: "2",
      dockSlug: "D1",
      expectedOnId: 2,
      expectedOnNumber: "SHP-1002",
      provisional: false,
      lpn: "000201",
      kind: "WRONG_SHIPMENT"
    }]
  }
} as const
