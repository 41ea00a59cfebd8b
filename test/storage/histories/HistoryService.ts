/**
 * The whole service for a history: with untyped JSON as clients send it, so that reading it is tested too. The client has all permissions
 * in the business of the history.
 */
import { permissions } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { Keeping, keepView } from "@dockline/core/access/Idempotency"
import type { Keep, PlacedAnswer } from "@dockline/core/access/Idempotency"
import { ownPlace } from "@dockline/core/access/Operation"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import { Exceptions } from "@dockline/core/exceptions/Exceptions"
import type { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import * as ShipmentException from "@dockline/core/exceptions/ShipmentException"
import { exceptionPermissions } from "@dockline/core/exceptions/ShipmentException"
import type { ExceptionView, ReportAnswer } from "@dockline/core/exceptions/ShipmentException"
import * as Slices from "@dockline/core/input/Slices"
import type { Stores } from "@dockline/core/memory/Memory"
import { Messages } from "@dockline/core/messages/Messages"
import * as PalletOperations from "@dockline/core/movement/PalletOperations"
import { Pallets } from "@dockline/core/movement/Pallets"
import * as ShipmentOperations from "@dockline/core/movement/ShipmentOperations"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import type { BusinessEntry } from "@dockline/core/places/Place"
import { Search } from "@dockline/core/search/Search"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Clock, Context, Effect, Layer, Result } from "effect"

/** The answer of a service: a value, or the code of a refusal (D4.4). Any other failure rejects. */
export type Reply<A> = { readonly ok: true; readonly value: A } | {
  readonly ok: false
  readonly code: string
}

/** The services that a history uses. */
export type Services = Directory | Exceptions | Intake | Keeping | Messages | Pallets | Shipments

/** The services over the stores, with the settings of the contract. */
export const services: Layer.Layer<Services, never, Stores | ExceptionStore> = Layer.mergeAll(
  Layer.effect(Directory, Directory),
  Exceptions.layer,
  Search.layer,
  Intake.layer(),
  Keeping.layer,
  Messages.layer(),
  Pallets.layer(),
  Shipments.layer()
)

/** A clock whose time is set; waiting takes real time. */
const settableClock = (live: Clock.Clock) => {
  let millis = 0
  const clock = Timestamp.clockOf(() => millis, live)
  const set = (to: number): void => {
    millis = to
  }
  return { clock, set }
}

/** Reports an exception: once under a key, as the interfaces do it (D5.2). */
const reportOnce = Effect.fnUntraced(function*(
  id: string,
  report: unknown,
  key: string | undefined,
  principal: Principal
) {
  const exceptions = yield* Exceptions
  const { once } = yield* Keeping
  const placed = (exception: ExceptionView) =>
    Result.succeed({ place: ownPlace(exception), answer: { exceptionId: exception.id } })
  const run = Effect.fnUntraced(function*<F>(keep: Keep<PlacedAnswer<ReportAnswer>, F> | undefined) {
    const input = yield* Effect.fromResult(ShipmentException.readReport(report))
    return yield* keepView(keep, placed, (keep) => exceptions.report(id, input, principal, keep))
  })
  if (key === undefined) return (yield* run<never>(undefined)).answer
  const fingerprint = JSON.stringify([id, report])
  const request = { key, principal, fingerprint, permissions: exceptionPermissions }
  return yield* Effect.fromResult((yield* once<ReportAnswer, CatalogueError, never>(request, run)).result)
})

/** Makes the service of the context for a history in this business, which it makes first. */
export const open = async (context: Context.Context<Services>, business: BusinessEntry) => {
  const time = settableClock(Context.get(context, Clock.Clock))
  const run = Effect.runPromiseWith(Context.add(context, Clock.Clock, time.clock))
  const reply = <A, E extends { readonly code: string }>(program: Effect.Effect<A, E>): Promise<Reply<A>> =>
    run(Effect.match(program, {
      onSuccess: (value): Reply<A> => ({ ok: true, value }),
      onFailure: ({ code }): Reply<A> => ({ ok: false, code })
    }))
  const client: Principal = {
    clientId: "client",
    grants: [{ business: business.slug, facilities: "*", permissions }]
  }
  const exceptions = Context.get(context, Exceptions)
  const intake = Context.get(context, Intake)
  const messages = Context.get(context, Messages)
  const pallets = Context.get(context, Pallets)
  const shipments = Context.get(context, Shipments)
  const readDocument = DocumentInput.stepReader()
  /** Calls a method with the input that was read from JSON. */
  const given = <A, E extends { readonly code: string }, B, E2 extends { readonly code: string }>(
    read: Result.Result<A, E>,
    ask: (input: A) => Effect.Effect<B, E2>
  ) => reply(Effect.flatMap(Effect.fromResult(read) as Effect.Effect<A, E | E2>, ask))
  await run(Effect.orDie(Context.get(context, Directory).put([business])))
  return {
    setTime: time.set,
    submit: (document: unknown, options: { readonly dryRun: boolean }) =>
      reply(intake.receive(Effect.fromResult(Slices.atOnce(readDocument(document, true))), client, options)),
    recordPallet: (event: unknown) =>
      given(PalletOperations.read(event), (input) => pallets.record(input, client)),
    arrive: (id: string, arrival: unknown) =>
      given(ShipmentOperations.readArrive(arrival), (input) => shipments.arrive(id, input, client)),
    depart: (id: string, departure: unknown) =>
      given(ShipmentOperations.readDepart(departure), (input) => shipments.depart(id, input, client)),
    checkIn: (id: string, note: unknown) =>
      given(ShipmentOperations.readCheckIn(note), (input) => shipments.checkIn(id, input, client)),
    link: (id: string, linked: string) => reply(shipments.link(id, linked, client)),
    cancel: (id: string) => reply(shipments.cancel(id, client)),
    reportException: (id: string, report: unknown, key: string | undefined) =>
      reply(Effect.provideContext(reportOnce(id, report, key, client), context)),
    resolveException: (id: string, exceptionId: string, resolution: unknown) =>
      given(
        ShipmentException.readResolve(resolution),
        (input) => exceptions.resolve(id, exceptionId, input, client)
      ),
    exceptions: (id: string) => reply(exceptions.ofShipment(id, {}, client)),
    records: (query: Parameters<typeof intake.records>[0]) => reply(intake.records(query, client)),
    record: (id: string) => reply(intake.record(id, client)),
    shipment: (id: string) => reply(shipments.get(id, client)),
    discrepancies: (id: string) => reply(shipments.discrepancies(id, {}, client)),
    shipmentPallets: (id: string) => reply(pallets.ofShipment(id, {}, client)),
    pallets: (query: Parameters<typeof pallets.list>[0]) => reply(pallets.list(query, client)),
    shipments: (query: Parameters<typeof shipments.list>[0]) => reply(shipments.list(query, client)),
    orders: (query: Parameters<typeof shipments.listOrders>[0]) => reply(shipments.listOrders(query, client)),
    messages: (query: Parameters<typeof messages.history>[0]) => reply(messages.history(query, client))
  }
}

/** The service for a history. */
export type Service = Awaited<ReturnType<typeof open>>
