/**
 * The example requests of the operations of operators. A service with the demo data (D12.2) and a key for secrets accepts every request,
 * unless the created entity already exists.
 */
import { example } from "../access/Operation.ts"
import type { BodyJson, RequestExample } from "../access/Operation.ts"
import recorded from "./answers.json" with { type: "json" }
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

const grant: OperatorView.ClientView["grants"][number] = {
  business: "acme",
  facilities: ["west"],
  permissions: ["shipments:write"]
}

/** Example requests for each operation that takes a body, by the name of the operation and of the example. */
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
    place: example("A permission at one facility", { grants: [grant] })
  },
  withdrawClientGrants: {
    place: example("A permission at one facility", { grants: [grant] })
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
    place: example("A permission at one facility", { grants: [grant] })
  },
  withdrawPersonGrants: {
    place: example("A permission at one facility", { grants: [grant] })
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
    move: example("A new address, with the password for it", {
      baseUrl: "https://hooks2.acme.example/dockline",
      authentication: { ...login, password: "as agreed with the customer" }
    })
  },
  testWebhookEndpoint: {
    first: example("A message of the first type that the endpoint receives", {}),
    departure: example("A departure", { messageType: "SHIPMENT_COMPLETE" })
  },
  replayDeliveries: {
    ids: example("By message ids", { fromId: 1, toId: 100 }),
    times: example("By times", { from: "2026-11-20T17:00:00Z", to: "2026-11-20T18:00:00Z" })
  },
  advanceMessages: { beyond: example("Beyond any id that consumers may have seen", { beyond: 90_000 }) }
}

/** A recorded answer of each operation that has an answer. */
export const answers = recorded.answers
