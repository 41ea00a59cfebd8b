/**
 * The whole service as a test sees it: plain promises and JSON, ids as decimal text. Whatever can be asked so can be
 * held against the model of the service: services of Effect over any stores, an embedding, the REST interface.
 *
 * Guarantee: requests are untyped JSON as clients send it, so that what is tested includes how it is read.
 */
import { Clock, Context, Effect, Exit, Layer, Result, Scope } from "effect"
import { permissions } from "../../access/Access.ts"
import type { Principal } from "../../access/Access.ts"
import { keepShown } from "../../access/Keep.ts"
import type { Keep } from "../../access/Keep.ts"
import { Keeping } from "../../access/Keeping.ts"
import type { Placed } from "../../access/Keeping.ts"
import { ownPlace } from "../../access/Operation.ts"
import * as DocumentInput from "../../document/DocumentInput.ts"
import type { DocumentRecordView } from "../../document/DocumentRecord.ts"
import { Intake } from "../../document/Intake.ts"
import type { RecordQuery } from "../../document/Intake.ts"
import type { IntakeResult } from "../../document/Outcome.ts"
import { Strategies } from "../../document/Strategy.ts"
import * as ExceptionInput from "../../exceptions/ExceptionInput.ts"
import { Exceptions } from "../../exceptions/Exceptions.ts"
import type { ExceptionView, ReportAnswer } from "../../exceptions/ExceptionView.ts"
import { exceptionPermissions } from "../../exceptions/ShipmentException.ts"
import type { Stores } from "../../memory/Memory.ts"
import type { Message } from "../../messages/Message.ts"
import { Messages } from "../../messages/Messages.ts"
import type { PalletAnswer } from "../../movement/Pallet.ts"
import * as PalletEventInput from "../../movement/PalletEventInput.ts"
import { Pallets } from "../../movement/Pallets.ts"
import type { PalletQuery } from "../../movement/Pallets.ts"
import type { PalletView } from "../../movement/PalletView.ts"
import { Shipments } from "../../movement/Shipments.ts"
import type { OrderQuery, ShipmentQuery } from "../../movement/Shipments.ts"
import * as StepInput from "../../movement/StepInput.ts"
import { Directory } from "../../places/Directory.ts"
import type { BusinessEntry } from "../../places/Directory.ts"
import { Search } from "../../search/Search.ts"
import type { Discrepancy } from "../../shipment/Discrepancies.ts"
import type { LocatedOrderView, ShipmentView } from "../../shipment/View.ts"
import type { CatalogueError } from "../../values/CatalogueError.ts"
import type { Page } from "../../values/Page.ts"
import { Vocabulary } from "../../values/Vocabulary.ts"
import type { MessageType } from "../../values/Vocabulary.ts"

/** Why something was refused: the stable code (D4.4), and the text. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** What a service answers: a value, or a refusal. What else goes wrong rejects. */
export type Reply<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: Refusal }

/** A message as the model knows it. */
export type ToldMessage = Pick<Message, "id" | "business" | "facility" | "type" | "json" | "sentAt">

/** A query of the messages of a business: those after an id, at most `limit`. */
export interface MessagePageQuery {
  readonly business: string
  readonly facility?: string
  readonly types: ReadonlyArray<MessageType>
  readonly afterId: number
  readonly limit: number
}

/** What a recorded pallet event is answered with, and whether it was recorded before. */
export interface Recorded {
  readonly answer: PalletAnswer
  readonly repeated: boolean
}

/** A service under test, on behalf of a client that may do everything at the businesses it is asked about. */
export interface Service {
  /**
   * Sets the time that the service works by, in milliseconds since 1970. `undefined` where it has a clock of its own:
   * times of processing are then left out of account.
   */
  readonly setTime: ((millis: number) => void) | undefined
  /** Makes businesses with their facilities and docks. */
  readonly places: (businesses: ReadonlyArray<BusinessEntry>) => Promise<void>
  /** Submits a document, as JSON. */
  readonly submit: (document: unknown, options: { readonly dryRun: boolean }) => Promise<Reply<IntakeResult>>
  /** Records a pallet event, as JSON. */
  readonly recordPallet: (event: unknown) => Promise<Reply<Recorded>>
  /** The shipment arrives, as the JSON says. */
  readonly arrive: (id: string, arrival: unknown) => Promise<Reply<ShipmentView>>
  /** The shipment departs, as the JSON says. */
  readonly depart: (id: string, departure: unknown) => Promise<Reply<ShipmentView>>
  /** Links two shipments. */
  readonly link: (id: string, linkedShipmentId: string) => Promise<Reply<ShipmentView>>
  /** Cancels a shipment. */
  readonly cancel: (id: string) => Promise<Reply<ShipmentView>>
  /** Reports an exception of a shipment, as JSON; once under each idempotency key (D5.2), always without one. */
  readonly reportException: (
    id: string,
    report: unknown,
    options: { readonly key: string | undefined }
  ) => Promise<Reply<ReportAnswer>>
  /** Resolves an exception of a shipment, as the JSON says. */
  readonly resolveException: (
    id: string,
    exceptionId: string,
    resolution: unknown
  ) => Promise<Reply<ExceptionView>>
  /** Reads the first page of the exceptions of a shipment. */
  readonly exceptions: (id: string) => Promise<Reply<Page<ExceptionView>>>
  /** Reads a page of the record of documents. */
  readonly records: (query: RecordQuery) => Promise<Reply<Page<DocumentRecordView>>>
  /** Reads what is recorded of a document. */
  readonly record: (id: string) => Promise<Reply<DocumentRecordView>>
  /** Reads a shipment. */
  readonly shipment: (id: string) => Promise<Reply<ShipmentView>>
  /** Reads the first page of the discrepancies of a shipment. */
  readonly discrepancies: (id: string) => Promise<Reply<Page<Discrepancy>>>
  /** Reads the first page of the pallets of a shipment. */
  readonly shipmentPallets: (id: string) => Promise<Reply<Page<PalletView>>>
  /** Reads a page of the pallets with an LPN. */
  readonly pallets: (query: PalletQuery) => Promise<Reply<Page<PalletView>>>
  /** Reads a page of shipments. */
  readonly shipments: (query: ShipmentQuery) => Promise<Reply<Page<ShipmentView>>>
  /** Reads a page of orders. */
  readonly orders: (query: OrderQuery) => Promise<Reply<Page<LocatedOrderView>>>
  /** Reads a page of messages. */
  readonly messages: (query: MessagePageQuery) => Promise<Reply<ReadonlyArray<ToldMessage>>>
  /** Lets go of what the service holds; called once, when a history has been run. */
  readonly close?: (() => Promise<void>) | undefined
}

/** The services that a history is about. */
export type Services = Directory | Exceptions | Intake | Keeping | Messages | Pallets | Shipments

/** The services over the stores, with the settings of the contract. */
export const services: Layer.Layer<Services, never, Stores> = Layer.mergeAll(
  Layer.effect(Directory, Directory),
  Exceptions.layer,
  Search.layer,
  Intake.layer(),
  Keeping.layer,
  Messages.layer(),
  Pallets.layer(),
  Shipments.layer()
)

/** A client that may do everything at these businesses. */
const clientOf = (businesses: ReadonlyArray<BusinessEntry>): Principal => ({
  clientId,
  grants: businesses.map(({ slug }) => ({ business: slug, facilities: "*", permissions }))
})

/** Time as it is set; waiting takes as long as it does. */
const settableClock = (live: Clock.Clock) => {
  let millis = 0
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.sync(() => millis),
    currentTimeNanosUnsafe: () => BigInt(millis) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(millis) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
  return {
    clock,
    set: (to: number) => {
      millis = to
    }
  }
}

/** The client that asks, in each history. */
const clientId = "client"

/** Reports an exception: once under a key, as the interfaces do it (D5.2). */
export const reportOnce = Effect.fnUntraced(function*(
  { id, key, principal, report }: {
    readonly id: string
    readonly key: string | undefined
    readonly principal: Principal
    readonly report: unknown
  }
) {
  const exceptions = yield* Exceptions
  const { once } = yield* Keeping
  const placed = (exception: ExceptionView) =>
    Result.succeed({ place: ownPlace(exception), answer: { exceptionId: exception.id } })
  const run = Effect.fnUntraced(function*<F>(keep: Keep<Placed<ReportAnswer>, F> | undefined) {
    const input = yield* Effect.fromResult(ExceptionInput.readReport(report))
    return yield* keepShown(keep, placed, (keep) => exceptions.report(id, input, principal, keep))
  })
  if (key === undefined) return (yield* run<never>(undefined)).answer
  const request = {
    key,
    principal,
    fingerprint: JSON.stringify([id, report]),
    permissions: exceptionPermissions
  }
  return yield* Effect.fromResult((yield* once<ReportAnswer, CatalogueError, never>(request, run)).result)
})

/** Services of Effect that are built already, with the words and strategies of their context. */
export const fromContext = (context: Context.Context<Services>): Service => {
  const time = settableClock(Context.get(context, Clock.Clock))
  const run = Effect.runPromiseWith(Context.add(context, Clock.Clock, time.clock))
  const reply = <A, E extends Refusal>(program: Effect.Effect<A, E>): Promise<Reply<A>> =>
    run(Effect.match(program, {
      onSuccess: (value): Reply<A> => ({ ok: true, value }),
      onFailure: ({ code, message }): Reply<A> => ({ ok: false, error: { code, message } })
    }))
  const given = <A, E>(read: Result.Result<A, E>): Effect.Effect<A, E> => Effect.fromResult(read)
  const exceptions = Context.get(context, Exceptions)
  const intake = Context.get(context, Intake)
  const messages = Context.get(context, Messages)
  const pallets = Context.get(context, Pallets)
  const shipments = Context.get(context, Shipments)
  const readDocument = DocumentInput.reader({
    strategies: Context.get(context, Strategies),
    vocabulary: Context.get(context, Vocabulary)
  })
  let client = clientOf([])
  return {
    setTime: time.set,
    places: (businesses) => {
      client = clientOf(businesses)
      return run(Effect.orDie(Context.get(context, Directory).put(businesses)))
    },
    submit: (document, options) => reply(intake.receive(given(readDocument(document)), client, options)),
    recordPallet: (event) =>
      reply(Effect.flatMap(given(PalletEventInput.read(event)), (read) => pallets.record(read, client))),
    arrive: (id, arrival) =>
      reply(
        Effect.flatMap(given(StepInput.readArrive(arrival)), (read) => shipments.arrive(id, read, client))
      ),
    depart: (id, departure) =>
      reply(
        Effect.flatMap(given(StepInput.readDepart(departure)), (read) => shipments.depart(id, read, client))
      ),
    link: (id, linkedShipmentId) => reply(shipments.link(id, linkedShipmentId, client)),
    cancel: (id) => reply(shipments.cancel(id, client)),
    reportException: (id, json, { key }) =>
      reply(Effect.provideContext(reportOnce({ id, key, principal: client, report: json }), context)),
    resolveException: (id, exceptionId, json) =>
      reply(Effect.gen(function*() {
        const resolution = yield* given(ExceptionInput.readResolve(json))
        return yield* exceptions.resolve(id, exceptionId, resolution, client)
      })),
    exceptions: (id) => reply(exceptions.ofShipment(id, {}, client)),
    records: (query) => reply(intake.records(query, client)),
    record: (id) => reply(intake.record(id, client)),
    shipment: (id) => reply(shipments.get(id, client)),
    discrepancies: (id) => reply(shipments.discrepancies(id, {}, client)),
    shipmentPallets: (id) => reply(pallets.ofShipment(id, {}, client)),
    pallets: (query) => reply(pallets.list(query, client)),
    shipments: (query) => reply(shipments.list(query, client)),
    orders: (query) => reply(shipments.listOrders(query, client)),
    messages: ({ business, facility, types, afterId, limit }) =>
      reply(
        messages.history(
          { business, facility, types, since: "0001-01-01T00:00:00.000Z", afterId, limit },
          client
        )
      )
  }
}

/** The services over stores that are built anew, and closed with the service. */
export const fromStores = async <E>(stores: Layer.Layer<Stores, E>): Promise<Service> => {
  const scope = Scope.makeUnsafe()
  const layer = Layer.fresh(Layer.provide(services, Layer.fresh(stores)))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return { ...fromContext(context), close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
