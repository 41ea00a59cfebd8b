/**
 * Every list of every port, with every filter, for a large tenant and a small one, its first page and a deep one.
 *
 * A list that is added to a port and not here is an error of the compiler.
 */
import type { ReadScope } from "@dockline/core/access/Access"
import { AuditLog } from "@dockline/core/access/AuditLog"
import { ClientStore } from "@dockline/core/access/Principals"
import { documentOutcomes, IntakeStore } from "@dockline/core/document/DocumentRecord"
import { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import { exceptionPriorities, exceptionStatuses } from "@dockline/core/exceptions/ShipmentException"
import type { MessagePage } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { SkuStore } from "@dockline/core/skus/Skus"
import { TraceStore } from "@dockline/core/trace/TraceCapability"
import type { Page, TimePosition } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes, shipmentStatuses } from "@dockline/core/values/Vocabulary"
import { deliveryStatuses } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import { ediDirections, ediOutcomes } from "@dockline/edi/domain/EdiFile"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** How many entries each page is to have at most. */
export const limit = 10

/** One page that is asked for. */
export interface Case {
  readonly name: string
  /** How many streams the page is merged of: facilities by statuses, or businesses. */
  readonly streams: number
  readonly page: Effect.Effect<unknown, unknown>
}

type AnyPage = Page<unknown> | MessagePage

/** The methods of a port that return a page. */
type ListsOf<Port> = {
  [Method in keyof Port]: Port[Method] extends
    (...args: ReadonlyArray<never>) => Effect.Effect<infer A, infer _E> ? A extends AnyPage ? Method : never
    : never
}[keyof Port]

/** The cases of each list of a port. */
type CasesOf<Port> = { readonly [Method in ListsOf<Port>]: ReadonlyArray<Case> }

const one = (business: string, ...facilities: ReadonlyArray<string>): ReadonlyArray<ReadScope> => [
  { business, facilities: facilities.length === 0 ? "*" : facilities }
]

/** When half of the shipments had departed. */
const middle = Timestamp.of("2026-04-01T00:00:00.000Z")

/** What a client may see, what it asks for, and over how many facilities that is. */
const views = (all: number) =>
  [
    ["all of large", one("large"), undefined, undefined, 3],
    ["all of large", one("large"), "large", "main", 1],
    ["all of large", one("large"), "large", "side", 1],
    ["large/main", one("large", "main"), undefined, undefined, 1],
    ["large/side, large/empty", one("large", "side", "empty"), "large", undefined, 2],
    ["all of small", one("small"), undefined, undefined, 1],
    ["all of small, large/side", [...one("small"), ...one("large", "side")], undefined, undefined, 2],
    ["everything", one("*"), undefined, undefined, all],
    ["everything", one("*"), "large", "main", 1],
    ["everything", one("*"), "small", "only", 1],
    ["everything", one("*"), undefined, "side", all]
  ] as const

const nameOf = (...parts: ReadonlyArray<unknown>) => parts.map((part) => part ?? "any").join(" | ")

/** The pages of a list over shipments, documents or exceptions: for each view of it, with each filter. */
const seenBy = <After>(facilities: number, places: ReadonlyArray<After>) =>
<Filter>(
  filters: ReadonlyArray<Filter>,
  streams: number,
  list: (
    scopes: ReadonlyArray<ReadScope>,
    filter: Filter & { readonly business: string | undefined; readonly facility: string | undefined },
    page: { readonly limit: number; readonly after: After }
  ) => Case["page"]
) =>
  views(facilities).flatMap(([name, scopes, business, facility, count]) =>
    filters.flatMap((filter) =>
      places.map((after): Case => ({
        name: nameOf(name, business, facility, JSON.stringify(filter), `after ${JSON.stringify(after)}`),
        streams: count * streams,
        page: list(scopes, { ...filter, business, facility }, { limit, after })
      }))
    )
  )

/** One page from each of these places on. */
const pagesFrom = <At>(
  places: ReadonlyArray<At>,
  streams: number,
  name: ReadonlyArray<unknown>,
  page: (after: At) => Case["page"]
) => places.map((after): Case => ({ name: nameOf(...name, after), streams, page: page(after) }))

const shipments = Effect.fnUntraced(function*(facilities: number, deep: number, deepPallet: TimePosition) {
  const store = yield* ShipmentStore
  const viewOf = seenBy(facilities, [0, deep])
  const cases: CasesOf<(typeof ShipmentStore)["Service"]> = {
    listShipments: viewOf(
      [
        ...[undefined, ...shipmentStatuses].map((status) => ({ shipmentNumber: undefined, status })),
        { shipmentNumber: "S-2", status: undefined },
        { shipmentNumber: "S-2", status: "ARRIVED" as const },
        { shipmentNumber: "none", status: undefined },
        ...["L-1-1", "N/A", "none"].map((lpn) => ({ shipmentNumber: undefined, status: undefined, lpn })),
        { shipmentNumber: undefined, status: undefined, discrepancies: true },
        { shipmentNumber: undefined, status: "DEPARTED" as const, discrepancies: true },
        { shipmentNumber: undefined, status: "SCHEDULED" as const, discrepancies: true },
        { shipmentNumber: "S-2", status: undefined, discrepancies: true }
      ],
      shipmentStatuses.length,
      store.listShipments
    ),
    listShipmentsByTime: viewOf(
      [
        { carrier: undefined, order: "LATEST" as const },
        { carrier: undefined, order: "EARLIEST" as const },
        { carrier: undefined, order: "LATEST" as const, status: "DEPARTED" as const },
        { carrier: undefined, order: "EARLIEST" as const, status: "SCHEDULED" as const },
        {
          carrier: undefined,
          order: "LATEST" as const,
          from: Timestamp.of("2026-03-01T00:00:00.000Z"),
          to: middle
        },
        { carrier: "Carrier", order: "LATEST" as const },
        { carrier: "Carrier", order: "EARLIEST" as const, status: "DEPARTED" as const },
        { carrier: "Rare", order: "LATEST" as const },
        { carrier: "Rare", order: "EARLIEST" as const, from: Timestamp.of("2026-03-01T00:00:00.000Z") },
        { carrier: "none", order: "LATEST" as const },
        { carrier: undefined, trailerNumber: "T-1", order: "LATEST" as const },
        { carrier: undefined, trailerNumber: "T-1", order: "EARLIEST" as const, status: "DEPARTED" as const },
        { carrier: undefined, trailerNumber: "none", order: "LATEST" as const },
        { carrier: undefined, order: "LATEST" as const, discrepancies: true },
        { carrier: "Carrier", order: "LATEST" as const, discrepancies: true, status: "DEPARTED" as const },
        { carrier: undefined, order: "EARLIEST" as const, discrepancies: true, status: "SCHEDULED" as const },
        { carrier: undefined, order: "LATEST" as const, shipmentNumber: "S-2" }
      ],
      // All but those that are cancelled may have discrepancies, or none.
      2 * shipmentStatuses.length - 1,
      (scopes, { order, ...filter }, { after, limit }) =>
        store.listShipmentsByTime(
          scopes,
          { shipmentNumber: undefined, status: undefined, from: undefined, to: undefined, ...filter },
          { order, limit, after: after === 0 ? undefined : { at: middle, id: after } }
        )
    ),
    listOrders: viewOf(
      [undefined, "O-2", "N/A", "none"].map((orderNumber) => ({ orderNumber })),
      1,
      store.listOrders
    ),
    palletsOn: [
      ["large", "main", [1, 2, 3, 4, 5]],
      ["large", "main", [4, 1000, 7]],
      ["large", "side", [1, 2, 3]],
      ["small", "only", [1, 2]]
    ].flatMap(([business, facility, ids]) =>
      [0, deep].map((after) => ({
        name: nameOf(business, facility, JSON.stringify(ids), `after ${after}`),
        streams: 5,
        page: store.palletsOn(
          { business: String(business), facility: String(facility) },
          Array.isArray(ids) ? ids : [],
          { limit, after }
        )
      }))
    ),
    listPallets: seenBy(facilities, [undefined, deepPallet])(
      ["P-2", "N/A", "none"].map((lpn) => ({ lpn })),
      1,
      store.listPallets
    )
  }
  return cases
})

const trace = Effect.fnUntraced(function*(facilities: number, deep: number) {
  const store = yield* TraceStore
  const cases: CasesOf<(typeof TraceStore)["Service"]> = {
    trace: seenBy(facilities, [0, deep])(
      [
        ...["SKU", "none"].map((text) => ({ key: "sku" as const, text })),
        ...["LOT", "none"].map((text) => ({ key: "lot" as const, text })),
        ...["L-1-1", "none"].map((text) => ({ key: "lpn" as const, text }))
      ],
      1,
      store.trace
    )
  }
  return cases
})

const exceptions = Effect.fnUntraced(function*(facilities: number, deep: TimePosition) {
  const store = yield* ExceptionStore
  const filters = [undefined, ...exceptionStatuses].flatMap((status) =>
    [undefined, ...exceptionPriorities].map((priority) => ({ status, priority }))
  )
  const cases: CasesOf<(typeof ExceptionStore)["Service"]> = {
    list: seenBy(facilities, [undefined, deep])(
      filters,
      exceptionStatuses.length * exceptionPriorities.length,
      store.list
    )
  }
  return cases
})

const skus = Effect.gen(function*() {
  const store = yield* SkuStore
  const places = [["large", "main"], ["large", "side"], ["large", "empty"], ["small", "only"]] as const
  const cases: CasesOf<(typeof SkuStore)["Service"]> = {
    list: places.flatMap(([business, facility]) =>
      pagesFrom(
        ["", "K-S-2"],
        1,
        [business, facility],
        (after) => store.list({ business, facility }, { limit, after })
      )
    )
  }
  return cases
})

const ago = (seconds: number) => Timestamp.fromMillis(Date.now() - 1000 * seconds)

const edi = Effect.fnUntraced(function*(
  facilities: number,
  deepShipment: number,
  deep: number,
  deepFile: TimePosition
) {
  const store = yield* EdiStore
  const all = { partner: undefined, direction: undefined, outcome: undefined, shipmentId: undefined }
  const filters = [
    all,
    { ...all, direction: "IN" as const },
    { ...all, outcome: "REJECTED" as const },
    { ...all, partner: "p-0002" },
    { ...all, partner: "p-0001", direction: "IN" as const, outcome: "REJECTED" as const },
    { ...all, shipmentId: deepShipment }
  ]
  const cases: CasesOf<(typeof EdiStore)["Service"]> = {
    list: [["large", ""], ["large", "p-0250"], ["small", ""]].map(([business = "", after = ""]) => ({
      name: nameOf(business, `after ${after}`),
      streams: 1,
      page: store.list(business, { limit, after })
    })),
    files: views(facilities).flatMap(([name, scopes, business, facility, count]) =>
      filters.flatMap((filter) =>
        [undefined, deepFile].map((after) => ({
          name: nameOf(name, business, facility, JSON.stringify(filter), `after ${JSON.stringify(after)}`),
          streams: count * ediDirections.length * ediOutcomes.length,
          page: store.files(scopes, { ...filter, business, facility }, { limit, after })
        }))
      )
    ),
    outbox: readers.flatMap(([business, facility]) =>
      [undefined, "p-0001", "p-0002", "none"].flatMap((partner) =>
        [0, deep, Number.MAX_SAFE_INTEGER].map((after) => ({
          name: nameOf(business, facility, partner, `after ${after}`),
          streams: facility === undefined && business === "large" ? 3 : 1,
          // A position beyond the files of a business is refused, which is to cost no more.
          page: store.outbox({ business, facility, partner }, { limit, after }).pipe(
            Effect.catchTag("CursorAhead", () => Effect.void)
          )
        }))
      )
    )
  }
  return cases
})

const documents = Effect.fnUntraced(function*(facilities: number, deep: TimePosition) {
  const store = yield* IntakeStore
  const all = {
    shipmentNumber: undefined,
    orderNumber: undefined,
    correlationId: undefined,
    outcome: undefined,
    from: undefined,
    to: undefined
  }
  const filters = [
    all,
    { ...all, shipmentNumber: "S-2" },
    { ...all, orderNumber: "O-2" },
    { ...all, orderNumber: "N/A" },
    { ...all, orderNumber: "none" },
    // Further orders of documents: few, and very many.
    { ...all, orderNumber: "F-9" },
    { ...all, orderNumber: "F/A" },
    { ...all, orderNumber: "F/A", outcome: "UPDATED" as const },
    { ...all, from: ago(1000) },
    { ...all, correlationId: "C-2" },
    { ...all, shipmentNumber: "S-2", orderNumber: "N/A" },
    { ...all, correlationId: "C-2", orderNumber: "N/A" },
    { ...all, removed: true },
    { ...all, removed: true, orderNumber: "N/A" },
    { ...all, removed: true, outcome: "UPDATED" as const },
    ...["R-9", "N/A", "none"].map((lpn) => ({ ...all, lpn })),
    { ...all, lpn: "N/A", outcome: "UPDATED" as const },
    ...(["UPDATED", "UNCHANGED"] as const).flatMap((
      outcome
    ) => [{ ...all, outcome }, { ...all, outcome, orderNumber: "N/A" }])
  ]
  const cases: CasesOf<(typeof IntakeStore)["Service"]> = {
    // A document may have removed something or not.
    listRecords: seenBy(facilities, [undefined, deep])(
      filters,
      2 * documentOutcomes.length,
      store.listRecords
    )
  }
  return cases
})

const businessScopes = [["everything", "*"], ["small", ["small"]], ["large", ["large"]], [
  "small and large",
  ["large", "small"]
]] as const

const directory = Effect.gen(function*() {
  const store = yield* Directory
  const cases: CasesOf<(typeof Directory)["Service"]> = {
    list: businessScopes.flatMap(([name, scope]) =>
      pagesFrom(["", "tenant-0050"], 2, [name], (after) => store.list(scope, { limit, after }))
    ),
    facilities: ["large", "small", "tenant-0001"].map((business) => ({
      name: business,
      streams: 1,
      page: store.facilities(business, { limit, after: "" })
    })),
    docks: pagesFrom(
      ["", "dock-900"],
      1,
      ["large"],
      (after) => store.docks("large", "main", { limit, after })
    )
  }
  return cases
})

const clients = Effect.gen(function*() {
  const store = yield* ClientStore
  const cases: CasesOf<(typeof ClientStore)["Service"]> = {
    list: businessScopes.flatMap(([name, scope]) =>
      pagesFrom(
        ["", "large-400", "tenant-0050-1"],
        2,
        [name],
        (after) => store.list(scope, { limit, after })
      )
    )
  }
  return cases
})

const audit = Effect.gen(function*() {
  const store = yield* AuditLog
  const all = { clientId: undefined, subject: undefined, from: undefined, to: undefined }
  const filters = [
    all,
    { ...all, clientId: "operator-1" },
    { ...all, subject: "clients/large-1" },
    { ...all, from: Timestamp.of("2026-03-01T00:00:00.000Z"), to: Timestamp.of("2026-06-01T00:00:00.000Z") }
  ]
  const cases: CasesOf<(typeof AuditLog)["Service"]> = {
    list: businessScopes.flatMap(([name, scope]) =>
      filters.flatMap((filter) =>
        [undefined, { at: Timestamp.of("2026-05-01T00:00:00.000Z"), id: 1 }].map((after) => ({
          name: nameOf(name, JSON.stringify(filter), after?.at),
          streams: 2,
          page: store.list(scope, filter, { limit, after })
        }))
      )
    )
  }
  return cases
})

const endpoints = Effect.fnUntraced(function*(deep: number) {
  const store = yield* WebhookEndpointStore
  const cases: CasesOf<(typeof WebhookEndpointStore)["Service"]> = {
    list: businessScopes.flatMap(([name, scope]) =>
      pagesFrom([0, deep], 2, [name], (after) => store.list(scope, { limit, after }))
    )
  }
  return cases
})

/** The next messages of endpoints that want little of a large log: not a list, but read as one. */
const takes = (
  store: (typeof DeliveryStore)["Service"],
  endpointIds: ReadonlyArray<number>
): ReadonlyArray<Case> =>
  endpointIds.map((endpointId) => ({
    name: `endpoint ${endpointId}`,
    streams: 1,
    page: Effect.flatMap(store.open([endpointId]), ([endpoint]) =>
      endpoint === undefined ? Effect.void : store.take(
        [{ lease: endpoint.lease, version: 1, afterId: 0, takenIds: [], limit, textLimit: 1_000_000 }],
        Timestamp.of("2026-11-22T12:00:00.000Z")
      ))
  }))

const deliveries = Effect.fnUntraced(function*(
  endpointIds: ReadonlyArray<number>,
  modest: ReadonlyArray<number>,
  deep: number
) {
  const store = yield* DeliveryStore
  const cases: CasesOf<(typeof DeliveryStore)["Service"]> = {
    list: endpointIds.flatMap((endpointId, index) =>
      [undefined, ...deliveryStatuses].flatMap((status) =>
        pagesFrom(
          [0, deep],
          1,
          [["large, delivered", "large, dead", "small"][index], status],
          (after) => store.list(endpointId, status, { limit, after })
        )
      )
    )
  }
  return { ...cases, take: takes(store, modest) }
})

const readers = [
  ["large", undefined],
  ["large", "main"],
  ["large", "side"],
  ["large", "empty"],
  ["small", undefined],
  ["small", "only"],
  ["closing", undefined],
  ["closing", "only"]
] as const

const log = Effect.fnUntraced(function*(deep: number) {
  const store = yield* MessageLog
  const cases: CasesOf<(typeof MessageLog)["Service"]> = {
    read: readers.flatMap(([business, facility]) =>
      [messageTypes, ...messageTypes.map((type) => [type])].flatMap((types) =>
        [{ afterId: 0 }, { afterId: deep }, { afterId: 0, since: Timestamp.of("2000-01-01T00:00:00.000Z") }]
          .map((
            position
          ) => ({
            name: nameOf(business, facility, types, JSON.stringify(position)),
            streams: 1,
            // A position beyond the log of a small business is refused, which is to cost no more.
            page: store.read({ business, facility, types }, position, limit).pipe(
              Effect.catchTag("CursorAhead", () => Effect.void)
            )
          }))
      )
    )
  }
  return cases
})

/** The cases of each list, by its name, for the database as it is now. */
export const cases = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [ids] = yield* sql<{
    readonly facilities: number
    readonly shipment: number
    readonly pallet: TimePosition
    readonly document: TimePosition
    readonly exception: TimePosition
    readonly message: number
    readonly endpoint: number
    readonly file: number
    readonly listedFile: TimePosition
    readonly endpoints: ReadonlyArray<number>
    readonly modest: ReadonlyArray<number>
  }>`select (select count(*) from dockline.facility)::int as facilities,
      coalesce((select max(id) * 9 / 10 from dockline.shipment), 0)::int as shipment,
      coalesce((select json_build_object('at', dockline.rfc3339(p.recorded_at), 'id', p.id)
        from dockline.pallet p order by p.id offset (select count(*) * 9 / 10 from dockline.pallet) limit 1),
        json_build_object('at', '2026-01-01T00:00:00.000Z', 'id', 1)) as pallet,
      coalesce((select json_build_object('at', dockline.rfc3339(d.received_at), 'id', d.id)
        from dockline.document_record d order by d.id offset (select count(*) / 10 from dockline.document_record) limit 1),
        json_build_object('at', '2026-01-01T00:00:00.000Z', 'id', 1)) as document,
      coalesce((select json_build_object('at', dockline.rfc3339(e.reported_at), 'id', e.id)
        from dockline.shipment_exception e order by e.id offset (select count(*) / 2 from dockline.shipment_exception) limit 1),
        json_build_object('at', '2026-01-01T00:00:00.000Z', 'id', 1)) as exception,
      coalesce((select max(last_id) * 4 / 10 from dockline.message_log), 0)::int as message,
      coalesce((select max(id) * 9 / 10 from dockline.webhook_endpoint), 0)::int as endpoint,
      coalesce((select max(id) / 2 from dockline.edi_file), 0)::int as file,
      coalesce((select json_build_object('at', dockline.rfc3339(e.at), 'id', e.id)
        from dockline.edi_file e order by e.id offset (select count(*) / 2 from dockline.edi_file) limit 1),
        json_build_object('at', '2026-01-01T00:00:00.000Z', 'id', 1)) as "listedFile",
      (select coalesce(json_agg(id order by slug, n), '[1]') from (
        select e.id, b.slug, row_number() over (partition by b.id order by e.id) as n from dockline.webhook_endpoint e
        join dockline.business b on b.id = e.business_id where b.slug in ('large', 'small')) as e
        where slug = 'large' and n <= 2 or slug = 'small' and n = 1) as endpoints,
      (select coalesce(json_agg(id), '[1]') from dockline.webhook_endpoint where cursor_id = 0) as modest`
  const {
    document,
    exception,
    facilities,
    file,
    listedFile,
    pallet,
    shipment,
    message,
    endpoint,
    endpoints: endpointIds,
    modest
  } = ids!
  return {
    shipments: yield* shipments(facilities, shipment, pallet),
    trace: yield* trace(facilities, shipment),
    exceptions: yield* exceptions(facilities, exception),
    documents: yield* documents(facilities, document),
    skus: yield* skus,
    edi: yield* edi(facilities, shipment, file, listedFile),
    directory: yield* directory,
    clients: yield* clients,
    audit: yield* audit,
    endpoints: yield* endpoints(endpoint),
    deliveries: yield* deliveries(endpointIds, modest, Math.floor(message / 2)),
    log: yield* log(message)
  }
})
