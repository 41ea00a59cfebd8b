/**
 * What the OpenAPI document says beyond what the API's schemas hold: XML forms, examples, headers, when each status
 * occurs.
 *
 * Guarantee: every operation says for each status it can answer with when it does and which codes there are; every
 * example is one that the service accepts or gives; `redocly lint` finds nothing to say.
 */
import { audienceOf, defaultHttpConfig } from "../api/HttpConfig.ts"
import * as Examples from "./Examples.ts"
import * as OperatorText from "./OpenApiOperatorText.ts"
import * as OpenApiResponses from "./OpenApiResponses.ts"
import { clean, membersOf, schemaRef, toJson } from "./OpenApiSchemas.ts"
import type { Json, JsonObject } from "./OpenApiSchemas.ts"
import * as Text from "./OpenApiText.ts"
import * as OperatorExamples from "./OperatorExamples.ts"
import * as PalletExamples from "./PalletExamples.ts"

/** Completes the generated OpenAPI document. */
export const describe = (document: Record<string, unknown>): Record<string, unknown> => {
  const draft = clean(document as JsonObject)
  const components = membersOf(draft["components"])
  const schemas = membersOf(components["schemas"])
  const paths = membersOf(draft["paths"])
  const hasTokens = "/oauth/token" in paths
  const describeOperation = operations()
  return {
    ...draft,
    info: { ...membersOf(draft["info"]), description: Text.introductionOf(hasTokens) },
    servers: [{ url: "/", description: "This service" }],
    tags: describeTags(draft["tags"]),
    paths: mapMembers(paths, (path) => mapMembers(path, describeOperation)),
    components: {
      ...components,
      schemas: { ...schemas, ...ownSchemas(schemas), ...(hasTokens ? tokenSchemas(schemas) : {}) },
      headers: Text.headers,
      securitySchemes: mapMembers(membersOf(components["securitySchemes"]), (scheme) => ({
        ...scheme,
        ...(hasTokens ? { bearerFormat: "JWT" } : {}),
        description: Text.authorizationTextOf(hasTokens)
      }))
    }
  }
}

/**
 * Fits a described document to the address a service has: the audience of its tokens, and the path it is mounted
 * under, for a browser to try requests at whatever host it found the document.
 */
export const forBaseUrl = (document: object, baseUrl: string): object => {
  const path = new URL(baseUrl).pathname.replace(/\/+$/, "")
  const servers = [{ url: path === "" ? "/" : path, description: "This service" }]
  const text = JSON.stringify({ ...document, servers })
  return JSON.parse(
    text.replaceAll(quoted(audienceOf(defaultHttpConfig.baseUrl)), quoted(audienceOf(baseUrl)))
  ) as object
}

const quoted = (text: string): string => JSON.stringify(text)

const mapMembers = (object: JsonObject, f: (member: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, member]) => [key, f(membersOf(member))]))

const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** The groups in the order of {@link Text.tags}; those that it does not know stand last, as they are. */
const describeTags = (tags: Json | undefined): ReadonlyArray<Json> => {
  const known = Object.keys(Text.tags)
  const given = new Map(listOf(tags).map(membersOf).map((tag) => [String(tag["name"]), tag]))
  return Array.from(new Set([...known, ...given.keys()]))
    .filter((name) => given.has(name))
    .map((name) => ({ ...given.get(name), ...Text.tags[name] }))
}

const operations = () => {
  const describeResponses = OpenApiResponses.make()
  const bodies = requestBodies()
  return ({ parameters, requestBody, responses, tags, ...operation }: JsonObject): JsonObject => {
    // An API names an operation by its group too; operations are unique without it, and clients are named after them.
    const id = String(operation["operationId"]).replace(/^.*\./, "")
    const body = bodies[id] ?? operatorBody(id, requestBody)
    const isOperator = id in OperatorText.successes
    return {
      ...operation,
      operationId: id,
      tags: listOf(tags).map((tag) => Text.tags[String(tag)]?.name ?? tag),
      parameters: listOf(parameters).map((parameter) =>
        describeParameter(membersOf(parameter), isOperator ? OperatorText : Text)
      ),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: describeResponses(id, membersOf(responses))
    }
  }
}

type ParameterTexts = Pick<typeof Text, "parameterTexts" | "parameterSchemas">

const describeParameter = (
  parameter: JsonObject,
  { parameterTexts, parameterSchemas }: ParameterTexts
): JsonObject => {
  const name = String(parameter["name"])
  const { description, ...schema } = membersOf(parameter["schema"])
  const text = parameterTexts[name] ?? description
  return {
    ...parameter,
    // Names of headers do not care about case, but people do.
    name: parameter["in"] === "header" ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
    ...(text === undefined ? {} : { description: text }),
    schema: parameterSchemas[name] ?? schema
  }
}

const xmlTypes = ["application/xml", "text/xml"] as const

const documentExamples = (series: number, toValue: (document: Examples.DocumentJson) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(Examples.documentExamples(series)).map(([name, { summary, description, document }]) => [
      name,
      { summary, description, value: toValue(document) }
    ])
  )

/** Of the demo data (D12.2); {@link forBaseUrl} puts the audience of the service in its place. */
const demoCredentials = {
  client_id: "acme-client",
  client_secret: "acme-client-secret",
  audience: audienceOf(defaultHttpConfig.baseUrl)
}

const jsonBody = (
  schema: string,
  description: string,
  examples: Readonly<Record<string, { readonly summary: string; readonly value: object }>>,
  required = true
): JsonObject => ({
  description,
  required,
  content: {
    "application/json": {
      schema: schemaRef(schema),
      examples: toJson(examples)
    }
  }
})

/** The generated body of an operator's request, with its examples. */
const operatorBody = (operationId: string, generated: Json | undefined): Json | undefined => {
  const examples = OperatorExamples.requests[operationId]
  if (examples === undefined) return generated
  const json = membersOf(membersOf(membersOf(generated)["content"])["application/json"])
  return {
    ...membersOf(generated),
    content: { "application/json": { ...json, examples: toJson(examples) } }
  }
}

/** Bodies of requests, where the generated ones do not say it all. */
const requestBodies = (): Readonly<Record<string, JsonObject>> => ({
  submitDocument: {
    description: "The document. Its fields, types and limits are the same in JSON and XML.",
    required: true,
    content: {
      "application/json": { schema: schemaRef("Document"), examples: documentExamples(1, toJson) },
      ...Object.fromEntries(xmlTypes.map((type, index) => [type, {
        schema: schemaRef("DocumentXml"),
        examples: documentExamples(index + 2, (document) => Examples.toXml("Document", document))
      }]))
    }
  },
  recordPalletEvent: jsonBody("PalletEvent", "The event.", PalletExamples.events),
  arriveShipment: jsonBody("ArriveShipment", "When and where; without a body, now, at the dock it has.", {
    now: { summary: "Now", value: {} },
    later: { summary: "With time and dock", value: { occurredAt: "2026-11-20T16:42:00Z", dockSlug: "D1" } }
  }, false),
  departShipment: jsonBody("DepartShipment", "When; without a body, now.", {
    now: { summary: "Now", value: {} },
    later: { summary: "With time", value: { occurredAt: "2026-11-20T18:05:00Z" } }
  }, false),
  linkShipments: jsonBody("LinkShipments", "The other shipment, by its id.", {
    link: { summary: "A shipment of the same business", value: { linkedShipmentId: 4712 } }
  }),
  requestToken: {
    description: "The client's credentials and the audience, in JSON, or as the form of RFC 6749.",
    required: true,
    content: {
      "application/json": {
        schema: schemaRef("TokenRequest"),
        examples: {
          demo: {
            summary: "Demo client",
            description: "Put in your own client id and secret unless this is a demo service.",
            value: { ...demoCredentials, grant_type: "client_credentials" }
          }
        }
      },
      "application/x-www-form-urlencoded": { schema: schemaRef("TokenRequestForm") }
    }
  }
})

/** Schemas of what the API's own schemas do not tell apart. */
const ownSchemas = (schemas: JsonObject): JsonObject => {
  const xmlText = {
    type: "string",
    title: "XML text",
    description: "The same fields as elements; see the examples"
  }
  return {
    Document: {
      ...membersOf(schemas["Document"]),
      description:
        "A document: of one order, with orderNumber and items; or of several, with shipmentNumber and orders",
      xml: { name: "Document" }
    },
    DocumentXml: { title: "Document in XML", anyOf: [schemaRef("Document"), xmlText] },
    MinimalResult: {
      type: "object",
      title: "MinimalResult",
      description: "The short answer, with `Prefer: return=minimal`",
      properties: {
        shipment: {
          type: "object",
          properties: {
            id: membersOf(membersOf(membersOf(schemas["Shipment"])["properties"])["id"]),
            status: membersOf(membersOf(membersOf(schemas["Shipment"])["properties"])["status"])
          },
          required: ["id", "status"],
          additionalProperties: false
        }
      },
      required: ["shipment"],
      additionalProperties: false,
      xml: { name: "IntakeResult" }
    },
    ...Object.fromEntries(
      ["Shipment", "ShipmentPage", "OrderPage", "PalletAnswer"].map((name) => [`${name}Xml`, {
        title: `${name} in XML`,
        anyOf: [schemaRef(name), xmlText],
        xml: { name }
      }])
    ),
    DocumentAnswer: {
      title: "Answer to a document",
      anyOf: [schemaRef("IntakeResult"), schemaRef("MinimalResult")]
    },
    DocumentAnswerXml: {
      title: "Answer to a document in XML",
      anyOf: [schemaRef("IntakeResult"), schemaRef("MinimalResult"), xmlText]
    },
    IntakeResult: {
      ...membersOf(schemas["IntakeResult"]),
      description: "What the document did, and the shipment as it is now",
      xml: { name: "IntakeResult" }
    }
  }
}

/** What is sent for a token, in its two forms. */
const tokenSchemas = (schemas: JsonObject): JsonObject => {
  const tokenRequest = membersOf(schemas["TokenRequest"])
  return {
    TokenRequest: withoutClosing(tokenRequest),
    TokenRequestForm: {
      ...withoutClosing(tokenRequest),
      properties: {
        ...membersOf(tokenRequest["properties"]),
        ...Object.fromEntries(
          Object.entries(demoCredentials).map(([name, value]) => [
            name,
            { ...membersOf(membersOf(tokenRequest["properties"])[name]), examples: [value] }
          ])
        )
      },
      description:
        "client_id and client_secret may come as Basic credentials instead, and audience may be left out.",
      required: ["grant_type"]
    }
  }
}

/** Parameters that the endpoint does not know are ignored (RFC 6749, section 3.2). */
const withoutClosing = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))
