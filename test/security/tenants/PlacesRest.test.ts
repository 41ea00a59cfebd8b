/**
 * Every pair of client and place over REST: who has any permission at a facility sees what the dock knows of it (D13), in
 * JSON and in CSV, and nobody else does; messages and writes need a permission of their own. The routes are those of the API
 * itself: one without a case here fails. Those of the operator side have theirs in `OperatorAccess.test.ts`.
 */
import type { Permission } from "@dockline/core/Access"
import { Api } from "@dockline/http-adapter/Api"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { palletEvent } from "../../http/facility/Facility.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { order } from "../../http/Sample.ts"
import { storages, TestServer, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { clients, makeEverywhere, mayDo } from "./Everywhere.ts"
import type { Client, Made, Place } from "./Everywhere.ts"

/** A route at a place. */
interface Case {
  readonly path: (made: Made) => string
  /** Of a route that writes. */
  readonly body?: (made: Made) => unknown
  /** What it takes: sight of the place, its messages, or one of these permissions there. */
  readonly takes: "sight" | "messages" | ReadonlyArray<Permission>
  /** How it is answered where the place is not seen: an id is of nothing then, a name is forbidden. */
  readonly unseen: 403 | 404
  /** Of a list: how many entries there are of the shipment of the place. */
  readonly entries?: number
  /** The list of all places, of which a client gets those of the places that it sees. */
  readonly everywhere?: (made: Made) => string
}

const ofShipment = (rest: string, entries?: number): Case => ({
  path: ({ id }) => `/v1/shipments/${id}${rest}`,
  takes: "sight",
  unseen: 404,
  ...(entries === undefined ? {} : { entries })
})

const ofPlace = (path: string, by: (made: Made) => string): Case => ({
  path: (made) => `${path}?business=${made.business}&facility=${made.facility}&${by(made)}`,
  takes: "sight",
  unseen: 403,
  entries: 1,
  everywhere: (made) => `${path}?${by(made)}`
})

const step = (rest: string, takes: ReadonlyArray<Permission>, body: Case["body"] = () => ({})): Case => ({
  path: ({ id }) => `/v1/shipments/${id}${rest}`,
  body,
  takes,
  unseen: 404
})

const reporters = ["documents:write", "pallets:write", "shipments:write"] as const

const cases: Readonly<Record<string, Case | "public">> = {
  getShipment: ofShipment(""),
  listShipmentPallets: ofShipment("/pallets", 1),
  getPallet: { ...ofShipment(""), path: ({ id, palletId }) => `/v1/shipments/${id}/pallets/${palletId}` },
  listItems: ofShipment("/items", 2),
  listDiscrepancies: ofShipment("/discrepancies", 1),
  // Those of all places are seen over GraphQL, where each place has one.
  listExceptions: {
    path: ({ business, facility }) =>
      `/v1/exceptions?business=${business}&facility=${facility}&status=OPEN&priority=HIGH&limit=1`,
    takes: "sight",
    unseen: 403,
    entries: 1
  },
  listShipmentExceptions: ofShipment("/exceptions", 1),
  listShipments: ofPlace("/v1/shipments", ({ number }) => `shipmentNumber=${number}&discrepancies=true`),
  listOrders: ofPlace("/v1/orders", ({ number }) => `orderNumber=${number}`),
  listPallets: ofPlace("/v1/pallets", ({ lpn }) => `lpn=${lpn}`),
  search: ofPlace("/v1/search", ({ lpn }) => `text=${lpn}`),
  listDocuments: ofPlace("/v1/documents", ({ number }) => `orderNumber=${number}`),
  getDocument: { ...ofShipment(""), path: ({ documentId }) => `/v1/documents/${documentId}` },
  listMessages: {
    path: ({ business, facility }) => `/v1/messages?business=${business}&facility=${facility}`,
    takes: "messages",
    unseen: 403
  },
  submitDocument: {
    path: () => "/v1/documents",
    body: ({ business, facility, number }) => order({ business, facility, orderNumber: number }),
    takes: ["documents:write"],
    unseen: 403
  },
  recordPalletEvent: {
    path: () => "/v1/pallet-events",
    body: ({ business, facility, id }) => palletEvent({ business, facility, shipmentId: id }),
    takes: ["pallets:write"],
    unseen: 403
  },
  reportException: step(
    "/exceptions",
    reporters,
    () => ({ kind: "OTHER", priority: "LOW", description: unique("Wet") })
  ),
  resolveException: {
    ...step("", reporters, () => ({ note: "Done" })),
    path: ({ exceptionId, id }) => `/v1/shipments/${id}/exceptions/${exceptionId}/resolve`
  },
  linkShipments: step("/link", ["shipments:write"], ({ otherId }) => ({ linkedShipmentId: otherId })),
  cancelShipment: step("/cancel", ["shipments:write", "documents:write"]),
  arriveShipment: step("/arrive", ["shipments:write"]),
  departShipment: step("/depart", ["shipments:write"]),
  requestToken: "public",
  describeAuthorizationServer: "public",
  describeOpenIdProvider: "public",
  listKeys: "public",
  healthz: "public",
  readyz: "public",
  metrics: "public"
}

const routes: Array<string> = []
/** The lists of operators, whose paths name nothing. */
const operatorLists: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { identifier, method, path } }) => {
    if (!path.startsWith("/v1/operator/")) routes.push(identifier)
    else if (method === "GET" && !path.includes(":")) operatorLists.push(path)
  }
})

describe("the routes of the API", () => {
  plainIt("have a case each", () => {
    assert.deepStrictEqual(Object.keys(cases).sort(), routes.sort())
  })

  plainIt("of operators have lists, the record of operators among them", () => {
    assert.include(operatorLists, "/v1/operator/audit")
  })
})

const isAllowed = ({ takes }: Case, client: Client, place: Place): boolean => {
  if (takes === "sight") return client.sees.includes(place)
  return takes === "messages" ? client.reads.includes(place) : mayDo(client, takes, place)
}

const statusOf = (given: Case, client: Client, place: Place): number => {
  if (isAllowed(given, client, place)) return 200
  return client.sees.includes(place) ? 403 : given.unseen
}

const csv = (as: RequestOptions): RequestOptions => ({
  ...as,
  headers: { ...as.headers, accept: "text/csv" }
})

/** The entries of a list: of an answer in JSON, and of one in CSV. */
const entriesOf = (body: unknown): number => (body as { readonly items: ReadonlyArray<unknown> }).items.length
const linesOf = (text: string): number => text.trimEnd().split("\r\n").length - 1

const readAt = Effect.fnUntraced(function*(given: Case, path: string, as: RequestOptions, status: number) {
  const { get } = yield* TestServer
  const reply = yield* get(path, as)
  assert.strictEqual(reply.status, status, `${path}: ${reply.text}`)
  const table = yield* get(path, csv(as))
  assert.strictEqual(table.status, status, `${path} in CSV: ${table.text}`)
  const isList = given.entries !== undefined || given.takes === "messages"
  if (status !== 200 || !isList) return undefined
  assert.match(table.headers["content-type"]!, /^text\/csv/)
  assert.strictEqual(linesOf(table.text), entriesOf(reply.body), path)
  return entriesOf(reply.body)
})

for (const storage of storages) {
  layer(storage.layer({ vault }), { excludeTestServices: true })(
    `each route by client and place over REST on ${storage.name}`,
    (it) => {
      for (const [name, client] of Object.entries(clients)) {
        const { grants, sees } = client
        it.effect(`a client that has ${name} sees ${sees.join(", ") || "nothing"}`, () =>
          Effect.gen(function*() {
            const { request } = yield* TestServer
            const everywhere = yield* makeEverywhere
            const { as } = yield* makeClient(...grants)
            // What is read goes first: the writes change it.
            for (const [route, given] of Object.entries(cases)) {
              if (given === "public" || given.body !== undefined) continue
              for (const made of everywhere) {
                const status = statusOf(given, client, made.place)
                const entries = yield* readAt(given, given.path(made), as, status)
                if (status !== 200) continue
                if (given.entries !== undefined) assert.strictEqual(entries, given.entries, route)
                else if (given.takes === "messages") assert.isAtLeast(entries!, 1)
              }
              if (given.everywhere === undefined) continue
              const all = yield* readAt(given, given.everywhere(everywhere[0]!), as, 200)
              assert.strictEqual(all, sees.length, route)
            }
            for (const [route, given] of Object.entries(cases)) {
              if (given === "public" || given.body === undefined) continue
              for (const made of everywhere) {
                const reply = yield* request("POST", given.path(made), {
                  ...as,
                  headers: { "content-type": "application/json", ...as.headers },
                  body: JSON.stringify(given.body(made))
                })
                const status = statusOf(given, client, made.place)
                const what = `${route} at ${made.place}: ${reply.text}`
                if (status === 200) assert.notInclude([401, 403, 404], reply.status, what)
                else assert.strictEqual(reply.status, status, what)
              }
            }
          }))

        it.effect(`a client that has ${name} sees nothing of operators`, () =>
          Effect.gen(function*() {
            const { get } = yield* TestServer
            const { as } = yield* makeClient(...grants)
            for (const path of operatorLists) {
              for (const options of [as, csv(as)]) {
                const reply = yield* get(path, options)
                assert.strictEqual(reply.status, 403, `${path}: ${reply.text}`)
              }
            }
          }))
      }
    }
  )
}
