/**
 * The schemas that the API does not declare: XML forms, short answers, and the two forms of a request for a token.
 */
import { listMessages } from "@dockline/core/internal/messages/MessageOperations"
import { operations } from "@dockline/core/Operations"
import { audienceOf, defaultHttpConfig } from "../HttpConfig.ts"
import { membersOf, schemaRef } from "./OpenApiSchemas.ts"
import type { JsonObject } from "./OpenApiSchemas.ts"

/** Of the demo data (D12.2); `forBaseUrl` puts the audience of the service in its place. */
export const demoCredentials = {
  client_id: "acme-client",
  client_secret: "acme-client-secret",
  audience: audienceOf(defaultHttpConfig.baseUrl)
}

export const ownSchemas = (schemas: JsonObject): JsonObject => {
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
          description: "The shipment of the document",
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
      [
        "Shipment",
        "Pallet",
        "DocumentRecord",
        "PalletAnswer",
        "Exception",
        "ReportAnswer",
        ...lists
      ].map((
        name
      ) => [`${name}Xml`, {
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

/** The pages of all lists that are not of operators, each once. */
const lists = new Set(
  [...Object.values(operations), listMessages].flatMap((operation) =>
    operation.kind === "list" ? [operation.page] : []
  )
)

export const tokenSchemas = (schemas: JsonObject): JsonObject => {
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
