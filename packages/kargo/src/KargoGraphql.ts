/**
 * Kargo's schema as a part of GraphQL (D17.1): `GraphqlAdapter` serves it if the service has the capability `kargo`.
 *
 * ```ts
 * GraphqlAdapter.layer(config, [kargoGraphql])
 * ```
 */
import type { Message } from "@dockline/core/messages/Message"
import {
  buildSchema,
  GraphQLError,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind
} from "@dockline/graphql-adapter/schema/Graphql"
import type { GraphQLFieldResolver, GraphQLType } from "@dockline/graphql-adapter/schema/Graphql"
import { Upload } from "@dockline/graphql-adapter/schema/Schema"
import type { GraphqlContext, GraphqlPart, SchemaServices } from "@dockline/graphql-adapter/schema/Schema"
import { kargo } from "./KargoCapability.ts"
import { declaredOver, makeMutations } from "./schema/KargoMutations.ts"
import { makeFollow, makeReads, messageFields, readingOver } from "./schema/KargoReads.ts"
import type { Resolvers, SchemaPart } from "./schema/SchemaPart.ts"
import { parts } from "./SchemaParts.ts"
import { inputsSdl, mutationsSdl } from "./sdl/MutationsSdl.ts"
import { ordersSdl, shipmentsSdl } from "./sdl/ReadsSdl.ts"

const whole = (value: unknown): number => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  throw new GraphQLError(`Int must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`)
}

/**
 * The `Int` of Kargo's schema, in which ids have this type. Our ids may exceed 32 bits. This type accepts and shows them, whereas GraphQL's
 * own `Int` would make the whole answer fail.
 */
export const WideInt = new GraphQLScalarType<number, number>({
  name: "Int",
  description: "A whole number. Ids may exceed 32 bits, up to 2^53 - 1; all other numbers have 32 bits.",
  coerceOutputValue: whole,
  coerceInputValue: whole,
  // An `Int` literal has no limit in the grammar of GraphQL, so `whole` checks the number.
  coerceInputLiteral: (node) => whole(node.kind === Kind.INT ? Number(node.value) : node)
})

/** A type with the wide `Int` in place of GraphQL's own. */
const withWideInt = <Type extends GraphQLType>(type: Type): Type => {
  const wide = isNonNullType(type)
    ? new GraphQLNonNull(withWideInt(type.ofType))
    : isListType(type)
    ? new GraphQLList(withWideInt(type.ofType))
    : type === GraphQLInt
    ? WideInt
    : type
  // The wide type is of the same kind as the original.
  return wide as Type
}

/** Replaces each `Int` in a schema by the wide `Int`. */
const widen = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) field.type = withWideInt(field.type)
    } else if (isObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        field.type = withWideInt(field.type)
        for (const argument of field.args) argument.type = withWideInt(argument.type)
      }
    }
  }
  const { types, ...config } = schema.toConfig()
  return new GraphQLSchema({ ...config, types: types.filter((type) => type !== GraphQLInt) })
}

/**
 * Makes Kargo's own schema over the operations of core, so that its clients run unchanged (D17.1), with the parts of the capabilities that
 * the service has. The schema is Kargo's contract: its types are written out as Kargo has them, and are not derived from ours. The fields
 * use the same services and operations as all other interfaces, and have no rules of their own.
 *
 * Guarantee: names and types that this schema and Kargo's original share are identical. This schema only leaves out types that none of its
 * fields can return.
 */
export const makeKargoSchema = (
  services: SchemaServices,
  parts: ReadonlyArray<SchemaPart>
): GraphQLSchema => {
  const { capabilities } = services.registry
  const ownParts = parts.filter((part) => capabilities.some(({ name }) => name === part.name))
  const texts = [shipmentsSdl, ordersSdl, mutationsSdl, inputsSdl, ...ownParts.map(({ sdl }) => sdl)]
  // With locations, the schema would keep every token in memory.
  const schema = widen(buildSchema(texts.join("\n"), { noLocation: true }))
  const reading = readingOver(services)
  const mutationOf = declaredOver(services)
  const resolvers: ReadonlyArray<Resolvers> = [
    {
      ...makeReads(reading),
      Mutation: makeMutations(services),
      PushMessage: messageFields,
      Subscription: { pushMessage: (message: Message) => message }
    },
    ...ownParts.map((part) => part.resolvers(reading, mutationOf))
  ]
  for (const [name, fields] of resolvers.flatMap((each) => Object.entries(each))) {
    const type = schema.getType(name)
    if (!isObjectType(type)) throw new TypeError(`The schema has no type ${name}`)
    for (const [field, resolve] of Object.entries(fields)) {
      const typeField = type.getFields()[field]
      if (typeField === undefined) throw new TypeError(`${name} has no field ${field}`)
      // The schema determines the sources and arguments of its fields.
      typeField.resolve = resolve as GraphQLFieldResolver<unknown, GraphqlContext>
    }
  }
  const subscription = schema.getSubscriptionType()?.getFields()["pushMessage"]
  if (subscription !== undefined) subscription.subscribe = makeFollow(services)
  const upload = schema.getType("Upload")
  if (isScalarType(upload)) upload.coerceInputValue = Upload.coerceInputValue
  return schema
}

/** The path of the schema under the base URL. The URL is also a valid audience of tokens. */
export const kargoPath = "/kargo/public_graphql"

/** Kargo's schema. */
export const kargoGraphql: GraphqlPart = {
  name: kargo.name,
  path: kargoPath,
  schemaOf: (services) => makeKargoSchema(services, parts)
}
