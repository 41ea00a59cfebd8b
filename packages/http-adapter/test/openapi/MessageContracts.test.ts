/** The contracts of messages: payloads as they are made, held against the schemas that are served, and the documents about them. */
import { palletPayload } from "@dockline/core/movement/ShipmentMessage"
import { messageTypes, webhookPath } from "@dockline/core/values/Vocabulary"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import { testPayload } from "@dockline/core/webhooks/MessageKinds"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { asyncApiOf } from "../../src/openapi/AsyncApiDocument.ts"
import {
  deliveryHeaders,
  messagesOf,
  schemaFileOf as schemaOf,
  webhooks as webhooksOf
} from "../../src/openapi/MessageContracts.ts"
import { membersOf } from "../../src/openapi/OpenApiSchemas.ts"
import type { Json, JsonObject } from "../../src/openapi/OpenApiSchemas.ts"

const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => membersOf(value)[key], value)

const schemaFileOf = (type: MessageType): JsonObject =>
  schemaOf(messagesOf([]).find((message) => message.type === type)!)

/** A capability with an outbox. */
const letters = {
  outbox: {
    LETTER: {
      path: "/api/letters",
      mediaType: "text/x-letter",
      name: "Letter",
      title: "ERP letter",
      about: "what is to be sent to ERP systems",
      when: "A letter was written.",
      content: "The text is the letter.",
      example: "Dear ERP",
      aboutNothing: () => ""
    }
  }
}

const webhooks = () => webhooksOf([letters])

const validatorOf = (type: MessageType) => new Ajv2020({ allErrors: true }).compile(schemaFileOf(type))

const settings = {
  dashboardUrl: "https://dashboard.example",
  fieldMap: [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }]
}
const place = { business: "acme", facility: "east" }
const now = "2026-11-20T17:00:00.000Z" as Parameters<typeof testPayload>[2]

const pallet = palletPayload(
  {
    ...place,
    shipmentId: 1,
    palletId: 2,
    direction: "LOADING",
    orders: ["SO-1"],
    dock: { id: 3, slug: "D1" },
    labels: [{ name: "lpn", value: "000123" }, { name: "sku", value: "SKU-1" }]
  },
  now,
  settings
)

describe("the JSON Schema of a message", () => {
  it("D16.2: takes payloads as they are made, with the fields of a customer, and those of tests", () => {
    const payloads: ReadonlyArray<readonly [MessageType, object]> = [
      ["PALLET_EVENT", pallet],
      ...messageTypes.map((type) => [type, testPayload(type, place, now, settings)] as const)
    ]
    for (const [type, payload] of payloads) {
      const validate = validatorOf(type)
      assert.isTrue(validate(payload), `${type}: ${JSON.stringify(validate.errors)}`)
    }
  })

  it("refuses a payload that lacks a field of the contract, or has another type there", () => {
    const validate = validatorOf("PALLET_EVENT")
    for (const name of Object.keys(pallet).filter((name) => !["LPN", "SKUs"].includes(name))) {
      const { [name]: _missing, ...rest } = pallet
      assert.isFalse(validate(rest), name)
      assert.isFalse(validate({ ...pallet, [name]: 1 }), name)
    }
  })
})

describe("the webhooks of the OpenAPI document", () => {
  it("D16.1: are a request for each type of message, with its payload and the headers of Standard Webhooks", () => {
    assert.deepStrictEqual(Object.keys(webhooks()), [...messageTypes, "LETTER"])
    for (const type of messageTypes) {
      const operation = at(webhooks(), type, "post")
      const schema = at(operation, "requestBody", "content", "application/json", "schema")
      assert.deepStrictEqual(at(schema, "properties"), at(schemaFileOf(type), "properties"))
      assert.include(String(at(operation, "description")), webhookPath(type))
      assert.isDefined(at(operation, "responses", "2XX"))
    }
    const letter = at(webhooks(), "LETTER", "post")
    assert.include(
      String(at(letter, "description")),
      "A letter was written. Dockline posts it to `/api/letters`"
    )
    assert.strictEqual(at(letter, "summary"), "Receive an ERP letter")
    assert.deepStrictEqual(membersOf(at(letter, "requestBody", "content")), {
      "text/x-letter": {
        schema: {
          title: "ERP letter",
          description: "A letter was written. The text is the letter.",
          type: "string"
        },
        examples: { example: { summary: "Example", value: "Dear ERP" } }
      }
    })
    const required = deliveryHeaders.filter((header) => header["required"]).map(({ name }) => name)
    assert.deepStrictEqual(required, ["webhook-id", "webhook-timestamp", "webhook-signature"])
  })
})

describe("the AsyncAPI document", () => {
  const document = asyncApiOf("https://logistics.example/dockline", [])

  it("D16.2: has the webhooks, the subscription and the event stream, with their messages", () => {
    const channels = membersOf(document["channels"])
    assert.deepStrictEqual(
      Object.entries(channels).map(([name, channel]) => [name, at(channel, "address")]),
      [
        ...messageTypes.map((type) => [type, webhookPath(type)]),
        ["subscription", "/public_graphql"],
        ["eventStream", "/public_graphql"]
      ]
    )
    assert.deepStrictEqual(
      ["websocket", "events"].map((name) => {
        const server = at(document, "servers", name)
        return [at(server, "protocol"), at(server, "host"), at(server, "pathname")]
      }),
      [["wss", "logistics.example", "/dockline"], ["https", "logistics.example", "/dockline"]]
    )
    const payload = at(document, "components", "messages", "PALLET_EVENT", "payload")
    assert.deepStrictEqual(at(payload, "properties"), at(schemaFileOf("PALLET_EVENT"), "properties"))
  })

  it("refers only to what is there", () => {
    const refs = Array.from(
      JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g),
      ([, path = ""]) => path
    )
    assert.isAbove(refs.length, 10)
    for (const path of refs) assert.isDefined(at(document, ...path.split("/")), path)
  })
})
