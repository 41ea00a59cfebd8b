/**
 * The schema, made from the services of core for any GraphQL server. A mutation reads its input as REST does, calls the same operation and
 * returns the same result (D8.4).
 *
 * ```ts
 * const schema = makeSchema(yield* gatherServices())
 * // the context value of each operation, a new object: { session, correlationId }
 * ```
 */
import { canRead } from "@dockline/core/access/Access"
import type { Outcome } from "@dockline/core/access/Idempotency"
import { methodsOf, writeOf, writing } from "@dockline/core/capability/OperationRegistry"
import type { Document } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import type { DocumentReadFailure } from "@dockline/core/document/DocumentInput"
import { submitDocument } from "@dockline/core/document/DocumentOperations"
import { preconditionOf } from "@dockline/core/document/DocumentPrecondition"
import type { PreconditionOptions } from "@dockline/core/document/DocumentPrecondition"
import * as Slices from "@dockline/core/input/Slices"
import { submitting } from "@dockline/core/operations/Handlers"
import { BusinessView, FacilityView } from "@dockline/core/operator/OperatorView"
import { refusalAt } from "@dockline/core/places/Authorize"
import type { PlaceSlugs } from "@dockline/core/places/Authorize"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import { Effect, Result, Struct } from "effect"
import {
  GraphQLBoolean,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString
} from "graphql"
import type { GraphQLArgumentConfig, GraphQLFieldConfig, GraphQLFieldConfigMap } from "graphql"
import { makeWriteWithin } from "../resolvers/AnswerLimits.ts"
import type { FieldRequest } from "../resolvers/AnswerLimits.ts"
import type { GraphqlContext, SchemaServices } from "../resolvers/Run.ts"
import { idsOf, listOf, makeFields, refusalOf, text, textFaults } from "./SchemaLists.ts"
import { messageRootFields } from "./SchemaMessages.ts"
import { documentNotes, inputNotes, outputNotes } from "./SchemaNotes.ts"
import { inputTypes, outputTypes, Upload } from "./SchemaTypes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

/** The options of a document. */
const options = {
  dryRun: {
    type: GraphQLBoolean,
    description: "Answer as the real run would, with the ids of would-be entities empty, and write nothing",
    default: { value: false }
  },
  ifNew: {
    type: GraphQLBoolean,
    description: "Accept it only if none of its orders exists at the facility; otherwise PRECONDITION_FAILED"
  },
  ifVersion: {
    type: GraphQLInt,
    description: "Accept it only if its shipment still has this version; otherwise PRECONDITION_FAILED"
  }
}

const UploadDocumentInput = new GraphQLInputObjectType({
  name: "UploadDocumentInput",
  description: "A document as a file.",
  fields: {
    file: {
      type: new GraphQLNonNull(Upload),
      description:
        "A JSON or XML document, recognised by the part's Content-Type, else by the extension of the file name"
    }
  }
})

interface DocumentArgs<Input> extends PreconditionOptions {
  readonly input: Input
  readonly dryRun: boolean | null
}

/** The content type of a file: its declared type or, if that is generic, the type of its extension. */
const contentTypeOf = (file: Blob): string | undefined => {
  const type = file.type
  if (type !== "" && !type.startsWith("application/octet-stream") && !type.startsWith("text/plain")) {
    return type
  }
  const ending = /\.(json|xml)$/i.exec("name" in file ? String(file.name) : "")?.[1]
  return ending === undefined ? type || undefined : `application/${ending.toLowerCase()}`
}

/** Makes the function that runs a mutation within the limits of its operation. */
export const makeRun = (services: SchemaServices) => {
  const run = makeWriteWithin(services)
  return <A>(
    { context, info }: Pick<FieldRequest, "context" | "info">,
    outcome: Effect.Effect<Outcome<A>, CatalogueError>
  ): Promise<A> => run(Effect.flatMap(outcome, ({ result }) => Effect.fromResult(result)), context, info)
}

const mutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  ...documentMutations(services, types),
  ...declaredMutations(services, types)
})

const documentMutations = (services: SchemaServices, types: OutputTypes) => {
  const { config: { itemLimit, uploadLimit }, documentReader, intake, rules } = services
  const run = makeRun(services)
  const submit = submitting(intake)
  const type = new GraphQLNonNull(types.object(submitDocument.view))
  const mutation = <Input>(
    description: string,
    input: GraphQLArgumentConfig,
    read: (input: Input) => Effect.Effect<Document, DocumentReadFailure<CatalogueError>>
  ): GraphQLFieldConfig<unknown, GraphqlContext> => ({
    type,
    description,
    args: { input, ...options },
    resolve: (_source, { dryRun, input, ...precondition }: DocumentArgs<Input>, context, info) =>
      run(
        { context, info },
        submit(read(input), {
          principal: context.session.principal,
          dryRun: dryRun === true,
          precondition: preconditionOf(precondition),
          once: context.key?.once
        })
      )
  })
  const read = DocumentInput.stepReader(rules, itemLimit)
  const documentType = inputTypes(documentNotes(rules)).object(DocumentInput.schema(rules))
  return {
    submitDocument: mutation(
      submitDocument.description,
      { type: new GraphQLNonNull(documentType), description: "The document" },
      (input: unknown) =>
        Effect.flatMap(Effect.suspend(() => Slices.run(read(input, true))), Effect.fromResult)
    ),
    uploadDocument: mutation(
      "The same with a document from a file.",
      { type: new GraphQLNonNull(UploadDocumentInput), description: "The file" },
      Effect.fnUntraced(function*({ file }: { readonly file: Blob }) {
        if (file.size > uploadLimit) return yield* new PayloadTooLarge({ limit: uploadLimit })
        const bytes = new Uint8Array(yield* Effect.promise(() => file.arrayBuffer()))
        return yield* documentReader.read(bytes, contentTypeOf(file))
      })
    )
  }
}

/** The mutations of the declared operations; the parameters of paths are fields of the input. */
const declaredMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const inputs = inputTypes(inputNotes(types, services.registry.capabilities))
  const run = makeRun(services)
  const { operations } = services.registry
  const write = writing(services.registry)
  const mutation = (method: string): GraphQLFieldConfig<unknown, GraphqlContext> => {
    const { body, description, params, read, show, view } = writeOf(operations, method)
    const ids = idsOf(params, (name) => name === "id" ? "shipmentId" : name)
    return {
      type: new GraphQLNonNull(types.object(view)),
      description,
      args: {
        input: { type: new GraphQLNonNull(inputs.object(body, ids.fields)), description: "What has happened" }
      },
      resolve: (_source, { input }: { readonly input: Readonly<Record<string, unknown>> }, context, info) => {
        const outcome = write(method, {
          params: ids.read(input),
          body: Effect.suspend(() => Effect.fromResult(read(Struct.omit(input, Object.keys(ids.fields))))),
          principal: context.session.principal,
          once: context.key?.once
        })
        const answer = Effect.map(outcome, ({ replayed, result }) => ({
          replayed,
          result: show === undefined ? result : Result.map(result, show)
        }))
        return run<unknown>({ context, info }, answer)
      }
    }
  }
  return Object.fromEntries(
    methodsOf(operations, "write").map((method) => [operations[method]!.name, mutation(method)])
  )
}

export { makeReadWithin } from "../resolvers/AnswerLimits.ts"
export type { FieldRequest } from "../resolvers/AnswerLimits.ts"
export type { GraphqlContext } from "../resolvers/Run.ts"
export type { SchemaServices } from "../resolvers/Run.ts"
export { refusalOf, textFaults } from "./SchemaLists.ts"
export { follow } from "./SchemaMessages.ts"
export { queryOf } from "./SchemaMessages.ts"
export { Upload } from "./SchemaTypes.ts"

/**
 * The GraphQL part of a capability: its own schema at its own path, beside the operations that it adds to the schema of the service
 * (ADR 31). Both schemas share the engine, sockets, limits, sessions and metrics.
 *
 * Guarantee: resolvers that use these functions stay within the limits of their operation (D8.8), and are counted and traced; errors that
 * clients see are those of the catalogue.
 *
 * ```ts
 * const weather: GraphqlPart = {
 *   name: "weather",
 *   path: "/weather/graphql",
 *   schemaOf: (services) => {
 *     const read = makeReadWithin(services)
 *     return new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields: { … } }) })
 *   }
 * }
 * GraphqlAdapter.layer(config, [weather])
 * ```
 */
export interface GraphqlPart {
  /** The name of the capability. A service without the capability does not serve the schema. */
  readonly name: string
  /** The path of the schema, under the base URL. */
  readonly path: `/${string}`
  /** Makes the schema, at the first request for its path. */
  readonly schemaOf: (services: SchemaServices) => GraphQLSchema
}

/** Finds a business, and a facility if one is named, that the client may read. `texts` are the arguments that name them. */
const placeOf = Effect.fnUntraced(function*(
  { directory }: SchemaServices,
  { session: { principal } }: GraphqlContext,
  slugs: PlaceSlugs,
  texts: Readonly<Record<string, string>>
) {
  const invalid = refusalOf(textFaults(texts))
  if (invalid !== undefined) return yield* invalid
  const business = yield* directory.describe(slugs.business)
  const facility = business?.facilities.find(({ slug }) => slug === slugs.facility) ?? null
  const refusal = refusalAt({ business, facility }, principal, "read", slugs)
  if (refusal !== undefined) return yield* refusal
  const facilities = business?.facilities.filter(({ slug }) => canRead(principal, slugs.business, slug))
  return { business: { ...business, facilities }, facility }
})

/** The fields of queries, such as businesses, facilities, shipments and orders (D8.4). Each calls the operation that REST calls. */
const reads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const Facility = types.object(FacilityView, {
    docks: { type: listOf(GraphQLString), description: "The slugs of its docks" }
  })
  const Business = types.object(BusinessView, {
    facilities: {
      type: listOf(Facility),
      description: "Its facilities that the client may see, in slug order"
    }
  })
  const show = (context: GraphqlContext, slugs: PlaceSlugs, texts: Readonly<Record<string, string>>) =>
    services.run(placeOf(services, context, slugs, texts), context)
  return {
    business: {
      type: Business,
      description: "A business, as far as the client may see it.",
      args: { slug: { type: text, description: "Its slug" } },
      resolve: async (_source, args: { readonly slug: string }, context) =>
        (await show(context, { business: args.slug }, args)).business
    },
    facility: {
      type: Facility,
      description: "A facility of a business.",
      args: {
        business: { type: text, description: "Slug of the business" },
        slug: { type: text, description: "Its slug" }
      },
      resolve: async (_source, args: { readonly business: string; readonly slug: string }, context) =>
        (await show(context, { business: args.business, facility: args.slug }, args)).facility
    },
    ...makeFields(services, types)
  }
}

/**
 * Makes the schema. Its resolvers expect a `GraphqlContext` as the context value. Each operation needs a new context, because the context
 * keeps count of the size and the time of the answer.
 */
export const makeSchema = (services: SchemaServices): GraphQLSchema => {
  const { capabilities } = services.registry
  const { pushMessage, pushMessages } = messageRootFields(services)
  const types = outputTypes(outputNotes(services.rules, capabilities))
  return new GraphQLSchema({
    description: "Shipments, orders and pallets at the docks, and the messages about them.",
    query: new GraphQLObjectType({
      name: "Query",
      description: "What can be read.",
      fields: { pushMessages, ...reads(services, types) }
    }),
    mutation: new GraphQLObjectType({
      name: "Mutation",
      description: "The mutations, each of which is all or nothing.",
      fields: mutations(services, types)
    }),
    subscription: new GraphQLObjectType({
      name: "Subscription",
      description: "What can be followed.",
      fields: { pushMessage }
    })
  })
}
