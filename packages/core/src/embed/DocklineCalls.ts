/**
 * Runs the calls of the façade as promises of answers until the façade is closed. Closing waits for the calls in flight
 * and ends the loops that follow the log.
 */
import { Cause, Data, Effect, Exit, Result, Scope } from "effect"
import type { Context } from "effect"
import type { Principal } from "../access/Access.ts"
import { Readiness } from "../access/Readiness.ts"
import * as DocumentInput from "../document/DocumentInput.ts"
import { Intake } from "../document/Intake.ts"
import * as ExceptionInput from "../exceptions/ExceptionInput.ts"
import { Exceptions } from "../exceptions/Exceptions.ts"
import { describe } from "../input/DocumentCheck.ts"
import { Messages } from "../messages/Messages.ts"
import * as PalletEventInput from "../movement/PalletEventInput.ts"
import { Pallets } from "../movement/Pallets.ts"
import { Shipments } from "../movement/Shipments.ts"
import * as StepInput from "../movement/StepInput.ts"
import { Directory } from "../places/Directory.ts"
import type { CoreConfig, Services } from "./CoreServices.ts"
import {
  historyReader,
  readOrderQuery,
  readPageQuery,
  readPalletQuery,
  readPlaces,
  readRecordQuery,
  readShipmentQuery
} from "./DocklineInput.ts"
import * as ProgramInput from "./ProgramInput.ts"

/** The result of a call: a value, or an error, which its `_tag` and its `code` identify. */
export type Answer<A, E> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: E }

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: the promise rejects with the signal's reason. The operation may have taken place nevertheless. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a submission. */
export interface SubmitOptions extends CallOptions {
  /** Answer exactly as the real run would, with the ids of would-be entities empty, and write nothing (D5.3). */
  readonly dryRun?: boolean | undefined
}

/** The id of a shipment, as in answers or as text. */
export type ShipmentId = number | string

export const callOptions: ProgramInput.Options<CallOptions> = { signal: ProgramInput.signal }

/**
 * The storage or another given layer could not be opened: `cause` is its error. Or an option is wrong: `cause` is a
 * `TypeError` that names it.
 */
export class DocklineNotOpened
  extends Data.TaggedError("DocklineNotOpened")<{ readonly cause: unknown; readonly message: string }>
{
  readonly code = "DOCKLINE_NOT_OPENED"
  constructor({ cause }: { readonly cause: unknown }) {
    super({
      cause,
      message: `Dockline was not opened: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  }
}

/** A method was called after `close()`. */
export class DocklineClosed extends Data.TaggedError("DocklineClosed")<{}> {
  readonly code = "DOCKLINE_CLOSED"
  override readonly message =
    "Dockline is closed; open it again, or close it only when nothing uses it any more"
}

export class Calls<R> {
  readonly #context: Context.Context<R>
  readonly #scope: Scope.Closeable
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(context: Context.Context<R>, scope: Scope.Closeable) {
    this.#context = context
    this.#scope = scope
  }

  /** Aborted as soon as closing begins. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Makes a call and runs it to its answer; rejects for unknown options, and when `make` throws. */
  async answer<A, E>(
    options: CallOptions = {},
    make: () => Effect.Effect<A, E, R>,
    known: ProgramInput.Known = callOptions
  ): Promise<Answer<A, E>> {
    ProgramInput.checkOptions(options, known)
    const exit = await this.run(Effect.suspend(make), options.signal)
    if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
    const refusal = Cause.findErrorOption(exit.cause)
    if (refusal._tag === "Some") return { ok: false, error: refusal.value }
    options.signal?.throwIfAborted()
    throw Cause.squash(exit.cause)
  }

  /** Runs an effect to its end; refused once the façade is closed. */
  async run<A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<Exit.Exit<A, E>> {
    if (this.#closed !== undefined) throw new DocklineClosed()
    signal?.throwIfAborted()
    const exit = Effect.runPromiseExitWith(this.#context)(effect, signal === undefined ? {} : { signal })
    this.#inFlight.add(exit)
    try {
      return await exit
    } finally {
      this.#inFlight.delete(exit)
    }
  }

  /** A scope that ends with the façade at the latest. */
  fork(): Scope.Closeable {
    return Scope.forkUnsafe(this.#scope)
  }

  /** Waits for the calls in flight and releases the services; returns the same promise each time. */
  close(): Promise<void> {
    return this.#closed ??= this.#end()
  }

  async #end(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#inFlight)
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}

/** Makes the calls of the façade: each reads its input and calls a service. */
export const methods = (
  calls: Calls<Services>,
  rules: DocumentInput.DocumentRules,
  { itemLimit, messageLimit }: CoreConfig
) => {
  /** Makes a call that reads its input and the principal, and passes them to `use`. */
  const reading = <Input, Refusal, A, E, Options extends CallOptions = CallOptions>(
    read: (given: unknown) => Result.Result<Input, Refusal>,
    use: (input: Input, principal: Principal, options: Options | undefined) => Effect.Effect<A, E, Services>,
    known: ProgramInput.Options<Options> = callOptions as ProgramInput.Options<Options>
  ) =>
  (given: unknown, principal: Principal, options?: Options): Promise<Answer<A, E | Refusal>> =>
    calls.answer(options, () => {
      const asking = ProgramInput.principalOf(principal)
      return Effect.flatMap(Effect.fromResult(read(given)), (input) => use(input, asking, options))
    }, known)

  const moving = <Input, Refusal, A, E>(
    read: (given: unknown) => Result.Result<Input, Refusal>,
    use: (id: string, input: Input, principal: Principal) => Effect.Effect<A, E, Services>
  ) =>
  (id: ShipmentId, given: unknown, principal: Principal, options?: CallOptions) =>
    reading(read, (input, asking) => use(textOf(id), input, asking))(given, principal, options)

  return {
    places: (places: unknown, options?: CallOptions) =>
      calls.answer(
        options,
        () =>
          Effect.flatMap(
            Effect.fromResult(readPlaces(places)),
            (read) => Directory.use(({ put }) => put(read))
          )
      ),
    submit: reading(
      DocumentInput.reader(rules, itemLimit),
      (document, asking, options: SubmitOptions | undefined) =>
        Intake.use(({ submit }) => submit(document, asking, { dryRun: options?.dryRun ?? false })),
      { ...callOptions, dryRun: ProgramInput.flag }
    ),
    recordPallet: reading(
      PalletEventInput.read,
      (event, asking) => Pallets.use(({ record }) => record(event, asking))
    ),
    arrive: moving(
      StepInput.readArrive,
      (id, arrival, asking) => Shipments.use(({ arrive }) => arrive(id, arrival, asking))
    ),
    depart: moving(
      StepInput.readDepart,
      (id, departure, asking) => Shipments.use(({ depart }) => depart(id, departure, asking))
    ),
    link: moving(
      StepInput.readLink,
      (id, { linkedShipmentId }, asking) => Shipments.use(({ link }) => link(id, linkedShipmentId, asking))
    ),
    cancel: reading(
      (id) => Result.succeed(textOf(id)),
      (id, asking) => Shipments.use(({ cancel }) => cancel(id, asking))
    ),
    shipment: reading(
      (id) => Result.succeed(textOf(id)),
      (id, asking) => Shipments.use(({ get }) => get(id, asking))
    ),
    shipments: reading(
      readShipmentQuery,
      (query, asking) => Shipments.use(({ list }) => list(query, asking))
    ),
    orders: reading(
      readOrderQuery,
      (query, asking) => Shipments.use(({ listOrders }) => listOrders(query, asking))
    ),
    discrepancies: moving(
      readPageQuery,
      (id, page, asking) => Shipments.use(({ discrepancies }) => discrepancies(id, page, asking))
    ),
    pallet: (id: ShipmentId, palletId: string, principal: Principal, options?: CallOptions) =>
      reading(
        (id) => Result.succeed(textOf(id)),
        (id, asking) => Pallets.use(({ get }) => get(id, textOf(palletId), asking))
      )(id, principal, options),
    shipmentPallets: moving(
      readPageQuery,
      (id, page, asking) => Pallets.use(({ ofShipment }) => ofShipment(id, page, asking))
    ),
    pallets: reading(
      readPalletQuery,
      (query, asking) => Pallets.use(({ list }) => list(query, asking))
    ),
    reportException: moving(
      ExceptionInput.readReport,
      (id, report, asking) => Exceptions.use((exceptions) => exceptions.report(id, report, asking))
    ),
    resolveException: (
      id: ShipmentId,
      exceptionId: string,
      given: unknown,
      principal: Principal,
      options?: CallOptions
    ) =>
      moving(
        ExceptionInput.readResolve,
        (id, input, asking) =>
          Exceptions.use(({ resolve }) => resolve(id, textOf(exceptionId), input, asking))
      )(id, given, principal, options),
    exceptions: moving(
      readPageQuery,
      (id, page, asking) => Exceptions.use(({ ofShipment }) => ofShipment(id, page, asking))
    ),
    document: reading(
      (id) => Result.succeed(textOf(id)),
      (id, asking) => Intake.use(({ record }) => record(id, asking))
    ),
    documents: reading(
      readRecordQuery,
      (query, asking) => Intake.use(({ records }) => records(query, asking))
    ),
    messages: reading(
      historyReader(messageLimit),
      (query, asking) => Messages.use(({ history }) => history(query, asking))
    ),
    ready: (options?: CallOptions) => calls.answer(options, () => Effect.flatten(Readiness))
  }
}

/** An id as text; a value that is neither text nor a number becomes a text that names no shipment. */
const textOf = (id: unknown): string =>
  typeof id === "string" || typeof id === "number" ? String(id) : describe(id)
