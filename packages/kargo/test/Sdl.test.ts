/**
 * Compares the schema for clients of Kargo with the names in the public schema of Kargo (`facts.graphql`), field by field (D17.1). A
 * difference that is not listed here with its reason fails, and so does a listed one that does not exist.
 */
import { gatherServices } from "@dockline/graphql-adapter/resolvers/Run"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  validateSchema
} from "graphql"
import type { GraphQLNamedType, GraphQLSchema } from "graphql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { services } from "../../graphql-adapter/test/EngineSetup.ts"
import { kargoGraphql } from "../src/KargoGraphql.ts"

const public_ = buildSchema(readFileSync(join(import.meta.dirname, "facts.graphql"), "utf8"))

const ours = Effect.map(gatherServices(), kargoGraphql.schemaOf).pipe(Effect.provide(services))

/** The parts of Kargo's schema that ours leaves out. */
const leftOut: Readonly<Record<string, string>> = {
  "type AggregateLabel": "no field of their schema shows it",
  "AggregateLabel.identifiers: [String!]!": "as its type",
  "AggregateLabel.images: [PalletImage!]!": "as its type",
  "enum ItemLoadingDirection": "no field of their schema shows it",
  "ItemLoadingDirection.LOADING": "as its type",
  "ItemLoadingDirection.UNLOADING": "as its type",
  "type ShippingItemImage": "no field of their schema shows it",
  "ShippingItemImage.imageUri: String!": "as its type",
  "type ShippingItemVideo": "no field of their schema shows it",
  "ShippingItemVideo.cameraLocation: String": "as its type",
  "ShippingItemVideo.videoThumbnailUri: String": "as its type",
  "ShippingItemVideo.videoUri: String!": "as its type"
}

const kindOf = (type: GraphQLNamedType): string =>
  isObjectType(type)
    ? "type"
    : isInputObjectType(type)
    ? "input"
    : isEnumType(type)
    ? "enum"
    : isUnionType(type)
    ? "union"
    : "scalar"

const membersOf = (type: GraphQLNamedType): ReadonlyArray<string> => {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name)
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map(({ name, type }) => `${name}: ${String(type)}`)
  }
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).map(({ args, deprecationReason, name, type }) => {
    const parameters = args.map(({ name, type }) => `${name}: ${String(type)}`).join(", ")
    return `${name}${parameters === "" ? "" : `(${parameters})`}: ${String(type)}${
      deprecationReason ? " @deprecated" : ""
    }`
  })
}

/** All names in a schema, as lines. */
const factsOf = (schema: GraphQLSchema): ReadonlyArray<string> =>
  Object.values(schema.getTypeMap())
    .flatMap((type) =>
      type.name.startsWith("__") || isSpecifiedScalarType(type)
        ? []
        : [`${kindOf(type)} ${type.name}`, ...membersOf(type).map((member) => `${type.name}.${member}`)]
    )
    .sort()

describe("D17.1 the schema for clients of Kargo", () => {
  it.effect("has every type, field, argument and value of theirs, but what is left out", () =>
    Effect.map(ours, (schema) => {
      const have = new Set(factsOf(schema))
      expect(factsOf(public_).length).toBeGreaterThan(400)
      expect(factsOf(public_).filter((fact) => !have.has(fact))).toEqual(Object.keys(leftOut).sort())
    }))

  it.effect("has nothing that theirs has not", () =>
    Effect.map(ours, (schema) => {
      const theirs = new Set(factsOf(public_))
      expect(factsOf(schema).filter((fact) => !theirs.has(fact))).toEqual([])
    }))

  it.effect("is valid, and resolves all that its sources do not hold", () =>
    Effect.map(ours, (schema) => expect(validateSchema(schema)).toEqual([])))
})
