/**
 * Makes the value that a JSON body with the same content would have (D2.5), by a shape. The value has only fields of the shape, so no
 * element name can reach a prototype. Faults have the path that they would have in JSON.
 */
import { formatPath, maxFaults, unknownName } from "@dockline/core/input/Faults"
import type { ObjectShape, Shape } from "@dockline/core/input/Shape"
import { atOnce } from "@dockline/core/input/Slices"
import type { Steps } from "@dockline/core/input/Slices"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { clip } from "@dockline/core/values/Clip"
import { Result } from "effect"
import { isWhitespace } from "./XmlBody.ts"
import type { XmlElement } from "./XmlBody.ts"

/**
 * Makes the plain value of a root element, whatever its name is.
 *
 * Text of the kind `string` stays as it is; text of other kinds is trimmed. A `number` has the grammar of JSON, and may have leading zeros
 * (`007` is 7, because ERP systems pad numbers). A `boolean` is `true`, `false`, `1` or `0`, as in XML Schema. A `date` stays text without
 * the zone that XML Schema allows (`2027-01-31+02:00`): the date is the same in every zone. For a list, the element of its field is
 * repeated, without a wrapper. An empty element is `""` for a string; otherwise it is absent, and is no entry of a list.
 *
 * Fails with the first {@link maxFaults} field errors: an unknown element (once for each name and parent), an element that occurs twice
 * although it is no list, text that does not parse as its type, text instead of elements, or elements instead of text. Error texts call the
 * body `whole`.
 */
export const toValue = (
  root: XmlElement,
  shape: ObjectShape,
  whole = "a document"
): Result.Result<Record<string, unknown>, ReadonlyArray<FieldError>> => atOnce(read(root, shape, whole))

/** {@link toValue} in steps. */
export function* read(
  root: XmlElement,
  shape: ObjectShape,
  whole = "a document"
): Steps<Result.Result<Record<string, unknown>, ReadonlyArray<FieldError>>> {
  const faults: Faults = { whole, errors: [] }
  const value = (yield* readObject(root, shape, [], faults)) ?? {}
  return faults.errors.length === 0 ? Result.succeed(value) : Result.fail(faults.errors)
}

/** The path of the current element; the reader extends and shortens it. */
type Path = Array<string | number>

/** The errors so far, and the name of the body in their texts. */
interface Faults {
  readonly whole: string
  readonly errors: Array<FieldError>
}

function* readObject(
  element: XmlElement,
  { fields }: ObjectShape,
  path: Path,
  faults: Faults
): Steps<Record<string, unknown> | undefined> {
  const { errors, whole } = faults
  const text = trim(element.text)
  if (text !== "") {
    errors.push({ path: formatPath(path), detail: `must hold elements only, not the text "${clip(text)}"` })
  }
  if (element.children.length === 0) return text === "" ? undefined : {}

  const value: Record<string, unknown> = {}
  const lists = new Map<string, Array<unknown>>()
  const first = new Map<string, XmlElement>()
  const reports = new Set<string>()
  const report = (name: string, detail: string): void => {
    if (!reports.has(name)) errors.push({ path: formatPath([...path, name]), detail })
    reports.add(name)
  }

  for (const child of element.children) {
    yield 1
    // A hostile body may have hundreds of thousands of faults.
    if (errors.length >= maxFaults) break
    const { name } = child
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) {
      report(name, unknownElement(child, fields, path, whole))
    } else if (field.kind === "list") {
      const list = lists.get(name) ?? []
      lists.set(name, list)
      path.push(name, list.length)
      const entry = yield* readElement(child, field.of, path, faults)
      path.length -= 2
      if (entry !== undefined) list.push(entry)
    } else {
      const other = first.get(name)
      if (other !== undefined) {
        report(name, `is given twice, at line ${other.line} and at line ${child.line}, but is not a list`)
        continue
      }
      first.set(name, child)
      path.push(name)
      const entry = yield* readElement(child, field, path, faults)
      path.length -= 1
      if (entry !== undefined) value[name] = entry
    }
  }
  for (const [name, list] of lists) if (list.length > 0) value[name] = list
  return value
}

/** The fault of an element that is not a field. Most often it is a wrapper: `<items><item>…</item></items>`. */
const unknownElement = (
  element: XmlElement,
  fields: ObjectShape["fields"],
  path: Path,
  whole: string
): string => {
  const list = typeof path.at(-1) === "number" ? path.at(-2) : undefined
  const isEntry = element.children.some(({ name }) => Object.hasOwn(fields, name))
  return list !== undefined && isEntry
    ? `is not a field of ${whole}; repeat <${list}> for each entry, there is no wrapper element`
    : unknownName(element.name, `a field of ${whole}`, Object.keys(fields))
}

/** The value of an element without a shape: its text, or its elements by name; repeated elements become a list. */
const anyValue = ({ children, text }: XmlElement): unknown =>
  children.length === 0 ? text : Object.fromEntries(
    Array.from(Map.groupBy(children, ({ name }) => name), ([name, all]) => {
      const values = all.map(anyValue)
      return [name, values.length === 1 ? values[0] : values]
    })
  )

/** Stands for a refused entry, so that later entries keep their index. */
const refusal = null

function* readElement(
  element: XmlElement,
  shape: Shape,
  path: Path,
  faults: Faults
): Steps<unknown> {
  switch (shape.kind) {
    case "object":
      return yield* readObject(element, shape, path, faults)
    case "any":
      return anyValue(element) || undefined
    case "list":
      throw new TypeError("XML has no lists of lists")
    default:
      return readScalar(element, shape.kind, path, faults.errors)
  }
}

const readScalar = (
  element: XmlElement,
  kind: keyof typeof expected,
  path: Path,
  errors: Array<FieldError>
): unknown => {
  const child = element.children[0]
  if (child !== undefined) {
    errors.push({
      path: formatPath(path),
      detail: `must be ${expected[kind]}, not an element that holds others (<${clip(child.name)}>)`
    })
    return refusal
  }
  if (kind === "string") return element.text
  const text = trim(element.text)
  if (text === "") return undefined
  const value = parsers[kind](text)
  if (value === undefined) {
    errors.push({ path: formatPath(path), detail: `must be ${expected[kind]}, not "${clip(text)}"` })
    return refusal
  }
  return value
}

const zonedDate = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$/

const numberPattern = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

const parsers = {
  number: (text: string): number | undefined => (numberPattern.test(text) ? Number(text) : undefined),
  boolean: (text: string): boolean | undefined => booleans.get(text),
  date: (text: string): string => zonedDate.exec(text)?.[1] ?? text
}

const booleans = new Map([["true", true], ["1", true], ["false", false], ["0", false]])

const expected = {
  string: "text",
  number: "a number such as 5 or 12.5",
  boolean: "true or false",
  date: "a date"
}

/** Trims the whitespace of XML in loops: a regular expression for the end is quadratic on a long run of whitespace inside. */
const trim = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
