/**
 * Kargo's own schema over the operations of core, so that its clients run unchanged (D17.1). It is somebody else's contract: its
 * types are written down as they are there, and do not follow ours; the fields do their work by the services and operations that
 * all other interfaces use, and have no rule of their own.
 *
 * Guarantee: each name and type that both schemas have is the same. What is left out of theirs is what no field shows.
 */
import type { Message } from "@dockline/core/messages/Message"
import { Upload } from "@dockline/graphql-adapter/schema/GraphqlPart"
import type { GraphqlContext, SchemaServices } from "@dockline/graphql-adapter/schema/GraphqlPart"
import {
  buildSchema,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType
} from "graphql"
import type { GraphQLFieldResolver, GraphQLType } from "graphql"
import { inputsSdl } from "../sdl/InputsSdl.ts"
import { mutationsSdl } from "../sdl/MutationsSdl.ts"
import { ordersSdl } from "../sdl/OrdersSdl.ts"
import { shipmentsSdl } from "../sdl/ShipmentsSdl.ts"
import { declaredOver, makeMutations } from "./KargoMutations.ts"
import { makeReads, readingOver } from "./KargoReads.ts"
import { makeFollow, messageFields } from "./PushMessages.ts"
import type { Resolvers, SchemaPart } from "./SchemaPart.ts"
import { WideInt } from "./WideInt.ts"

/** The type with the wide `Int` in the place of GraphQL's own. */
const withLists = <Type extends GraphQLType>(type: Type): Type => {
  const wide = isNonNullType(type)
    ? new GraphQLNonNull(withLists(type.ofType))
    : isListType(type)
    ? new GraphQLList(withLists(type.ofType))
    : type === GraphQLInt
    ? WideInt
    : type
  // The wide one is of the same kind as the other.
  return wide as Type
}

/** The schema in which each `Int` is the wide one. */
const widen = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) field.type = withLists(field.type)
    } else if (isObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        field.type = withLists(field.type)
        for (const argument of field.args) argument.type = withLists(argument.type)
      }
    }
  }
  const { types, ...config } = schema.toConfig()
  return new GraphQLSchema({ ...config, types: types.filter((type) => type !== GraphQLInt) })
}

/** Makes the schema, with the parts of the capabilities that the service has. */
export const makeKargoSchema = (
  services: SchemaServices,
  parts: ReadonlyArray<SchemaPart>
): GraphQLSchema => {
  const { capabilities } = services.registry
  const ownParts = parts.filter((part) => capabilities.some(({ name }) => name === part.name))
  const texts = [shipmentsSdl, ordersSdl, mutationsSdl, inputsSdl, ...ownParts.map(({ sdl }) => sdl)]
  // Locations would keep every token.
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
      // The schema says what sources and arguments its fields have.
      typeField.resolve = resolve as GraphQLFieldResolver<unknown, GraphqlContext>
    }
  }
  const subscription = schema.getSubscriptionType()?.getFields()["pushMessage"]
  if (subscription !== undefined) subscription.subscribe = makeFollow(services)
  const upload = schema.getType("Upload")
  if (isScalarType(upload)) upload.coerceInputValue = Upload.coerceInputValue
  return schema
}
