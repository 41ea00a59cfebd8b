/** The demo data (D12.2): two businesses, and clients with public secrets. Never for real freight. */
import type { Grant } from "@dockline/core/access/Access"
import { ClientStore } from "@dockline/core/access/ClientStore"
import { Directory } from "@dockline/core/places/Directory"
import type { BusinessEntry } from "@dockline/core/places/Directory"
import { hashSecret } from "@dockline/http-adapter/tokens/Clients"
import { Effect } from "effect"
import { wholeService } from "./OperatorClient.ts"

/** The demo businesses. */
export const businesses: ReadonlyArray<BusinessEntry> = [
  {
    slug: "acme",
    name: "Acme",
    fieldMap: [
      { name: "LPN", label: "lpn", list: false },
      { name: "SKUs", label: "sku", list: true },
      { name: "LotNumber", label: "lot", list: false },
      { name: "ExpirationDate", label: "expiration", list: false }
    ],
    facilities: [
      { slug: "east", name: "Acme East", docks: ["D1", "D2"] },
      { slug: "west", name: "Acme West", docks: ["D1"] }
    ]
  },
  {
    slug: "globex",
    name: "Globex",
    fieldMap: [],
    facilities: [{ slug: "main", name: "Globex Main", docks: ["D1"] }]
  }
]

const customer = (business: string, facilities: Grant["facilities"]): Grant => ({
  business,
  facilities,
  permissions: ["documents:write", "messages:read"]
})

const everywhere = (permissions: Grant["permissions"]): ReadonlyArray<Grant> =>
  businesses.map(({ slug }) => ({ business: slug, facilities: "*", permissions }))

/** The demo clients by id; the secret of each is its id followed by `-secret`. */
export const grants: Readonly<Record<string, ReadonlyArray<Grant>>> = {
  "acme-client": [customer("acme", "*")],
  "acme-east-client": [customer("acme", ["east"])],
  "globex-client": [customer("globex", "*")],
  tower: everywhere(["pallets:write", "shipments:write"]),
  operator: [wholeService]
}

/** The id of the secret that marks a demo client. */
const demoSecretId = "demo"

/** The secret of a demo client. */
export const secretOf = (clientId: string): string => `${clientId}-secret`

/** What each demo client is for, as the dashboard offers them. */
const descriptions: Readonly<Record<string, string>> = {
  "acme-client": "Everything of Acme",
  "acme-east-client": "Acme East only",
  "globex-client": "Everything of Globex",
  tower: "A tower at the docks: no messages",
  operator: "Operates the whole service"
}

/** The demo clients as the sign-in page of the dashboard offers them. */
export const clients = Object.entries(descriptions).map(([id, description]) => ({
  id,
  secret: secretOf(id),
  description
}))

/** Adds missing demo data, and resets changed demo data. */
export const install = Effect.gen(function*() {
  const directory = yield* Directory
  const clients = yield* ClientStore
  yield* directory.put(businesses)
  yield* clients.put(
    Object.entries(grants).map(([id, grants]) => ({
      id,
      name: `Demo: ${id}`,
      enabled: true,
      secrets: [{ id: demoSecretId, hash: hashSecret(secretOf(id)) }],
      grants
    }))
  )
})

/** Disables the demo clients of an earlier start with demo data: their secrets are public. */
export const revoke = Effect.gen(function*() {
  const store = yield* ClientStore
  const rows = yield* Effect.forEach(Object.keys(grants), store.find)
  const clients = rows.filter((client) => client !== null)
    .filter(({ enabled, secrets }) => enabled && secrets.some(({ id }) => id === demoSecretId))
  if (clients.length === 0) return
  yield* store.put(clients.map((client) => ({ ...client, enabled: false })))
  yield* Effect.logWarning(`Demo clients disabled, as DEMO is off: ${clients.map(({ id }) => id).join(", ")}`)
})
