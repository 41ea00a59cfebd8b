/**
 * The requests of `bench lists`: every list of REST and GraphQL, with every filter, for a large tenant and a small one,
 * the first page and a deep one.
 */

/** The clients that ask. */
export const askers = {
  large: [{ business: "large", facilities: "*" }],
  small: [{ business: "small", facilities: "*" }],
  closing: [{ business: "closing", facilities: "*" }],
  restricted: [{ business: "large", facilities: ["side", "empty"] }, { business: "small", facilities: "*" }]
} as const

/** A client: one of {@link askers}, or the demo operator, who may see and operate everything. */
export type Asker = keyof typeof askers | "operator"

/** One page that is asked for. */
export interface Request {
  readonly list: string
  readonly asker: Asker
  readonly filter: string
  /** `lines` are the first ones of the whole list as CSV. */
  readonly page: "first" | "deep" | "since" | "lines"
  readonly path: string
  /** A GraphQL query; `GET` without it. */
  readonly query?: string
  /** The milliseconds that its median is to be below, where that is not the aim of all. */
  readonly aim?: number
}

/** Ids from which on deep pages are asked for, and of endpoints. */
export interface Marks {
  readonly shipment: number
  readonly order: number
  /** Of each log: a cursor beyond its end is refused. */
  readonly messages: Readonly<Record<"large" | "small" | "closing", number>>
  /** When half of the messages of `large` had been sent. */
  readonly since: string
  readonly endpoint: number
  readonly document: number
  /** When half of the documents had been received. */
  readonly receivedAt: string
  /** Shipments of `large`: one as most are, and the largest. */
  readonly usual: number
  readonly largest: number
  /** Of `large`: one that delivered nearly everything, one that delivered next to nothing; and one of `small`. */
  readonly delivered: number
  readonly dead: number
  readonly ofSmall: number
}

const get = (
  list: string,
  asker: Asker,
  path: string,
  filters: Readonly<Record<string, string>>,
  after: string | number | undefined
): Request => {
  const query = new URLSearchParams({ ...filters, ...(after === undefined ? {} : { after: String(after) }) })
  return {
    list,
    asker,
    filter: Object.entries(filters).map(([name, value]) => `${name}=${value}`).join(" ") || "none",
    page: after === undefined ? "first" : "deep",
    path: `${path}?${query}`
  }
}

const entities = ({ shipment, order }: Marks): ReadonlyArray<Request> => {
  const views: ReadonlyArray<readonly [Asker, Readonly<Record<string, string>>]> = [
    ["large", {}],
    ["large", { business: "large" }],
    ["large", { business: "large", facility: "main" }],
    ["large", { business: "large", facility: "side" }],
    ["large", { business: "large", facility: "empty" }],
    ["small", {}],
    ["small", { business: "small" }],
    ["restricted", {}],
    ["operator", {}],
    ["operator", { business: "small" }]
  ]
  const shipments = [
    {},
    { status: "SCHEDULED" },
    { status: "ARRIVED" },
    { status: "DEPARTED" },
    { shipmentNumber: "S-2" },
    { shipmentNumber: "S-2", status: "DEPARTED" },
    { discrepancies: "true" },
    { status: "DEPARTED", discrepancies: "true" },
    { lpn: "N/A" },
    { lpn: "none" }
  ]
  const byTime = [
    { order: "LATEST" },
    { order: "EARLIEST", status: "SCHEDULED" },
    { order: "LATEST", status: "DEPARTED" },
    { order: "LATEST", from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z" },
    { carrier: "Carrier" },
    { carrier: "Carrier", status: "DEPARTED", from: "2026-03-01T00:00:00Z" },
    { carrier: "Rare" },
    { carrier: "none" },
    { trailerNumber: "T-1" },
    { order: "LATEST", discrepancies: "true" }
  ]
  const orders = [{}, { orderNumber: "O-2" }, { orderNumber: "N/A" }]
  return views.flatMap(([asker, place]) => [
    ...shipments.flatMap((filter) =>
      [undefined, shipment].map((after) =>
        get("GET /v1/shipments", asker, "/v1/shipments", { ...place, ...filter }, after)
      )
    ),
    ...byTime.flatMap((filter) =>
      [undefined, `2026-03-01T12:00:00.000Z_${shipment}`].map((after) =>
        get(
          "GET /v1/shipments",
          asker,
          "/v1/shipments",
          { ...place, ...filter } as Readonly<Record<string, string>>,
          after
        )
      )
    ),
    ...orders.flatMap((filter) =>
      [undefined, order].map((after) =>
        get("GET /v1/orders", asker, "/v1/orders", { ...place, ...filter }, after)
      )
    )
  ])
}

/** What the docks know: pallets, discrepancies, documents. */
const known = (marks: Marks): ReadonlyArray<Request> => {
  const pallets = (["large", "small", "restricted", "operator"] as const).flatMap((asker) =>
    ["P-2", "N/A", "none"].flatMap((lpn) =>
      [undefined, marks.shipment].map((after) => get("GET /v1/pallets", asker, "/v1/pallets", { lpn }, after))
    )
  )
  const exceptions = (["large", "small", "restricted", "operator"] as const).flatMap((asker) =>
    [{}, { status: "OPEN" }, { status: "OPEN", priority: "HIGH" }].map((filter) =>
      get("GET /v1/exceptions", asker, "/v1/exceptions", filter, undefined)
    )
  )
  const ofShipments = ([["usual", marks.usual], ["largest", marks.largest]] as const).flatMap((
    [name, id]
  ) => [
    ...[undefined, 1_000_005_000].map((after) =>
      get(`GET …/pallets (${name})`, "large", `/v1/shipments/${id}/pallets`, {}, after)
    ),
    ...[{}, { unseen: "true" }].map((filter) =>
      get(`GET …/items (${name})`, "large", `/v1/shipments/${id}/items`, filter, undefined)
    ),
    // A page computes all discrepancies of the shipment.
    ...[undefined, 5000].map((after) => ({
      ...get(`GET …/discrepancies (${name})`, "large", `/v1/shipments/${id}/discrepancies`, {}, after),
      ...(name === "largest" ? { aim: 250 } : {})
    }))
  ])
  const filters = [
    {},
    { shipmentNumber: "S-2" },
    { orderNumber: "O-2" },
    { orderNumber: "N/A" },
    { correlationId: "C-2" },
    { outcome: "CREATED" },
    { outcome: "UNCHANGED" },
    { outcome: "REFUSED" },
    { from: marks.receivedAt },
    { to: marks.receivedAt },
    ...["CREATED", "UPDATED", "UNCHANGED"].map((outcome) => ({ orderNumber: "N/A", outcome })),
    { outcome: "UPDATED" },
    { removed: "true" },
    { lpn: "R-9" },
    { lpn: "N/A" },
    { shipmentNumber: "S-2", orderNumber: "N/A" },
    { orderNumber: "N/A", from: marks.receivedAt },
    { correlationId: "C-2", orderNumber: "N/A" }
  ]
  const documents = (["large", "small", "restricted", "operator"] as const).flatMap((asker) =>
    filters.flatMap((filter) =>
      [undefined, marks.document].map((after) =>
        get(
          "GET /v1/documents",
          asker,
          "/v1/documents",
          { ...filter } as Readonly<Record<string, string>>,
          after
        )
      )
    )
  )
  return [...pallets, ...exceptions, ...ofShipments, ...documents]
}

/** The log over REST, and the first lines of the whole lists as CSV. */
const logAndTables = (marks: Marks): ReadonlyArray<Request> => {
  const log = [{}, { messageType: "PALLET_EVENT" }, { messageType: "SHIPMENT_COMPLETE" }].flatMap((type) =>
    [{ business: "large" }, { business: "large", facility: "main" }, { business: "large", facility: "side" }]
      .flatMap((place) =>
        [{}, { afterId: String(marks.messages.large) }].map((position): Request => ({
          ...get("GET /v1/messages", "large", "/v1/messages", { ...place, ...type, ...position }, undefined),
          page: "afterId" in position ? "deep" : "first"
        }))
      )
  )
  const tables = ([
    ["/v1/shipments", {}],
    ["/v1/orders", {}],
    ["/v1/pallets", { lpn: "N/A" }],
    [`/v1/shipments/${marks.largest}/pallets`, {}],
    ["/v1/messages", { business: "large" }],
    ["/v1/documents", {}]
  ] as const).map(([path, filter]): Request => ({
    ...get(`GET ${path}`, "large", path, filter, undefined),
    page: "lines"
  }))
  return [...log, ...tables]
}

const operated = (marks: Marks): ReadonlyArray<Request> => {
  const lists: ReadonlyArray<readonly [string, string | number]> = [
    ["/v1/operator/businesses", "tenant-0500"],
    ["/v1/operator/businesses/large/facilities", "empty"],
    ["/v1/operator/businesses/small/facilities", "a"],
    ["/v1/operator/businesses/large/facilities/main/docks", "dock-90"],
    ["/v1/operator/clients", "tenant-0500-1"],
    ["/v1/operator/webhook-endpoints", marks.endpoint]
  ]
  const record = (id: number) => `/v1/operator/webhook-endpoints/${id}/deliveries`
  return [
    ...lists.flatMap(([path, deep]) =>
      [undefined, deep].map((after) => get(`GET ${path}`, "operator", path, {}, after))
    ),
    ...([["delivered", marks.delivered], ["dead", marks.dead], ["small", marks.ofSmall]] as const).flatMap((
      [name, id]
    ) =>
      [{}, { status: "PENDING" }, { status: "DELIVERED" }, { status: "DEAD" }].flatMap((filter) =>
        [undefined, marks.messages.large].map((after) =>
          get(`GET …/deliveries (${name})`, "operator", record(id), filter, after)
        )
      )
    )
  ]
}

const graphql = (
  list: string,
  asker: Asker,
  filter: string,
  page: Request["page"],
  query: string
): Request => ({
  list,
  asker,
  filter: filter.replaceAll("\"", "").replaceAll(": ", "=") || "none",
  page,
  path: "/public_graphql",
  query
})

const messages = (marks: Marks): ReadonlyArray<Request> => {
  const readers: ReadonlyArray<readonly [Exclude<Asker, "restricted" | "operator">, string | undefined]> = [
    ["large", undefined],
    ["large", "main"],
    ["large", "side"],
    ["large", "empty"],
    ["small", undefined],
    ["closing", undefined],
    ["closing", "only"]
  ]
  const types = [["PALLET_EVENT", "SHIPMENT_COMPLETE"], ["PALLET_EVENT"], ["SHIPMENT_COMPLETE"]].map((
    named
  ) => `messageTypes: [${named.join(" ")}]`)
  const positionsOf = (business: keyof Marks["messages"]) =>
    [
      ["first", `since: "2020-01-01T00:00:00Z"`],
      [
        "deep",
        `since: "2020-01-01T00:00:00Z", afterId: ${marks.messages[business]}`
      ],
      ["since", `since: "${marks.since}"`]
    ] as const
  return readers.flatMap(([business, facility]) =>
    types.flatMap((type) =>
      positionsOf(business).map(([page, position]) => {
        const filter = [
          ...(facility === undefined ? [] : [`facilitySlug: "${facility}"`]),
          type
        ]
        const input = [`businessSlug: "${business}"`, position, "limit: 100", ...filter].join(", ")
        return graphql(
          "pushMessages",
          business,
          filter.join(" "),
          page,
          `{ pushMessages(input: { ${input} }) { id message } }`
        )
      })
    )
  )
}

const connections = (marks: Marks): ReadonlyArray<Request> =>
  (["large", "small", "restricted", "operator"] as const).flatMap((asker) =>
    ([undefined, "deep"] as const).flatMap((page) =>
      ([
        ["shipments", "", marks.shipment, "id orders { orderNumber items { lpn } }"],
        ["shipments", "status: SCHEDULED", marks.shipment, "id"],
        ["orders", "", marks.order, "orderNumber items { lpn }"],
        ["orders", "orderNumber: \"N/A\"", marks.order, "orderNumber"]
      ] as const).map(([list, filter, mark, fields]) => {
        const args = [filter, ...(page === undefined ? [] : [`after: "${mark}"`])].filter((arg) => arg !== "")
          .join(", ")
        return graphql(
          `GraphQL ${list}`,
          asker,
          filter,
          page ?? "first",
          `{ ${list}${
            args === "" ? "" : `(${args})`
          } { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`
        )
      })
    )
  )

/** All of them. */
export const requests = (marks: Marks): ReadonlyArray<Request> => [
  ...entities(marks),
  ...connections(marks),
  ...messages(marks),
  ...known(marks),
  ...logAndTables(marks),
  ...operated(marks)
]
