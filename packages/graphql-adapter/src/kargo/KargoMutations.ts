/**
 * The mutations of Kargo's schema: each makes a document, or the input of another operation, and calls the operation that REST calls
 * (D17.1 to D17.4).
 */
import * as DocumentInput from "@dockline/core/DocumentInput"
import { InvalidRequest } from "@dockline/core/Errors"
import type { Outcome } from "@dockline/core/internal/access/Keeping"
import type { DocumentAlongside } from "@dockline/core/internal/document/Intake"
import {
  handlersOf,
  submitting,
  submittingAlongside,
  writing
} from "@dockline/core/internal/operations/Handlers"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import type { DeleteSkusAnswer, SetSkusAnswer } from "@dockline/core/internal/skus/SkuOperations"
import type { CatalogueError, FieldError } from "@dockline/core/internal/values/CatalogueError"
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import type { MethodOf } from "@dockline/core/Operations"
import type { IntakeResult } from "@dockline/core/Outcome"
import { Effect, Predicate, Result } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import * as SchemaMutations from "../schema/SchemaMutations.ts"
import type { ItemGiven, OrderGiven, ShipmentGiven } from "./DocumentsGiven.ts"
import { forget } from "./KargoLists.ts"
import * as KargoSkus from "./KargoSkus.ts"
import type { SkusGiven, SkusGone } from "./KargoSkus.ts"
import { shipmentOf } from "./ShipmentShown.ts"
import { makeSubmissions } from "./Submissions.ts"
import type { PlacedOrder } from "./Submissions.ts"

type Resolve<Input> = (
  source: unknown,
  args: { readonly input: Input },
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

/** Makes the running of a mutation, before which what fields have read is forgotten: those of the mutations before may have changed it. */
const makeRun = (services: SchemaServices) => {
  const run = SchemaMutations.makeRun(services)
  return <A>(
    where: SchemaMutations.Where,
    outcome: Effect.Effect<Outcome<A>, CatalogueError>
  ): Promise<A> => {
    forget(where.context)
    return run(where, outcome)
  }
}

/** The mutations, over the services. */
export const makeMutations = (services: SchemaServices) => ({
  ...documentMutations(services),
  ...declaredMutations(services),
  ...payloadMutations(services)
})

/** The outcome with what is shown of its result. */
const showing = <A, B, E, R>(outcome: Effect.Effect<Outcome<A>, E, R>, show: (result: A) => B) =>
  Effect.map(outcome, ({ replayed, result }) => ({ replayed, result: Result.map(result, show) }))

/** The id of the order of a document, and whether the document created it. */
const orderIn = ({ created, updated }: IntakeResult) => {
  const isOrder = ({ type }: { readonly type: string }) => type === "ORDER"
  const isNew = created.some(isOrder)
  return { id: (isNew ? created : updated).find(isOrder)?.id ?? "", isNew }
}

/** The mutations that submit documents. */
const documentMutations = (services: SchemaServices) => {
  const run = makeRun(services)
  const submitted = submittingAlongside(services.intake)
  const submissions = makeSubmissions(services)

  /** How the document is read from the input, with what is decided together with it, and what is shown of what became of it. */
  const submission = <Input, A>(
    read: (input: Input, context: GraphqlContext) => Effect.Effect<DocumentAlongside, CatalogueError>,
    show: (result: IntakeResult) => A
  ): Resolve<Input> =>
  (_source, { input }, context, info) =>
    run(
      { context, info },
      showing(
        submitted(Effect.suspend(() => read(input, context)), {
          principal: context.session.principal,
          dryRun: false,
          once: context.keyed?.once
        }),
        show
      )
    )

  return {
    createShipmentAndOrder: submission(
      ({ orders, shipment }: {
        readonly shipment: ShipmentGiven
        readonly orders: ReadonlyArray<OrderGiven>
      }) => submissions.ofShipmentAndOrders(shipment, orders),
      ({ shipment }) => ({ shipment: shipmentOf(shipment) })
    ),
    updateShipment: submission(
      (shipment: ShipmentGiven, context) => submissions.ofShipment(shipment, context),
      ({ shipment }) => ({ success: true, id: shipment.id })
    ),
    createOrder: submission(
      (order: PlacedOrder, context) => submissions.ofNewOrder(order, context),
      (result) => ({ success: true, id: orderIn(result).id })
    ),
    createOrUpdateOrder: submission(
      (order: PlacedOrder, context) => submissions.ofOrder(order, context),
      (result) => {
        const { id, isNew } = orderIn(result)
        return { success: true, id, type: isNew ? "CREATE" : "UPDATE" }
      }
    ),
    addItemsToOrder: submission(
      (input: { readonly id: string; readonly items: ReadonlyArray<ItemGiven> }, context) =>
        submissions.ofAddedItems(input, context),
      () => ({ success: true })
    ),
    deleteItemsFromOrder: submission(
      (input: { readonly id: string; readonly identifiers: ReadonlyArray<string> }, context) =>
        submissions.ofDeletedItems(input, context),
      ({ removed }) => ({
        success: true,
        deletedIdentifiers: removed.map(({ reference }) => reference),
        orderDeleted: false
      })
    )
  }
}

interface ExceptionGiven {
  readonly shipmentId: number
  readonly palletId?: number | null
  readonly priority?: "LOW" | "HIGH" | null
  readonly customerExceptionDescription: string
}

const readException = ({ customerExceptionDescription: description, palletId, priority }: ExceptionGiven) =>
  operations.reportException.read({
    kind: "OTHER",
    priority: priority ?? "LOW",
    description,
    ...(palletId === undefined || palletId === null ? {} : { palletId: String(palletId) })
  })

/** The fault of a report, of which only the description can have one, by its field of the input. */
const ofException = ({ errors }: { readonly errors: ReadonlyArray<FieldError> }) =>
  new InvalidRequest({
    errors: errors.map(({ detail }) => ({ path: "input.customerExceptionDescription", detail }))
  })

/** The mutations of operations that are declared. */
const declaredMutations = (services: SchemaServices) => {
  const run = makeRun(services)
  const write = writing(handlersOf(services))

  /** How the body of an operation is read from the input, what is shown of what it did, and the parameters of its path. */
  const declared = <Input, Done, A>(
    method: MethodOf<Operation.AnyWrite>,
    read: (input: Input) => Result.Result<unknown, CatalogueError>,
    show: (done: Done) => A,
    params: (input: Input) => Readonly<Record<string, string>> = () => ({})
  ): Resolve<Input> =>
  (_source, { input }, context, info) =>
    run(
      { context, info },
      showing(
        write(method, {
          params: params(input),
          body: Effect.suspend(() => Effect.fromResult(read(input))),
          principal: context.session.principal,
          once: context.keyed?.once
        }),
        show
      )
    )

  return {
    createException: declared(
      "reportException",
      (given: ExceptionGiven) => Result.mapError(readException(given), ofException),
      ({ id }: { readonly id: string }) => ({ exceptionId: id }),
      ({ shipmentId }) => ({ id: String(shipmentId) })
    ),
    upsertSKUs: declared(
      "setSkus",
      (given: SkusGiven) =>
        Result.mapError(operations.setSkus.read(KargoSkus.setOf(given)), KargoSkus.ofSkus),
      ({ added, updated }: SetSkusAnswer) => ({ numRecordsAdded: added, numRecordsUpdated: updated })
    ),
    deleteSKUs: declared(
      "deleteSkus",
      (given: SkusGone) =>
        Result.mapError(operations.deleteSkus.read(KargoSkus.deletionOf(given)), KargoSkus.ofSkus),
      ({ deleted }: DeleteSkusAnswer) => ({ numRecordsDeleted: deleted })
    )
  }
}

/** A place of an input. */
interface PlaceGiven {
  readonly businessSlug: string
  readonly facilitySlug: string
}

interface Payload extends PlaceGiven {
  readonly payload: unknown
}

interface Image extends PlaceGiven {
  readonly metadata: ReadonlyArray<{ readonly key: string; readonly value: string }>
}

/** The categories of refusals that are about a payload itself; all others are those of the request. */
const ofPayload: ReadonlySet<string> = new Set(["malformed", "unprocessable", "conflict", "tooLarge"])

/** The mutations that take a payload of some form, from clients that may send documents. */
const payloadMutations = (services: SchemaServices) => {
  const { config, directory, intake, rules } = services
  const run = makeRun(services)
  const submitted = submitting(intake)
  const readDocument = DocumentInput.reader(rules, config.itemLimit)

  const maySend = ({ businessSlug, facilitySlug }: PlaceGiven, { session: { principal } }: GraphqlContext) =>
    Authorize.place(directory, principal, "documents:write", {
      business: businessSlug,
      facility: facilitySlug
    })

  /** Submits the document in a payload; one that is refused is told as such, and is no error of the request. */
  const process = (
    { businessSlug, facilitySlug, payload }: Payload,
    { correlationId: loggingId, keyed, session: { principal } }: GraphqlContext
  ) => {
    const read = Effect.suspend(() => {
      const given = Predicate.isObject(payload) ? payload : {}
      const place = { business: businessSlug, facility: facilitySlug }
      return Effect.fromResult(readDocument({ ...given, ...place }))
    })
    const told = ({ errors = [], message }: CatalogueError) => ({
      success: false,
      message: [message, ...errors.slice(0, 20).map(({ detail, path }) => `${path} ${detail}`)].join("; "),
      loggingId
    })
    const done = ({ shipment }: IntakeResult) => ({
      success: true,
      message: `Shipment ${shipment.shipmentNumber}`,
      loggingId
    })
    return Effect.map(
      submitted(read, { principal, dryRun: false, once: keyed?.once }),
      ({ replayed, result }) => ({
        replayed,
        result: Result.isFailure(result) && ofPayload.has(result.failure.category)
          ? Result.succeed(told(result.failure))
          : Result.map(result, done)
      })
    )
  }

  const parseImage: Resolve<Image> = (_source, { input }, context, info) => {
    const { metadata } = input
    const nothing = { readResults: [], requestId: context.correlationId, templateIds: [], metadata }
    return run(
      { context, info },
      Effect.as(maySend(input, context), { replayed: false, result: Result.succeed(nothing) })
    )
  }

  const processPayload: Resolve<Payload> = (_source, { input }, context, info) =>
    run({ context, info }, Effect.andThen(maySend(input, context), process(input, context)))

  return { parseImage, processPayload }
}
