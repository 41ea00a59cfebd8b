/** Selections of fields that several operations share. */

/** The fields shown of a shipment that something else, such as a message, names by its id. */
export const briefly =
  "id shipmentNumber status direction carrier statusEvents { status completedAt } progress { missingPallets unexpectedPallets }"
