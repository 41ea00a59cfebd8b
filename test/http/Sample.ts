/**
 * Documents to send: minimal valid ones, to be varied.
 */
import { unique } from "../support/TestServer.ts"

type Fields = Readonly<Record<string, unknown>>

/** A document of one order without items, whose number no other test uses. */
export const order = (fields: Fields = {}): Record<string, unknown> & { readonly orderNumber: string } => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: unique("O"),
  ...fields
})

/** An item with the fields that every strategy requires. */
export const item = (lpn: string, fields: Fields = {}): Record<string, unknown> => ({
  lpn,
  sku: "SKU",
  quantity: 1,
  quantityUnit: "CASE",
  ...fields
})

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;")

const element = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return value.map((entry) => element(name, entry)).join("")
  const content = typeof value === "object" && value !== null
    ? Object.entries(value).map(([key, member]) => element(key, member)).join("")
    : escape(String(value))
  return `<${name}>${content}</${name}>`
}

/** A document as XML (D2.5). */
export const xml = (document: object, root = "Document"): string => element(root, document)

/** The headers of an XML document. */
export const asXml = { "content-type": "application/xml" }
