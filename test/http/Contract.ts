/**
 * The rules for every answer of the REST interface, in all tests: the OpenAPI document describes it for its operation, including body and
 * media type, and a refusal is a problem (D4.2, D4.3, D4.5).
 */
import { defaultRules } from "@dockline/core/document/DocumentInput"
import type { ObjectShape, Shape } from "@dockline/core/input/Shape"
import { withParts } from "@dockline/http-adapter/api/Parts"
import * as XmlBody from "@dockline/http-adapter/body/XmlBody"
import { toValue } from "@dockline/http-adapter/body/XmlShape"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/2020.js"
import { Result } from "effect"
import { STATUS_CODES } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { assert } from "vitest"

/** One request and its answer. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** An answer that was checked by the contract: its body as a value. */
export interface Checked {
  /** JSON, or XML converted back to the equivalent JSON; `undefined` for an answer without a body. */
  readonly body: unknown
}

/** A part of the document: an object whose members are looked up by name. */
type Part = Readonly<Record<string, unknown>>

const partOf = (value: unknown): Part => (typeof value === "object" && value !== null ? (value as Part) : {})

/** The part at a path; `{}` if there is none. */
const at = (part: Part, ...path: ReadonlyArray<string>): Part =>
  path.reduce<Part>((found, name) => partOf(found[name]), part)

const document = partOf(
  JSON.parse(JSON.stringify(openApiOf(defaultRules, true, withParts(capabilities, restParts))))
)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
for (const name of ["int64", "int32", "float", "double", "password"]) ajv.addFormat(name, true)
ajv.addSchema({ $id: "openapi", ...document }, "openapi")

const pointer = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `/${encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("")

const validators = new Map<string, ValidateFunction>()

const validator = (reference: string): ValidateFunction => {
  const known = validators.get(reference) ?? ajv.compile({ $ref: `openapi#${reference}` })
  validators.set(reference, known)
  return known
}

const matches = (template: string, path: string): boolean => {
  const wanted = template.split("/")
  const given = path.split("/")
  return wanted.length === given.length &&
    wanted.every((segment, index) => segment.startsWith("{") ? given[index] !== "" : segment === given[index])
}

/** The phrase of each status, as in WIRE.md and HTTP. */
const titles: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 413: "Content Too Large" }

const mediaTypeOf = (headers: IncomingHttpHeaders): string =>
  (headers["content-type"] ?? "").split(";")[0]!.trim()

const describe = ({ method, path, status, text }: Exchange): string =>
  `${method} ${path.slice(0, 200)} ${status} ${text.slice(0, 500)}`

/** Checks a problem by itself: its headers and its body. */
export const checkProblem = (exchange: Exchange): Checked => {
  const { status, headers, text } = exchange
  const context = describe(exchange)
  assert.strictEqual(headers["content-type"], "application/problem+json", context)
  const problem = JSON.parse(text) as Record<string, unknown>
  assert.strictEqual(problem["type"], "about:blank", context)
  assert.strictEqual(problem["status"], status, context)
  assert.strictEqual(problem["title"], titles[status], context)
  assert.match(String(problem["detail"]), /\S/, context)
  assert.match(String(problem["code"]), /^[A-Z_]+$/, context)
  for (const error of (problem["errors"] ?? []) as ReadonlyArray<Record<string, unknown>>) {
    assert.match(String(error["detail"]), /\S/, context)
  }
  if (status === 405) assert.match(String(headers["allow"]), /^[A-Z]+(, [A-Z]+)*$/, context)
  checkStatusHeaders(exchange)
  if (status === 401) {
    assert.match(
      String(headers["www-authenticate"]),
      /^Bearer(?: error="invalid_token", error_description="[\w ]+")?$/,
      context
    )
    assert.strictEqual(problem["detail"], "missing or invalid bearer token", context)
    assert.match(
      JSON.stringify(problem["errors"]),
      /^\[\{"path":"Authorization","detail":"[^}]+"\}\]$/,
      context
    )
  }
  return { body: problem }
}

const checkStatusHeaders = (exchange: Exchange): void => {
  const { status, headers } = exchange
  const correlationId = headers["correlation-id"] ?? ""
  assert.isTrue(
    correlationId.length > 0 && correlationId.length <= 128,
    `a correlation id: ${describe(exchange)}`
  )
  assert.strictEqual(headers["cache-control"], "no-store", `no cache keeps it: ${describe(exchange)}`)
  if (status === 429 || status === 503) {
    assert.match(String(headers["retry-after"]), /^[1-9][0-9]*$/, describe(exchange))
  }
}

/** Checks an answer by the OpenAPI document and the rules of every answer; throws if it breaks one. */
export const check = (exchange: Exchange): Checked => {
  const { method, status, headers, text } = exchange
  const context = describe(exchange)
  const path = exchange.path.replace(/[?#].*$/s, "")
  const template = Object.keys(at(document, "paths")).find((each) => matches(each, path))
  if (template === undefined) {
    assert.strictEqual(status, 404, `no operation is described at this path: ${context}`)
    return method === "HEAD" ? withoutBody(exchange) : checkProblem(exchange)
  }
  const operations = at(document, "paths", template)
  const asked = (method === "HEAD" ? "GET" : method).toLowerCase()
  const isKnown = asked in operations
  if (!isKnown) assert.strictEqual(status, 405, `the method is not described: ${context}`)
  const place = [
    "paths",
    template,
    isKnown ? asked : Object.keys(operations)[0]!,
    "responses",
    String(status)
  ]
  assert.property(
    at(document, ...place.slice(0, -1)),
    String(status),
    `the status is not described: ${context}`
  )
  checkStatusHeaders(exchange)
  if (method === "HEAD") return withoutBody(exchange)
  // The contract describes XML in one media type, but both are served.
  const mediaType = mediaTypeOf(headers).replace("text/xml", "application/xml")
  const contents = at(document, ...place, "content")
  if (Object.keys(contents).length === 0) return withoutBody(exchange)
  assert.property(contents, mediaType, `the media type is not described: ${context}`)
  const isXml = mediaType.endsWith("/xml")
  const valueType = isXml ? "application/json" : mediaType
  const body: unknown = isXml
    ? readXml(text, at(contents, valueType, "schema"))
    : mediaType.startsWith("text/") || mediaType === "application/edi-x12"
    ? text
    : JSON.parse(text)
  const validate = validator(pointer(...place, "content", valueType, "schema"))
  assert.isTrue(validate(body), `${ajv.errorsText(validate.errors)}: ${context}`)
  if (mediaType === "application/problem+json") checkProblem(exchange)
  return { body }
}

const withoutBody = (exchange: Exchange): Checked => {
  assert.strictEqual(exchange.text, "", describe(exchange))
  return { body: undefined }
}

const resolve = (schema: Part): Part => {
  const reference = schema["$ref"]
  if (typeof reference === "string") return resolve(at(document, ...reference.slice(2).split("/")))
  // The answer to a document is complete, or minimal, which is a part of the complete one.
  return "anyOf" in schema ? resolve(at(schema, "anyOf", "0")) : schema
}

const shapeOf = (given: Part): Shape => {
  const schema = resolve(given)
  switch (schema["type"]) {
    case "object":
      return {
        kind: "object",
        fields: Object.fromEntries(
          Object.entries(partOf(schema["properties"] ?? {})).map((
            [name, property]
          ) => [name, shapeOf(partOf(property))])
        )
      }
    case "array": {
      const of = shapeOf(at(schema, "items"))
      assert(of.kind !== "list", "no list of lists")
      return { kind: "list", of }
    }
    case "integer":
    case "number":
      return { kind: "number" }
    case "boolean":
      return { kind: "boolean" }
    default:
      return { kind: "string" }
  }
}

const objectShape = (schema: Part): ObjectShape => {
  const shape = shapeOf(schema)
  assert(shape.kind === "object")
  return shape
}

/**
 * Reads an answer in XML through our own reader; missing lists are empty, because XML cannot express that. The payloads of messages may
 * have any fields, and are left out.
 */
const readXml = (text: string, schema: Part): unknown => {
  const known = text.replaceAll(/<message>.*?<\/message>/gs, "")
  const root = XmlBody.parse(new TextEncoder().encode(known), undefined)
  assert(Result.isSuccess(root), `the answer is XML: ${text.slice(0, 500)}`)
  const shape = objectShape(schema)
  const value = toValue(root.success, shape)
  assert(Result.isSuccess(value), `the answer is of its shape: ${text.slice(0, 500)}`)
  const isMinimal = text.includes("<IntakeResult><shipment>")
  if (isMinimal) return value.success
  const whole = partOf(withLists(value.success, shape))
  // XML has no null either.
  return "next" in shape.fields ? { next: null, ...whole } : whole
}

const withLists = (value: unknown, shape: Shape): unknown => {
  if (shape.kind === "list") {
    return ((value ?? []) as ReadonlyArray<unknown>).map((entry) => withLists(entry, shape.of))
  }
  if (shape.kind !== "object") return value
  const members = (value ?? {}) as Record<string, unknown>
  const filled = Object.entries(shape.fields).map(([name, field]) =>
    [name, withLists(members[name], field)] as const
  )
  return Object.fromEntries(filled.filter(([, member]) => member !== undefined))
}
