/**
 * The mutations of Kargo's schema: each makes a document, or the input of another operation, and calls the operation that REST calls
 * (D17.1 to D17.4).
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Outcome } from "@dockline/core/access/Idempotency"
import type { Method } from "@dockline/core/access/Operation"
import { writing } from "@dockline/core/capability/OperationRegistry"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import type { DocumentReadFailure } from "@dockline/core/document/DocumentInput"
import type { DocumentAlongside } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import * as Slices from "@dockline/core/input/Slices"
import { submitting, submittingAlongside } from "@dockline/core/operations/Handlers"
import * as Authorize from "@dockline/core/places/Authorize"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import type { GraphQLResolveInfo } from "@dockline/graphql-adapter/schema/Graphql"
import { makeRun } from "@dockline/graphql-adapter/schema/Schema"
import type { GraphqlContext, SchemaServices } from "@dockline/graphql-adapter/schema/Schema"
import { Effect, Predicate, Result } from "effect"
import { forget } from "./KargoLists.ts"
import { shipmentOf } from "./ShipmentAnswers.ts"
import { makeSubmissions } from "./Submissions.ts"

type Resolve<Input> = (
  source: unknown,
  args: { readonly input: Input },
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

/** Makes the resolver of a mutation from a function that executes its input and a function that shows the outcome. */
const mutationOver = (services: SchemaServices) => {
  const run = makeRun(services)
  return <Input, A, B>(
    perform: (input: Input, context: GraphqlContext) => Effect.Effect<Outcome<A>, CatalogueError>,
    show: (result: A) => B
  ): Resolve<Input> =>
  (_source, { input }, context, info) => {
    // Earlier mutations may have changed the data that fields have read.
    forget(context)
    const outcome = Effect.map(perform(input, context), ({ replayed, result }) => ({
      replayed,
      result: Result.map(result, show)
    }))
    return run<B>({ context, info }, outcome)
  }
}

type Mutation = ReturnType<typeof mutationOver>

export const makeMutations = (services: SchemaServices) => {
  const mutation = mutationOver(services)
  return {
    ...documentMutations(services, mutation),
    ...payloadMutations(services, mutation)
  }
}

/** The principal of a request, and the function that executes its mutation once under its key. */
const requestOf = ({ key, session: { principal } }: GraphqlContext) => ({ principal, once: key?.once })

/** The id of the order of a document, and whether the document created it. */
const orderIn = ({ created, updated }: IntakeResult) => {
  const isOrder = ({ type }: { readonly type: string }) => type === "ORDER"
  const isNew = created.some(isOrder)
  return { id: (isNew ? created : updated).find(isOrder)?.id ?? "", isNew }
}

/** Moves the faults of a step to the fields of the input, which has the step at the path of the shipment. */
const ofCheckIn = (path: string) => (refusal: CatalogueError): CatalogueError =>
  refusal instanceof InvalidRequest
    ? new InvalidRequest({
      errors: refusal.errors.map(({ detail, path: field }) => ({
        path: field === "occurredAt"
          ? `${path}.statusOccurredAt`
          : field === "dockSlug"
          ? `${path}.dockSlug`
          : field,
        detail
      }))
    })
    : refusal

const documentMutations = (services: SchemaServices, mutation: Mutation) => {
  const submit = submittingAlongside(services.intake)
  const submissions = makeSubmissions(services)

  /**
   * Makes a mutation that submits a document. `read` makes the document from the input, with the conditions that are decided together with
   * it. `show` shows the outcome. The fields of the check-in are at `path` in the input.
   */
  const submission = <Input, A>(
    read: (
      input: Input,
      principal: Principal
    ) => Effect.Effect<DocumentAlongside, DocumentReadFailure<CatalogueError>>,
    show: (result: IntakeResult) => A,
    path = "input"
  ) =>
    mutation((input: Input, context) => {
      const document = Effect.suspend(() => read(input, context.session.principal))
      return Effect.map(
        submit(document, { ...requestOf(context), dryRun: false }),
        ({ replayed, result }) => ({ replayed, result: Result.mapError(result, ofCheckIn(path)) })
      )
    }, show)

  return {
    createShipmentAndOrder: submission(
      submissions.ofShipmentAndOrders,
      ({ shipment }) => ({ shipment: shipmentOf(shipment) }),
      "input.shipment"
    ),
    updateShipment: submission(
      submissions.ofShipment,
      ({ shipment }) => ({ success: true, id: shipment.id })
    ),
    createOrder: submission(submissions.ofNewOrder, (result) => ({ success: true, id: orderIn(result).id })),
    createOrUpdateOrder: submission(submissions.ofOrder, (result) => {
      const { id, isNew } = orderIn(result)
      return { success: true, id, type: isNew ? "CREATE" : "UPDATE" }
    }),
    addItemsToOrder: submission(submissions.ofAddedItems, () => ({ success: true })),
    deleteItemsFromOrder: submission(submissions.ofDeletedItems, ({ removed }) => ({
      success: true,
      deletedIdentifiers: removed.map(({ reference }) => reference),
      orderDeleted: false
    }))
  }
}

/**
 * Makes mutations from declared operations. `read` makes the body of the operation from the input, `params` the parameters of its path, and
 * `show` shows its outcome.
 */
export const declaredOver = (services: SchemaServices) => {
  const write = writing(services.registry)
  const mutation = mutationOver(services)
  return <Input, Done, A>(
    method: string,
    read: (input: Input) => Result.Result<unknown, CatalogueError>,
    show: Method<Done, A>,
    params: (input: Input) => Readonly<Record<string, string>> = () => ({})
  ) =>
    mutation((input: Input, context) => {
      const body = Effect.suspend(() => Effect.fromResult(read(input)))
      return write(method, { ...requestOf(context), params: params(input), body })
    }, show as Method<object, A>)
}

/** The result of {@link declaredOver}. */
export type Mutations = ReturnType<typeof declaredOver>

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

/** The categories of refusals that concern the payload itself. All others concern the request. */
const ofPayload: ReadonlySet<string> = new Set(["malformed", "unprocessable", "conflict", "tooLarge"])

/** The mutations with a payload, for clients that may send documents. */
const payloadMutations = ({ config, directory, intake, rules }: SchemaServices, mutation: Mutation) => {
  const submit = submitting(intake)
  const readDocument = DocumentInput.stepReader(rules, config.itemLimit)

  /** Makes a mutation for clients that may send documents to the place in its input. */
  const sending = <Input extends PlaceGiven, A>(
    perform: (
      input: Input,
      place: { readonly business: string; readonly facility: string },
      context: GraphqlContext
    ) => Effect.Effect<Outcome<A>, CatalogueError>
  ) =>
    mutation((input: Input, context) => {
      const place = { business: input.businessSlug, facility: input.facilitySlug }
      return Effect.andThen(
        Authorize.place(directory, context.session.principal, "documents:write", place),
        perform(input, place, context)
      )
    }, (view) => view)

  return {
    parseImage: sending(({ metadata }: Image, _place, { correlationId: requestId }) => {
      const nothing = { readResults: [], requestId, templateIds: [], metadata }
      return Effect.succeed({ replayed: false, result: Result.succeed(nothing) })
    }),

    /** Submits the document in a payload; a refused document is a result of the mutation, not an error of the request. */
    processPayload: sending(({ payload }: Payload, place, context) => {
      const loggingId = context.correlationId
      const read = Effect.suspend(() =>
        Slices.run(readDocument({ ...(Predicate.isObject(payload) ? payload : {}), ...place }, true))
      ).pipe(Effect.flatMap(Effect.fromResult))
      const refusalOf = ({ errors = [], message }: CatalogueError) => ({
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
        submit(read, { ...requestOf(context), dryRun: false }),
        ({ replayed, result }) => ({
          replayed,
          result: Result.isFailure(result) && ofPayload.has(result.failure.category)
            ? Result.succeed(refusalOf(result.failure))
            : Result.map(result, done)
        })
      )
    })
  }
}
