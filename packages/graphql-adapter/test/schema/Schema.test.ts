/** The schema as such: what interface.md and D8 name is there, and everything says what it is. */
import * as DocumentInput from "@dockline/core/DocumentInput"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { OrderItemView, OrderView, ShipmentView } from "@dockline/core/View"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
  printType,
  validateSchema
} from "graphql"
import type { GraphQLNamedType, GraphQLSchema } from "graphql"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { makeSchema } from "../../src/schema/Schema.ts"
import { engine } from "../EngineSetup.ts"

const withSchema = (test: (schema: GraphQLSchema) => void) =>
  Effect.map(GraphqlEngine, ({ schema }) => test(schema)).pipe(Effect.provide(engine()))

const ownTypes = (schema: GraphQLSchema): ReadonlyArray<GraphQLNamedType> =>
  Object.values(schema.getTypeMap()).filter((type) =>
    !type.name.startsWith("__") && !isSpecifiedScalarType(type)
  )

/** The text of a type without its descriptions. */
const print = (schema: GraphQLSchema, name: string): string =>
  printType(schema.getType(name)!).replace(/^ *"""[\s\S]*?"""\n/gm, "").replace(/\n\n/g, "\n")

const fieldNames = (schema: GraphQLSchema, name: string): ReadonlyArray<string> => {
  const type = schema.getType(name)
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : []
}

describe("the schema", () => {
  it.effect("is valid, and made of services alone", () =>
    Effect.gen(function*() {
      const { schema, services } = yield* GraphqlEngine
      expect(validateSchema(schema)).toEqual([])
      expect(validateSchema(makeSchema(services))).toEqual([])
    }).pipe(Effect.provide(engine())))

  it.effect("describes every type, field, argument and value", () =>
    withSchema((schema) => {
      const silent = ownTypes(schema).flatMap((type) => {
        const members = isObjectType(type)
          ? Object.values(type.getFields()).flatMap((field) => [
            { name: field.name, description: field.description },
            ...field.args.map((arg) => ({ name: `${field.name}(${arg.name})`, description: arg.description }))
          ])
          : isInputObjectType(type)
          ? Object.values(type.getFields())
          : isEnumType(type)
          ? type.getValues()
          : []
        return [
          ...(type.description ? [] : [type.name]),
          ...members.filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`)
        ]
      })
      expect(ownTypes(schema).length).toBeGreaterThan(40)
      expect(silent).toEqual([])
    }))

  it.effect("has the messages as interface.md and D8.1–3 name them", () =>
    withSchema((schema) => {
      expect(print(schema, "PushMessage")).toBe(`type PushMessage {
  id: MessageId!
  businessSlug: String!
  facilitySlug: String!
  messageType: MessageType!
  message: JSON!
  sentAt: DateTime!
}`)
      expect(print(schema, "PushMessageFilter")).toBe(`input PushMessageFilter {
  businessSlug: String!
  facilitySlug: String
  messageTypes: [MessageType!] = [PALLET_EVENT]
  since: DateTime!
  afterId: MessageId
  limit: Int
}`)
      expect(print(schema, "PushMessageSubscriptionFilter")).toBe(`input PushMessageSubscriptionFilter {
  businessSlug: String!
  facilitySlug: String
  messageTypes: [MessageType!] = [PALLET_EVENT]
  afterId: MessageId
}`)
      expect(print(schema, "Subscription")).toContain(`filter: PushMessageSubscriptionFilter!
  ): PushMessage!`)
      expect(print(schema, "Query")).toContain(`input: PushMessageFilter!
  ): [PushMessage!]!`)
    }))

  it.effect("has the reads and mutations of D8.4", () =>
    withSchema((schema) => {
      expect(fieldNames(schema, "Query")).toEqual([
        "pushMessages",
        "business",
        "facility",
        "shipment",
        "pallet",
        "document",
        "ediFile",
        "shipments",
        "orders",
        "pallets",
        "exceptions",
        "documents",
        "search",
        "day",
        "dayShipments",
        "trace",
        "ediFiles",
        "ediOutbox"
      ])
      expect(fieldNames(schema, "Mutation")).toEqual([
        "submitDocument",
        "uploadDocument",
        "arriveShipment",
        "departShipment",
        "linkShipments",
        "cancelShipment",
        "recordPalletEvent",
        "reportException",
        "resolveException"
      ])
      expect(print(schema, "UploadDocumentInput")).toBe(`input UploadDocumentInput {
  file: Upload!
}`)
    }))

  it.effect("says of words that are no enum that they are written in quotes (D1.3)", () =>
    withSchema((schema) => {
      for (
        const [type, field, word] of [
          ["DocumentInput", "direction", "OUTBOUND"],
          ["Shipment", "direction", "OUTBOUND"],
          ["DocumentItemInput", "quantityUnit", "CASE"],
          ["OrderItem", "weightUnit", "KILOGRAM"],
          ["DocumentItemInput", "dimensionUnit", "METER"]
        ] as const
      ) {
        const found = schema.getType(type)
        const described = isObjectType(found) || isInputObjectType(found)
          ? found.getFields()[field]?.description
          : undefined
        expect(described).toContain(`"${word}"`)
      }
    }))

  it.effect("has every field of core's documents and views, non-null where they always have a value", () =>
    withSchema((schema) => {
      const rules = DocumentInput.schema(DocumentInput.defaultRules)
      expect(fieldNames(schema, "DocumentInput")).toEqual(Object.keys(rules.fields))
      expect(fieldNames(schema, "PalletEventInput")).toEqual(Object.keys(PalletEventInput.schema.fields))
      for (
        const [name, view] of [["Shipment", ShipmentView], ["Order", OrderView], [
          "OrderItem",
          OrderItemView
        ]] as const
      ) {
        const more = name === "Shipment" ? ["items", "discrepancies", "pallets", "exceptions"] : []
        expect(fieldNames(schema, name)).toEqual([...more, ...Object.keys(view.fields)])
        const type = schema.getType(name) as GraphQLObjectType
        for (const field of Object.values(type.getFields())) expect(String(field.type)).toMatch(/!$/)
      }
      expect(print(schema, "DocumentInput")).toContain("business: String!")
      expect(print(schema, "DocumentInput")).toContain("expectedQuantity: Long\n")
      expect(print(schema, "DocumentItemInput")).toContain("quantity: Float\n")
    }))
})
