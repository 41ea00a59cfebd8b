/**
 * The requests of `bench lists`: every list of REST and GraphQL, with every filter, for a large tenant and a small one,
 * the first page and a deep one.
 */

/** The clients of the requests. */
export const askers = {
  large: [{ business: "large", facilities: "*" }],
  small: [{ business: "small", facilities: "*" }],
  closing: [{ business: "closing", facilities: "*" }],
  restricted: [{ business: "large", facilities: ["side", "empty"] }, { business: "small", facilities: "*" }]
} as const

/** A client: one of {@link askers}, or the demo operator, who may see and operate everything. */
export type Asker = keyof typeof askers | "operator"

/** A request for one page. */
export interface Request {
  readonly list: string
  readonly asker: Asker
  readonly filter: string
  /** `lines` are the first lines of the whole list as CSV. */
  readonly page: "first" | "deep" | "lines"
  readonly path: string
  /** A GraphQL query; `GET` without it. */
  readonly query?: string
  /** The limit for its median in milliseconds, if it differs from the common aim. */
  readonly aim?: number
}

/** The ids from which deep pages begin, and the ids of endpoints. */
export interface Marks {
  readonly shipment: number
  readonly order: number
  /** For each log, because a cursor beyond its end is refused. */
  readonly messages: Readonly<Record<"large" | "small" | "closing", number>>
  readonly endpoint: number
  /** A cursor of documents and pallets, which are listed by time. */
  readonly document: string
  /** The time by which half of the documents had been received. */
  readonly receivedAt: string
  /** Shipments of `large`: a usual one, and the largest. */
  readonly usual: number
  readonly largest: number
  /** Endpoints of `large` that delivered nearly everything and next to nothing; and one of `small`. */
  readonly delivered: number
  readonly dead: number
  readonly ofSmall: number
}

type Filter = Readonly<Record<string, string>>

/** A client and the place of its request. */
type View = readonly [asker: Asker, place?: Filter]

/** The first page of a list and the page after an id, for each client, with each filter. */
const pages = (
  path: string,
  views: ReadonlyArray<View>,
  filters: ReadonlyArray<Filter>,
  after: string | number | undefined,
  { cursor = "after", list = `GET ${path}` } = {}
): ReadonlyArray<Request> =>
  views.flatMap(([asker, place = {}]) =>
    filters.flatMap((filter) =>
      (after === undefined ? [undefined] : [undefined, String(after)]).map((from): Request => {
        const given = { ...place, ...filter }
        return {
          list,
          asker,
          filter: Object.entries(given).map(([name, value]) => `${name}=${value}`).join(" ") || "none",
          page: from === undefined ? "first" : "deep",
          path: `${path}?${new URLSearchParams({
            ...given,
            ...(from === undefined ? {} : { [cursor]: from })
          })}`
        }
      })
    )
  )

const everybody: ReadonlyArray<View> = [["large"], ["small"], ["restricted"], ["operator"]]
const operator: ReadonlyArray<View> = [["operator"]]
const large: ReadonlyArray<View> = [["large"]]

const places: ReadonlyArray<View> = [
  ...everybody,
  ["large", { business: "large" }],
  ["large", { business: "large", facility: "main" }],
  ["large", { business: "large", facility: "side" }],
  ["large", { business: "large", facility: "empty" }],
  ["small", { business: "small" }],
  ["operator", { business: "small" }]
]

const shipmentFilters: ReadonlyArray<Filter> = [
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

const filtersByTime: ReadonlyArray<Filter> = [
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

const documentFilters = ({ receivedAt }: Marks): ReadonlyArray<Filter> => [
  {},
  { shipmentNumber: "S-2" },
  { orderNumber: "O-2" },
  { orderNumber: "N/A" },
  { correlationId: "C-2" },
  ...["CREATED", "UPDATED", "UNCHANGED", "REFUSED"].map((outcome) => ({ outcome })),
  { from: receivedAt },
  { to: receivedAt },
  ...["CREATED", "UPDATED", "UNCHANGED"].map((outcome) => ({ orderNumber: "N/A", outcome })),
  { removed: "true" },
  { lpn: "R-9" },
  { lpn: "N/A" },
  { shipmentNumber: "S-2", orderNumber: "N/A" },
  { orderNumber: "N/A", from: receivedAt },
  { correlationId: "C-2", orderNumber: "N/A" }
]

const ofShipment = (name: string, id: number): ReadonlyArray<Request> => {
  const path = `/v1/shipments/${id}`
  // A page of discrepancies computes all discrepancies of the shipment.
  const aim = name === "largest" ? { aim: 250 } : {}
  return [
    ...pages(`${path}/pallets`, large, [{}], 1_000_005_000, { list: `GET …/pallets (${name})` }),
    ...pages(`${path}/items`, large, [{}, { unseen: "true" }], undefined, { list: `GET …/items (${name})` }),
    ...pages(`${path}/discrepancies`, large, [{}], 5000, { list: `GET …/discrepancies (${name})` }).map((
      page
    ) => ({
      ...page,
      ...aim
    }))
  ]
}

const messages = ({ messages }: Marks): ReadonlyArray<Request> => {
  const types: ReadonlyArray<Filter> = [{}, { messageType: "PALLET_EVENT" }, {
    messageType: "SHIPMENT_COMPLETE"
  }]
  return (["large", "small", "closing"] as const).flatMap((business) => {
    const views = [undefined, ...(business === "large" ? ["main", "side", "empty"] : [])].map((
      facility
    ): View => [
      business,
      { business, ...(facility === undefined ? {} : { facility }) }
    ])
    return pages("/v1/messages", views, types, messages[business], { cursor: "afterId" })
  })
}

const operated = (marks: Marks): ReadonlyArray<Request> => [
  ...pages("/v1/operator/businesses", operator, [{}], "tenant-0500"),
  ...pages("/v1/operator/businesses/large/facilities", operator, [{}], "empty"),
  ...pages("/v1/operator/businesses/small/facilities", operator, [{}], "a"),
  ...pages("/v1/operator/businesses/large/facilities/main/docks", operator, [{}], "dock-90"),
  ...pages("/v1/operator/clients", operator, [{}], "tenant-0500-1"),
  ...pages("/v1/operator/webhook-endpoints", operator, [{}], marks.endpoint),
  ...([["delivered", marks.delivered], ["dead", marks.dead], ["small", marks.ofSmall]] as const).flatMap(
    ([name, id]) =>
      pages(
        `/v1/operator/webhook-endpoints/${id}/deliveries`,
        operator,
        [{}, { status: "PENDING" }, { status: "DELIVERED" }, { status: "DEAD" }],
        marks.messages.large,
        { list: `GET …/deliveries (${name})` }
      )
  )
]

/** The first lines of whole lists as CSV. */
const tables = ({ largest }: Marks): ReadonlyArray<Request> =>
  [
    ...pages("/v1/shipments", large, [{}], undefined),
    ...pages("/v1/orders", large, [{}], undefined),
    ...pages("/v1/pallets", large, [{ lpn: "N/A" }], undefined),
    ...pages(`/v1/shipments/${largest}/pallets`, large, [{}], undefined, { list: "GET …/pallets (largest)" }),
    ...pages("/v1/messages", large, [{ business: "large" }], undefined),
    ...pages("/v1/documents", large, [{}], undefined)
  ].map((request) => ({ ...request, page: "lines" }))

/** The requests that only GraphQL has: fields of entities within entities. */
const graphql = ({ messages, order, shipment }: Marks): ReadonlyArray<Request> => {
  const lists = [
    ["shipments", "", shipment, "id orders { orderNumber items { lpn } }"],
    ["shipments", "status: SCHEDULED", shipment, "id"],
    ["orders", "", order, "orderNumber items { lpn }"],
    ["orders", "orderNumber: \"N/A\"", order, "orderNumber"]
  ] as const
  const request = (
    list: string,
    asker: Asker,
    filter: string,
    page: Request["page"],
    query: string
  ): Request => ({
    list: `GraphQL ${list}`,
    asker,
    filter: filter.replaceAll("\"", "") || "none",
    page,
    path: "/public_graphql",
    query
  })
  const connections = everybody.flatMap(([asker]) =>
    (["first", "deep"] as const).flatMap((page) =>
      lists.map(([list, filter, mark, fields]) => {
        const given = ["first: 100", filter, page === "first" ? "" : `after: "${mark}"`]
        const args = given.filter((arg) => arg !== "").join(", ")
        return request(
          list,
          asker,
          filter,
          page,
          `{ ${list}(${args}) { nodes { ${fields} } pageInfo { endCursor } } }`
        )
      })
    )
  )
  const history = (["large", "small", "closing"] as const).flatMap((business) =>
    (["first", "deep"] as const).map((page) => {
      const input = `businessSlug: "${business}", since: "2020-01-01T00:00:00Z", limit: 100` +
        (page === "first" ? "" : `, afterId: ${messages[business]}`)
      return request(
        "pushMessages",
        business,
        "",
        page,
        `{ pushMessages(input: { ${input} }) { id message } }`
      )
    })
  )
  return [...connections, ...history]
}

/** All requests. */
export const requests = (marks: Marks): ReadonlyArray<Request> => [
  ...pages("/v1/shipments", places, shipmentFilters, marks.shipment),
  ...pages("/v1/shipments", places, filtersByTime, `2026-03-01T12:00:00.000Z_${marks.shipment}`),
  ...pages("/v1/orders", places, [{}, { orderNumber: "O-2" }, { orderNumber: "N/A" }], marks.order),
  ...pages("/v1/pallets", everybody, [{ lpn: "P-2" }, { lpn: "N/A" }, { lpn: "none" }], marks.document),
  ...pages(
    "/v1/exceptions",
    everybody,
    [{}, { status: "OPEN" }, { status: "OPEN", priority: "HIGH" }],
    undefined
  ),
  ...ofShipment("usual", marks.usual),
  ...ofShipment("largest", marks.largest),
  ...pages("/v1/documents", everybody, documentFilters(marks), marks.document),
  ...messages(marks),
  ...operated(marks),
  ...tables(marks),
  ...graphql(marks)
]
