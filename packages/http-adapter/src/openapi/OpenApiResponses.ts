/**
 * The responses of each operation in the OpenAPI document: when each status occurs, its headers, its body, examples.
 */
import { isKeptStatus } from "@dockline/core/internal/Categories"
import { mediaType } from "@dockline/core/internal/Problem"
import type { IntakeResult } from "@dockline/core/Outcome"
import * as Examples from "./Examples.ts"
import { codesOf, tokenRefusals } from "./OpenApiCodes.ts"
import type { TokenRefusal } from "./OpenApiCodes.ts"
import { refusals } from "./OpenApiErrors.ts"
import type { ErrorCode } from "./OpenApiErrors.ts"
import * as OperatorText from "./OpenApiOperatorText.ts"
import { membersOf, schemaRef, toJson } from "./OpenApiSchemas.ts"
import type { Json, JsonObject } from "./OpenApiSchemas.ts"
import * as Text from "./OpenApiText.ts"
import * as OperatorExamples from "./OperatorExamples.ts"
import * as PalletExamples from "./PalletExamples.ts"

/** Completes the generated responses of an operation, and adds those that every path has. */
export type DescribeResponses = (operationId: string, generated: JsonObject) => JsonObject

/** Makes {@link DescribeResponses}; what all operations share is made once. */
export const make = (): DescribeResponses => {
  const known = refusals()
  const contents = successContents()
  return (operationId, generated) => describeResponses(operationId, generated, known, contents)
}

type Refusals = ReturnType<typeof refusals>
type Contents = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>

const describeResponses = (
  operationId: string,
  generated: JsonObject,
  known: Refusals,
  contents: Contents
): JsonObject => {
  const statuses = Array.from(new Set([...Object.keys(generated), ...everywhere])).sort()
  return Object.fromEntries(statuses.map((status) => [status, {
    ...membersOf(generated[status]),
    ...describeResponse(operationId, status, membersOf(generated[status]), known, contents),
    headers: headersOf(operationId, status)
  }]))
}

/** Answered before the operation is chosen. */
const everywhere = ["405", "408", "431"]

const describeResponse = (
  operationId: string,
  status: string,
  generated: JsonObject,
  known: Refusals,
  contents: Contents
): JsonObject => {
  const success = Text.successes[operationId]?.[status]
  if (success !== undefined) {
    const content = contents[operationId]?.[status] ?? operatorContent(operationId, generated)
    return { description: success, ...(content === undefined ? {} : { content }) }
  }
  const token = operationId === "requestToken"
    ? tokenRefusals.filter((refusal) => String(refusal.status) === status)
    : []
  if (token.length > 0) return tokenResponse(token)
  const codes = (codesOf[operationId] ?? []).filter((code) => String(known[code].example.status) === status)
  return codes.length > 0 ? problemResponse(codes, known) : {}
}

const problemResponse = (codes: ReadonlyArray<ErrorCode>, known: Refusals): JsonObject => {
  return {
    description: list(codes.map((code) => ({ code, when: known[code].when }))),
    content: {
      [mediaType]: {
        schema: schemaRef("Problem"),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: code, value: toJson(known[code].example) }])
        )
      }
    }
  }
}

const tokenResponse = (errors: ReadonlyArray<TokenRefusal>): JsonObject => ({
  description: list(errors.map(({ error, when }) => ({ code: error, when }))),
  content: {
    "application/json": {
      schema: schemaRef("TokenError"),
      examples: Object.fromEntries(errors.map(({ error }) => [error, { summary: error, value: { error } }]))
    }
  }
})

const list = (reasons: ReadonlyArray<{ readonly code: string; readonly when: string }>): string =>
  reasons.map(({ code, when }) => `${reasons.length > 1 ? "- " : ""}\`${code}\`: ${when}.`).join("\n")

const headersOf = (operationId: string, status: string): JsonObject => {
  const submit = operationId === "submitDocument"
  const operating = operationId in OperatorText.successes
  const repeatable = codesOf[operationId]?.includes("IDEMPOTENCY_KEY_REUSED") === true
  const success = status.startsWith("2")
  const counted = codesOf[operationId]?.includes("RATE_LIMITED") === true &&
    ![...everywhere, "401"].includes(status)
  const own: ReadonlyArray<readonly [name: string, component: string, applies: boolean]> = [
    ["Correlation-Id", "CorrelationId", true],
    ["Location", operating ? "LocationOfMade" : "Location", (submit || operating) && status === "201"],
    ["Cache-Control", "NoStore", operating && success && status !== "204"],
    ["Preference-Applied", "PreferenceApplied", submit && success],
    [
      "Idempotency-Replayed",
      "IdempotencyReplayed",
      repeatable && !everywhere.includes(status) && isKeptStatus(Number(status))
    ],
    [
      "WWW-Authenticate",
      operationId === "requestToken" ? "BasicChallenge" : "WwwAuthenticate",
      status === "401"
    ],
    ["Allow", "Allow", status === "405"],
    ["Retry-After", "RetryAfter", status === "429" || status === "503"],
    ["RateLimit-Policy", "RateLimitPolicy", counted],
    ["RateLimit", "RateLimit", counted]
  ]
  return Object.fromEntries(
    own.filter(([, , applies]) => applies).map((
      [name, component]
    ) => [name, { $ref: `#/components/headers/${component}` }])
  )
}

/** The generated body of an answer to an operator, with its example. */
const operatorContent = (operationId: string, generated: JsonObject): JsonObject | undefined => {
  const value = OperatorExamples.answers[operationId]
  const json = membersOf(membersOf(generated["content"])["application/json"])
  return value === undefined
    ? undefined
    : { "application/json": { ...json, examples: { example: { summary: "Example", value: toJson(value) } } } }
}

/** Bodies of successes, where there is more to say than the schema. */
const successContents = (): Contents => {
  const { created, updated } = Examples.answerExamples(1)
  const { shipment } = updated
  const [order] = shipment.orders
  const { business, facility, id: shipmentId, shipmentNumber } = shipment
  const pallet = answerOf("PalletAnswer", PalletExamples.answer)
  const { arrived, departed } = PalletExamples.moved(shipment)
  return {
    submitDocument: { 200: answerContent(updated), 201: answerContent(created) },
    recordPalletEvent: { 200: pallet, 201: pallet },
    getShipment: { 200: answerOf("Shipment", shipment) },
    arriveShipment: { 200: answerOf("Shipment", arrived) },
    departShipment: { 200: answerOf("Shipment", departed) },
    linkShipments: { 200: answerOf("Shipment", arrived) },
    listShipments: { 200: answerOf("ShipmentPage", { items: [shipment], next: null }) },
    listOrders: {
      200: answerOf("OrderPage", {
        items: [{ ...order, business, facility, shipmentId, shipmentNumber }],
        next: null
      })
    },
    requestToken: {
      200: jsonContent("TokenResponse", {
        access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhY21lLWNsaWVudCJ9.c2lnbmF0dXJl",
        token_type: "Bearer",
        expires_in: 86_400
      })
    }
  }
}

const jsonContent = (schema: string, example: object): JsonObject => ({
  "application/json": {
    schema: schemaRef(schema),
    examples: { example: { summary: "Example", value: toJson(example) } }
  }
})

/** An answer in JSON or, under a root element named like its schema, in XML. */
const answerOf = (schema: string, example: object): JsonObject => {
  const xml = {
    schema: schemaRef(`${schema}Xml`),
    examples: { example: { summary: "Example", value: Examples.toXml(schema, example) } }
  }
  return { ...jsonContent(schema, example), "application/xml": xml, "text/xml": xml }
}

const answerContent = (answer: IntakeResult): JsonObject => {
  const minimal = { shipment: { id: answer.shipment.id, status: answer.shipment.status } }
  const examples = (write: (value: object) => Json) => ({
    full: { summary: "The whole answer", value: write(answer) },
    minimal: { summary: "With Prefer: return=minimal", value: write(minimal) }
  })
  const xml = {
    schema: schemaRef("DocumentAnswerXml"),
    examples: examples((value) => Examples.toXml("IntakeResult", value))
  }
  return {
    "application/json": { schema: schemaRef("DocumentAnswer"), examples: examples(toJson) },
    "application/xml": xml,
    "text/xml": xml
  }
}
