/**
 * The messages to customers in the contracts for machines: a JSON Schema for each payload, and the webhooks of the OpenAPI document.
 *
 * Guarantee: the schema of a payload is made from the schema by which core makes the payload, and permits the additional fields of a
 * customer (D6.4). The schema of an entry of an outbox is a text.
 */
import type * as Capability from "@dockline/core/capability/Capability"
import { kindsOf, outboxesOf } from "@dockline/core/capability/DeclaredOperations"
import { payloads } from "@dockline/core/operations/OperationExamples"
import { webhookPath } from "@dockline/core/values/Vocabulary"
import type { MessageKind } from "@dockline/core/webhooks/MessageKinds"
import { Record, Schema } from "effect"
import { contentOf, mapWithin, membersOf, toJson } from "./OpenApiSchemas.ts"
import type { JsonObject } from "./OpenApiSchemas.ts"

const definitionPrefix = "#/$defs/"

/** The parts of a capability that webhooks deliver. */
type Delivering = Pick<Capability.Any, "messages" | "outbox">

/** The types of messages of the contract and of capabilities, each with an example of its payload. */
export const messagesOf = (
  capabilities: ReadonlyArray<Delivering>
): ReadonlyArray<MessageKind & { readonly type: string; readonly example: JsonObject }> => {
  const examples: Readonly<Record<string, object>> = {
    ...payloads,
    ...Object.assign(
      {},
      ...capabilities.map(({ messages = {} }) => Record.map(messages, ({ example }) => example))
    )
  }
  return Object.entries(kindsOf(capabilities)).map(([type, kind]) => ({
    ...kind,
    type,
    example: membersOf(toJson(examples[type] ?? {}))
  }))
}

/** The complete JSON Schema of a payload, with references replaced by their targets. */
export const schemaOf = ({ schema: payload, title, when }: MessageKind): JsonObject => {
  const { definitions, schema: messageSchema } = Schema.toJsonSchemaDocument(payload)
  const inPlace = (object: JsonObject): JsonObject =>
    mapWithin(object, ({ $ref, ...part }) =>
      typeof $ref === "string"
        ? { ...inPlace(membersOf(toJson(definitions[$ref.slice(definitionPrefix.length)]!))), ...part }
        : part)
  const schema = inPlace(membersOf(toJson(messageSchema)))
  // A pallet has the fields of its business in addition to those of the contract.
  const open = mapWithin(
    schema,
    (part) => part["type"] === "object" ? { ...part, additionalProperties: true } : part
  )
  return {
    title,
    description:
      `${when} A pallet also has the fields that are agreed with the customer: texts, or lists of texts.`,
    ...open
  }
}

/** The JSON Schema of a payload as a file of its own (draft 2020-12). */
export const schemaFileOf = (message: ReturnType<typeof messagesOf>[number]): JsonObject => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...schemaOf(message),
  examples: [message.example]
})

const header = (name: string, description: string, isRequired: boolean, example: string) => ({
  name,
  in: "header" as const,
  description,
  required: isRequired,
  schema: { type: "string", examples: [example] }
})

/** The headers of a delivery with the names of Standard Webhooks, without the headers of HTTP. */
export const deliveryHeaders = [
  header(
    "webhook-id",
    "The id of the message, the same at each attempt: `msg_` and the message's number, or `test_` and a UUID. Store it to process \
no message twice.",
    true,
    "msg_90071"
  ),
  header(
    "webhook-timestamp",
    "The time of the attempt, in seconds since 1970. Refuse a message whose time is more than five minutes ago.",
    true,
    "1795194131"
  ),
  header(
    "webhook-signature",
    "`v1,` and base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, with the bytes of the endpoint's \
signing secret after `whsec_`. While a secret is replaced, and for an endpoint that also uses `v1a`, there are several, separated \
by spaces: one valid signature suffices.",
    true,
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  ),
  header(
    "Authorization",
    "As agreed with the customer: `Basic` credentials, or the token of the login endpoint; absent otherwise.",
    false,
    "Basic ZG9ja2xpbmU6c2VjcmV0"
  ),
  header(
    "traceparent",
    "The W3C trace context of the request that made the message, if it was traced.",
    false,
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  )
]

const answers: JsonObject = {
  "2XX": { description: "The message is delivered. Answer within 15 seconds, and process it afterwards." },
  "410": {
    description: "The endpoint is gone: it receives no more messages until an operator enables it again."
  },
  "429": { description: "The endpoint is busy: the next attempt waits for `Retry-After`, up to 24 hours." },
  "4XX": {
    description: "The attempt has failed. The message is sent again: nine times, over about three days."
  },
  "5XX": {
    description:
      "The attempt has failed. The message is sent again: nine times, over about three days. 503 with `Retry-After` says when."
  }
}

/** The deliveries of webhooks, by type. */
export const deliveredOf = (capabilities: ReadonlyArray<Delivering>) => [
  ...messagesOf(capabilities).map((message) => ({
    ...message,
    what: message.title.toLowerCase(),
    path: webhookPath(message.type),
    contentType: "application/json",
    schema: () => schemaOf(message)
  })),
  ...Object.entries(outboxesOf(capabilities)).map((
    [type, { content, example, mediaType, name, path, title, when }]
  ) => ({
    type,
    name,
    title,
    when,
    what: title,
    path,
    contentType: mediaType,
    schema: (): JsonObject => ({ title, description: `${when} ${content}`, type: "string" }),
    example
  }))
]

/** The name of a delivery with its article. */
export const withArticle = (what: string): string => `${/^[aeiou]/i.test(what) ? "an" : "a"} ${what}`

/** The requests that a customer's endpoint receives, as `webhooks` of the OpenAPI document. */
export const webhooks = (capabilities: ReadonlyArray<Delivering>): JsonObject =>
  Object.fromEntries(
    deliveredOf(capabilities).map((
      { contentType, example, name, path, schema, type, what, when }
    ) => [type, {
      post: {
        operationId: `receive${name}`,
        tags: ["webhooks"],
        summary: `Receive ${withArticle(what)}`,
        description:
          `${when} Dockline posts it to \`${path}\` below the base URL of each endpoint that receives messages of the type \
\`${type}\`, at least once, and the messages of a shipment in order.`,
        security: [],
        parameters: deliveryHeaders,
        requestBody: {
          description: "The message",
          required: true,
          // The schema is inline and not a reference, because generators that leave out unused schemas do not look for references here.
          content: contentOf(contentType, schema(), example)
        },
        responses: answers
      }
    }])
  )

/** The group of the webhooks in the reference. */
export const webhooksTag: JsonObject = {
  name: "webhooks",
  description: "The messages that customers' servers receive, signed by Standard Webhooks"
}
