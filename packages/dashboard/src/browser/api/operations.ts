/**
 * The GraphQL operations of the pages: operations that core declares, with the fields that the pages show.
 *
 * Guarantee: each text is valid in the schema of the service, and selects all fields of its type
 * (`packages/dashboard/test/Operations.test.ts`).
 */
import type { AnyList, AnyRead, AnyUpload, AnyWrite, Query } from "@dockline/core/access/Operation"
import type { MessageView } from "@dockline/core/messages/MessageView"
import type { Operations } from "@dockline/core/operations/Operations"
import type { BoardShipment, DockBoard } from "@dockline/core/shipment/DockBoard"
import type { OrderView, ShipmentItemView, ShipmentView } from "@dockline/core/shipment/View"
import type { ExtendedView } from "../capability.ts"
import { fieldsAdded, historyFields } from "../capability.ts"
import type { Operation } from "./request.ts"

/** Fields of a view as a GraphQL selection. */
interface Fields<A> {
  readonly text: string
  /** Carries the type; it has no value. */
  readonly type?: A
}

/** An operation with the fields of its result, or of each row. */
interface Selecting<Variables, Result, View> extends Operation<Variables, Result> {
  readonly selection: Fields<View>
}

/** The type of the values that a selection, or the selection of an operation, reads. */
export type Of<Choice> = Choice extends { readonly selection: Fields<infer A> } ? A
  : Choice extends Fields<infer A> ? A
  : never

/** A page of a list, in the form of GraphQL. */
export interface Page<A> {
  readonly nodes: ReadonlyArray<A>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The selections of fields that are objects. */
export const parts: Readonly<Record<string, string>> = {
  additionalFields: "name value",
  business: "slug name",
  changes: "change type id reference",
  counts: "created updated removed replaced",
  events: "direction occurredAt dockSlug messageId verdict { kind shipmentId shipmentNumber dockSlug text }",
  facility: "slug name",
  labels: "name value",
  sets: "kind control group groupControl outcome number shipmentId faults",
  progress: "expectedPallets passedPallets missingPallets unexpectedPallets",
  statusEvents: "status displayName completed completedAt completedBy"
}

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

/** The fields of a view with these names. */
type Selection<View, Names extends string> = Pick<View, Words<Names> & keyof View>

/** Selects fields of a view by their names. */
const of = <View>() => <const Names extends string>(names: Names): Fields<Selection<View, Names>> => ({
  text: names.split(" ").map((name) => parts[name] === undefined ? name : `${name} { ${parts[name]} }`).join(
    " "
  )
})

/** A page of a list, with the fields that capabilities of the service add to a view. */
const pageOf = ({ text }: Fields<unknown>, view?: ExtendedView): string =>
  `{ nodes { ${text} ${view === undefined ? "" : fieldsAdded(view)} } pageInfo { hasNextPage endCursor } }`

/** Variables of a request, by their names, with their types in GraphQL. */
type Variables<Names extends PropertyKey = string> = { readonly [Name in Names]?: string }

/** The variables of a request, in its declaration, and as arguments of a field. */
const declarationOf = (variables: Variables): string =>
  Object.entries(variables).map(([name, type]) => `$${name}: ${type}`).join(", ")
const argumentsOf = (variables: Variables): string =>
  Object.keys(variables).map((name) => `${name}: $${name}`).join(", ")

/** The filters of a list, and the cursor of its page. */
type NarrowedBy<List extends Pick<AnyList, "filters" | "cursor">> = Omit<Query<List>, "after" | "limit"> & {
  readonly after?: string | null
  readonly first?: number
}

const paging = { after: "String", first: "Int" }

type Table = Readonly<Record<string, AnyRead | AnyList | AnyWrite | AnyUpload>>

/** The names of the operations of a kind. */
type NamesOf<All extends Table, Kind> =
  & { [Name in keyof All]: All[Name] extends Kind ? Name : never }[keyof All]
  & string

type ListAt<All extends Table, Name extends keyof All> = Extract<All[Name], AnyList>

type ReadAt<All extends Table, Name extends keyof All> = Extract<All[Name], AnyRead>

/** Makes the query for a page of a list, with the named fields of each row, and the fields that capabilities add to a view. */
export const listsOf = <All extends Table>() =>
<
  const Name extends NamesOf<All, AnyList>,
  const Names extends string,
  Row = Selection<ListAt<All, Name>["row"]["Type"], Names>
>(
  name: Name,
  filters: Variables<keyof Query<ListAt<All, Name>>>,
  names: Names,
  view?: ExtendedView
): Selecting<NarrowedBy<ListAt<All, Name>>, Page<Row>, Row> => {
  const selection = of<ListAt<All, Name>["row"]["Type"]>()(names) as Fields<Row>
  const variables = { ...filters, ...paging }
  return {
    selection,
    get text() {
      return `query ${name}(${declarationOf(variables)}) { ${name}(${argumentsOf(variables)}) ${
        pageOf(selection, view)
      } }`
    },
    path: [name]
  }
}

const list = listsOf<Operations>()

/** Makes the query for a page of a list that is a field of a shipment in GraphQL; `undefined` if the shipment is gone. */
export const listsOfShipments = <All extends Table>() =>
<
  const Name extends NamesOf<All, AnyList>,
  const Names extends string,
  Row = Selection<ListAt<All, Name>["row"]["Type"], Names>
>(
  name: Name,
  field: string,
  filters: Variables<keyof Query<ListAt<All, Name>>>,
  names: Names,
  view?: ExtendedView
): Selecting<NarrowedBy<ListAt<All, Name>> & { readonly id: number }, Page<Row> | undefined, Row> => {
  const selection = of<ListAt<All, Name>["row"]["Type"]>()(names) as Fields<Row>
  const variables = { ...filters, ...paging }
  return {
    selection,
    get text() {
      return `query ${name}(${declarationOf({ id: "Long!", ...variables })}) {
  shipment(id: $id) { ${field}(${argumentsOf(variables)}) ${pageOf(selection, view)} }
}`
    },
    path: ["shipment", field]
  }
}

const listOf = listsOfShipments<Operations>()

/** The values of ids of these types. */
type Ids<Types extends Variables> = {
  readonly [Name in keyof Types]: Types[Name] extends "Long!" ? number : string
}

/** Makes the query for one entity by its ids, with the named fields; `null` if it does not exist. */
export const readsOf = <All extends Table>() =>
<
  const Name extends NamesOf<All, AnyRead>,
  const Names extends string,
  const Types extends Variables = { readonly id: "Long!" },
  View = Selection<ReadAt<All, Name>["view"]["Type"], Names>
>(
  name: Name,
  names: Names,
  types?: Types
): Selecting<Ids<Types>, View | null, View> => {
  const ids = types ?? { id: "Long!" }
  const selection = of<ReadAt<All, Name>["view"]["Type"]>()(names) as Fields<View>
  return {
    selection,
    text: `query ${name}(${declarationOf(ids)}) { ${name}(${argumentsOf(ids)}) { ${selection.text} } }`,
    path: [name]
  }
}

const read = readsOf<Operations>()

/** The input of a change: its body, with the ids of its path; `id` is the id of a shipment. */
type Changing<Op extends AnyWrite> =
  & Op["body"]["Type"]
  & {
    readonly [Id in keyof Op["params"] as Id extends "id" ? "shipmentId" : Id]: Id extends "id" ? number
      : string
  }

/** Makes the mutation for a change; the name of its input type in GraphQL derives from its own name. */
export const changesOf = <All extends Table>() =>
<
  const Name extends Extract<All[keyof All], { readonly kind: "write" }>["name"],
  const Names extends string,
  Op extends AnyWrite = Extract<All[keyof All], { readonly kind: "write"; readonly name: Name }>
>(
  name: Name,
  names: Names
): Operation<{ readonly input: Changing<Op> }, Selection<Op["view"]["Type"], Names>> => ({
  text: `mutation ${name}($input: ${name.charAt(0).toUpperCase()}${
    name.slice(1)
  }Input!) { ${name}(input: $input) { ${of<Op["view"]["Type"]>()(names).text} } }`,
  path: [name]
})

const change = changesOf<Operations>()

const place = { business: "String", facility: "String" }

const boardFields =
  "id shipmentNumber direction dockSlug trailerNumber carrier expectedArrivalAt statusEvents progress"

/** The shipments with a status at a facility, for boards and for searches by number. */
export const board = list(
  "shipments",
  { ...place, status: "ShipmentStatus", order: "ShipmentOrder", shipmentNumber: "String" },
  boardFields
)
type BoardRow = Of<typeof board>

const dockFields =
  "id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt arrivedAt departedAt \
progress lastPalletId lastPalletLpn lastSeenAt finishesAt detainedAt"

const dockSelection = of<BoardShipment>()(dockFields)

/** A shipment in the form that the dock board of a facility shows. */
export type DockRow = Of<typeof dockSelection>

/** The dock board of a facility. */
export const dockBoard: Operation<
  { readonly business: string; readonly facility: string },
  Omit<DockBoard, "business" | "facility">
> = {
  get text() {
    const shipment = `${dockSelection.text} ${fieldsAdded("boardShipment")}`
    return `query DockBoard($business: String!, $facility: String!) {
  dockBoard(business: $business, facility: $facility) {
    docks { dockSlug others nextId shipments { ${shipment} } } expected { ${shipment} } moreExpected
    late detained departed { ${shipment} } departedToday shortToday ${fieldsAdded("board")}
  }
}`
  },
  path: ["dockBoard"]
}

const location = of<ShipmentView>()("business facility")

/** The facilities of the last trucks at docks, and of the expected trucks. */
export const trucks: Operation<
  object,
  Readonly<Record<"arrived" | "scheduled", { readonly nodes: ReadonlyArray<Of<typeof location>> }>>
> = {
  text: `query Trucks {
  arrived: shipments(status: ARRIVED, order: LATEST, first: 100) { nodes { ${location.text} } }
  scheduled: shipments(status: SCHEDULED, order: LATEST, first: 100) { nodes { ${location.text} } }
}`,
  path: []
}

export type ShipmentRow = BoardRow & Pick<ShipmentView, "status" | "business" | "facility"> & {
  readonly orders: ReadonlyArray<Pick<OrderView, "id" | "orderNumber">>
}

export const shipments = list<"shipments", string, ShipmentRow>(
  "shipments",
  {
    ...place,
    from: "DateTime",
    to: "DateTime",
    status: "ShipmentStatus",
    discrepancies: "Boolean",
    carrier: "String",
    order: "ShipmentOrder"
  },
  `${boardFields} status business facility orders { id orderNumber }`
)

export const search = list(
  "search",
  { business: "String", text: "String!" },
  "id kind text facility shipmentId shipmentNumber status missingPallets unexpectedPallets orderNumber palletId documentId removedAt removedBy"
)
export type Hit = Of<typeof search>

export const palletsOfShipment = listOf(
  "shipmentPallets",
  "pallets",
  {},
  "id lpn state expected dockSlug lastSeenAt"
)
export type SeenPallet = Of<typeof palletsOfShipment>

export const discrepanciesOfShipment = listOf(
  "discrepancies",
  "discrepancies",
  { seen: "Boolean" },
  "kind lpn palletId dockSlug expectedOnId expectedOnNumber provisional"
)
export type Discrepancy = Of<typeof discrepanciesOfShipment>

const itemFields =
  "id identifier lpn sku description quantity quantityUnit lot expirationDate purchaseOrder isDangerousGood"

/** A page of the items of a shipment: of all orders or of one, and on request only items that contain a text, or were not seen. */
export const items = listOf(
  "items",
  "items",
  { orderId: "String", find: "String", unseen: "Boolean" },
  `${itemFields} orderId`,
  "item"
)
export type OrderedItem = Of<typeof items>

/** An item of an order. */
export type Item = Selection<ShipmentItemView, typeof itemFields>

/** Reads all items of a shipment by order, for its printed sheet; there may be very many. */
export const itemsOfShipment: Operation<
  { readonly id: number },
  ReadonlyArray<{ readonly id: string; readonly items: ReadonlyArray<Item> }> | undefined
> = {
  text: `query ItemsOfShipment($id: Long!) { shipment(id: $id) { orders { id items { ${itemFields} } } } }`,
  path: ["shipment", "orders"]
}

const order = of<OrderView>()(
  "id orderNumber status expectedQuantity sealNumber supplier client destination carrier"
)

const shipmentFields = of<ShipmentView>()(
  "id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt scheduledAt \
business facility progress additionalFields statusEvents"
)

/** A shipment with its orders, without their items, and the first of its pallets. */
export type Shipment = Of<typeof shipmentFields> & {
  readonly orders: ReadonlyArray<Of<typeof order>>
  readonly pallets: Page<SeenPallet>
}

export const shipment: Operation<{ readonly id: number }, Shipment | null> = {
  get text() {
    return `query Shipment($id: Long!) {
  shipment(id: $id) {
    ${shipmentFields.text} orders { ${order.text} } pallets ${pageOf(palletsOfShipment.selection)}
    ${fieldsAdded("shipment")}
  }
}`
  },
  path: ["shipment"]
}

const recordedFields = "id receivedAt clientId shipmentNumber orderNumbers outcome code counts"

/** A page of the record of documents, newest first. */
export const documents = list(
  "documents",
  {
    ...place,
    from: "DateTime",
    to: "DateTime",
    shipmentNumber: "String",
    orderNumber: "String",
    correlationId: "String",
    outcome: "DocumentOutcome",
    removed: "Boolean",
    lpn: "String"
  },
  recordedFields
)
export type DocumentRow = Of<typeof documents>

export const document = read(
  "document",
  `${recordedFields} remedy correlationId shipmentId strategies business facility changes`
)
export type RecordedDocument = Of<typeof document>

/**
 * Reads the data that belongs to a shipment: its discrepancies, the newest documents for its number, the fields of capabilities, and on
 * request its first items. Callers leave out items that they know, because there may be very many, and only documents change them. The
 * service loads lists in the order of the fields, so the items are at least as new as the documents.
 */
export const belongings: Operation<
  {
    readonly id: number
    readonly business: string
    readonly facility: string
    readonly shipmentNumber: string
    readonly shipmentId: string
    readonly seen: boolean
    readonly withItems: boolean
  },
  {
    readonly documents: Page<DocumentRow>
    readonly shipment: {
      readonly discrepancies: Page<Discrepancy>
      readonly items?: Page<OrderedItem>
      readonly unseen?: Page<OrderedItem>
    } | null
  }
> = {
  get text() {
    const history = historyFields()
    return `query Belongings($id: Long!, $business: String!, $facility: String!, $shipmentNumber: String!, $seen: Boolean!,
    $withItems: Boolean! ${history === "" ? "" : "$shipmentId: String!"}) {
  ${history}
  documents(business: $business, facility: $facility, shipmentNumber: $shipmentNumber, first: 20) ${
      pageOf(documents.selection)
    }
  shipment(id: $id) {
    discrepancies(seen: $seen) ${pageOf(discrepanciesOfShipment.selection)}
    items @include(if: $withItems) ${pageOf(items.selection, "item")}
    unseen: items(unseen: true) @include(if: $withItems) ${pageOf(items.selection, "item")}
  }
}`
  },
  path: []
}

export type Message = Omit<MessageView, "businessSlug">

/** The messages of a facility since a time, oldest first. */
export const messages: Operation<
  {
    readonly input: {
      readonly businessSlug: string
      readonly facilitySlug: string
      readonly messageTypes: ReadonlyArray<Message["messageType"]>
      readonly since: string
      readonly afterId: number | undefined
      readonly limit: number
    }
  },
  ReadonlyArray<Message>
> = {
  text:
    "query Messages($input: PushMessageFilter!) { pushMessages(input: $input) { id facilitySlug messageType message sentAt } }",
  path: ["pushMessages"]
}

/** An id for a query; `0`, which no entity has, for a text that is not an id. */
const numeric = (id: string): string => /^\d{1,16}$/.test(id) ? id : "0"

/** Query fields for entities that messages and other data name only by id; one request reads many such fields. */
export const fieldOf = {
  shipment: (id: string): string => `shipment(id: ${numeric(id)}) { shipmentNumber }`,
  /** `count` pallets of a shipment, at most a page, beginning at an id. */
  palletsFrom: (shipmentId: string, id: string, count: number): string =>
    `shipment(id: ${numeric(shipmentId)}) {
  shipmentNumber pallets(after: "${Math.max(0, Number(numeric(id)) - 1)}", first: ${
      Math.min(count, 100)
    }) { nodes { id lpn events { ${parts["events"]} } } }
}`
}

export const arriveShipment = change("arriveShipment", "id")
export const departShipment = change("departShipment", "id")
export const checkInShipment = change("checkInShipment", "id")
export const linkShipments = change("linkShipments", "id")
export const cancelShipment = change("cancelShipment", "id")

export const pallet = read(
  "pallet",
  "id lpn state expected orders dockSlug firstSeenAt lastSeenAt shipmentId shipmentNumber business facility labels events",
  { shipmentId: "Long!", id: "String!" }
)
export type Pallet = Of<typeof pallet>

const labelFields = of<Operations["pallet"]["view"]["Type"]>()("id lpn labels")

/** The first pallet of the latest shipments of a business that have a status. */
export const recentPallets: Operation<
  { readonly business: string; readonly status: ShipmentRow["status"] },
  { readonly nodes: ReadonlyArray<{ readonly pallets: Page<Of<typeof labelFields>> }> }
> = {
  text: `query RecentPallets($business: String!, $status: ShipmentStatus!) {
  shipments(business: $business, status: $status, order: LATEST, first: 10) { nodes { pallets(first: 1) ${
    pageOf(labelFields)
  } } }
}`,
  path: ["shipments"]
}

export interface Read<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** Reads at most this many pages, one after another; the caller may already have the first page. */
export const readPages = async <A>(
  pages: number,
  read: (after: string | null) => Promise<Page<A> | undefined>,
  first?: Page<A>
): Promise<Read<A>> => {
  const rows: Array<A> = []
  let page = first ?? await read(null)
  for (let at = 1; page !== undefined; at++) {
    rows.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return { rows, hasMore: false }
    if (at >= pages) return { rows, hasMore: true }
    page = await read(page.pageInfo.endCursor)
  }
  return { rows, hasMore: false }
}
