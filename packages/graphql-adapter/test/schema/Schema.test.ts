/** The schema as such: what interface.md and D8 name is there, and everything says what it is. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isEnumType, isInputObjectType, isObjectType, isSpecifiedScalarType, validateSchema } from "graphql"
import type { GraphQLNamedType, GraphQLSchema } from "graphql"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { makeSchema } from "../../src/schema/Schema.ts"
import { engine } from "../EngineSetup.ts"
import { test } from "../Running.ts"

const withSchema = (test: (schema: GraphQLSchema) => void) =>
  Effect.map(GraphqlEngine, ({ schema }) => test(schema)).pipe(Effect.provide(engine()))

const ownTypes = (schema: GraphQLSchema): ReadonlyArray<GraphQLNamedType> =>
  Object.values(schema.getTypeMap()).filter((type) =>
    !type.name.startsWith("__") && !isSpecifiedScalarType(type)
  )

describe("the schema", () => {
  test("is valid, and made of services alone", function*() {
    const { schema, services } = yield* GraphqlEngine
    expect(validateSchema(schema)).toEqual([])
    expect(validateSchema(makeSchema(services))).toEqual([])
  })

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
})
