/**
 * The schemas that the API does not declare as clients need them: XML forms, the answer to a document, which may be short, and
 * the request for a token, which may be a form.
 */
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
      ...membersOf(schemas["IntakeResult"]),
      title: "Answer to a document",
      description:
        "What the document did, and the shipment; with `Prefer: return=minimal` the shipment's id and status alone",
      properties: {
        ...membersOf(membersOf(schemas["IntakeResult"])["properties"]),
        shipment: {
          ...membersOf(schemas["Shipment"]),
          description: "The shipment as it is now",
          required: ["id", "status"]
        }
      },
      required: ["shipment"],
      xml: { name: "IntakeResult" }
    },
    DocumentAnswerXml: {
      title: "Answer to a document in XML",
      anyOf: [schemaRef("DocumentAnswer"), xmlText],
      xml: { name: "IntakeResult" }
    }
  }
}

/** The pages of all lists that are not of operators, each once. */
const lists = new Set(
  Object.values(operations).flatMap((operation) => operation.kind === "list" ? [operation.page] : [])
)

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
      },
      description:
        "In a form, client_id and client_secret may come as Basic credentials instead, and audience may be left out.",
      required: ["grant_type"]
    }
  }
}

/** Parameters that the endpoint does not know are ignored (RFC 6749, section 3.2). */
const withoutClosing = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))
