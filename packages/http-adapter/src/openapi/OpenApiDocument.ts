/** Completes the OpenAPI document of the API (D16.1) with XML forms, examples, headers, and the meaning of each status. */
import * as Capability from "@dockline/core/capability/Capability"
import { operatorPartsOf } from "@dockline/core/capability/DeclaredOperations"
import type { DocumentRules } from "@dockline/core/document/DocumentInput"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { operations } from "@dockline/core/operations/Operations"
import * as DeclaredExamples from "@dockline/core/operator/DeclaredExamples"
import type { ErrorClass } from "@dockline/core/values/CatalogueError"
import { withoutSlashes } from "@dockline/core/values/Clip"
import { Struct } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"
import { Api, ApiWithoutTokens, documentsOf, withCapabilities } from "../api/Api.ts"
import { errorsOf } from "../api/ApiSchemas.ts"
import { partsOf } from "../api/Parts.ts"
import type { RequestExample, RestCapability } from "../api/Parts.ts"
import { audienceOf, defaultHttpConfig } from "../HttpConfig.ts"
import { webhooks, webhooksTag } from "./MessageContracts.ts"
import * as OpenApiResponses from "./OpenApiResponses.ts"
import { demoCredentials, ownSchemas, tokenSchemas, toXml, xmlText } from "./OpenApiResponses.ts"
import { clean, contentOf, membersOf, rename, schemaRef, toJson } from "./OpenApiSchemas.ts"
import type { Json, JsonObject } from "./OpenApiSchemas.ts"
import * as Text from "./OpenApiText.ts"

const contact = { name: "The Dockline authors", url: "https://github.com/dockline/dockline/issues" }

/** The OpenAPI document of a service with these rules and capabilities. */
export const openApiOf = (
  rules: DocumentRules,
  hasTokens: boolean,
  capabilities: ReadonlyArray<RestCapability>
): JsonObject =>
  // A group replaces the group of the same name.
  hasTokens
    ? complete(withCapabilities(Api, capabilities).add(documentsOf(rules)), hasTokens, capabilities)
    : complete(
      withCapabilities(ApiWithoutTokens, capabilities).add(documentsOf(rules)),
      hasTokens,
      capabilities
    )

const complete = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  hasTokens: boolean,
  capabilities: ReadonlyArray<RestCapability>
): JsonObject => {
  const draft = clean(membersOf(toJson(OpenApi.fromApi(api))))
  const components = membersOf(draft["components"])
  const { IntakeResult: intakeResult, ...schemas } = membersOf(components["schemas"])
  const paths = membersOf(draft["paths"])
  const describeOperation = describing(errorsByOperation(api), capabilities)
  return rename({
    ...draft,
    info: { ...membersOf(draft["info"]), description: Text.introductionOf(hasTokens), contact },
    servers: [{ url: "/", description: "This service" }],
    // The default for generators; each operation also has its own `security`.
    ...(hasTokens ? { security: [{ bearer: [] }, { clientCredentials: [] }] } : {}),
    paths: mapMembers(
      paths,
      (methods, path) => mapMembers(methods, (operation) => describeOperation(path, operation))
    ),
    webhooks: webhooks(capabilities),
    tags: [...listOf(draft["tags"]), webhooksTag],
    components: {
      ...components,
      schemas: {
        ...schemas,
        ...ownSchemas(schemas, membersOf(intakeResult)),
        ...(hasTokens ? tokenSchemas(schemas) : {})
      },
      headers: Text.headers,
      securitySchemes: {
        ...(hasTokens ? { clientCredentials: clientScheme("") } : {}),
        ...mapMembers(membersOf(components["securitySchemes"]), (scheme) => ({
          ...scheme,
          ...(hasTokens ? { bearerFormat: "JWT" } : {}),
          description: Text.authorizationTextOf(hasTokens)
        }))
      }
    }
  }, Object.assign({}, ...capabilities.map(({ notes }) => notes?.schemaNames)))
}

/**
 * Sets the audience of the tokens, the path of the mount, and the times of the examples, so that a browser can try requests. The times of
 * the examples are on the day before `now`.
 */
export const forReaders = (document: object, baseUrl: string, now: number): JsonObject => {
  const path = withoutSlashes(new URL(baseUrl).pathname)
  const servers = [{ url: path === "" ? "/" : path, description: "This service" }]
  const text = OperationExamples.moveTimes(JSON.stringify({ ...document, servers }), now)
  return JSON.parse(
    text.replaceAll(
      JSON.stringify(audienceOf(defaultHttpConfig.baseUrl)),
      JSON.stringify(audienceOf(baseUrl))
    )
      .replaceAll(JSON.stringify(clientScheme("")), JSON.stringify(clientScheme(path)))
  )
}

const mapMembers = (object: JsonObject, f: (member: JsonObject, key: string) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, member]) => [key, f(membersOf(member), key)]))

const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const errorsByOperation = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, ReadonlyArray<ErrorClass>> => {
  const errors = new Map<string, ReadonlyArray<ErrorClass>>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors: byStatus }) => {
      errors.set(endpoint.identifier, Array.from(byStatus.values()).flat().flatMap(errorsOf))
    }
  })
  return errors
}

/** The scheme by which the page requests a token itself, with id and secret. `path` is the path of the mount. */
const clientScheme = (path: string): JsonObject => ({
  type: "oauth2",
  description: Text.clientText,
  flows: { clientCredentials: { tokenUrl: `${path}/oauth/token`, scopes: {} } }
})

const describing = (
  errors: ReadonlyMap<string, ReadonlyArray<ErrorClass>>,
  capabilities: ReadonlyArray<RestCapability>
) => {
  const describeResponses = OpenApiResponses.make(capabilities)
  const bodies = requestBodies(capabilities)
  const requests = requestsOf(capabilities)
  return (path: string, { parameters, requestBody, responses, ...operation }: JsonObject): JsonObject => {
    // Effect prefixes the name of an operation with its group. Names are unique without the group, and client methods are named after them.
    const id = String(operation["operationId"]).replace(/^.*\./, "")
    const body = bodies[id] ?? withExamples(requests.get(id), id, requestBody)
    return {
      ...operation,
      operationId: id,
      // Generators would treat a second scheme as another way to call, so only the page of the reference adds it.
      security: listOf(operation["security"]),
      parameters: listOf(parameters).map((parameter) => describeParameter(membersOf(parameter))),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: describeResponses(
        { id, isOperator: path.startsWith("/v1/operator/"), errors: errors.get(id) ?? [] },
        membersOf(responses)
      )
    }
  }
}

const describeParameter = (parameter: JsonObject): JsonObject => {
  const name = String(parameter["name"])
  const { description, ...schema } = membersOf(parameter["schema"])
  // A text with a limit keeps the description of its own schema.
  const words = "maxLength" in schema ? undefined : Text.parameters[name]
  const text = words?.description ?? description
  return {
    ...parameter,
    // Header names are case-insensitive; this spelling is for people.
    name: parameter["in"] === "header" ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
    ...(text === undefined ? {} : { description: text }),
    schema: words?.schema ?? schema
  }
}

const documentExamples = (
  series: number,
  toValue: (document: OperationExamples.DocumentJson) => Json
): JsonObject =>
  Object.fromEntries(
    Object.entries(OperationExamples.documentExamples(series)).map((
      [name, { summary, description, document }]
    ) => [
      name,
      { summary, description, value: toValue(document) }
    ])
  )

/** The example requests of each operation, by its name. */
const requestsOf = (capabilities: Capability.List): ReadonlyMap<string, object> =>
  new Map<string, object>([
    ...Struct.keys(OperationExamples.requests).map((method) =>
      [operations[method].name, OperationExamples.requests[method]] as const
    ),
    ...capabilities.flatMap(({ operations, requests = {} }) =>
      Object.entries(requests).flatMap(([method, examples]) => {
        const operation = operations[method]
        return operation === undefined ? [] : [[operation.name, examples] as const]
      })
    ),
    ...Object.entries(DeclaredExamples.requests),
    ...operatorPartsOf(capabilities).flatMap(({ requests }) => Object.entries(requests))
  ])

const withExamples = (
  examples: object | undefined,
  operationId: string,
  value: Json | undefined
): Json | undefined => {
  if (examples === undefined) return value
  const json = membersOf(membersOf(membersOf(value)["content"])["application/json"])
  return {
    ...membersOf(value),
    ...Text.optionalBodies[operationId],
    content: { "application/json": { ...json, examples: toJson(examples) } }
  }
}

/** The body of a request of a part of a capability. */
const partBody = (request: RequestExample): JsonObject => {
  const { description, name, summary } = request
  const example = { name, summary }
  return {
    description,
    required: true,
    content: "text" in request ? contentOf(request.contentType, { type: "string" }, request.text, example) : {
      ...contentOf("application/json", schemaRef(request.schema), toJson(request.value), example),
      ...contentOf(
        "application/xml",
        xmlText(request.schema),
        toXml(request.schema, request.value),
        example
      )
    }
  }
}

const requestBodies = (
  capabilities: ReadonlyArray<RestCapability>
): Readonly<Record<string, JsonObject>> => ({
  ...Object.fromEntries(
    partsOf(capabilities).flatMap(({ requests }) =>
      Object.entries(requests).map(([id, request]) => [id, partBody(request)])
    )
  ),
  submitDocument: {
    description:
      "The document. Its fields, types and limits are the same in JSON and XML, which may be sent as text/xml too.",
    required: true,
    content: {
      "application/json": { schema: schemaRef("Document"), examples: documentExamples(1, toJson) },
      "application/xml": {
        schema: xmlText("Document"),
        examples: documentExamples(2, (document) => toXml("Document", document))
      }
    }
  },
  requestToken: {
    description:
      "The client's credentials and the audience, in JSON. The form of RFC 6749 (`application/x-www-form-urlencoded`) is accepted as well: \
client_id and client_secret may then come as Basic credentials instead, and audience may be left out.",
    required: true,
    content: {
      "application/json": {
        schema: schemaRef("TokenRequest"),
        examples: {
          demo: {
            summary: "Demo client",
            description: "Use your own client id and secret unless this is a demo service.",
            value: { ...demoCredentials, grant_type: "client_credentials" }
          }
        }
      }
    }
  }
})
