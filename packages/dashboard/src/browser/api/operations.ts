/**
 * What the pages ask for. `results.ts` has the types of the answers, which a test makes of these texts and the schema of
 * the service (`packages/dashboard/test/Results.test.ts`).
 */
import { briefly } from "./fields.ts"
import type { Operation } from "./request.ts"
import type * as Results from "./results.ts"

const pageInfo = "pageInfo { hasNextPage endCursor }"

const progress = "progress { expectedPallets passedPallets missingPallets unexpectedPallets }"

const place = "business { slug name } facility { slug name }"

/** A page of the shipments of a facility. */
export const shipments: Operation<Results.ShipmentsVariables, Results.ShipmentsResult> = {
  text:
    `query Shipments($business: String, $facility: String, $status: ShipmentStatus, $discrepancies: Boolean,
    $carrier: String, $from: DateTime, $to: DateTime,
    $order: ShipmentOrder, $after: String) {
  shipments(business: $business, facility: $facility, status: $status, discrepancies: $discrepancies,
    carrier: $carrier, from: $from, to: $to, order: $order,
    after: $after, first: 100) {
    nodes {
      id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt
      ${place}
      statusEvents { status completedAt }
      ${progress}
      orders { id orderNumber }
    }
    ${pageInfo}
  }
}`
}

/** The shipments at the docks of a facility: no more than boards show, as boards ask often. */
export const docked: Operation<Results.DockedVariables, Results.DockedResult> = {
  text: `query Docked($business: String, $facility: String) {
  shipments(business: $business, facility: $facility, status: ARRIVED, first: 100) {
    nodes {
      id shipmentNumber direction dockSlug trailerNumber carrier
      statusEvents { status completedAt }
      ${progress}
    }
  }
}`
}

/** The shipments that a facility expects next. */
export const upcoming: Operation<Results.UpcomingVariables, Results.UpcomingResult> = {
  text: `query Upcoming($business: String, $facility: String) {
  shipments(business: $business, facility: $facility, status: SCHEDULED, order: EARLIEST, first: 50) {
    nodes { id shipmentNumber direction dockSlug carrier expectedArrivalAt }
    pageInfo { hasNextPage }
  }
}`
}

/** What a number or an LPN leads to. */
export const search: Operation<Results.SearchVariables, Results.SearchResult> = {
  text: `query Search($business: String, $text: String!, $after: String, $first: Int) {
  search(business: $business, text: $text, after: $after, first: $first) {
    nodes {
      id kind text facility { slug name } shipmentId shipmentNumber status missingPallets unexpectedPallets orderNumber
      palletId documentId removedAt removedBy
    }
    ${pageInfo}
  }
}`
}

const seenPallets = `nodes { id lpn state expected dockSlug lastSeenAt } ${pageInfo}`

const exception =
  "id palletId lpn kind priority description status reportedAt reportedBy resolvedAt resolvedBy note"

const exceptionsPage = `nodes { ${exception} } ${pageInfo}`

/** A shipment with its orders, without their items, and the first of its pallets and exceptions. */
export const shipment: Operation<Results.ShipmentVariables, Results.ShipmentResult> = {
  text: `query Shipment($id: Long!) {
  shipment(id: $id) {
    id shipmentNumber status direction dockSlug trailerNumber carrier expectedArrivalAt scheduledAt
    ${place}
    ${progress}
    additionalFields { name value }
    statusEvents { status displayName completed completedAt }
    orders {
      id orderNumber status expectedQuantity sealNumber supplier client destination carrier
    }
    pallets(first: 100) { ${seenPallets} }
    exceptions(first: 100) { ${exceptionsPage} }
  }
}`
}

const discrepanciesPage =
  `nodes { kind lpn palletId dockSlug expectedOnId expectedOnNumber provisional } ${pageInfo}`

const recorded =
  "id receivedAt clientId shipmentNumber orderNumbers outcome code counts { created updated removed replaced }"

const item = "id lpn sku description quantity quantityUnit lot expirationDate purchaseOrder isDangerousGood"

const itemsPage = `nodes { ${item} orderId } ${pageInfo}`

/**
 * What is asked for by what a shipment is: where it differs from what was expected, and the newest documents for its number. And the
 * first of its items, unless they are known: there may be very many, and documents alone change them. The service loads lists in
 * the order in which they stand here, so that the items are at least as new as the documents.
 */
export const belongings: Operation<Results.BelongingsVariables, Results.BelongingsResult> = {
  text:
    `query Belongings($id: Long!, $business: String!, $facility: String!, $shipmentNumber: String!, $seen: Boolean!,
    $withItems: Boolean!) {
  documents(business: $business, facility: $facility, shipmentNumber: $shipmentNumber, first: 5) {
    nodes { ${recorded} }
    ${pageInfo}
  }
  shipment(id: $id) {
    discrepancies(seen: $seen, first: 100) { ${discrepanciesPage} }
    items(first: 100) @include(if: $withItems) { ${itemsPage} }
    unseen: items(unseen: true, first: 100) @include(if: $withItems) { ${itemsPage} }
  }
}`
}

/** A page of the items of a shipment: of all its orders or of one, with a text, or those that were not seen. */
export const items: Operation<Results.ItemsVariables, Results.ItemsResult> = {
  text: `query Items($id: Long!, $orderId: String, $find: String, $unseen: Boolean, $after: String) {
  shipment(id: $id) {
    items(orderId: $orderId, find: $find, unseen: $unseen, first: 100, after: $after) { ${itemsPage} }
  }
}`
}

/** All items of a shipment, which may be very many, by order: for its sheet on paper. */
export const itemsOfShipment: Operation<Results.ItemsOfShipmentVariables, Results.ItemsOfShipmentResult> = {
  text: `query ItemsOfShipment($id: Long!) {
  shipment(id: $id) {
    orders {
      id
      items { ${item} }
    }
  }
}`
}

/** The messages of a facility since a time, oldest first. */
export const messages: Operation<Results.MessagesVariables, Results.MessagesResult> = {
  text: `query Messages($input: PushMessageFilter!) {
  pushMessages(input: $input) { id facilitySlug messageType message sentAt }
}`
}

/** A shipment in brief; several are read at once by `ui/brief.ts`. */
export const brief: Operation<Results.BriefVariables, Results.BriefResult> = {
  text: `query Brief($id: Long!) { shipment(id: $id) { ${briefly} } }`
}

/** A page of where a shipment differs from what was expected. */
export const discrepanciesOfShipment: Operation<
  Results.DiscrepanciesOfShipmentVariables,
  Results.DiscrepanciesOfShipmentResult
> = {
  text: `query DiscrepanciesOfShipment($id: Long!, $seen: Boolean, $after: String) {
  shipment(id: $id) {
    discrepancies(seen: $seen, first: 100, after: $after) { ${discrepanciesPage} }
  }
}`
}

/** A page of the record of documents, newest first. */
export const documents: Operation<Results.DocumentsVariables, Results.DocumentsResult> = {
  text: `query Documents($business: String, $facility: String, $shipmentNumber: String, $orderNumber: String,
    $correlationId: String, $outcome: DocumentOutcome, $removed: Boolean, $lpn: String, $from: DateTime,
    $to: DateTime, $after: String, $first: Int) {
  documents(business: $business, facility: $facility, shipmentNumber: $shipmentNumber, orderNumber: $orderNumber,
    correlationId: $correlationId, outcome: $outcome, removed: $removed, lpn: $lpn, from: $from, to: $to, after: $after,
    first: $first) {
    nodes { ${recorded} }
    ${pageInfo}
  }
}`
}

/** A recorded document. */
export const document: Operation<Results.DocumentVariables, Results.DocumentResult> = {
  text: `query Document($id: Long!) {
  document(id: $id) {
    ${recorded} correlationId shipmentId strategies
    ${place}
    changes { change type id reference }
  }
}`
}

/** A page of the pallets of a shipment. */
export const palletsOfShipment: Operation<
  Results.PalletsOfShipmentVariables,
  Results.PalletsOfShipmentResult
> = {
  text: `query PalletsOfShipment($id: Long!, $after: String) {
  shipment(id: $id) {
    pallets(first: 100, after: $after) { ${seenPallets} }
  }
}`
}

/** A page of the exceptions of a shipment. */
export const exceptionsOfShipment: Operation<
  Results.ExceptionsOfShipmentVariables,
  Results.ExceptionsOfShipmentResult
> = {
  text: `query ExceptionsOfShipment($id: Long!, $after: String) {
  shipment(id: $id) {
    exceptions(first: 100, after: $after) { ${exceptionsPage} }
  }
}`
}

/** A page of the exceptions of all shipments of a business or a facility, newest first. */
export const exceptions: Operation<Results.ExceptionsVariables, Results.ExceptionsResult> = {
  text:
    `query Exceptions($business: String, $facility: String, $status: ExceptionStatus, $priority: ExceptionPriority,
    $after: String) {
  exceptions(business: $business, facility: $facility, status: $status, priority: $priority, after: $after, first: 100) {
    nodes { ${exception} shipmentId shipmentNumber ${place} }
    ${pageInfo}
  }
}`
}

/** Of which shipments of a facility there are open exceptions: no more than boards count. */
export const openExceptions: Operation<Results.OpenExceptionsVariables, Results.OpenExceptionsResult> = {
  text: `query OpenExceptions($business: String, $facility: String) {
  high: exceptions(business: $business, facility: $facility, status: OPEN, priority: HIGH, first: 100) {
    nodes { shipmentId }
    pageInfo { hasNextPage }
  }
  low: exceptions(business: $business, facility: $facility, status: OPEN, priority: LOW, first: 100) {
    nodes { shipmentId }
    pageInfo { hasNextPage }
  }
}`
}

/** Reports what is wrong. */
export const reportException: Operation<Results.ReportExceptionVariables, Results.ReportExceptionResult> = {
  text:
    `mutation ReportException($input: ReportExceptionInput!) { reportException(input: $input) { ${exception} } }`
}

/** Says how an exception was resolved. */
export const resolveException: Operation<Results.ResolveExceptionVariables, Results.ResolveExceptionResult> =
  {
    text:
      `mutation ResolveException($input: ResolveExceptionInput!) { resolveException(input: $input) { ${exception} } }`
  }

/** The shipment of a number at a facility. */
export const numbered: Operation<Results.NumberedVariables, Results.NumberedResult> = {
  text: `query Numbered($business: String, $facility: String, $shipmentNumber: String) {
  shipments(business: $business, facility: $facility, shipmentNumber: $shipmentNumber, first: 1) { nodes { id } }
}`
}

/** Notes the arrival of a shipment. */
export const arriveShipment: Operation<Results.ArriveShipmentVariables, Results.ArriveShipmentResult> = {
  text: "mutation ArriveShipment($input: ArriveShipmentInput!) { arriveShipment(input: $input) { id } }"
}

/** Notes the departure of a shipment, which is final. */
export const departShipment: Operation<Results.DepartShipmentVariables, Results.DepartShipmentResult> = {
  text: "mutation DepartShipment($input: DepartShipmentInput!) { departShipment(input: $input) { id } }"
}

/** Links two shipments. */
export const linkShipments: Operation<Results.LinkShipmentsVariables, Results.LinkShipmentsResult> = {
  text: "mutation LinkShipments($input: LinkShipmentsInput!) { linkShipments(input: $input) { id } }"
}

/** Cancels a shipment with its orders, which is final. */
export const cancelShipment: Operation<Results.CancelShipmentVariables, Results.CancelShipmentResult> = {
  text: "mutation CancelShipment($input: CancelShipmentInput!) { cancelShipment(input: $input) { id } }"
}

/** A pallet with its events. */
export const pallet: Operation<Results.PalletVariables, Results.PalletResult> = {
  text: `query Pallet($shipmentId: Long!, $id: String!) {
  pallet(shipmentId: $shipmentId, id: $id) {
    id lpn state expected orders dockSlug firstSeenAt lastSeenAt shipmentId shipmentNumber
    ${place}
    labels { name value }
    events { direction occurredAt dockSlug messageId }
  }
}`
}
