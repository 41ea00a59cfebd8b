/**
 * Operations as clients send them, and messages to be appended.
 */
import type { MessageDraft } from "@dockline/core/messages/Message"
import { itemFields, orderFields, shipmentFields } from "@dockline/core/shipment/Shipment"
import type { Operation } from "../support/GraphqlServer.ts"

type Fields = Readonly<Record<string, unknown>>

/** A message as GraphQL shows it. */
export interface Shown {
  readonly id: number
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly messageType: string
  readonly message: Readonly<Record<string, unknown>>
  readonly sentAt: string
}

const fields = "{ id businessSlug facilitySlug messageType message sentAt }"

/** A time before every message of the tests. */
export const beginning = "2020-01-01T00:00:00Z"

/** Requests history: by default all of acme's pallet events. */
export const history = (filter: Fields = {}): Operation => ({
  query: `query History($input: PushMessageFilter!) { pushMessages(input: $input) ${fields} }`,
  variables: { input: { businessSlug: "acme", since: beginning, ...filter } }
})

/** Follows messages: by default acme's pallet events. */
export const follow = (filter: Fields = {}): Operation => ({
  query:
    `subscription Follow($filter: PushMessageSubscriptionFilter!) { pushMessage(filter: $filter) ${fields} }`,
  variables: { filter: { businessSlug: "acme", ...filter } }
})

/** The data of {@link history}. */
export interface HistoryData {
  readonly pushMessages: ReadonlyArray<Shown>
}

/** The data of {@link follow}. */
export interface FollowData {
  readonly pushMessage: Shown
}

/** A pallet event at acme east, about no particular shipment. */
export const draft = (given: Partial<MessageDraft> = {}): MessageDraft => ({
  business: "acme",
  facility: "east",
  type: "PALLET_EVENT",
  payload: { direction: "LOADING" },
  shipmentId: 1,
  ...given
})

/** An order at acme east with one item. */
export const document = (orderNumber: string, given: Fields = {}): Fields => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber,
  items: [{ lpn: `${orderNumber}-L`, sku: "SKU", quantity: 3, quantityUnit: "CASE" }],
  ...given
})

const { caseSerials: _, ...plainItemFields } = itemFields

const names = (fields: object): string => Object.keys(fields).join(" ")

const item = `id ${names(plainItemFields)} caseSerials { id quantity }`

const order = `
  id orderNumber status direction ${names(orderFields)}
  items { ${item} }`

const shipment = `{
  id shipmentNumber status direction
  business { slug name } facility { slug name }
  expectedArrivalAt scheduledAt dockId dockSlug ${names(shipmentFields)}
  additionalFields { name value }
  statusEvents { status displayName completed completedAt }
  progress { expectedPallets passedPallets missingPallets unexpectedPallets }
  orders { ${order} }
}`

const result = `{
  created { type id reference } updated { type id reference } removed { type id reference }
  shipment ${shipment}
}`

/** Submits a document. */
export const submit = (input: Fields, dryRun = false): Operation => ({
  query: `mutation Submit($input: DocumentInput!, $dryRun: Boolean!) {
    submitDocument(input: $input, dryRun: $dryRun) ${result}
  }`,
  variables: { input, dryRun }
})

/** Uploads a document file. */
export const upload = (): Operation => ({
  query: `mutation Upload($input: UploadDocumentInput!) { uploadDocument(input: $input) ${result} }`,
  variables: { input: { file: null } }
})

/** Reads a shipment. */
export const readShipment = (id: unknown): Operation => ({
  query: `query Shipment($id: Long!) { shipment(id: $id) ${shipment} }`,
  variables: { id }
})
