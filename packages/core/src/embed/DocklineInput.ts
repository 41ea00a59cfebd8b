/**
 * What the methods of the façade are given besides documents, events and steps, read from untyped values: places, and
 * what narrows a list or a log.
 *
 * Guarantee: as of `RequestInput.ts`.
 */
import { Result, Schema } from "effect"
import { isRecord } from "../input/DocumentCheck.ts"
import * as RequestInput from "../input/RequestInput.ts"
import type { MessageQuery } from "../messages/MessageQuery.ts"
import type { HistoryRequest } from "../messages/Messages.ts"
import type { OrderQuery, ShipmentQuery } from "../movement/Shipments.ts"
import { businessSchema, dockSchema, facilitySchema, fieldMapSchema } from "../operator/OperatorInput.ts"
import type { BusinessEntry } from "../places/Directory.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { messageTypes, shipmentStatuses } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"

const optional = Schema.optionalKey

/** The most entries of each list of places. */
const maxPlaces = 10_000

const placesSchema = Schema.Array(Schema.Struct({
  ...businessSchema.fields,
  fieldMap: optional(fieldMapSchema),
  facilities: optional(
    Schema.Array(Schema.Struct({
      ...facilitySchema.fields,
      docks: optional(Schema.Array(dockSchema.fields.slug).check(Field.atMost(maxPlaces)))
    })).check(Field.atMost(maxPlaces))
  )
})).check(Field.atMost(maxPlaces))

/** A business with its facilities, as `places` takes it. */
export type PlaceInput = (typeof placesSchema.Type)[number]

const readPlacesInput = RequestInput.reader(placesSchema, "a list of businesses")

/** Reads an untyped value into businesses with their facilities; what is absent is empty. */
export const readPlaces: RequestInput.Reader<ReadonlyArray<BusinessEntry>> = (raw) =>
  Result.map(
    readPlacesInput(raw),
    (places) =>
      places.map(({ slug, name, fieldMap = [], facilities = [] }): BusinessEntry => ({
        slug,
        name,
        fieldMap: fieldMap.map(({ name, label, list = false }) => ({ name, label, list })),
        facilities: facilities.map(({ slug, name, docks = [] }) => ({ slug, name, docks }))
      }))
  )

const place = {
  business: optional(Field.text("Business slug")),
  facility: optional(Field.text("Facility slug"))
}

const page = {
  limit: optional(Field.wholeAmount("The most entities; 100 when absent")),
  after: optional(Field.wholeAmount("The next of the page before"))
}

/** The `next` of a page is text; as text, or as the number it is, it names the next page. */
const withNumber = (raw: unknown): unknown => {
  try {
    return isRecord(raw) && typeof raw["after"] === "string" && /^\d{1,16}$/.test(raw["after"])
      ? { ...raw, after: Number(raw["after"]) }
      : raw
  } catch {
    // An accessor or a proxy threw: the reading names its place.
    return raw
  }
}

/** What narrows a list, and which page of it: `after` is the `next` of the page before. */
export type Listing<Query> = Omit<Query, "after"> & { readonly after?: number | string | null | undefined }

const readShipmentsInput = RequestInput.reader(
  Schema.Struct({
    ...place,
    shipmentNumber: optional(Field.text("Shipment number")),
    status: optional(Field.word(shipmentStatuses, "Status")),
    ...page
  }),
  "a query"
)

/** Reads an untyped value into what narrows a list of shipments. */
export const readShipmentQuery: RequestInput.Reader<ShipmentQuery> = (raw) =>
  Result.map(readShipmentsInput(withNumber(raw)), ({ status, ...query }) => ({
    ...query,
    status: shipmentStatuses.find((word) => word === status)
  }))

const readOrdersInput = RequestInput.reader(
  Schema.Struct({ ...place, orderNumber: optional(Field.text("Order number")), ...page }),
  "a query"
)

/** Reads an untyped value into what narrows a list of orders. */
export const readOrderQuery: RequestInput.Reader<OrderQuery> = (raw) => readOrdersInput(withNumber(raw))

/** Which messages of a business, and after which of them. */
export interface FollowQuery {
  /** Business slug. */
  readonly business: string
  /** Facility slug; all facilities when absent. */
  readonly facility?: string
  /** All types when absent. */
  readonly types?: ReadonlyArray<MessageType>
  /** The id of the last message that is known; 0 for the beginning. */
  readonly afterId?: number
}

/** A page of the messages of a business. */
export interface MessagesQuery extends FollowQuery {
  /** Messages sent then or later, RFC 3339. */
  readonly since?: string
  /** The most messages; without it all there are, which must be no more than the service's limit. */
  readonly limit?: number
}

const followFields = {
  business: Field.slug("Business slug"),
  facility: optional(Field.text("Facility slug")),
  types: optional(
    Schema.Array(Field.name(messageTypes, "Type of message")).check(Field.atMost(messageTypes.length))
  ),
  afterId: optional(Field.wholeAmount("The id of the last message that is known"))
}

const queryOf = (
  { business, facility, types }: { business: string; facility?: string; types?: ReadonlyArray<string> }
): MessageQuery => ({
  business,
  facility: facility === "" ? undefined : facility,
  types: messageTypes.filter((type) => types === undefined || types.includes(type))
})

const readFollowInput = RequestInput.reader(Schema.Struct(followFields), "a query")

/** Reads an untyped value into what is followed, and from where on. */
export const readFollow: RequestInput.Reader<
  { readonly query: MessageQuery; readonly afterId: number | undefined }
> = (raw) => Result.map(readFollowInput(raw), (input) => ({ query: queryOf(input), afterId: input.afterId }))

/** Makes the reader of an untyped value into a request for history, of pages with so many messages at most. */
export const historyReader = (messageLimit: number): RequestInput.Reader<HistoryRequest> => {
  const read = RequestInput.reader(
    Schema.Struct({
      ...followFields,
      since: optional(Field.dateTime("Messages sent then or later")),
      limit: optional(Field.id("The most messages"))
    }),
    "a query",
    ({ limit }, faults) => {
      if (typeof limit === "number" && limit > messageLimit) {
        faults.add(`must be 1 to ${messageLimit}`, "limit")
      }
    }
  )
  return (raw) =>
    Result.map(read(raw), ({ since, limit, ...input }) => ({
      ...queryOf(input),
      since: Timestamp.parse(since ?? "") ?? beginning,
      afterId: input.afterId,
      limit
    }))
}

/** Before any message. */
const beginning: Timestamp.Timestamp = "0001-01-01T00:00:00.000Z"
