/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const getClient1 = {
  id: "e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
  name: "Acme WMS",
  enabled: true,
  grants: [{ business: "acme", facilities: ["east"], permissions: ["documents:write", "messages:read"] }],
  secrets: [{ id: "072b309b-7bd6-46fc-8088-c56af27a7c59", createdAt: "2026-11-20T16:00:00.000Z" }]
} as const

const grants2 = [{
  business: "acme",
  facilities: ["east"],
  permissions: ["documents:write", "messages:read"]
}, { business: "acme", facilities: ["west"], permissions: ["shipments:write"] }] as const

const secrets3 = [{ id: "072b309b-7bd6-46fc-8088-c56af27a7c59", createdAt: "2026-11-20T16:00:00.000Z" }, {
  id: "459c562c-c475-4371-8f28-635ceacb5a12",
  createdAt: "2026-11-20T16:00:00.000Z"
}] as const

const updateClient4 = {
  id: "e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
  name: "Acme WMS",
  enabled: false,
  grants: [{ business: "acme", facilities: ["east"], permissions: ["documents:write", "messages:read"] }],
  secrets: secrets3
} as const

const addPerson5 = {
  id: "5f3cac89-1e8a-4cf1-8e90-c192e349d4c6",
  name: "Ada Byron",
  email: "ada@acme.example",
  subject: null,
  grants: [{ business: "acme", facilities: ["east"], permissions: ["documents:write", "messages:read"] }]
} as const

const authentication6 = {
  loginUrl: "https://auth.acme.example/login",
  username: "dockline",
  usernameField: "username",
  passwordField: "password",
  tokenPath: "access_token",
  lifetimePath: "expires_in",
  scheme: "Bearer",
  loginFormat: "json",
  type: "token"
} as const

const warnings7 = [
  "The contract says Basic for /api/shipmentComplete, and the authentication of this endpoint is token: make sure that the customer has agreed, or give completions an endpoint of their own."
] as const

const updateWebhookEndpoint8 = {
  id: "1",
  business: "acme",
  facility: null,
  baseUrl: "https://hooks2.acme.example/dockline",
  messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
  authentication: authentication6,
  headers: [],
  ratePerSecond: 0,
  signatures: ["v1"],
  payloadProfile: "dockline",
  enabled: true,
  disabledReason: "",
  createdAt: "2026-11-20T16:00:00.000Z",
  cursorId: 2,
  failingSince: "2026-11-20T17:10:00.000Z",
  login: null,
  warnings: warnings7,
  expiredUpTo: null,
  backlog: 1,
  signingSecrets: [{ validUntil: null }]
} as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  listBusinesses: { items: [{ slug: "acme", name: "Acme" }], next: null },
  createBusiness: { slug: "initech", name: "Initech" },
  getBusiness: { slug: "acme", name: "Acme" },
  getFieldMap: [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }, {
    name: "LotNumber",
    label: "lot",
    list: false
  }, { name: "ExpirationDate", label: "expiration", list: false }],
  setFieldMap: [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }],
  createFacility: { timeZone: "UTC", detentionMinutes: 120, slug: "north", name: "North" },
  updateFacility: { slug: "east", name: "Acme East", timeZone: "Europe/Berlin", detentionMinutes: 120 },
  listFacilities: {
    items: [{ slug: "east", name: "Acme East", timeZone: "Europe/Berlin", detentionMinutes: 120 }],
    next: "east"
  },
  getFacility: { slug: "east", name: "Acme East", timeZone: "Europe/Berlin", detentionMinutes: 120 },
  createDock: { slug: "D3" },
  listDocks: { items: [{ slug: "D1" }, { slug: "D2" }, { slug: "D3" }], next: null },
  createClient: {
    id: "e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
    name: "Acme WMS",
    enabled: true,
    grants: [{ business: "acme", facilities: ["east"], permissions: ["documents:write", "messages:read"] }],
    secrets: [{ id: "072b309b-7bd6-46fc-8088-c56af27a7c59", createdAt: "2026-11-20T16:00:00.000Z" }],
    clientSecret: "MJGFcw8dC77AgfyscqqkH1ssxL2ckG0S9snF6QCftZw"
  },
  getClient: getClient1,
  addClientGrants: {
    id: "e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
    name: "Acme WMS",
    enabled: true,
    grants: grants2,
    secrets: [{ id: "072b309b-7bd6-46fc-8088-c56af27a7c59", createdAt: "2026-11-20T16:00:00.000Z" }]
  },
  withdrawClientGrants: getClient1,
  createSecret: {
    secretId: "459c562c-c475-4371-8f28-635ceacb5a12",
    clientSecret: "psfABbZTxeHwF-lKCuzmTGOrJ52t8WsLdGzd_Piu75I"
  },
  updateClient: updateClient4,
  listClients: {
    items: [
      {
        id: "acme-client",
        name: "acme-client",
        enabled: true,
        grants: [{
          business: "acme",
          facilities: "*",
          permissions: ["documents:write", "messages:read", "shipments:write", "pallets:write"]
        }],
        secrets: [{ id: "embedded", createdAt: null }]
      },
      updateClient4,
      {
        id: "operator",
        name: "operator",
        enabled: true,
        grants: [{ business: "*", facilities: "*", permissions: ["operator"] }],
        secrets: [{ id: "embedded", createdAt: null }]
      }
    ],
    next: null
  },
  addPerson: addPerson5,
  getPerson: addPerson5,
  updatePerson: addPerson5,
  addPersonGrants: {
    id: "5f3cac89-1e8a-4cf1-8e90-c192e349d4c6",
    name: "Ada Byron",
    email: "ada@acme.example",
    subject: null,
    grants: grants2
  },
  withdrawPersonGrants: addPerson5,
  listPeople: { items: [addPerson5], next: null },
  createWebhookEndpoint: {
    id: "1",
    business: "acme",
    facility: null,
    baseUrl: "https://hooks.acme.example/dockline",
    messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
    authentication: authentication6,
    headers: [],
    ratePerSecond: 0,
    signatures: ["v1"],
    payloadProfile: "dockline",
    enabled: true,
    disabledReason: "",
    createdAt: "2026-11-20T16:00:00.000Z",
    cursorId: 0,
    failingSince: null,
    login: null,
    warnings: warnings7,
    expiredUpTo: null,
    backlog: 0,
    signingSecrets: [{ validUntil: null }],
    signingSecret: "whsec_bTqTOWx+MVA7ZaGyAjOicADmfp6vy4hVXCUPC7+lh4o="
  },
  getWebhookEndpoint: {
    id: "1",
    business: "acme",
    facility: null,
    baseUrl: "https://hooks.acme.example/dockline",
    messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
    authentication: authentication6,
    headers: [],
    ratePerSecond: 0,
    signatures: ["v1"],
    payloadProfile: "dockline",
    enabled: true,
    disabledReason: "",
    createdAt: "2026-11-20T16:00:00.000Z",
    cursorId: 0,
    failingSince: null,
    login: null,
    warnings: warnings7,
    expiredUpTo: null,
    backlog: 0,
    signingSecrets: [{ validUntil: null }]
  },
  testWebhookEndpoint: {
    webhookId: "test_4857a9ec-85af-4601-872e-13ea476df34a",
    messageType: "SHIPMENT_COMPLETE",
    isTaken: false,
    at: "2026-11-20T16:00:00.000Z",
    request: {
      url: "https://hooks.acme.example/dockline/api/shipmentComplete",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Dockline/0.1.0",
        "webhook-id": "test_4857a9ec-85af-4601-872e-13ea476df34a",
        "webhook-timestamp": "1795190400",
        "webhook-signature": "v1,w/DtFhvgV+21y+s1Qod0udFRrtVIT82Y1Q5QLHTHAmc=",
        Authorization: "Bearer ***"
      },
      body:
        "{\"serviceShipmentId\":\"0\",\"orders\":[],\"url\":\"https://dashboard.example.com/shipments/0\",\"dockId\":\"0\",\"pallets\":[],\"test\":true}"
    },
    status: 500,
    durationMs: 12,
    answer: { headers: { "content-type": "text/plain" }, body: "try again later" },
    error: "",
    remedy: "The receiver, or a proxy before it, failed: its log should say why. Messages are repeated."
  },
  listDeliveries: {
    items: [{
      id: "2",
      messageId: 2,
      messageType: "PALLET_EVENT",
      shipmentId: "1",
      status: "PENDING",
      attempts: [{
        at: "2026-11-20T17:10:00.000Z",
        durationMs: 12,
        status: 500,
        response: "try again later",
        error: ""
      }],
      nextAttemptAt: "2026-11-20T17:10:05.000Z"
    }],
    next: null
  },
  getDelivery: {
    id: "2",
    messageId: 2,
    messageType: "PALLET_EVENT",
    shipmentId: "1",
    status: "PENDING",
    attempts: [{
      at: "2026-11-20T17:10:00.000Z",
      durationMs: 12,
      status: 500,
      response: "try again later",
      error: ""
    }],
    nextAttemptAt: "2026-11-20T17:10:05.000Z",
    request: {
      url: "https://hooks.acme.example/dockline/api/palletEvent",
      headers: { "Content-Type": "application/json", "webhook-id": "msg_2", Authorization: "***" },
      body:
        "{\"businessSlug\":\"acme\",\"facilitySlug\":\"east\",\"serviceShipmentId\":\"1\",\"servicePalletId\":\"1\",\"occurredAt\":\"2026-11-20T17:02:11.000Z\",\"url\":\"https://dashboard.example.com/shipments/1/pallets/1\",\"direction\":\"LOADING\",\"orders\":[\"SO-1001\"],\"dockId\":\"1\",\"LPN\":\"000123\",\"SKUs\":[\"SKU-100\"]}",
      length: 281
    }
  },
  updateWebhookEndpoint: updateWebhookEndpoint8,
  listWebhookEndpoints: { items: [updateWebhookEndpoint8], next: null },
  rotateSigningSecret: { signingSecret: "whsec_rJeWF/T41/PHmv5lI5MCkapS/lyIQOOPgl72UWejIKk=" },
  replayDeliveries: { count: 1 },
  renameBusiness: { slug: "acme", name: "Acme Foods" },
  listAudit: {
    items: [{
      action: "CLIENT_CHANGED",
      business: "acme",
      subject: "clients/e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
      details: { enabled: false },
      at: "2026-11-20T16:00:00.000Z",
      clientId: "operator",
      address: "192.0.2.7",
      id: "12"
    }, {
      action: "CLIENT_CHANGED",
      business: "acme",
      subject: "clients/e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
      details: { withdrawn: [{ business: "acme", facilities: ["west"], permissions: ["shipments:write"] }] },
      at: "2026-11-20T16:00:00.000Z",
      clientId: "operator",
      address: "192.0.2.7",
      id: "10"
    }, {
      action: "CLIENT_CHANGED",
      business: "acme",
      subject: "clients/e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
      details: { added: [{ business: "acme", facilities: ["west"], permissions: ["shipments:write"] }] },
      at: "2026-11-20T16:00:00.000Z",
      clientId: "operator",
      address: "192.0.2.7",
      id: "9"
    }, {
      action: "CLIENT_CREATED",
      business: "acme",
      subject: "clients/e9c6f1fa-2812-4f42-8328-72b9d1044e9e",
      details: {
        name: "Acme WMS",
        enabled: true,
        grants: [{
          business: "acme",
          facilities: ["east"],
          permissions: ["documents:write", "messages:read"]
        }]
      },
      at: "2026-11-20T16:00:00.000Z",
      clientId: "operator",
      address: "192.0.2.7",
      id: "1"
    }],
    next: null
  },
  advanceMessages: { newestId: 90000 }
} as const
