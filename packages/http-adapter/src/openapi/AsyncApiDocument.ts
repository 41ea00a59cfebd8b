/**
 * The AsyncAPI document (D16.2): the messages that a service sends by webhooks, by the GraphQL subscription over WebSocket, and by
 * server-sent events. Their payloads are the same as in the OpenAPI document.
 */
import { widen } from "@dockline/core/access/OpenWords"
import type * as Capability from "@dockline/core/capability/Capability"
import { wordsOf } from "@dockline/core/capability/DeclaredOperations"
import { MessageView } from "@dockline/core/messages/MessageView"
import { answers } from "@dockline/core/operations/OperationExamples"
import { withoutSlashes } from "@dockline/core/values/Clip"
import { graphqlPath } from "@dockline/wire/Path"
import { Schema } from "effect"
import { deliveredOf, deliveryHeaders, withArticle } from "./MessageContracts.ts"
import { membersOf, toJson } from "./OpenApiSchemas.ts"
import type { JsonObject } from "./OpenApiSchemas.ts"

const ref = (...path: ReadonlyArray<string>): JsonObject => ({ $ref: `#/${path.join("/")}` })

/** The message of a webhook delivery. */
const deliveryOf = (
  { contentType, example, schema, title, type, when }: ReturnType<typeof deliveredOf>[number]
): JsonObject => ({
  name: type,
  title,
  summary: when,
  contentType,
  headers: {
    type: "object",
    properties: Object.fromEntries(
      deliveryHeaders.map(({ description, name, schema }) => [name, { ...schema, description }])
    ),
    required: deliveryHeaders.filter(({ required }) => required).map(({ name }) => name)
  },
  payload: schema(),
  examples: [{ name: type, payload: example }]
})

/** A result of the subscription `pushMessage`, with the fields that the client selects. */
const result = (capabilities: Capability.List): JsonObject => {
  const { definitions: viewDefinitions } = Schema.toJsonSchemaDocument(
    widen(MessageView, wordsOf(capabilities))
  )
  const definitions = membersOf(toJson(viewDefinitions))
  return {
    name: "pushMessage",
    title: "Message of the subscription",
    summary: "A message as it is published; with afterId, all messages since that one come first.",
    contentType: "application/json",
    payload: {
      type: "object",
      properties: {
        data: {
          type: "object",
          description: "The result of the subscription; absent where it ends with errors",
          properties: {
            pushMessage: {
              type: "object",
              description: "The message, with the fields that the subscription selects",
              properties: membersOf(membersOf(definitions["Message"])["properties"])
            }
          }
        },
        errors: {
          type: "array",
          description: "Why the subscription ends",
          items: {
            type: "object",
            properties: {
              message: { type: "string", description: "The fault, and the remedy" },
              extensions: { type: "object", description: "The code of the error, and details" }
            },
            required: ["message"]
          }
        }
      }
    },
    examples: [{ name: "message", payload: toJson({ data: { pushMessage: answers.messages[0] } }) }]
  }
}

const subscribing =
  "subscription { pushMessage(filter: { businessSlug: \"acme\", afterId: 0 }) { id messageType message } }"

/** The two transports of the subscription. */
const subscriptions = [
  {
    channel: "subscription",
    title: "Subscription over WebSocket",
    description:
      `In the subprotocol graphql-transport-ws, each frame \`next\` carries a result as its payload: \`${subscribing}\``,
    server: "websocket",
    protocol: "ws",
    by: "graphql-transport-ws",
    binding: "ws",
    operation: "pushMessages",
    summary: "Push messages over a WebSocket"
  },
  {
    channel: "eventStream",
    title: "Subscription over server-sent events",
    description:
      `POST the subscription with \`Accept: text/event-stream\`; each event \`next\` carries a result as its data, and \`complete\` ends \
the stream: \`${subscribing}\``,
    server: "events",
    protocol: "http",
    by: "server-sent events",
    binding: "http",
    operation: "streamMessages",
    summary: "Push messages as server-sent events"
  }
]

/** The document of a service at this address. */
export const asyncApiOf = (baseUrl: string, capabilities: Capability.List): JsonObject => {
  const deliveries = deliveredOf(capabilities)
  const { host, pathname, protocol } = new URL(baseUrl)
  const path = withoutSlashes(pathname)
  const secure = protocol === "https:" ? "s" : ""
  const service = {
    host,
    ...(path === "" ? {} : { pathname: path }),
    security: [ref("components", "securitySchemes", "bearer")]
  }
  return {
    asyncapi: "3.1.0",
    info: {
      title: "Dockline messages",
      version: "1",
      description:
        "The messages of Dockline to its customers: pallets that pass a dock, and shipments that depart. They are the same by every way; \
a webhook is sent at least once, and a subscription continues after the id of the last message (`afterId`).",
      contact: { name: "The Dockline authors", url: "https://github.com/dockline/dockline/issues" },
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    },
    defaultContentType: "application/json",
    servers: {
      customer: {
        host: "{host}",
        protocol: "https",
        description: "The server of a customer, at the base URL of its webhook endpoint",
        variables: {
          host: { description: "The host and the path of the base URL", default: "customer.example:8443" }
        }
      },
      ...Object.fromEntries(
        subscriptions.map(({ by, protocol, server }) => [server, {
          ...service,
          protocol: `${protocol}${secure}`,
          description: `This service, by ${by}`
        }])
      )
    },
    channels: Object.fromEntries([
      ...deliveries.map(({ path, type, what, when }) => [type, {
        address: path,
        title: `Webhook: ${what}`,
        description: when,
        servers: [ref("servers", "customer")],
        messages: { [type]: ref("components", "messages", type) },
        bindings: { http: {} }
      }]),
      ...subscriptions.map(({ binding, channel, description, server, title }) => [channel, {
        address: graphqlPath,
        title,
        description,
        servers: [ref("servers", server)],
        messages: { pushMessage: ref("components", "messages", "pushMessage") },
        bindings: { [binding]: {} }
      }])
    ]),
    operations: Object.fromEntries([
      ...deliveries.map(({ name, type, what }) => [`send${name}`, {
        action: "send",
        channel: ref("channels", type),
        summary: `Send ${withArticle(what)} to a customer's endpoint`,
        security: [ref("components", "securitySchemes", "agreed")],
        messages: [ref("channels", type, "messages", type)],
        bindings: { http: { method: "POST" } }
      }]),
      ...subscriptions.map(({ channel, operation, summary }) => [operation, {
        action: "send",
        channel: ref("channels", channel),
        summary,
        messages: [ref("channels", channel, "messages", "pushMessage")]
      }])
    ]),
    components: {
      messages: {
        ...Object.fromEntries(deliveries.map((each) => [each.type, deliveryOf(each)])),
        pushMessage: result(capabilities)
      },
      securitySchemes: {
        agreed: {
          type: "httpApiKey",
          name: "Authorization",
          in: "header",
          description: "The scheme that is agreed with the customer: Basic credentials, a token, or none"
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An access token, as for the REST interface"
        }
      }
    }
  }
}
