/**
 * The mutations of the schema (D8.4). Each reads its input as REST does, calls the same operation and returns the
 * same.
 */
import type { Permission, Principal } from "@dockline/core/Access"
import type { Document } from "@dockline/core/Document"
import * as DocumentInput from "@dockline/core/DocumentInput"
import * as ExceptionInput from "@dockline/core/ExceptionInput"
import { exceptionPermissions } from "@dockline/core/ExceptionRules"
import type { ShownException } from "@dockline/core/Exceptions"
import { ExceptionView } from "@dockline/core/ExceptionView"
import type { Placed } from "@dockline/core/internal/access/Keeping"
import { cancelShipment } from "@dockline/core/internal/movement/ShipmentOperations"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { keepShown } from "@dockline/core/Keep"
import type { Keep, Writing } from "@dockline/core/Keep"
import { IntakeResult } from "@dockline/core/Outcome"
import { PalletAnswer } from "@dockline/core/Pallet"
import type { RecordedEvent } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { PayloadTooLarge } from "@dockline/core/RequestErrors"
import * as StepInput from "@dockline/core/StepInput"
import { ShipmentView } from "@dockline/core/View"
import { Effect, Result } from "effect"
import type { Schema } from "effect"
import { GraphQLBoolean, GraphQLInputObjectType, GraphQLNonNull, GraphQLString } from "graphql"
import type { GraphQLFieldConfig, GraphQLFieldConfigMap } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeWriteWithin } from "../resolvers/SchemaAllowance.ts"
import type { Asked } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { Long, Upload } from "./Scalars.ts"
import { documentNotes, inputNotes } from "./SchemaNotes.ts"
import { inputTypes } from "./SchemaTypes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const exceptionId = {
  exceptionId: { type: new GraphQLNonNull(GraphQLString), description: "Id of the exception" }
}

const dryRun = {
  type: GraphQLBoolean,
  description: "Answer as the real run would, with the ids of would-be entities empty, and write nothing",
  default: { value: false }
}

const shipmentId = {
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

interface DocumentArgs<Input> {
  readonly input: Input
  readonly dryRun: boolean | null
}

/** The input of a step, with the id of its shipment. */
interface StepArgs {
  readonly input: { readonly shipmentId: number } & Readonly<Record<string, unknown>>
}

/** The input of a change of an exception; a report has no exceptionId yet. */
interface ExceptionArgs {
  readonly input:
    & { readonly shipmentId: number; readonly exceptionId: string }
    & Readonly<Record<string, unknown>>
}

/** The content type of a file: its own unless that is generic, else that of the ending of its name. */
const contentTypeOf = (file: Blob): string | undefined => {
  const type = file.type
  if (type !== "" && !type.startsWith("application/octet-stream") && !type.startsWith("text/plain")) {
    return type
  }
  const ending = /\.(json|xml)$/i.exec("name" in file ? String(file.name) : "")?.[1]
  return ending === undefined ? type || undefined : `application/${ending.toLowerCase()}`
}

/** Makes the running of an operation: once under the key of the mutation, if it has one. */
const makeRunOnce = (services: SchemaServices) => {
  const run = makeWriteWithin(services)
  return <A>(
    { context, info }: Pick<Asked, "context" | "info">,
    permissions: ReadonlyArray<Permission>,
    operate: <F>(
      keep: Keep<Placed<A>, F> | undefined,
      principal: Principal
    ) => Effect.Effect<Placed<A>, CatalogueError | F>
  ): Promise<A> => {
    const { keyed, session: { principal } } = context
    const once: Effect.Effect<A, CatalogueError> = keyed === undefined
      ? Effect.map(operate<never>(undefined, principal), ({ answer }) => answer)
      : keyed.once(permissions, (keep) => operate(keep, principal))
    return run(once, context, info)
  }
}

const placedAt = <A>({ business, facility }: Placed<A>["place"], answer: A) =>
  Result.succeed({ place: { business, facility }, answer })

export const mutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  ...documentMutations(services, types),
  ...movementMutations(services, types),
  ...exceptionMutations(services, types)
})

const documentMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { intake, documentReader, rules, config } = services
  const runOnce = makeRunOnce(services)
  const read = DocumentInput.reader(rules, config.itemLimit)
  const Outcome = new GraphQLNonNull(types.object(IntakeResult))
  /** Submits what is read; the refusal of a document that could not be read is recorded (D13.6). */
  const submit = <E extends CatalogueError>(
    asked: Pick<Asked, "context" | "info">,
    isDryRun: boolean | null,
    read: Effect.Effect<Document, E>
  ) => {
    const dryRun = isDryRun === true
    return runOnce<IntakeResult>(asked, ["documents:write"], (keep, principal) =>
      Effect.flatMap(
        Effect.catch(read, (refusal) => intake.refuse(refusal, principal, { dryRun, keep })),
        (document) =>
          keepShown(
            keep,
            (result: IntakeResult) => placedAt(document, result),
            (keep) => intake.submit(document, principal, { dryRun, keep })
          )
      ))
  }
  return {
    submitDocument: {
      type: Outcome,
      description: "Creates or updates a shipment, its orders and their items.",
      args: {
        input: {
          type: new GraphQLNonNull(inputTypes(documentNotes(rules)).object(DocumentInput.schema(rules))),
          description: "The document"
        },
        dryRun
      },
      resolve: (_source, { dryRun, input }: DocumentArgs<unknown>, context, info) =>
        submit({ context, info }, dryRun, Effect.suspend(() => Effect.fromResult(read(input))))
    },
    uploadDocument: {
      type: Outcome,
      description: "The same with a document from a file.",
      args: {
        input: { type: new GraphQLNonNull(UploadDocumentInput), description: "The file" },
        dryRun
      },
      resolve: (_source, { dryRun, input: { file } }: DocumentArgs<{ readonly file: Blob }>, context, info) =>
        submit(
          { context, info },
          dryRun,
          Effect.gen(function*() {
            if (file.size > config.uploadLimit) {
              return yield* new PayloadTooLarge({ limit: config.uploadLimit })
            }
            const bytes = new Uint8Array(yield* Effect.promise(() => file.arrayBuffer()))
            return yield* documentReader.read(bytes, contentTypeOf(file))
          })
        )
    }
  }
}

const movementMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { shipments, pallets } = services
  const runOnce = makeRunOnce(services)
  const inputs = inputTypes(inputNotes)
  const Shipment = new GraphQLNonNull(types.object(ShipmentView))
  const input = (type: GraphQLInputObjectType) => ({
    input: { type: new GraphQLNonNull(type), description: "What has happened" }
  })
  const step = <Given, E extends CatalogueError>(
    description: string,
    schema: Schema.Top,
    read: (input: unknown) => Result.Result<Given, E>,
    take: Writing<[id: string, given: Given], ShipmentView, CatalogueError>,
    permissions: ReadonlyArray<Permission> = ["shipments:write"]
  ): GraphQLFieldConfig<unknown, GraphqlContext> => ({
    type: Shipment,
    description,
    args: input(inputs.object(schema, shipmentId)),
    resolve: (_source, { input: { shipmentId, ...input } }: StepArgs, context, info) =>
      runOnce<ShipmentView>({ context, info }, permissions, (keep, principal) =>
        Effect.flatMap(
          Effect.suspend(() => Effect.fromResult(read(input))),
          (given) =>
            keepShown(
              keep,
              (shipment: ShipmentView) =>
                placedAt({ business: shipment.business.slug, facility: shipment.facility.slug }, shipment),
              (keep) => take(String(shipmentId), given, principal, keep)
            )
        ))
  })
  return {
    recordPalletEvent: {
      type: new GraphQLNonNull(types.object(PalletAnswer)),
      description:
        "Records that a pallet has crossed a dock; a repeat with the same eventId changes nothing.",
      args: input(inputs.object(PalletEventInput.schema)),
      resolve: (_source, { input }: { readonly input: unknown }, context, info) =>
        runOnce<PalletAnswer>({ context, info }, ["pallets:write"], (keep, principal) =>
          Effect.flatMap(
            Effect.suspend(() => Effect.fromResult(PalletEventInput.read(input))),
            (event) =>
              keepShown(
                keep,
                ({ answer }: RecordedEvent) => placedAt(event, answer),
                (keep) => pallets.record(event, principal, keep)
              )
          ))
    },
    arriveShipment: step(
      "The shipment has arrived; repeating it changes nothing.",
      StepInput.arriveSchema,
      StepInput.readArrive,
      shipments.arrive
    ),
    departShipment: step(
      "The shipment has departed, which completes it; repeating it changes nothing.",
      StepInput.departSchema,
      StepInput.readDepart,
      shipments.depart
    ),
    linkShipments: step(
      "Two shipments of a business belong together; repeating it changes nothing.",
      StepInput.linkSchema,
      StepInput.readLink,
      (id, { linkedShipmentId }: { readonly linkedShipmentId: string }, principal, keep) =>
        shipments.link(id, linkedShipmentId, principal, keep)
    ),
    cancelShipment: step(
      "A scheduled shipment without links is cancelled, with its orders; repeating it changes nothing.",
      StepInput.cancelSchema,
      StepInput.readCancel,
      (id, _given, principal, keep) => shipments.cancel(id, principal, keep),
      cancelShipment.may
    )
  }
}

const exceptionMutations = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { exceptions } = services
  const runOnce = makeRunOnce(services)
  const inputs = inputTypes(inputNotes)
  const change = (
    description: string,
    type: GraphQLInputObjectType,
    write: Writing<[input: ExceptionArgs["input"]], ShownException, CatalogueError>
  ): GraphQLFieldConfig<unknown, GraphqlContext> => ({
    type: new GraphQLNonNull(types.object(ExceptionView)),
    description,
    args: { input: { type: new GraphQLNonNull(type), description: "What has happened" } },
    resolve: (_source, { input }: ExceptionArgs, context, info) =>
      runOnce<ExceptionView>({ context, info }, exceptionPermissions, (keep, principal) =>
        keepShown(
          keep,
          ({ business, exception, facility }: ShownException) =>
            placedAt({ business: business.slug, facility: facility.slug }, exception),
          (keep) => write(input, principal, keep)
        ))
  })
  return {
    reportException: change(
      "Reports what is wrong with a shipment or one of its pallets.",
      inputs.object(ExceptionInput.reportSchema, shipmentId),
      ({ shipmentId, ...input }, principal, keep) =>
        Effect.flatMap(
          Effect.suspend(() => Effect.fromResult(ExceptionInput.readReport(input))),
          (report) => exceptions.report(String(shipmentId), report, principal, keep)
        )
    ),
    resolveException: change(
      "Resolves an exception; repeating it changes nothing.",
      inputs.object(ExceptionInput.resolveSchema, { ...shipmentId, ...exceptionId }),
      ({ exceptionId, shipmentId, ...input }, principal, keep) =>
        Effect.flatMap(
          Effect.suspend(() => Effect.fromResult(ExceptionInput.readResolve(input))),
          (resolution) => exceptions.resolve(String(shipmentId), exceptionId, resolution, principal, keep)
        )
    )
  }
}
