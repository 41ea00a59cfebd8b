/**
 * The payloads of messages as schemas: the fields that every business gets (WIRE.md, pallet message). The fields of a customer
 * stand beside those of a pallet, each a text or a list of texts (D6.4).
 */
import { Schema } from "effect"
import type { completionFieldNames, palletFieldNames, testFieldName } from "../places/MessageField.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"

const text = (description: string) => Schema.String.annotate({ description })

const orders = (description: string) => Schema.Array(Schema.String).annotate({ description })

/** A message says `test` only where it is about nothing that exists (D9.9). */
const test = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "True in a test message, and absent otherwise: verify it, store nothing, answer 2xx"
  })
)

const palletFields = {
  businessSlug: text("Business slug"),
  facilitySlug: text("Facility slug; with businessSlug it names the facility where the pallet was seen"),
  serviceShipmentId: text("The shipment's id"),
  servicePalletId: text("The pallet's id"),
  url: text("The page of the pallet in the dashboard"),
  direction: Schema.Literals(palletDirections).annotate({
    description:
      "Where the pallet went. A pallet that is loaded and then unloaded makes two messages, which cancel each other"
  }),
  orders: orders("The numbers of the orders that the pallet belongs to"),
  dockId: text("The id of the dock at which the pallet was seen")
} satisfies Partial<Record<(typeof palletFieldNames)[number], Schema.Top>>

/** The payload of a pallet message. */
export const PalletMessage = Schema.Struct(
  {
    ...palletFields,
    occurredAt: text("When the pallet passed, in UTC with milliseconds: 2026-11-20T17:00:00.000Z"),
    test
  } satisfies Record<(typeof palletFieldNames)[number] | typeof testFieldName, Schema.Top>
)

/** The payload of a shipment-completion message. */
export const CompletionMessage = Schema.Struct(
  {
    serviceShipmentId: text("The shipment's id"),
    orders: orders("The numbers of all orders of the shipment"),
    url: text("The page of the shipment in the dashboard"),
    dockId: text("The id of the shipment's dock; empty where it has none"),
    pallets: Schema.Array(Schema.Struct(palletFields)).annotate({
      description: "The pallets that remain on the truck, as in pallet messages, without occurredAt"
    }),
    test
  } satisfies Record<(typeof completionFieldNames)[number] | typeof testFieldName, Schema.Top>
)

/** The payload of each type of message. */
export const payloadSchemas = {
  PALLET_EVENT: PalletMessage,
  SHIPMENT_COMPLETE: CompletionMessage
} satisfies Record<MessageType, Schema.Top>
