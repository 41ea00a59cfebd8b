/**
 * The example requests and answers of the operations of operators. A service with the demo data (D12.2) and a key for secrets accepts
 * every request, unless it has the created entity already.
 */
import { example } from "../access/Operation.ts"
import type { AnswerView, BodyJson, RequestExample } from "../access/Operation.ts"
import type { Business, Facility } from "../places/Place.ts"
import type { Page } from "../values/Page.ts"
import type { OperatorOperations } from "./OperatorOperations.ts"
import type * as OperatorView from "./OperatorView.ts"

const grants: OperatorView.ClientView["grants"] = [
  { business: "acme", facilities: ["east"], permissions: ["documents:write", "messages:read"] }
]

const fieldMap: ReadonlyArray<OperatorView.MessageFieldView> = [
  { name: "LPN", label: "lpn", list: false },
  { name: "SKUs", label: "sku", list: true }
]

const login = {
  type: "token",
  loginUrl: "https://auth.acme.example/login",
  username: "dockline"
}

const clientSecret = "kOq6Yk0vXfJm0w3Sx2cVb1nZ8aLpRtYuIoQeWdFgHjM"
const signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw2s8kq0Qn7uE="

const added: OperatorView.ClientView["grants"][number] = {
  business: "acme",
  facilities: ["west"],
  permissions: ["shipments:write"]
}

/** The requests of each change that takes a body, by the names of the examples. */
export const requests: {
  readonly [
    Name in keyof OperatorOperations as [BodyJson<OperatorOperations[Name]>] extends [never] ? never : Name
  ]: Readonly<Record<string, RequestExample<BodyJson<OperatorOperations[Name]>>>>
} = {
  createBusiness: { business: example("A business", { slug: "initech", name: "Initech" }) },
  renameBusiness: { name: example("Another name", { name: "Acme Foods" }) },
  setFieldMap: {
    fields: example("One value of one label, and all of another", fieldMap),
    none: example("No labels in messages", [])
  },
  createFacility: { facility: example("A facility", { slug: "north", name: "North" }) },
  updateFacility: {
    name: example("Another name", { name: "Acme East" }),
    timeZone: example("Another time zone", { timeZone: "Europe/Berlin" })
  },
  createDock: { dock: example("A dock", { slug: "D3" }) },
  createClient: {
    customer: example("A customer's system, at one facility", { name: "Acme WMS", grants }),
    tower: example("A tower that reports for every business", {
      name: "Tower 7",
      grants: [{ business: "*", facilities: "*", permissions: ["pallets:write", "shipments:write"] }]
    })
  },
  updateClient: {
    disable: example("Disable it", { enabled: false }),
    grants: example("Replace its grants", { grants })
  },
  addClientGrants: {
    place: example("A permission at one facility", { grants: [added] })
  },
  withdrawClientGrants: {
    place: example("A permission at one facility", { grants: [added] })
  },
  addPerson: {
    email: example("Known by an e-mail address", { name: "Ada Byron", email: "ada@acme.example", grants }),
    subject: example("Known by the subject of the provider", {
      name: "Ada Byron",
      subject: "248289761001",
      grants
    })
  },
  updatePerson: { grants: example("Replace the grants", { grants }) },
  addPersonGrants: {
    place: example("A permission at one facility", { grants: [added] })
  },
  withdrawPersonGrants: {
    place: example("A permission at one facility", { grants: [added] })
  },
  createWebhookEndpoint: {
    token: example("With a token of the customer's login", {
      business: "acme",
      baseUrl: "https://hooks.acme.example/dockline",
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      authentication: { ...login, password: "as agreed with the customer" }
    }),
    basic: example("With Basic authentication, for one facility", {
      business: "acme",
      facility: "east",
      baseUrl: "https://hooks.acme.example",
      messageTypes: ["SHIPMENT_COMPLETE"],
      authentication: { type: "basic", username: "dockline", password: "as agreed with the customer" },
      headers: [{ name: "X-Api-Key", value: "as agreed with the customer" }],
      ratePerSecond: 50
    }),
    oauth2: example("With a token of an OAuth 2.0 provider", {
      business: "acme",
      baseUrl: "https://hooks.acme.example",
      messageTypes: ["PALLET_EVENT"],
      authentication: {
        type: "oauth2",
        tokenUrl: "https://auth.acme.example/token",
        clientId: "dockline",
        clientSecret: "as agreed with the customer",
        scope: "hooks"
      },
      signatures: ["v1", "v1a"]
    }),
    none: example("Without authentication, to be enabled later", {
      business: "acme",
      baseUrl: "https://hooks.acme.example",
      messageTypes: ["PALLET_EVENT"],
      authentication: { type: "none" },
      enabled: false
    })
  },
  updateWebhookEndpoint: {
    enable: example("Enable it", { enabled: true }),
    move: example("Another address, and the password that goes there", {
      baseUrl: "https://hooks2.acme.example/dockline",
      authentication: { ...login, password: "as agreed with the customer" }
    })
  },
  testWebhookEndpoint: {
    first: example("A message of the first type that it gets", {}),
    departure: example("A departure", { messageType: "SHIPMENT_COMPLETE" })
  },
  replayDeliveries: {
    ids: example("By message ids", { fromId: 90_071, toId: 90_171 }),
    times: example("By times", { from: "2026-11-20T17:00:00Z", to: "2026-11-20T18:00:00Z" })
  },
  advanceMessages: { beyond: example("Beyond what consumers may have seen", { beyond: 91_000 }) }
}

const business: Business = { slug: "acme", name: "Acme" }
const facility: Facility = {
  slug: "east",
  name: "East",
  timeZone: "Europe/Berlin",
  detentionMinutes: 120
}

const client: OperatorView.ClientView = {
  id: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11",
  name: "Acme WMS",
  enabled: true,
  grants,
  secrets: [{ id: "c2c5ad9d-8f7b-4c8e-9a8e-2b9f6d3f1a10", createdAt: "2026-11-20T16:00:00.000Z" }]
}

const person: OperatorView.PersonView = {
  id: "0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55",
  name: "Ada Byron",
  email: "ada@acme.example",
  subject: null,
  grants
}

const endpoint: OperatorView.EndpointView = {
  id: "12",
  business: "acme",
  facility: null,
  baseUrl: "https://hooks.acme.example/dockline",
  messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
  authentication: {
    ...login,
    usernameField: "username",
    passwordField: "password",
    tokenPath: "access_token",
    lifetimePath: "expires_in",
    scheme: "Bearer",
    loginFormat: "json"
  },
  headers: [{ name: "X-Api-Key" }],
  ratePerSecond: 50,
  signatures: ["v1"],
  payloadProfile: "dockline",
  enabled: true,
  disabledReason: "",
  createdAt: "2026-11-20T16:00:00.000Z",
  cursorId: 90_171,
  failingSince: null,
  login: null,
  expiredUpTo: null,
  backlog: 0,
  signingSecrets: [{ validUntil: null }],
  warnings: []
}

const delivery: OperatorView.DeliveryView = {
  id: "90071",
  messageId: 90_071,
  messageType: "PALLET_EVENT",
  shipmentId: "4711",
  status: "PENDING",
  attempts: [{
    at: "2026-11-20T17:02:12.041Z",
    status: 500,
    durationMs: 183,
    response: "try again later",
    error: ""
  }],
  nextAttemptAt: "2026-11-20T17:02:17.224Z"
}

const test: OperatorView.TestView = {
  webhookId: "test_6f1c2a52-6e0f-4a7e-8c51-f1d2b3a49c77",
  messageType: "SHIPMENT_COMPLETE",
  isTaken: false,
  at: "2026-11-20T17:02:12.041Z",
  request: {
    url: `${endpoint.baseUrl}/api/shipmentComplete`,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Dockline/0.1.0",
      "webhook-id": "test_6f1c2a52-6e0f-4a7e-8c51-f1d2b3a49c77",
      "webhook-timestamp": "1795194132",
      "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
      Authorization: "Bearer ***"
    },
    body:
      "{\"serviceShipmentId\":\"0\",\"orders\":[],\"url\":\"https://dockline.example/dashboard/shipments/0\",\"dockId\":\"0\",\"pallets\":[],\"test\":true}"
  },
  status: 401,
  durationMs: 83,
  answer: { headers: { "content-type": "text/plain" }, body: "No matching signature found" },
  error: "",
  remedy:
    "Compare the signing secret, the user name and the password; see whether the receiver's clock is right, and whether a proxy changes the body."
}

const pageOf = <Row>(row: Row): Page<Row> => ({ items: [row], next: null })

/** The answer of each operation that answers anything. */
export const answers: {
  readonly [
    Name in keyof OperatorOperations as [AnswerView<OperatorOperations[Name]>] extends [void] ? never : Name
  ]: AnswerView<OperatorOperations[Name]>
} = {
  listBusinesses: pageOf(business),
  createBusiness: { slug: "initech", name: "Initech" },
  getBusiness: business,
  renameBusiness: { slug: "acme", name: "Acme Foods" },
  getFieldMap: fieldMap,
  setFieldMap: fieldMap,
  listFacilities: pageOf(facility),
  createFacility: { slug: "north", name: "North", timeZone: "UTC", detentionMinutes: 120 },
  getFacility: facility,
  updateFacility: { slug: "east", name: "Acme East", timeZone: "Europe/Berlin", detentionMinutes: 120 },
  listDocks: pageOf({ slug: "D1" }),
  createDock: { slug: "D3" },
  listClients: pageOf(client),
  createClient: { ...client, clientSecret },
  getClient: client,
  updateClient: { ...client, enabled: false },
  addClientGrants: { ...client, grants: [...client.grants, added] },
  withdrawClientGrants: client,
  createSecret: { secretId: "0d3b7a52-6e0f-4a7e-8c51-f1d2b3a49c77", clientSecret },
  listPeople: pageOf(person),
  addPerson: person,
  getPerson: person,
  updatePerson: person,
  addPersonGrants: { ...person, grants: [...person.grants, added] },
  withdrawPersonGrants: person,
  listWebhookEndpoints: pageOf(endpoint),
  createWebhookEndpoint: { ...endpoint, signingSecret },
  getWebhookEndpoint: endpoint,
  updateWebhookEndpoint: endpoint,
  rotateSigningSecret: { signingSecret },
  testWebhookEndpoint: test,
  listDeliveries: pageOf(delivery),
  getDelivery: {
    ...delivery,
    request: {
      url: `${endpoint.baseUrl}/api/palletEvent`,
      headers: { "Content-Type": "application/json", "webhook-id": "msg_90071", Authorization: "***" },
      body: "{\"businessSlug\":\"acme\",\"facilitySlug\":\"east\",\"serviceShipmentId\":\"4711\"}",
      length: 75
    }
  },
  replayDeliveries: { count: 101 },
  advanceMessages: { newestId: 91_000 },
  listAudit: pageOf(
    {
      id: "815",
      at: "2026-11-20T16:00:00.000Z",
      clientId: "operator",
      address: "192.0.2.7",
      action: "CLIENT_CHANGED",
      business: "acme",
      subject: `clients/${client.id}`,
      details: { enabled: false }
    }
  )
}
