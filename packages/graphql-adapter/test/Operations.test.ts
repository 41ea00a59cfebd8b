/** Queries and mutations: what core answers, and to whom (D8.1, D8.4, D8.6). */
import { Shipments } from "@dockline/core/movement/Shipments"
import { itemFields, orderFields, shipmentFields } from "@dockline/core/shipment/Shipment"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { engine, sessionOf } from "./EngineSetup.ts"
import { codes, run } from "./Running.ts"

const { caseSerials: _, ...plainItemFields } = itemFields

const names = (fields: object): string => Object.keys(fields).join(" ")

const shownFields = `id shipmentNumber status direction business { slug name } facility { slug name }
  expectedArrivalAt scheduledAt dockId dockSlug ${names(shipmentFields)} additionalFields { name value }
  statusEvents { status displayName completed completedAt completedBy }
  progress { expectedPallets passedPallets missingPallets unexpectedPallets } version
  orders { id orderNumber status direction ${names(orderFields)}
    items { id ${names(plainItemFields)} caseSerials { id quantity } } }`

const submit = `mutation ($input: DocumentInput!, $dryRun: Boolean) {
  submitDocument(input: $input, dryRun: $dryRun) {
    created { type id reference } updated { type id reference } removed { type id reference }
    shipment { ${shownFields} }
  }
}`

const documentOf = (orderNumber: string, facility = "east", lpn = `P-${orderNumber}`) => ({
  business: "acme",
  facility,
  direction: "OUTBOUND",
  orderNumber,
  items: [{
    lpn,
    sku: "S",
    quantity: 2.5,
    quantityUnit: "CASE",
    caseSerials: [{ id: "C", quantity: 3_000_000_000 }]
  }]
})

interface Submission {
  readonly submitDocument: {
    readonly created: ReadonlyArray<{ readonly type: string; readonly id: string }>
    readonly shipment: { readonly id: number; readonly status: string }
  }
}

const shipmentOf = (orderNumber: string, facility?: string) =>
  Effect.map(
    run(submit, { input: documentOf(orderNumber, facility) }),
    ({ data }) => (data as Submission | null)!.submitDocument.shipment.id
  )

layer(engine())("documents", (it) => {
  it.effect("are refused before any of their items is looked at where there are too many (D2.7)", () =>
    Effect.gen(function*() {
      const refusal = "BAD_USER_INPUT TOO_MANY_ITEMS"
      let looks = 0
      const item = {
        get lpn() {
          return `P-${looks++}`
        }
      }
      const many = Array.from({ length: 10_001 }, () => item)
      const { items: _, ...head } = documentOf("O-MANY")
      const orders = [{ orderNumber: "O-1", items: many }]
      const lists = `mutation ($items: [DocumentItemInput!]!) {
        submitDocument(input: { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O-1", items: $items }) {
          shipment { id }
        }
      }`
      expect(yield* codes(submit, { input: { ...head, items: many } })).toEqual([refusal])
      expect(yield* codes(submit, { input: { ...head, orders } })).toEqual([refusal])
      expect(yield* codes(lists, { items: many })).toEqual([refusal])
      expect(looks).toBe(0)
    }))

  it.effect("submitDocument does what REST does, and shipment shows the same as core (D8.4)", () =>
    Effect.gen(function*() {
      const { data, errors } = yield* run(submit, { input: documentOf("O-1") })
      expect(errors).toEqual([])
      const { created, shipment } = (data as Submission | null)!.submitDocument
      expect(created.map(({ type }) => type)).toEqual(["SHIPMENT", "ORDER", "ORDER_ITEM"])
      const { get } = yield* Shipments
      const row = yield* get(String(shipment.id), sessionOf("acme-client").principal)
      expect(shipment).toEqual(row)
      const read = yield* run(`query ($id: Long!) { shipment(id: $id) { ${shownFields} } }`, {
        id: shipment.id
      })
      expect(read.data).toEqual({ shipment: row })
    }))

  it.effect("submitDocument takes values inline, and null for absent (D2.3)", () =>
    Effect.gen(function*() {
      const { data, errors } = yield* run(`mutation {
        submitDocument(input: { business: "acme", facility: "east", direction: "INBOUND", orderNumber: "O-inline",
          carrier: null, items: [{ lpn: "1", sku: "2", quantity: 3, quantityUnit: "CASE" }] }) {
          shipment { carrier orders { items { quantity } } }
        }
      }`)
      expect(errors).toEqual([])
      expect(data).toEqual({
        submitDocument: { shipment: { carrier: "", orders: [{ items: [{ quantity: 3 }] }] } }
      })
    }))

  it.effect("a dry run answers with empty ids and writes nothing (D5.3)", () =>
    Effect.gen(function*() {
      const { data } = yield* run(submit, { input: documentOf("O-dry"), dryRun: true })
      const { created, shipment } = (data as Submission | null)!.submitDocument
      expect(created.map(({ id }) => id)).toEqual(["", "", ""])
      expect(shipment.id).toBe(0)
      const page = yield* run(`{ orders(orderNumber: "O-dry") { nodes { id } } }`)
      expect(page.data).toEqual({ orders: { nodes: [] } })
    }))

  it.effect("refuses a document with the texts and paths of REST, all of them (D2.4)", () =>
    Effect.gen(function*() {
      const { errors } = yield* run(submit, {
        input: {
          ...documentOf("O-2"),
          direction: "SIDEWAYS",
          items: [{ lpn: "1", quantity: -1, quantityUnit: "BOX" }]
        }
      })
      expect(errors).toEqual([{
        message: "The document is not valid: 4 errors; see errors",
        code: "BAD_USER_INPUT",
        reason: "INVALID_DOCUMENT",
        errors: [
          { path: "direction", detail: "must be one of INBOUND, OUTBOUND" },
          { path: "items[0].quantity", detail: "must not be negative" },
          { path: "items[0].quantityUnit", detail: "must be one of PALLET, CASE, UNIT" },
          { path: "items[0].sku", detail: "is required by OVERWRITE" }
        ]
      }])
    }))
})

layer(engine())("reads", (it) => {
  it.effect("business and facility show what the client may see", () =>
    Effect.gen(function*() {
      const query = `{ business(slug: "acme") { slug name facilities { slug name timeZone docks } } }`
      const east = { slug: "east", name: "East", timeZone: "UTC", docks: ["D1", "D2"] }
      const west = { slug: "west", name: "West", timeZone: "UTC", docks: ["D1"] }
      expect((yield* run(query)).data).toEqual({
        business: { slug: "acme", name: "Acme", facilities: [east, west] }
      })
      for (const client of ["acme-east-client", "every-east-client"]) {
        expect((yield* run(query, {}, client)).data).toEqual({
          business: { slug: "acme", name: "Acme", facilities: [east] }
        })
      }
      expect((yield* run(`{ facility(business: "acme", slug: "east") { slug name timeZone docks } }`)).data)
        .toEqual({
          facility: east
        })
    }))

  const refusals: ReadonlyArray<readonly [query: string, client: string, code: string]> = [
    [`{ business(slug: "nobody") { slug } }`, "acme-client", "NOT_FOUND BUSINESS_NOT_FOUND"],
    [`{ shipment(id: 99999) { id } }`, "acme-client", "NOT_FOUND SHIPMENT_NOT_FOUND"],
    [`{ shipments(first: 0) { nodes { id } } }`, "acme-client", "BAD_USER_INPUT INVALID_REQUEST"],
    [`{ orders(after: "x") { nodes { id } } }`, "acme-client", "BAD_USER_INPUT INVALID_REQUEST"],
    [`{ shipment(id: 1.5) { id } }`, "acme-client", "GRAPHQL_VALIDATION_FAILED undefined"]
  ]
  for (const [query, client, code] of refusals) {
    it.effect(`answers ${query} of ${client} with ${code}`, () =>
      Effect.map(codes(query, {}, client), (answers) => expect(answers).toEqual([code])))
  }

  it.effect("shipments and orders go page by page, and only over what the client may see (D5.1)", () =>
    Effect.gen(function*() {
      const ids = [yield* shipmentOf("R-1"), yield* shipmentOf("R-2", "west"), yield* shipmentOf("R-3")]
      const page = `query ($after: String) { shipments(business: "acme", first: 2, after: $after) {
        nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`
      expect((yield* run(page)).data).toEqual({
        shipments: {
          nodes: [{ id: ids[0] }, { id: ids[1] }],
          edges: [{ cursor: String(ids[0]), node: { id: ids[0] } }, {
            cursor: String(ids[1]),
            node: { id: ids[1] }
          }],
          pageInfo: { hasNextPage: true, endCursor: String(ids[1]) }
        }
      })
      expect((yield* run(page, { after: String(ids[1]) })).data).toMatchObject({
        shipments: { nodes: [{ id: ids[2] }], pageInfo: { hasNextPage: false, endCursor: null } }
      })
      expect((yield* run(page, {}, "acme-east-client")).data).toMatchObject({
        shipments: { nodes: [{ id: ids[0] }, { id: ids[2] }] }
      })
      const orders =
        `{ orders(facility: "west", business: "acme") { nodes { orderNumber shipmentId facility { slug } } } }`
      expect((yield* run(orders)).data).toEqual({
        orders: { nodes: [{ orderNumber: "R-2", shipmentId: ids[1], facility: { slug: "west" } }] }
      })
      const times =
        `query ($after: String) { shipments(business: "acme", first: 2, order: EARLIEST, after: $after) {
        nodes { id } edges { cursor } pageInfo { endCursor } } }`
      const byTime = (yield* run(times)).data as {
        readonly shipments: {
          readonly edges: ReadonlyArray<{ readonly cursor: string }>
          readonly pageInfo: { readonly endCursor: string }
        }
      }
      const { edges, pageInfo } = byTime.shipments
      expect(edges[1]!.cursor).toBe(pageInfo.endCursor)
      expect(pageInfo.endCursor).toMatch(new RegExp(`Z_${ids[1]}$`))
      expect((yield* run(times, { after: edges[0]!.cursor })).data).toMatchObject({
        shipments: { nodes: [{ id: ids[1] }, { id: ids[2] }] }
      })
      expect((yield* run(`{ shipments(carrier: "nobody") { nodes { id } } }`)).data).toEqual({
        shipments: { nodes: [] }
      })
      const filter = `{ shipments(shipmentNumber: "R-3", status: SCHEDULED) { nodes { id } } }`
      expect((yield* run(filter)).data).toEqual({ shipments: { nodes: [{ id: ids[2] }] } })
      const short =
        `{ shipments(shipmentNumber: "R-3", discrepancies: true) { nodes { id discrepancies { nodes { kind } } } } }`
      expect((yield* run(short)).data).toEqual({
        shipments: { nodes: [{ id: ids[2], discrepancies: { nodes: [{ kind: "SHORT" }] } }] }
      })
      expect((yield* run(`{ shipments(status: DEPARTED, discrepancies: true) { nodes { id } } }`)).data)
        .toEqual({
          shipments: { nodes: [] }
        })
    }))
})

layer(engine())("shipments in motion", (it) => {
  const record = `mutation ($input: PalletEventInput!) {
    recordPalletEvent(input: $input) {
      messageId serviceShipmentId servicePalletId orders verdict { kind shipmentId shipmentNumber dockSlug text late } notes
    }
  }`
  const event = (eventId: string, shipmentId: number) => ({
    input: {
      eventId,
      business: "acme",
      facility: "east",
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: "1970-01-01T01:00:00+01:00",
      shipmentId,
      labels: [{ name: "lpn", value: "P-M-1" }, { name: "sku", value: "S" }]
    }
  })

  it.effect("a pallet event makes one message, however often it is sent (D6.1)", () =>
    Effect.gen(function*() {
      const id = yield* shipmentOf("M-1")
      const first = yield* run(record, event("E-1", id), "tower")
      expect(first.errors).toEqual([])
      expect(first.data).toMatchObject({
        recordPalletEvent: {
          serviceShipmentId: String(id),
          orders: ["M-1"],
          verdict: { kind: "EXPECTED", late: false },
          notes: []
        }
      })
      expect((yield* run(record, event("E-1", id), "tower")).data).toEqual(first.data)
      const { data } = yield* run(
        `{ pushMessages(input: { businessSlug: "acme", since: "1970-01-01T00:00:00Z" }) {
          id businessSlug facilitySlug messageType message sentAt } }`
      )
      const { messageId, servicePalletId } =
        (first.data as { recordPalletEvent: { messageId: number; servicePalletId: string } } | null)!
          .recordPalletEvent
      expect(data).toEqual({
        pushMessages: [{
          id: messageId,
          businessSlug: "acme",
          facilitySlug: "east",
          messageType: "PALLET_EVENT",
          message: {
            businessSlug: "acme",
            facilitySlug: "east",
            serviceShipmentId: String(id),
            servicePalletId,
            occurredAt: "1970-01-01T00:00:00.000Z",
            url: `http://localhost:8080/dashboard/shipments/${id}/pallets/${servicePalletId}`,
            direction: "LOADING",
            orders: ["M-1"],
            dockId: expect.stringMatching(/^\d+$/) as string,
            LPN: "P-M-1",
            SKUs: ["S"]
          },
          sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/) as string
        }]
      })
    }))

  it.effect("arrival, departure and link are those of core (D6.5)", () =>
    Effect.gen(function*() {
      const [id, other] = [yield* shipmentOf("M-2"), yield* shipmentOf("M-3")]
      const step = (name: string, input: string) =>
        run(`mutation { ${name}(input: { shipmentId: ${id} ${input} }) { id status dockSlug } }`, {}, "tower")
      expect((yield* step("linkShipments", `linkedShipmentId: ${other}`)).data).toEqual({
        linkShipments: { id, status: "SCHEDULED", dockSlug: "" }
      })
      expect((yield* step("arriveShipment", `dockSlug: "D2", occurredAt: "1970-01-01T00:00:00Z"`)).data)
        .toEqual({
          arriveShipment: { id, status: "ARRIVED", dockSlug: "D2" }
        })
      expect((yield* step("departShipment", "")).data).toEqual({
        departShipment: { id, status: "DEPARTED", dockSlug: "D2" }
      })
      expect((yield* step("arriveShipment", "")).errors).toMatchObject([{
        code: "CONFLICT",
        reason: "INVALID_TRANSITION"
      }])
    }))
})

describe("the schema", () => {
  layer(engine())((it) => {
    it.effect("refuses a file that is no file", () =>
      Effect.map(
        run("mutation ($f: Upload!) { uploadDocument(input: { file: $f }) { shipment { id } } }", {
          f: "text"
        }),
        ({ errors }) => expect(errors).toMatchObject([{ code: "BAD_USER_INPUT" }])
      ))
  })
})
