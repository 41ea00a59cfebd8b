/**
 * The mutations of the schema (D8.4). Each reads its input with the reader of REST, calls the operation that REST
 * calls and returns the same data.
 */
import type { Permission } from "@dockline/core/Access"
import type { Document } from "@dockline/core/Document"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { PayloadTooLarge } from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { IntakeResult } from "@dockline/core/Outcome"
import { PalletAnswer } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import * as StepInput from "@dockline/core/StepInput"
import { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import { GraphQLBoolean, GraphQLInputObjectType, GraphQLNonNull } from "graphql"
import type { GraphQLFieldConfigMap, GraphQLInputFieldConfigMap, GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../engine/Run.ts"
import { makeWriteWithin } from "../engine/SchemaAllowance.ts"
import { Long, Upload } from "./Scalars.ts"
import { documentNotes, inputNotes } from "./SchemaNotes.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import { InputTypes } from "./SchemaTypes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const dryRun = {
  type: GraphQLBoolean,
  description: "Answer as the real run would, with the ids of would-be entities empty, and write nothing",
  default: { value: false }
}

const shipmentId: GraphQLInputFieldConfigMap = {
  shipmentId: { type: new GraphQLNonNull(Long), description: "Id of the shipment" }
}

const UploadDocumentInput = new GraphQLInputObjectType({
  name: "UploadDocumentInput",
  description: "A document as a file.",
  fields: {
    file: {
      type: new GraphQLNonNull(Upload),
      description:
        "A JSON or XML document, told by the part's Content-Type, else by the ending of the file's name"
    }
  }
})

/** A step's own input beside the shipment it is about. */
interface StepArgs {
  readonly input: { readonly shipmentId: number } & Readonly<Record<string, unknown>>
}

/** The content type of a file: its own, or what its name ends with where it has none that says anything. */
const contentTypeOf = (file: Blob): string | undefined => {
  const type = file.type
  if (type !== "" && !type.startsWith("application/octet-stream") && !type.startsWith("text/plain")) {
    return type
  }
  const ending = /\.(json|xml)$/i.exec("name" in file ? String(file.name) : "")?.[1]
  return ending === undefined ? type || undefined : `application/${ending.toLowerCase()}`
}

const written = (context: GraphqlContext, permission: Permission, business: string, facility: string) =>
  Effect.sync(() => context.onWritten?.({ permission, business, facility }))

const moved = <E>(
  context: GraphqlContext,
  step: Effect.Effect<ShipmentView, E>
): Effect.Effect<ShipmentView, E> =>
  Effect.tap(
    step,
    ({ business, facility }) => written(context, "shipments:write", business.slug, facility.slug)
  )

/** Runs a mutation within the limit of its answer; what would exceed it is refused before anything is written. */
const makeRunWithin = (services: SchemaServices) => {
  const writeWithin = makeWriteWithin(services)
  return <A, E extends CatalogueError>(
    effect: Effect.Effect<A, E>,
    context: GraphqlContext,
    info: GraphQLResolveInfo
  ): Promise<A> => writeWithin(() => services.run(effect, context), context, info)
}

/** All mutations. */
export const mutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  ...documentMutations(services, types),
  ...movementMutations(services, types)
})

const documentMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { intake, documentReader, rules, config } = services
  const run = makeRunWithin(services)
  const read = DocumentInput.reader(rules, config.itemLimit)
  const Result = new GraphQLNonNull(types.object(IntakeResult))
  const submit = (document: Document, dryRun: boolean | null, context: GraphqlContext) =>
    Effect.tap(
      intake.submit(document, context.session.principal, { dryRun: dryRun === true }),
      () => written(context, "documents:write", document.business, document.facility)
    )
  return {
    submitDocument: {
      type: Result,
      description: "Creates or updates a shipment, its orders and their items.",
      args: {
        input: {
          type: new GraphQLNonNull(new InputTypes(documentNotes(rules)).object(DocumentInput.schema(rules))),
          description: "The document"
        },
        dryRun
      },
      resolve: (_source, args: { readonly input: unknown; readonly dryRun: boolean | null }, context, info) =>
        run(
          Effect.flatMap(
            Effect.suspend(() => Effect.fromResult(read(args.input))),
            (document) => submit(document, args.dryRun, context)
          ),
          context,
          info
        )
    },
    uploadDocument: {
      type: Result,
      description: "The same with a document from a file.",
      args: {
        input: { type: new GraphQLNonNull(UploadDocumentInput), description: "The file" },
        dryRun
      },
      resolve: (
        _source,
        args: { readonly input: { readonly file: Blob }; readonly dryRun: boolean | null },
        context,
        info
      ) =>
        run(
          Effect.gen(function*() {
            const { file } = args.input
            if (file.size > config.uploadLimit) {
              return yield* new PayloadTooLarge({ limit: config.uploadLimit })
            }
            const bytes = new Uint8Array(yield* Effect.promise(() => file.arrayBuffer()))
            const document = yield* documentReader.read(bytes, contentTypeOf(file))
            return yield* submit(document, args.dryRun, context)
          }),
          context,
          info
        )
    }
  }
}

const movementMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { shipments, pallets } = services
  const run = makeRunWithin(services)
  const inputs = new InputTypes(inputNotes)
  const Shipment = new GraphQLNonNull(types.object(ShipmentView))
  const input = (type: GraphQLInputObjectType) => ({
    input: { type: new GraphQLNonNull(type), description: "What has happened" }
  })
  return {
    recordPalletEvent: {
      type: new GraphQLNonNull(types.object(PalletAnswer)),
      description:
        "Records that a pallet has crossed a dock; a repeat with the same eventId changes nothing.",
      args: input(inputs.object(PalletEventInput.schema)),
      resolve: (_source, { input }: { readonly input: unknown }, context, info) =>
        run(
          Effect.suspend(() => Effect.fromResult(PalletEventInput.read(input))).pipe(
            Effect.flatMap((event) =>
              Effect.tap(
                pallets.record(event, context.session.principal),
                () => written(context, "pallets:write", event.business, event.facility)
              )
            ),
            Effect.map(({ answer }) => answer)
          ),
          context,
          info
        )
    },
    arriveShipment: {
      type: Shipment,
      description: "The shipment has arrived; repeating it changes nothing.",
      args: input(inputs.object(StepInput.arriveSchema, shipmentId)),
      resolve: (_source, { input: { shipmentId, ...input } }: StepArgs, context, info) =>
        run(
          Effect.flatMap(
            Effect.suspend(() => Effect.fromResult(StepInput.readArrive(input))),
            (arrival) =>
              moved(context, shipments.arrive(String(shipmentId), arrival, context.session.principal))
          ),
          context,
          info
        )
    },
    departShipment: {
      type: Shipment,
      description: "The shipment has departed, which completes it; repeating it changes nothing.",
      args: input(inputs.object(StepInput.departSchema, shipmentId)),
      resolve: (_source, { input: { shipmentId, ...input } }: StepArgs, context, info) =>
        run(
          Effect.flatMap(
            Effect.suspend(() => Effect.fromResult(StepInput.readDepart(input))),
            (departure) =>
              moved(context, shipments.depart(String(shipmentId), departure, context.session.principal))
          ),
          context,
          info
        )
    },
    linkShipments: {
      type: Shipment,
      description: "Two shipments of a business belong together; repeating it changes nothing.",
      args: input(inputs.object(StepInput.linkSchema, shipmentId)),
      resolve: (_source, { input: { shipmentId, ...input } }: StepArgs, context, info) =>
        run(
          Effect.flatMap(
            Effect.suspend(() => Effect.fromResult(StepInput.readLink(input))),
            ({ linkedShipmentId }) =>
              moved(context, shipments.link(String(shipmentId), linkedShipmentId, context.session.principal))
          ),
          context,
          info
        )
    }
  }
}
