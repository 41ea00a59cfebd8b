/** Numbers and counts, in the reader's notation. */
const format = new Intl.NumberFormat()

/** Orders names as people count: D2 before D10. */
export const compareNames = new Intl.Collator(undefined, { numeric: true }).compare

/** `1,234`, or `1.5`. */
export const amount = (number: number): string => format.format(number)

/** `1 shipment`, `2 shipments`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${amount(count)} ${count === 1 ? noun : plural}`
