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
