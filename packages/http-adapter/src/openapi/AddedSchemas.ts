/**
 * The schemas that clients need in another form than the API declares: bodies in XML, the answer to a document, which may be short, and the
 * request for a token.
 */
import { audienceOf, defaultHttpConfig } from "../HttpConfig.ts"
import { membersOf } from "./OpenApiSchemas.ts"
import type { JsonObject } from "./OpenApiSchemas.ts"

/** An example from the demo data (D12.2); `forReaders` replaces the audience by that of the service. */
export const demoCredentials = {
  client_id: "acme-client",
  client_secret: "acme-client-secret",
  audience: audienceOf(defaultHttpConfig.baseUrl)
}

/**
 * The schema of a body in XML: a text, because generators of clients have no classes that JSON and XML share. The schema of the JSON body
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

/** Parameters that the endpoint does not know are ignored (RFC 6749, section 3.2). */
const withoutClosing = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))
