/** The names, scalars and descriptions that the GraphQL schema adds to core's types. */
import type * as Capability from "@dockline/core/capability/Capability"
import type { DocumentRules } from "@dockline/core/document/DocumentInput"
import { itemFields } from "@dockline/core/shipment/Shipment"
import type { CheckInStep as Step, ShipmentOrder as Order } from "@dockline/core/values/Vocabulary"
import { GraphQLString } from "graphql"
import { DateTime, enumType, MessageId } from "./SchemaTypes.ts"
import type { OutputTypes, TypeNotes } from "./SchemaTypes.ts"

/** Words in quotes, because a document has them as strings, not as enum values. */
const quote = (words: ReadonlyArray<string>): string => words.map((word) => JSON.stringify(word)).join(", ")

const directionOf = ({ vocabulary }: DocumentRules): string =>
  `Text, not an enum, as a service can be given further words: ${quote(vocabulary.directions)}`

/** Descriptions of the fields of an item that have a vocabulary. */
const itemWords = (type: string, { vocabulary }: DocumentRules): Record<string, string> =>
  Object.fromEntries(
    Object.entries(itemFields).flatMap(([name, row]) =>
      row.vocabulary === undefined
        ? []
        : [[`${type}.${name}`, `${row.description}, as text: ${quote(vocabulary[row.vocabulary])}`]]
    )
  )

/** The enum of the orders of a list, which is no field of a result in core. */
export const ShipmentOrder = enumType<Order>(
  "ShipmentOrder",
  "The orders of a list of shipments. The time of a shipment is when it departed, else when it arrived, else when it is expected.",
  {
    ID: "By id: as they were created",
    EARLIEST: "By time, from the earliest on",
    LATEST: "By time, from the latest on"
  }
)

/** The enum of the steps of a check-in; no field of a result has just these values. */
const CheckInStep = enumType<Step>("CheckInStep", "The steps of a check-in, in their order.", {
  AT_FACILITY: "The truck waits at the facility",
  DOOR_ASSIGNED: "The truck has been assigned a dock",
  CHECKED_OUT: "The truck has checked out"
})

/** Notes on the types of results. */
export const outputNotes = (rules: DocumentRules, capabilities: Capability.List): TypeNotes => ({
  names: {
    "LocatedOrder.status": "OrderStatus",
    "StatusEvent.status": "ShipmentMilestone",
    "EntityReference.type": "EntityType",
    "RecordedChange.type": "EntityType",
    "RecordedChange.change": "EntityChange",
    "DocumentRecord.outcome": "DocumentOutcome",
    "SearchHit.kind": "SearchKind",
    "Pallet.events": "PalletEvent",
    "PalletEvent.direction": "PalletDirection",
    ...Object.assign({}, ...capabilities.map(({ notes }) => notes?.names))
  },
  types: { "PalletAnswer.messageId": MessageId, "PalletEvent.messageId": MessageId },
  time: DateTime,
  descriptions: {
    "*.business": "The business it belongs to",
    "*.facility": "The facility of its shipment",
    ...itemWords("OrderItem", rules),
    ...itemWords("ShipmentItem", rules),
    CaseSerial: "The serial number of a case.",
    "Order.direction": directionOf(rules),
    "LocatedOrder.direction": directionOf(rules),
    OrderStatus: "How far an order is.",
    "OrderStatus.CREATED": "Its shipment has not departed",
    "OrderStatus.COMPLETED": "Its shipment has departed",
    "OrderStatus.CANCELLED": "Its shipment is cancelled",
    "Shipment.direction": directionOf(rules),
    "Shipment.facility": "The facility it visits",
    ShipmentStatus: "How far a shipment is; it moves forward only.",
    "ShipmentStatus.SCHEDULED": "It is expected",
    "ShipmentStatus.ARRIVED": "It is at the facility",
    "ShipmentStatus.DEPARTED": "It has left, and is final",
    "ShipmentStatus.CANCELLED": "Nobody needs it, and it is final",
    ShipmentMilestone: "The milestones of a shipment: its statuses, and the noted steps of its check-in.",
    "ShipmentMilestone.SCHEDULED": "It is expected",
    "ShipmentMilestone.AT_FACILITY": "Its truck waits at the facility; it has not arrived at a dock",
    "ShipmentMilestone.DOOR_ASSIGNED": "Its truck has been assigned a dock",
    "ShipmentMilestone.CHECKED_OUT": "Its truck has checked out; the shipment has not departed by that",
    "ShipmentMilestone.ARRIVED": "It is at the dock",
    "ShipmentMilestone.DEPARTED": "It has left, and is final",
    "ShipmentMilestone.CANCELLED": "It was cancelled, and is final",
    "SearchHit.facility": "The facility it belongs to",
    SearchKind: "Where a search found a text.",
    "SearchKind.SHIPMENT": "It is the number of a shipment",
    "SearchKind.TRAILER": "It is the trailer of a shipment",
    "SearchKind.ORDER": "It is the number of an order",
    "SearchKind.PALLET": "It is the LPN of a pallet that was seen",
    "SearchKind.ITEM": "It is the LPN of an item that is expected",
    "SearchKind.REMOVAL": "It is an LPN that a document removed",
    Progress: "How many pallets of a shipment have passed the dock.",
    "IntakeResult.updated": "Entities that it updated or found unchanged",
    "IntakeResult.shipment": "The shipment afterwards",
    "DocumentRecord.business": "The business that it was for",
    "DocumentRecord.facility": "The facility that it was for",
    DocumentCounts: "How many entities a document touched.",
    EntityChange: "The change of a document to an entity.",
    "EntityChange.CREATED": "It created it",
    "EntityChange.UPDATED": "It updated it, or found it as it should be",
    "EntityChange.REMOVED": "It removed it",
    DocumentOutcome: "The outcome of a document: the largest of its effects.",
    "DocumentOutcome.CREATED": "It created something",
    "DocumentOutcome.UPDATED": "It changed something, and created nothing",
    "DocumentOutcome.UNCHANGED": "All was there as it says",
    "DocumentOutcome.REFUSED": "It was refused, and changed nothing",
    EntityType: "The kinds of entities.",
    "EntityType.SHIPMENT": "A shipment",
    "EntityType.ORDER": "An order",
    "EntityType.ORDER_ITEM": "An item of an order",
    DiscrepancyKind: "What is wrong.",
    "DiscrepancyKind.SHORT": "The pallet is expected, and has not passed",
    "DiscrepancyKind.OVER": "The pallet has passed, and is expected nowhere",
    "DiscrepancyKind.WRONG_SHIPMENT":
      "The pallet has passed, and is expected on another open shipment of the facility",
    "DiscrepancyKind.WRONG_DOCK": "The pallet was seen last at another dock than the shipment's",
    VerdictKind: "Whether a pallet is where it should be.",
    "VerdictKind.EXPECTED": "It is, and passes for the first time",
    "VerdictKind.REPEATED": "It is, and has passed before",
    "VerdictKind.WRONG_DOCK": "Its shipment is at another dock",
    "VerdictKind.UNEXPECTED": "No open shipment of the facility expects it",
    "VerdictKind.WRONG_SHIPMENT": "Another open shipment of the facility expects it",
    "VerdictKind.WRONG_DIRECTION": "It has gone back, and counts as not passed",
    PalletState: "The last event of a pallet.",
    "PalletState.LOADED": "It was loaded",
    "PalletState.UNLOADED": "It was unloaded",
    PalletDirection: "The directions in which a pallet crosses a dock.",
    "PalletDirection.LOADING": "Into the vehicle",
    "PalletDirection.UNLOADING": "Out of the vehicle",
    ...Object.assign({}, ...capabilities.map(({ notes }) => notes?.descriptions))
  }
})

/** Notes on the types of inputs; their enums are the enums of results. */
export const inputNotes = (results: OutputTypes, capabilities: Capability.List): TypeNotes => ({
  types: {
    "CheckInShipmentInput.step": CheckInStep,
    "PalletEventInput.direction": results.enum("PalletDirection"),
    ...Object.fromEntries(
      capabilities.flatMap(({ notes }) => Object.entries(notes?.inputs ?? {}))
        .map(([field, name]) => [field, results.enum(name)])
    )
  },
  time: DateTime
})

/** Notes on the types of a document, with the vocabulary of this service. In documents, times are text, as dates are. */
export const documentNotes = (rules: DocumentRules): TypeNotes => {
  const strategy = `What to do with the existing items, as text: ${quote(Object.keys(rules.strategies))}`
  return {
    time: GraphQLString,
    descriptions: {
      DocumentInput: "A shipment, its orders, and the strategies for their items, as in POST /v1/documents.",
      "DocumentInput.items": "Items of the order; not beside orders",
      "DocumentOrderInput.items": "Items of the order",
      CaseSerialInput: "The serial number of a case.",
      AdditionalFieldInput: "A named value to be kept on the shipment.",
      ...itemWords("DocumentItemInput", rules),
      "DocumentInput.direction": directionOf(rules),
      "DocumentInput.orderItemUpdateStrategy": strategy,
      "DocumentOrderInput.orderItemUpdateStrategy": strategy
    }
  }
}
