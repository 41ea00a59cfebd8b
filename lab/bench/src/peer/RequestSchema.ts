/**
 * The JSON schema of a document, for Fastify's ajv: unknown fields refused, no coercion, the limits of the interface.
 *
 * `null` means absent, so optional fields take it; `""` means absent in every optional string.
 */

/** No NUL and no lone surrogate; ajv compiles patterns with the `u` flag. */
const storable = "^[^\\u0000\\ud800-\\udfff]*$"
const nullableText = { type: ["string", "null"], maxLength: 1024, pattern: storable }
const requiredText = { type: "string", minLength: 1, maxLength: 1024, pattern: storable }
const amount = { type: ["number", "null"], minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
// Not `integer`: a fraction is a bad value (422), not a wrong type (400).
const wholeAmount = { ...amount, multipleOf: 1 }
const word = (...words: ReadonlyArray<string>) => ({ type: ["string", "null"], enum: [...words, "", null] })
const list = (items: object) => ({ type: ["array", "null"], items })
const strategy = { type: ["string", "null"], enum: ["APPEND", "MERGE", "DELETE", "OVERWRITE", null] }

const object = (properties: Record<string, object>, required: ReadonlyArray<string> = []) => ({
  type: "object",
  additionalProperties: false,
  properties,
  required
})

const items = list(object({
  identifier: nullableText,
  lpn: nullableText,
  sku: nullableText,
  quantity: amount,
  quantityUnit: word("PALLET", "CASE", "UNIT"),
  purchaseOrder: nullableText,
  description: nullableText,
  upc: nullableText,
  weightPerUnit: amount,
  weightUnit: word("POUND", "KILOGRAM", "OUNCE", "GRAM"),
  height: amount,
  length: amount,
  width: amount,
  dimensionUnit: word("INCH", "FOOT", "CENTIMETER", "MILLIMETER", "METER"),
  isDangerousGood: { type: ["boolean", "null"] },
  lot: nullableText,
  expirationDate: { type: ["string", "null"], format: "optional-date" },
  manufacturingDate: { type: ["string", "null"], format: "optional-date" },
  caseSerials: list(object({ id: requiredText, quantity: wholeAmount }, ["id"]))
}))

const orderFields = {
  orderType: nullableText,
  purchaseOrder: nullableText,
  consigneeName: nullableText,
  consigneePhoneNumber: nullableText,
  bolNumber: nullableText,
  expectedQuantity: wholeAmount,
  sealNumber: nullableText,
  supplier: nullableText,
  client: nullableText,
  destination: nullableText,
  orderItemUpdateStrategy: strategy,
  items
}

/** The body of `POST /v1/documents`. */
export const documentSchema = object({
  business: requiredText,
  facility: requiredText,
  direction: { type: "string", enum: ["INBOUND", "OUTBOUND"] },
  orderNumber: nullableText,
  shipmentNumber: nullableText,
  expectedArrivalAt: { type: ["string", "null"], format: "optional-date-time" },
  trailerNumber: nullableText,
  dockSlug: nullableText,
  driverName: nullableText,
  driverLicenseNumber: nullableText,
  driverLicensePlate: nullableText,
  carrier: nullableText,
  additionalFields: list(object({ name: requiredText, value: nullableText }, ["name", "value"])),
  ...orderFields,
  orders: list(object({ orderNumber: requiredText, ...orderFields }, ["orderNumber"]))
}, ["business", "facility", "direction"])

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:[0-5]\d:[0-5]\d(?:\.\d+)?)([Zz]|[+-]\d{2}:[0-5]\d)?$/

const isDate = (text: string): boolean => {
  if (!datePattern.test(text) || text.startsWith("0000")) return false
  const millis = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text)
}

/** Reads a date-time; without an offset it is UTC. */
export const parseDateTime = (text: string): Date | undefined => {
  const match = dateTimePattern.exec(text)
  if (match === null || !isDate(match[1]!)) return undefined
  const date = new Date(`${match[1]}T${match[2]}${(match[3] ?? "Z").toUpperCase()}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The formats that the schema uses besides ajv's own. */
export const formats = {
  "optional-date": (text: string): boolean => text === "" || isDate(text),
  "optional-date-time": (text: string): boolean => text === "" || parseDateTime(text) !== undefined
}
