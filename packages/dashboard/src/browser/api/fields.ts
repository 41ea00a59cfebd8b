/** Selections of fields that several operations share. */

/** What is shown of a shipment that something else names by its id alone, as messages do. */
export const briefly =
  "id shipmentNumber status direction carrier statusEvents { status completedAt } progress { missingPallets unexpectedPallets }"
