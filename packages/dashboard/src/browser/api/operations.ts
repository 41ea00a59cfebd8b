/**
 * The GraphQL operations of the pages: operations that core declares, with the fields that the pages show.
 *
 * Guarantee: each text is valid in the schema of the service, and selects all of what its type says
 * (`packages/dashboard/test/Operations.test.ts`).
 */
import type { DayGroup, DayShipment } from "@dockline/core/Day"
import type { Discrepancy as DiscrepancyView } from "@dockline/core/Discrepancies"
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { EdiFileEntryView, EdiFileView } from "@dockline/core/EdiView"
import type { ExceptionView } from "@dockline/core/ExceptionView"
import type { MessageView } from "@dockline/core/MessageView"
import type { AnyList, Query } from "@dockline/core/Operation"
import type { MethodOf, Operations } from "@dockline/core/Operations"
import type { PalletView } from "@dockline/core/PalletView"
import type { SearchHit } from "@dockline/core/SearchHit"
import type { TraceEntry } from "@dockline/core/Trace"
import type { OrderItemView, OrderView, ShipmentItemView, ShipmentView } from "@dockline/core/View"
import type { Operation } from "./request.ts"

/** Fields of a view, as GraphQL selects them. */
interface Fields<A> {
  readonly text: string
  /** Carries the type; it has no value. */
  readonly type?: A
}

/** The values that fields select. */
type Of<Selected> = Selected extends Fields<infer A> ? A : never

/** A page of a list, as GraphQL gives it. */
export interface Page<A> {
  readonly nodes: ReadonlyArray<A>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** All fields of the parts of views. */
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
  statusEvents: "status displayName completed completedAt"
}

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

/** Selects fields of a view by their names. */
const of =
  <View>() => <const Text extends string>(names: Text): Fields<Pick<View, Words<Text> & keyof View>> => ({
    text: names.replaceAll(/\w+/g, (name) => parts[name] === undefined ? name : `${name} { ${parts[name]} }`)
  })

const pageOf = ({ text }: Fields<unknown>): string =>
  `{ nodes { ${text} } pageInfo { hasNextPage endCursor } }`

/** Names of variables, with their types in GraphQL. */
type Variables = Readonly<Record<string, string>>

const declared = (variables: Variables): string =>
  Object.entries(variables).map(([name, type]) => `$${name}: ${type}`).join(", ")

const passed = (variables: Variables): string =>
  Object.keys(variables).map((name) => `${name}: $${name}`).join(", ")

type Lists = MethodOf<AnyList>

/** What narrows a list, and where its page begins. */
type Narrowed<Method extends Lists> = Omit<Query<Operations[Method]>, "after" | "limit"> & {
  readonly after?: string | null
  readonly first?: number
}

const paging = { after: "String", first: "Int" }

const list = <const Method extends Lists, Row>(
  method: Method,
  filters: Variables,
  row: Fields<Row>
): Operation<Narrowed<Method>, Page<Row>> => {
  const variables = { ...filters, ...paging }
  return {
    text: `query ${method}(${declared(variables)}) { ${method}(${passed(variables)}) ${pageOf(row)} }`,
    path: [method]
  }
}

/** The lists that GraphQL has as fields of a shipment. */
const fieldsOfShipments = {
  items: "items",
  discrepancies: "discrepancies",
  shipmentPallets: "pallets",
  shipmentExceptions: "exceptions"
} as const

/** Reads a page of a list of a shipment; `undefined` where the shipment is gone. */
const listOf = <const Method extends keyof typeof fieldsOfShipments, Row>(
  method: Method,
  filters: Variables,
  row: Fields<Row>
): Operation<Narrowed<Method> & { readonly id: number }, Page<Row> | undefined> => {
  const variables = { ...filters, ...paging }
  const field = fieldsOfShipments[method]
  return {
    text: `query ${method}($id: Long!, ${declared(variables)}) {
  shipment(id: $id) { ${field}(${passed(variables)}) ${pageOf(row)} }
}`,
    path: ["shipment", field]
  }
}

type Write = Extract<Operations[keyof Operations], { readonly kind: "write" }>

/** What a change takes: its body, with the ids of its path, of which `id` is that of a shipment. */
type Changing<Op extends Write> =
  & Op["body"]["Type"]
  & {
    readonly [Id in keyof Op["params"] as Id extends "id" ? "shipmentId" : Id]: Id extends "id" ? number
      : string
  }

/** Changes something; GraphQL has a type for its input. */
const change = <const Name extends Write["name"], Done>(
  name: Name,
  input: string,
  { text }: Fields<Done>
): Operation<{ readonly input: Changing<Extract<Write, { readonly name: Name }>> }, Done> => ({
  text: `mutation ${name}($input: ${input}!) { ${name}(input: $input) { ${text} } }`,
  path: [name]
})

const place = { business: "String", facility: "String" }

const times = { from: "DateTime", to: "DateTime" }

const shipmentRow = of<ShipmentView>()(
  "id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt business facility statusEvents progress"
)

const orderNumbers = of<OrderView>()("id orderNumber")

export type ShipmentRow = Of<typeof shipmentRow> & { readonly orders: ReadonlyArray<Of<typeof orderNumbers>> }

export const shipments = list("shipments", {
  ...place,
  ...times,
  status: "ShipmentStatus",
  discrepancies: "Boolean",
  carrier: "String",
  order: "ShipmentOrder"
}, { text: `${shipmentRow.text} orders { ${orderNumbers.text} }` } as Fields<ShipmentRow>)

const boardRow = of<ShipmentView>()(
  "id shipmentNumber direction dockSlug trailerNumber carrier expectedArrivalAt statusEvents progress"
)
export type BoardRow = Of<typeof boardRow>

/** The shipments of a status at a facility, as boards show them and as they are found by number. */
export const board = list("shipments", {
  ...place,
  status: "ShipmentStatus",
  order: "ShipmentOrder",
  shipmentNumber: "String"
}, boardRow)

const hit = of<SearchHit>()(
  "id kind text facility shipmentId shipmentNumber status missingPallets unexpectedPallets orderNumber palletId documentId removedAt removedBy"
)
export type Hit = Of<typeof hit>

export const search = list("search", { business: "String", text: "String!" }, hit)

const dayGroup = of<DayGroup>()(
  "id group name shipments inbound outbound expected atDock departed onTime late complete short over palletsIn palletsOut \
exceptions openExceptions medianMinutes longestMinutes detained detentionMinutes"
)
export type DayRow = Of<typeof dayGroup>

export const day = list(
  "day",
  { business: "String!", facility: "String!", date: "String", days: "String" },
  dayGroup
)

const dayShipment = of<DayShipment>()(
  "id shipmentNumber status direction dockSlug carrier arrivedAt departedAt missingPallets unexpectedPallets palletsIn palletsOut \
openExceptions"
)
export type DayShipmentRow = Of<typeof dayShipment>

export const dayShipments = list(
  "dayShipments",
  {
    business: "String!",
    facility: "String!",
    date: "String",
    days: "String",
    group: "DayGroupKind",
    name: "String",
    counted: "String"
  },
  dayShipment
)

const traced = of<TraceEntry>()(
  "id lot sku lpn quantity quantityUnit expirationDate facility orderNumber consigneeName shipmentId shipmentNumber status departedAt \
palletId seenShipmentId seenShipmentNumber seenDirection seenDockSlug seenAt"
)
export type TraceRow = Of<typeof traced>

export const trace = list(
  "trace",
  { business: "String", lot: "String", sku: "String", lpn: "String" },
  traced
)

const seenPallet = of<PalletView>()("id lpn state expected dockSlug lastSeenAt")
export type SeenPallet = Of<typeof seenPallet>

export const palletsOfShipment = listOf("shipmentPallets", {}, seenPallet)

const exceptionFields =
  "id palletId lpn kind priority description status reportedAt reportedBy resolvedAt resolvedBy note"

const exception = of<ExceptionView>()(exceptionFields)
export type Exception = Of<typeof exception>

export const exceptionsOfShipment = listOf("shipmentExceptions", {}, exception)

const locatedException = of<ExceptionView>()(
  `${exceptionFields} business facility shipmentId shipmentNumber`
)
export type LocatedException = Of<typeof locatedException>

const exceptionFilters = { ...place, status: "ExceptionStatus", priority: "ExceptionPriority" }

/** A page of the exceptions of all shipments of a business or a facility, newest first. */
export const exceptions = list("exceptions", exceptionFilters, locatedException)

/** The shipments of exceptions, which boards count. */
export const exceptionCounts = list("exceptions", exceptionFilters, of<ExceptionView>()("shipmentId"))

export const reportException = change("reportException", "ReportExceptionInput", exception)
export const resolveException = change("resolveException", "ResolveExceptionInput", exception)

const discrepancy = of<DiscrepancyView>()(
  "kind lpn palletId dockSlug expectedOnId expectedOnNumber provisional"
)
export type Discrepancy = Of<typeof discrepancy>

export const discrepanciesOfShipment = listOf("discrepancies", { seen: "Boolean" }, discrepancy)

const itemFields =
  "id identifier lpn sku description quantity quantityUnit lot expirationDate purchaseOrder isDangerousGood"

const item = of<OrderItemView>()(itemFields)
/** An item of an order; lists of the items of a shipment have what the SKU master says of it too. */
export type Item = Of<typeof item> & Partial<Pick<ShipmentItemView, "skuDescription" | "casesPerPallet">>

const orderedItem = of<ShipmentItemView>()(`${itemFields} orderId skuDescription casesPerPallet`)
export type OrderedItem = Of<typeof orderedItem>

/** A page of the items of a shipment: of all its orders or of one, with a text, or those that were not seen. */
export const items = listOf("items", { orderId: "String", find: "String", unseen: "Boolean" }, orderedItem)

const order = of<OrderView>()(
  "id orderNumber status expectedQuantity sealNumber supplier client destination carrier"
)

const shipmentFields = of<ShipmentView>()(
  "id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt scheduledAt \
business facility progress additionalFields statusEvents"
)

/** A shipment with its orders, without their items, and the first of its pallets and exceptions. */
export type Shipment = Of<typeof shipmentFields> & {
  readonly orders: ReadonlyArray<Of<typeof order>>
  readonly pallets: Page<SeenPallet>
  readonly exceptions: Page<Exception>
}

export const shipment: Operation<{ readonly id: number }, Shipment | null> = {
  text: `query Shipment($id: Long!) {
  shipment(id: $id) {
    ${shipmentFields.text} orders { ${order.text} } pallets ${pageOf(seenPallet)} exceptions ${
    pageOf(exception)
  }
  }
}`,
  path: ["shipment"]
}

const recordedFields = "id receivedAt clientId shipmentNumber orderNumbers outcome code counts"

const recorded = of<DocumentRecordView>()(recordedFields)
export type DocumentRow = Of<typeof recorded>

/** A page of the record of documents, newest first. */
export const documents = list("documents", {
  ...place,
  ...times,
  shipmentNumber: "String",
  orderNumber: "String",
  correlationId: "String",
  outcome: "DocumentOutcome",
  removed: "Boolean",
  lpn: "String"
}, recorded)

const wholeRecord = of<DocumentRecordView>()(
  `${recordedFields} correlationId shipmentId strategies business facility changes`
)
export type RecordedDocument = Of<typeof wholeRecord>

export const document: Operation<{ readonly id: number }, RecordedDocument | null> = {
  text: `query Document($id: Long!) { document(id: $id) { ${wholeRecord.text} } }`,
  path: ["document"]
}

const ediEntry = of<EdiFileEntryView>()(
  "id direction partner control at outcome kinds setCount rejectedCount"
)

/** An exchanged file in a list. */
export type EdiFileRow = Of<typeof ediEntry>

/** A page of the files that were exchanged with EDI partners, newest first. */
export const ediFiles = list(
  "ediFiles",
  { ...place, partner: "String", direction: "EdiDirection", outcome: "EdiOutcome" },
  ediEntry
)

const wholeFile = of<EdiFileView>()(
  "id direction business facility partner control at outcome sets faults text answer"
)

/** An exchanged file. */
export type EdiFile = Of<typeof wholeFile>

/** Reads an exchanged file. */
export const ediFile: Operation<{ readonly id: number }, EdiFile | null> = {
  text: `query EdiFile($id: Long!) { ediFile(id: $id) { ${wholeFile.text} } }`,
  path: ["ediFile"]
}

/**
 * Reads what belongs to a shipment: its discrepancies, the newest documents for its number, and the first of its items unless they
 * are known, as there may be very many and only documents change them. The service loads lists in the order of the fields, so the
 * items are at least as new as the documents.
 */
export const belongings: Operation<
  {
    readonly id: number
    readonly business: string
    readonly facility: string
    readonly shipmentNumber: string
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
  text:
    `query Belongings($id: Long!, $business: String!, $facility: String!, $shipmentNumber: String!, $seen: Boolean!,
    $withItems: Boolean!) {
  documents(business: $business, facility: $facility, shipmentNumber: $shipmentNumber, first: 5) ${
      pageOf(recorded)
    }
  shipment(id: $id) {
    discrepancies(seen: $seen) ${pageOf(discrepancy)}
    items @include(if: $withItems) ${pageOf(orderedItem)}
    unseen: items(unseen: true) @include(if: $withItems) ${pageOf(orderedItem)}
  }
}`,
  path: []
}

/** Reads all items of a shipment, which may be very many, by order: for its sheet on paper. */
export const itemsOfShipment: Operation<
  { readonly id: number },
  ReadonlyArray<{ readonly id: string; readonly items: ReadonlyArray<Item> }> | undefined
> = {
  text: `query ItemsOfShipment($id: Long!) { shipment(id: $id) { orders { id items { ${item.text} } } } }`,
  path: ["shipment", "orders"]
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

/** The fields of a shipment that messages and other things name only by its id. */
export const briefly = of<ShipmentView>()("id shipmentNumber status direction carrier statusEvents progress")
export type Brief = Of<typeof briefly>

const id = of<ShipmentView>()("id")

export const arriveShipment = change("arriveShipment", "ArriveShipmentInput", id)
export const departShipment = change("departShipment", "DepartShipmentInput", id)
export const checkInShipment = change("checkInShipment", "CheckInShipmentInput", id)
export const linkShipments = change("linkShipments", "LinkShipmentsInput", id)
export const cancelShipment = change("cancelShipment", "CancelShipmentInput", id)
export const recordPalletEvent = change(
  "recordPalletEvent",
  "PalletEventInput",
  of<{ readonly messageId: number }>()("messageId")
)

const wholePallet = of<PalletView>()(
  "id lpn state expected orders dockSlug firstSeenAt lastSeenAt shipmentId shipmentNumber business facility labels events"
)
export type Pallet = Of<typeof wholePallet>

export const pallet: Operation<{ readonly shipmentId: number; readonly id: string }, Pallet | null> = {
  text:
    `query Pallet($shipmentId: Long!, $id: String!) { pallet(shipmentId: $shipmentId, id: $id) { ${wholePallet.text} } }`,
  path: ["pallet"]
}

const labelled = of<PalletView>()("id lpn labels")
export type LabelledPallet = Of<typeof labelled>

/** The first pallet of the latest shipments of a business that have a status. */
export const recentPallets: Operation<
  { readonly business: string; readonly status: ShipmentRow["status"] },
  { readonly nodes: ReadonlyArray<{ readonly pallets: Page<LabelledPallet> }> }
> = {
  text: `query RecentPallets($business: String!, $status: ShipmentStatus!) {
  shipments(business: $business, status: $status, order: LATEST, first: 10) { nodes { pallets(first: 1) ${
    pageOf(labelled)
  } } }
}`,
  path: ["shipments"]
}
