/**
 * The mutations of Kargo's schema: each makes a document, or the input of another operation, and calls the operation that REST calls
 * (D17.1 to D17.4).
 */
import * as DocumentInput from "@dockline/core/DocumentInput"
import { InvalidRequest } from "@dockline/core/Errors"
import type { Alongside } from "@dockline/core/internal/document/Decision"
import { handlersOf, submitting, writing } from "@dockline/core/internal/operations/Handlers"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import type { CatalogueError, FieldError } from "@dockline/core/internal/values/CatalogueError"
import { operations } from "@dockline/core/Operations"
import type { IntakeResult } from "@dockline/core/Outcome"
import { Effect, Predicate, Result } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { makeRun } from "../schema/SchemaMutations.ts"
import type { Where } from "../schema/SchemaMutations.ts"
import type { ItemGiven, OrderGiven, ShipmentGiven } from "./DocumentsGiven.ts"
import { shipmentOf } from "./ShipmentShown.ts"
import { checkInOf, makeSubmissions } from "./Submissions.ts"
import type { PlacedOrder } from "./Submissions.ts"

interface Args<Input> {
  readonly input: Input
}

/** A place of an input. */
interface PlaceGiven {
  readonly businessSlug: string
  readonly facilitySlug: string
}

type Resolve<Input> = (
  source: unknown,
  args: Args<Input>,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

/** The id of the order of a document, and whether the document created it. */
const orderIn = ({ created, updated }: IntakeResult) => {
  const isOrder = ({ type }: { readonly type: string }) => type === "ORDER"
  const isNew = created.some(isOrder)
  return { id: (isNew ? created : updated).find(isOrder)?.id ?? "", isNew }
}

/** Refusals of a payload itself; all others are those of the request. */
const ofPayload: ReadonlySet<string> = new Set(["malformed", "unprocessable", "conflict", "tooLarge"])

/** The fault of a report, of which only the description can have one, by its field of the input. */
const ofException = ({ errors }: { readonly errors: ReadonlyArray<FieldError> }) =>
  new InvalidRequest({
    errors: errors.map(({ detail }) => ({ path: "input.customerExceptionDescription", detail }))
  })

export const makeMutations = (services: SchemaServices) => {
  const { config, directory, intake, rules } = services
  const run = makeRun(services)
  const submitted = submitting(intake)
  const write = writing(handlersOf(services))
  const submissions = makeSubmissions(services)
  const readDocument = DocumentInput.reader(rules, config.itemLimit)

  /** A mutation that submits a document, and what it shows of what became of the document. */
  const submission = <Input, A>(
    read: (input: Input, context: GraphqlContext) => ReturnType<typeof submissions.ofShipment>,
    show: (result: IntakeResult) => A,
    also?: (input: Input) => Effect.Effect<Alongside, InvalidRequest>
  ): Resolve<Input> =>
  (_source, { input }, context, info) =>
    run(
      { context, info },
      Effect.map(
        submitted(Effect.suspend(() => read(input, context)), {
          principal: context.session.principal,
          dryRun: false,
          once: context.keyed?.once,
          also: also?.(input)
        }),
        ({ replayed, result }) => ({ replayed, result: Result.map(result, show) })
      )
    )

  /** Fails where the client may not send documents. */
  const maySend = ({ businessSlug, facilitySlug }: PlaceGiven, { session: { principal } }: GraphqlContext) =>
    Authorize.place(directory, principal, "documents:write", {
      business: businessSlug,
      facility: facilitySlug
    })

  return {
    createShipmentAndOrder: submission(
      ({ orders, shipment }: {
        readonly shipment: ShipmentGiven
        readonly orders: ReadonlyArray<OrderGiven>
      }) => submissions.ofShipmentAndOrders(shipment, orders),
      ({ shipment }) => ({ shipment: shipmentOf(shipment) }),
      ({ shipment }) => checkInOf(shipment, "input.shipment")
    ),
    updateShipment: submission(
      (shipment: ShipmentGiven, context) => submissions.ofShipment(shipment, context),
      ({ shipment }) => ({ success: true, id: shipment.id }),
      (shipment) => checkInOf(shipment, "input")
    ),
    createOrder: submission(
      (order: PlacedOrder, context) => submissions.ofNewOrder(order, context),
      (result) => ({ success: true, id: orderIn(result).id }),
      () => Effect.succeed({ onlyNew: true })
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
    ),
    createException: ((_source, { input }, context, info) => {
      const { customerExceptionDescription: description, palletId, priority, shipmentId } = input
      const outcome = write("reportException", {
        params: { id: String(shipmentId) },
        body: Effect.suspend(() => {
          const reading = operations.reportException.read({
            kind: "OTHER",
            priority: priority ?? "LOW",
            description,
            ...(palletId === undefined || palletId === null ? {} : { palletId: String(palletId) })
          })
          return Effect.fromResult(Result.mapError(reading, ofException))
        }),
        principal: context.session.principal,
        once: context.keyed?.once
      })
      return run(
        { context, info },
        Effect.map(outcome, ({ replayed, result }) => ({
          replayed,
          result: Result.map(result, ({ id }: { readonly id: string }) => ({ exceptionId: id }))
        }))
      )
    }) satisfies Resolve<{
      readonly shipmentId: number
      readonly palletId?: number | null
      readonly priority?: "LOW" | "HIGH" | null
      readonly customerExceptionDescription: string
    }>,
    parseImage: ((_source, { input }, context, info) =>
      run(
        { context, info },
        Effect.as(maySend(input, context), {
          replayed: false,
          result: Result.succeed({
            readResults: [],
            requestId: context.correlationId,
            templateIds: [],
            metadata: input.metadata
          })
        })
      )) satisfies Resolve<
        PlaceGiven & { readonly metadata: ReadonlyArray<{ readonly key: string; readonly value: string }> }
      >,
    processPayload: ((_source, { input }, context, info) =>
      run(
        { context, info },
        Effect.andThen(maySend(input, context), process(input, { context, info }))
      )) satisfies Resolve<
        Payload
      >
  }

  /** Submits the document in a payload; one that is refused is told as such, and is no error of the request. */
  function process(input: Payload, { context }: Where) {
    const { businessSlug, facilitySlug, payload } = input
    const read = Effect.suspend(() => {
      const given = Predicate.isObject(payload) ? payload : {}
      const place = { business: businessSlug, facility: facilitySlug }
      return Effect.fromResult(readDocument({ ...given, ...place }))
    })
    const loggingId = context.correlationId
    const told = ({ errors = [], message }: CatalogueError) => ({
      success: false,
      message: [message, ...errors.slice(0, 20).map(({ detail, path }) => `${path} ${detail}`)].join("; "),
      loggingId
    })
    return Effect.map(
      submitted(read, { principal: context.session.principal, dryRun: false, once: context.keyed?.once }),
      ({ replayed, result }) => {
        const isOfPayload = Result.isFailure(result) && ofPayload.has(result.failure.category)
        return {
          replayed,
          result: isOfPayload
            ? Result.succeed(told(result.failure))
            : Result.map(result, ({ shipment }) => ({
              success: true,
              message: `Shipment ${shipment.shipmentNumber}`,
              loggingId
            }))
        }
      }
    )
  }
}

interface Payload extends PlaceGiven {
  readonly payload: unknown
}
