/**
 * The responses of each operation in the OpenAPI document: when each status occurs, its headers, its body, and examples, also in XML for
 * people. Also the schemas that clients need in another form than the API declares: bodies in XML, the answer to a document, which may be
 * short, and the request for a token.
 */
import type * as Declared from "@dockline/core/access/Operation"
import * as Capability from "@dockline/core/capability/Capability"
import {
  declaredOfOperators,
  declaredOperations,
  operatorPartsOf
} from "@dockline/core/capability/DeclaredOperations"
import { exampleWith } from "@dockline/core/capability/Extension"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import * as DeclaredExamples from "@dockline/core/operator/DeclaredExamples"
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import type { ErrorClass } from "@dockline/core/values/CatalogueError"
import {
  HeadersTooLarge,
  IdempotencyKeyReused,
  MethodNotAllowed,
  MisdirectedRequest,
  RateLimited,
  RequestTimeout
} from "@dockline/core/values/RequestErrors"
import { csv } from "@dockline/wire/MediaType"
import { isKeptStatus, mediaType, problemOf, statusOf } from "@dockline/wire/Problem"
import { Predicate } from "effect"
import { rootOf } from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as XmlText from "../answer/XmlText.ts"
import { partsOf } from "../api/Parts.ts"
import type { AnswerExample, RestCapability, RestPart, TextAnswer } from "../api/Parts.ts"
import { tokenRefusals } from "../api/TokenApi.ts"
import type { TokenRefusal } from "../api/TokenApi.ts"
import { audienceOf, defaultHttpConfig } from "../HttpConfig.ts"
import { contentOf, membersOf, schemaRef, toJson } from "./OpenApiSchemas.ts"
import type { Json, JsonObject } from "./OpenApiSchemas.ts"
import * as Text from "./OpenApiText.ts"

export interface Operation {
  readonly id: string
  readonly isOperator: boolean
  readonly errors: ReadonlyArray<ErrorClass>
}

/** The operations of operators, of the contract and of capabilities. */
const operatorOperationsWith = (
  capabilities: Capability.List
): Readonly<Record<string, Declared.AnyOfOperators>> => ({
  ...operatorOperations,
  ...declaredOfOperators(capabilities)
})

/** The columns of each list in CSV, by the name of its operation. */
export const tablesOf = (capabilities: Capability.List): ReadonlyMap<string, Declared.Table<never>> =>
  new Map(
    [
      ...Object.values(declaredOperations(capabilities)),
      ...Object.values(operatorOperationsWith(capabilities))
    ].flatMap(
      (operation): ReadonlyArray<readonly [string, Declared.Table<never>]> =>
        operation.kind === "list" ? [[operation.name, operation.columns]] : []
    )
  )

export const make = (capabilities: ReadonlyArray<RestCapability>) => {
  const contents: Contents = successContents(capabilities)
  const answers: Readonly<Record<string, object>> = Object.assign(
    {},
    DeclaredExamples.answers,
    ...operatorPartsOf(capabilities).map((part) => part.answers)
  )
  const tables = tablesOf(capabilities)
  const successes = successesOfCapabilities(capabilities)
  const versions = versionedOf(capabilities)
  const ofParts: RestPart["successes"] & {} = Object.assign(
    {},
    ...partsOf(capabilities).map((part) => part.successes)
  )
  return (operation: Operation, responses: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.keys(responses).sort().map((status) => [status, {
        ...membersOf(responses[status]),
        ...describeResponse(operation, status, membersOf(responses[status]), {
          answers,
          contents,
          ofParts,
          successes,
          tables
        }),
        headers: headersOf(operation, status, {
          isList: tables.has(operation.id),
          isVersioned: versions.has(operation.id)
        })
      }])
    )
}

/** The meanings of success of the operations of capabilities, by the names of the operations. */
const successesOfCapabilities = (capabilities: Capability.List): ReadonlyMap<string, string> =>
  new Map(
    Object.values(Capability.operationsOf(capabilities)).flatMap((operation) =>
      operation.kind === "write" && operation.success !== undefined
        ? [[operation.name, operation.success] as const]
        : []
    )
  )

type Contents = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>

const everywhere: ReadonlyArray<ErrorClass> = [
  MethodNotAllowed,
  RequestTimeout,
  HeadersTooLarge,
  MisdirectedRequest
]
const isEverywhere = (status: string): boolean => everywhere.some((error) => isOf(error, status))

const isOf = ({ category }: ErrorClass, status: string): boolean => String(statusOf(category)) === status

const describeResponse = (
  { id, errors }: Operation,
  status: string,
  response: JsonObject,
  { answers, contents, ofParts, successes, tables }: {
    readonly answers: Readonly<Record<string, object>>
    readonly contents: Contents
    readonly ofParts: RestPart["successes"] & {}
    readonly successes: ReadonlyMap<string, string>
    readonly tables: ReturnType<typeof tablesOf>
  }
): JsonObject => {
  const success = (ofParts[id] ?? Text.successes[id])?.[status] ??
    (status.startsWith("2") ? successes.get(id) : undefined) ?? Text.successTexts[status]
  if (success !== undefined) {
    const content = contents[id]?.[status] ?? operatorContent(answers[id], response) ??
      response["content"]
    return {
      description: success,
      ...(content === undefined ? {} : { content: withCsv(tables.get(id), membersOf(content)) })
    }
  }
  const token = id === "requestToken"
    ? tokenRefusals.filter((refusal) => String(refusal.status) === status)
    : []
  return token.length > 0
    ? tokenResponse(token)
    : problemResponse(errors.filter((error) => isOf(error, status)))
}

const problemResponse = (errors: ReadonlyArray<ErrorClass>): JsonObject =>
  refusal(
    mediaType,
    "Problem",
    errors.map((error) => ({
      code: error.code,
      when: error.when,
      value: problemOf(error.example())
    }))
  )

const tokenResponse = (errors: ReadonlyArray<TokenRefusal>): JsonObject =>
  refusal(
    "application/json",
    "TokenError",
    errors.map(({ error, when }) => ({ code: error, when, value: { error } }))
  )

const refusal = (
  type: string,
  schema: string,
  reasons: ReadonlyArray<{ readonly code: string; readonly when: string; readonly value: object }>
): JsonObject => ({
  description: reasons.map(({ code, when }) => `${reasons.length > 1 ? "- " : ""}\`${code}\`: ${when}.`).join(
    "\n"
  ),
  content: {
    [type]: {
      schema: schemaRef(schema),
      examples: Object.fromEntries(
        reasons.map(({ code, value }) => [code, { summary: code, value: toJson(value) }])
      )
    }
  }
})

/** The operations that answer with the version of their entity. */
const versionedOf = (capabilities: Capability.List): ReadonlySet<string> =>
  new Set(
    [
      ...Object.values(operatorOperationsWith(capabilities)),
      ...Object.values(declaredOperations(capabilities))
    ].flatMap(
      (operation: Declared.AnyOfOperators | Declared.Any) =>
        ("stateOf" in operation && operation.stateOf !== undefined) ||
          ("versionOf" in operation && operation.versionOf !== undefined)
          ? [operation.name]
          : []
    )
  )

const headersOf = (
  { id, isOperator, errors }: Operation,
  status: string,
  { isList, isVersioned }: { readonly isList: boolean; readonly isVersioned: boolean }
): JsonObject => {
  const submit = id === "submitDocument"
  const repeatable = errors.includes(IdempotencyKeyReused)
  const success = status.startsWith("2")
  const isCounted = errors.includes(RateLimited) && status !== "401" && !isEverywhere(status)
  const own: ReadonlyArray<readonly [name: string, component: string, applies: boolean]> = [
    ["Correlation-Id", "CorrelationId", true],
    ["Location", isOperator ? "LocationOfMade" : "Location", (submit || isOperator) && status === "201"],
    ["ETag", isOperator ? "ETag" : "ETagOfShipment", isVersioned && success],
    ["Cache-Control", "NoStore", true],
    ["Link", "Link", isList && success],
    ["Preference-Applied", "PreferenceApplied", submit && success],
    [
      "Idempotency-Replayed",
      "IdempotencyReplayed",
      repeatable && !isEverywhere(status) && isKeptStatus(Number(status))
    ],
    [
      "WWW-Authenticate",
      id === "requestToken" ? "BasicChallenge" : "WwwAuthenticate",
      status === "401"
    ],
    ["Allow", "Allow", status === "405"],
    ["Retry-After", "RetryAfter", status === "429" || status === "503"],
    ["Accept-Encoding", "AcceptEncoding", status === "415"],
    ["RateLimit-Policy", "RateLimitPolicy", isCounted],
    ["RateLimit", "RateLimit", isCounted]
  ]
  return Object.fromEntries(
    own.filter(([, , applies]) => applies).map((
      [name, component]
    ) => [name, { $ref: `#/components/headers/${component}` }])
  )
}

const operatorContent = (value: object | undefined, response: JsonObject): JsonObject | undefined => {
  const { schema } = membersOf(membersOf(response["content"])["application/json"])
  return value === undefined ? undefined : contentOf("application/json", membersOf(schema), toJson(value))
}

/** Adds the CSV form of a list, with the entries of its example. */
const withCsv = (table: Declared.Table<never> | undefined, content: JsonObject): JsonObject => {
  if (table === undefined) return content
  const examples = membersOf(membersOf(content["application/json"])["examples"])
  const { items = [] } = membersOf(membersOf(examples["example"])["value"])
  return {
    ...content,
    ...contentOf(csv, { type: "string" }, Csv.write(table, items as ReadonlyArray<never>))
  }
}

/** The statuses of success of an operation. */
const successesOf = (operation: Declared.Any): ReadonlyArray<number> => {
  if (operation.kind === "read" || operation.kind === "list") return [200]
  return typeof operation.creates === "function" ? [200, 201] : [operation.creates ? 201 : 200]
}

const declaredContent = (operation: Declared.Any, example: object): JsonObject => {
  if (operation.kind === "list") {
    return answerOf(operation.page, { items: [example].flat(), next: null })
  }
  const view = operation.kind === "write" ? operation.receipt?.view ?? operation.view : operation.view
  return answerOf(rootOf(view), example)
}

const successContents = (capabilities: ReadonlyArray<RestCapability>): Contents => {
  const { created, updated } = OperationExamples.submit
  const answers: Readonly<Record<string, object>> = Object.assign(
    {},
    OperationExamples.answers,
    ...capabilities.map(({ answers }) => answers)
  )
  const rows = Object.entries(declaredOperations(capabilities)).flatMap(([method, operation]) => {
    const example = exampleWith(answers[method], Capability.extensionsOf(capabilities, method))
    if (!Predicate.isObject(example) && !Array.isArray(example)) return []
    const content = declaredContent(operation, example)
    return [[
      operation.name,
      Object.fromEntries(successesOf(operation).map((status) => [status, content]))
    ]]
  })
  return {
    ...Object.fromEntries(rows),
    submitDocument: { 200: answerContent(updated), 201: answerContent(created) },
    ...Object.fromEntries(
      partsOf(capabilities).flatMap((part) =>
        Object.entries(part.answers).map(([id, answer]) => [id, { 200: partAnswer(answer, answers) }])
      )
    ),
    requestToken: {
      200: jsonContent("TokenResponse", {
        access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhY21lLWNsaWVudCJ9.c2lnbmF0dXJl",
        token_type: "Bearer",
        expires_in: 86_400
      })
    }
  }
}

const jsonContent = (schema: string, example: object): JsonObject =>
  contentOf("application/json", schemaRef(schema), toJson(example))

/** The answer of an endpoint of a part: in JSON and XML, in JSON media types of its own, or as a text or JSON. */
const partAnswer = (
  answer: AnswerExample | TextAnswer,
  answers: Readonly<Record<string, object>>
): JsonObject => {
  if ("text" in answer) {
    return {
      ...contentOf(answer.contentType, { type: "string" }, answer.text),
      ...jsonContent(answer.json.schema, answer.json.valueOf(answers))
    }
  }
  const { contentTypes, schema, value } = answer
  return contentTypes === undefined
    ? answerOf(schema, value)
    : Object.assign({}, ...contentTypes.map((type) => contentOf(type, schemaRef(schema), toJson(value))))
}

/** An answer in JSON, or in XML with a root element of the same name as its schema. */
const answerOf = (schema: string, example: object): JsonObject => ({
  ...jsonContent(schema, example),
  ...contentOf("application/xml", xmlText(schema), toXml(schema, example))
})

const answerContent = (answer: Declared.Json<IntakeResult>): JsonObject => {
  const minimal = { shipment: { id: answer.shipment.id, status: answer.shipment.status } }
  const examples = (write: (value: object) => Json) => ({
    full: { summary: "The whole answer", value: write(answer) },
    minimal: { summary: "With Prefer: return=minimal", value: write(minimal) }
  })
  const rootName = "IntakeResult"
  return {
    "application/json": { schema: schemaRef("DocumentAnswer"), examples: examples(toJson) },
    "application/xml": { schema: xmlText(rootName), examples: examples((value) => toXml(rootName, value)) }
  }
}

/** An example from the demo data (D12.2); `forReaders` replaces the audience by the audience of the service. */
export const demoCredentials = {
  client_id: "acme-client",
  client_secret: "acme-client-secret",
  audience: audienceOf(defaultHttpConfig.baseUrl)
}

/**
 * The schema of a body in XML: a text, because generators of clients have no classes for both JSON and XML. The schema of the JSON body
 * shows the elements.
 */
export const xmlText = (rootName: string): JsonObject => ({
  type: "string",
  description:
    `An XML document, whose root element is ${rootName}. Each field of the body in JSON is an element of the same name, and a list is \
its element repeated.`
})

export const ownSchemas = (schemas: JsonObject, intakeResult: JsonObject): JsonObject => ({
  Document: {
    ...membersOf(schemas["Document"]),
    description:
      "A document: of one order, with orderNumber and items; or of several, with shipmentNumber and orders"
  },
  DocumentAnswer: {
    ...intakeResult,
    description:
      "What the document did, and the shipment; with `Prefer: return=minimal` the shipment's id and status alone",
    properties: {
      ...membersOf(intakeResult["properties"]),
      shipment: {
        ...membersOf(schemas["Shipment"]),
        description: "The shipment as it is now",
        required: ["id", "status"]
      }
    },
    required: ["shipment"]
  }
})

export const tokenSchemas = (schemas: JsonObject): JsonObject => {
  const tokenRequest = membersOf(schemas["TokenRequest"])
  return {
    TokenRequest: {
      ...withoutClosing(tokenRequest),
      properties: {
        ...membersOf(tokenRequest["properties"]),
        ...Object.fromEntries(
          Object.entries(demoCredentials).map(([name, value]) => [
            name,
            { ...membersOf(membersOf(tokenRequest["properties"])[name]), examples: [value] }
          ])
        )
      }
    }
  }
}

/** Permits unknown parameters, because the endpoint ignores them (RFC 6749, section 3.2). */
const withoutClosing = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))

/** The XML form of a document or an answer, with a line for each element. */
export const toXml = (rootName: string, value: unknown): string => indent(XmlText.write(rootName, value))

/** Indents a text of `XmlText`, in which `<` and `>` occur only in tags, and space between elements has no meaning (D2.5). */
const indent = (xml: string): string => {
  let text = ""
  let depth = 0
  let afterEnd = true
  for (const token of xml.split(/(<[^>]+>)/)) {
    const isEnd = token.startsWith("</")
    const isStart = !isEnd && token.startsWith("<") && !token.startsWith("<?")
    if (isEnd) depth -= 1
    const newLine = isStart || (isEnd && afterEnd)
    text += newLine ? `${text.endsWith("\n") ? "" : "\n"}${"  ".repeat(depth)}${token}` : token
    if (isStart) depth += 1
    if (isStart || isEnd) afterEnd = isEnd
  }
  return text
}
