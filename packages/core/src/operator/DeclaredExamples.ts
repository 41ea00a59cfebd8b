/**
 * The example requests and answers of the operations of operators. A service with the demo data (D12.2) and a key for secrets accepts
 * every request, unless it has the created entity already.
 */
import type { Page } from "../values/Page.ts"
import type { Sent, Shown } from "./Change.ts"
import type { EdiPartnerView } from "./edi/EdiPartnerOperations.ts"
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

/** The requests of each change that takes a body, by the names of the examples. */
export const requests: {
  readonly [
    Name in keyof OperatorOperations as [Sent<OperatorOperations[Name]>] extends [never] ? never : Name
  ]: {
    readonly [example: string]: { readonly summary: string; readonly value: Sent<OperatorOperations[Name]> }
  }
} = {
  createBusiness: { business: { summary: "A business", value: { slug: "initech", name: "Initech" } } },
  renameBusiness: { name: { summary: "Another name", value: { name: "Acme Foods" } } },
  setFieldMap: {
    fields: { summary: "One value of one label, and all of another", value: fieldMap },
    none: { summary: "No labels in messages", value: [] }
  },
  createFacility: { facility: { summary: "A facility", value: { slug: "north", name: "North" } } },
  updateFacility: {
    name: { summary: "Another name", value: { name: "Acme East" } },
    timeZone: { summary: "Another time zone", value: { timeZone: "Europe/Berlin" } }
  },
  createDock: { dock: { summary: "A dock", value: { slug: "D3" } } },
  createClient: {
    customer: { summary: "A customer's system, at one facility", value: { name: "Acme WMS", grants } },
    tower: {
      summary: "A tower that reports for every business",
      value: {
        name: "Tower 7",
        grants: [{ business: "*", facilities: "*", permissions: ["pallets:write", "shipments:write"] }]
      }
    }
  },
  updateClient: {
    disable: { summary: "Disable it", value: { enabled: false } },
    grants: { summary: "Replace its grants", value: { grants } }
  },
  addPerson: {
    email: {
      summary: "Known by an e-mail address",
      value: { name: "Ada Byron", email: "ada@acme.example", grants }
    },
    subject: {
      summary: "Known by the subject of the provider",
      value: { name: "Ada Byron", subject: "248289761001", grants }
    }
  },
  updatePerson: { grants: { summary: "Replace the grants", value: { grants } } },
  createWebhookEndpoint: {
    token: {
      summary: "With a token of the customer's login",
      value: {
        business: "acme",
        baseUrl: "https://hooks.acme.example/dockline",
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        authentication: { ...login, password: "as agreed with the customer" }
      }
    },
    basic: {
      summary: "With Basic authentication, for one facility",
      value: {
        business: "acme",
        facility: "east",
        baseUrl: "https://hooks.acme.example",
        messageTypes: ["SHIPMENT_COMPLETE"],
        authentication: { type: "basic", username: "dockline", password: "as agreed with the customer" },
        headers: [{ name: "X-Api-Key", value: "as agreed with the customer" }],
        ratePerSecond: 50
      }
    },
    oauth2: {
      summary: "With a token of an OAuth 2.0 provider",
      value: {
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
      }
    },
    none: {
      summary: "Without authentication, to be enabled later",
      value: {
        business: "acme",
        baseUrl: "https://hooks.acme.example",
        messageTypes: ["PALLET_EVENT"],
        authentication: { type: "none" },
        enabled: false
      }
    }
  },
  updateWebhookEndpoint: {
    enable: { summary: "Enable it", value: { enabled: true } },
    move: {
      summary: "Another address, and the password that goes there",
      value: {
        baseUrl: "https://hooks2.acme.example/dockline",
        authentication: { ...login, password: "as agreed with the customer" }
      }
    }
  },
  testWebhookEndpoint: {
    first: { summary: "A message of the first type that it gets", value: {} },
    departure: { summary: "A departure", value: { messageType: "SHIPMENT_COMPLETE" } }
  },
  replayDeliveries: {
    ids: { summary: "By message ids", value: { fromId: 90_071, toId: 90_171 } },
    times: {
      summary: "By times",
      value: { from: "2026-11-20T17:00:00Z", to: "2026-11-20T18:00:00Z" }
    }
  },
  createEdiPartner: {
    supplier: {
      summary: "A supplier whose ship notices are taken",
      value: {
        slug: "supplier",
        facility: "east",
        name: "Supplier Inc.",
        theirs: { qualifier: "ZZ", id: "SUPPLIER" },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" }
      }
    },
    depositor: {
      summary: "A depositor that has got files from another system, in tests",
      value: {
        slug: "depositor",
        facility: "east",
        name: "Depositor Ltd.",
        theirs: { qualifier: "01", id: "123456789", group: "DEPOSITOR" },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" },
        release: "005010",
        usage: "T",
        takes: ["940"],
        tells: ["945"],
        tellsOf: "ALL",
        nextControl: 4712
      }
    }
  },
  updateEdiPartner: {
    production: { summary: "From tests to production", value: { usage: "P" } },
    told: { summary: "Other sets", value: { tells: ["945"] } }
  },
  advanceMessages: { beyond: { summary: "Beyond what consumers may have seen", value: { beyond: 91_000 } } }
}

const business: OperatorView.BusinessView = { slug: "acme", name: "Acme", sandbox: false }
const facility: OperatorView.FacilityView = {
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
  signingSecrets: [{ validUntil: null }]
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

const side = (id: string) => ({ qualifier: "ZZ", id, group: id })

const ediPartner: EdiPartnerView = {
  slug: "supplier",
  business: "acme",
  facility: "east",
  name: "Supplier Inc.",
  theirs: side("SUPPLIER"),
  ours: side("WAREHOUSE"),
  release: "004010",
  usage: "P",
  takes: ["856", "940"],
  tells: ["856", "945", "944"],
  tellsOf: "OWN",
  nextInterchange: 1,
  nextGroup: 1,
  createdAt: "2026-11-20T16:00:00.000Z"
}

const pageOf = <Row>(row: Row): Page<Row> => ({ items: [row], next: null })

/** The answer of each operation that answers anything. */
export const answers: {
  readonly [
    Name in keyof OperatorOperations as [Shown<OperatorOperations[Name]>] extends [void] ? never : Name
  ]: Shown<OperatorOperations[Name]>
} = {
  listBusinesses: pageOf(business),
  createBusiness: { slug: "initech", name: "Initech", sandbox: false },
  getBusiness: business,
  renameBusiness: { slug: "acme", name: "Acme Foods", sandbox: false },
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
  createSecret: { secretId: "0d3b7a52-6e0f-4a7e-8c51-f1d2b3a49c77", clientSecret },
  listPeople: pageOf(person),
  addPerson: person,
  getPerson: person,
  updatePerson: person,
  listWebhookEndpoints: pageOf(endpoint),
  createWebhookEndpoint: { ...endpoint, signingSecret },
  getWebhookEndpoint: endpoint,
  updateWebhookEndpoint: endpoint,
  rotateSigningSecret: { signingSecret },
  testWebhookEndpoint: test,
  certifyWebhookEndpoint: {
    isPassed: false,
    checks: [
      {
        name: "SIGNED",
        asks: "A signed message is taken",
        verdict: "PASSED",
        webhookId: test.webhookId,
        status: 204,
        durationMs: 12,
        detail: ""
      },
      {
        name: "UNSIGNED",
        asks: "A message without a signature is refused",
        verdict: "FAILED",
        webhookId: "test_0d3b7a52-6e0f-4a7e-8c51-f1d2b3a49c77",
        status: 204,
        durationMs: 9,
        detail: "It took a message that anyone could have sent: verify webhook-signature over the raw bytes."
      }
    ]
  },
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
  listEdiPartners: pageOf(ediPartner),
  createEdiPartner: ediPartner,
  getEdiPartner: ediPartner,
  updateEdiPartner: { ...ediPartner, tells: ["945"] },
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
