/**
 * Writes the XML form of a response (D2.8), with the list rule of D2.5. Reading it with `XmlBody` and `XmlShape` returns the same value,
 * except that empty lists, empty objects and `null` are absent, and characters outside XML 1.0 become U+FFFD.
 */
import * as JsonWriter from "@dockline/core/input/JsonWriter"

/**
 * Writes a value with the same content as `JSON.stringify`. For a list, the element of its field is repeated; a list without a field has
 * `item` elements. A key that is not an XML name is escaped as `_x0020_` (as SQL Server and .NET do).
 */
export const write = (rootName: string, value: unknown): string => Array.from(parts(rootName, value)).join("")

/** The parts of the text that {@link write} writes. */
export function* parts(rootName: string, value: unknown): Generator<string, void, void> {
  const name = elementName(rootName)
  yield `<?xml version="1.0" encoding="UTF-8"?>\n`
  if (JsonWriter.holdsMuch(value)) yield* elementParts(name, value)
  else yield element(name, value) || `<${name}></${name}>`
}

/** Recursion is safe, because response schemas limit the depth of values. */
function* elementParts(name: string, value: unknown): Generator<string, void, void> {
  if (!JsonWriter.holdsMuch(value)) return yield element(name, value)
  yield `<${name}>`
  if (JsonWriter.isLong(value)) {
    for (const piece of JsonWriter.piecesOf(value)) yield escape(piece)
    return yield `</${name}>`
  }
  for (const [inner, field] of fieldsOf(value)) yield* elementParts(inner, field)
  yield `</${name}>`
}

const element = (name: string, value: unknown): string => {
  if (typeof value !== "object" || value === null) return scalar(name, value)
  let text = `<${name}>`
  for (const [inner, field] of fieldsOf(value)) text += element(inner, field)
  return `${text}</${name}>`
}

/** The elements within a value: a list that is a field repeats its element. */
const fieldsOf = (value: object): ReadonlyArray<readonly [name: string, field: unknown]> => {
  if (Array.isArray(value)) return value.map((entry) => ["item", entry])
  return Object.entries(value).flatMap(([key, field]) => {
    const name = elementName(key)
    return Array.isArray(field) ? field.map((entry) => [name, entry] as const) : [[name, field] as const]
  })
}

const scalar = (name: string, value: unknown): string => {
  switch (typeof value) {
    case "string":
      return `<${name}>${escape(value)}</${name}>`
    case "number":
      return Number.isFinite(value) ? `<${name}>${value}</${name}>` : ""
    case "boolean":
    case "bigint":
      return `<${name}>${value}</${name}>`
    default:
      return ""
  }
}

/** The carriage return is special because parsers read it as `\n`, and `>` because `]]>` may not stand in text. */
// oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
const special = /[&<>\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const replacements: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;"
}

const escape = (text: string): string =>
  text.toWellFormed().replaceAll(special, (character) => replacements[character] ?? "\ufffd")

const plainName = /^[A-Za-z_][A-Za-z0-9_.-]*$/

/**
 * The name of an element. ASCII names stay; every other character is escaped, including the colon, because the part before it would be a
 * prefix.
 */
const elementName = (key: string): string => {
  if (plainName.test(key)) return key
  return Array.from(key, (character, index) =>
    (index === 0 ? /[A-Za-z_]/ : /[A-Za-z0-9_.-]/).test(character)
      ? character
      : `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}_`).join("") || "_"
}
