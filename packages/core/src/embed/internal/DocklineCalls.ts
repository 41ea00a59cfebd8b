/**
 * The methods of the façade: their types, which derive from the declared operations, and their calls, which are promises of
 * answers until the façade is closed. Closing waits for the calls in flight and ends the loops that follow the log.
 */
import { Cause, Data, Effect, Exit, Result, Scope } from "effect"
import type { Context, Schema } from "effect"
import type { Principal } from "../../access/Access.ts"
import type * as Operation from "../../access/Operation.ts"
import type * as Capability from "../../capability/Capability.ts"
import * as Words from "../../capability/DeclaredOperations.ts"
import { declaredOperations } from "../../capability/DeclaredOperations.ts"
import type * as Extension from "../../capability/Extension.ts"
import { OperationRegistry, reading as readingOf } from "../../capability/OperationRegistry.ts"
import * as DocumentInput from "../../document/DocumentInput.ts"
import { preconditionOf } from "../../document/DocumentPrecondition.ts"
import type { PreconditionOptions } from "../../document/DocumentPrecondition.ts"
import { Intake } from "../../document/Intake.ts"
import * as RequestInput from "../../input/RequestInput.ts"
import { describe } from "../../input/RequestInput.ts"
import * as Slices from "../../input/Slices.ts"
import { Messages } from "../../messages/Messages.ts"
import type { Operations } from "../../operations/Operations.ts"
import { checkBusinesses, Directory } from "../../places/Place.ts"
import type { InvalidRequest, MalformedRequest, StorageUnavailable } from "../../values/Errors.ts"
import { Readiness } from "../../values/Metrics.ts"
import type { CoreConfig, Services } from "../CoreServices.ts"
import * as DocklineInput from "../DocklineInput.ts"
import { historyReader, queryReader, readPlaces } from "../DocklineInput.ts"

/** The result of a call: a value, or an error, which its `_tag` and its `code` identify. */
export type Answer<A, E> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: E }

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: the promise rejects with the signal's reason. The operation may have taken place nevertheless. */
  readonly signal?: AbortSignal | undefined
}

/** An id in a path, such as the id of a shipment: a number as in answers, or text. */
export type ShipmentId = number | string

/** The filters and the page of a list; `after` is the `next` of the previous page. */
export type Listing<Query> = Omit<Query, "after"> & { readonly after?: number | string | null | undefined }

/** The ids in a path, in its order. */
type Ids<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [id: ShipmentId, ...Ids<`/${Rest}`>]
  : Path extends `${string}/:${string}` ? [id: ShipmentId]
  : []

/** The argument of a method after the ids: the query of a list, or the body of a write that has fields. */
type QueryOrBody<Op extends Operation.Any> = Op extends Operation.AnyList ?
  [query: Listing<Operation.Query<Op>>]
  : Op extends Operation.AnyWrite ? keyof Op["body"]["Type"] extends never ? [] : [given: unknown]
  : []

/** The errors of reading the argument of a method. */
type Unreadable<Op extends Operation.Any> = QueryOrBody<Op> extends [] ? never
  : MalformedRequest | InvalidRequest

/** The method of an operation. Its arguments are the ids of its path, its query or its body, and the principal of the call. */
export type Method<Op extends Operation.Any> = (
  ...rest: [...Ids<Op["rest"]>, ...QueryOrBody<Op>, principal: Principal, options?: CallOptions]
) => Promise<
  Answer<Operation.Answer<Op>, Operation.Refusal<Op> | StorageUnavailable | Unreadable<Op>>
>

/** The methods of the declared operations, except `submit` and `messages`, which have other forms in `Dockline`. */
export type OperationMethods = {
  readonly [Name in keyof Operations as Exclude<Name, "messages" | "submit">]: Method<Operations[Name]>
}

/** The method of an operation, with the fields that capabilities add to its answer. */
type ExtendedOf<Op, Name, Addition> = Name extends keyof Addition
  ? Extension.ExtendedOperation<Op, Addition[Name]> extends infer Wide extends Operation.Any ? Method<Wide>
  : never
  : Op extends Operation.Any ? Method<Op>
  : never

/** The methods of the operations of capabilities. */
export type CapabilityMethods<Capabilities extends Capability.List> = {
  readonly [Name in keyof Capability.OperationsOf<Capabilities>]: ExtendedOf<
    Capability.OperationsOf<Capabilities>[Name],
    Name,
    Capability.AddedOf<Capabilities>
  >
}

/** The methods of the lists and reads of the contract that capabilities extend. */
export type ExtendedMethods<Capabilities extends Capability.List> = {
  readonly [Name in keyof Capability.AddedOf<Capabilities> & keyof Operations]: ExtendedOf<
    Operations[Name],
    Name,
    Capability.AddedOf<Capabilities>
  >
}

/** Options of a submission. */
export interface SubmitOptions extends CallOptions, PreconditionOptions {
  /** Write nothing, and give the answer of the real run, with empty ids for the entities that it would create (D5.3). */
  readonly dryRun?: boolean | undefined
}

export const callOptions: DocklineInput.OptionTypes<CallOptions> = { signal: DocklineInput.signal }

/** A layer could not be opened, or an option is wrong: `cause` is the error of the layer, or a `TypeError` that names the option. */
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
  override readonly message = "Dockline is closed; open it again, or close it only when nothing uses it"
}

/** Runs calls until the façade is closed. */
export interface Calls<R> {
  /** Aborted as soon as closing begins. */
  readonly closing: AbortSignal
  /** Makes a call and runs it to its answer; rejects for unknown options, and when `make` throws. */
  readonly answer: <A, E>(
    options: unknown,
    make: () => Effect.Effect<A, E, R>,
    optionsSchema?: DocklineInput.OptionTypes<CallOptions>
  ) => Promise<Answer<A, E>>
  /** Runs an effect to its end; refused once the façade is closed. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal) => Promise<Exit.Exit<A, E>>
  /** A scope that ends with the façade at the latest. */
  readonly fork: () => Scope.Closeable
  /** Waits for the calls in flight and releases the services; returns the same promise each time. */
  readonly close: () => Promise<void>
}

/** Makes the functions that run calls over services. */
export const makeCalls = <R>(context: Context.Context<R>, scope: Scope.Closeable): Calls<R> => {
  const inFlight = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let closed: Promise<void> | undefined

  const run = async <A, E>(
    effect: Effect.Effect<A, E, R>,
    signal?: AbortSignal
  ): Promise<Exit.Exit<A, E>> => {
    if (closed !== undefined) throw new DocklineClosed()
    signal?.throwIfAborted()
    const exit = Effect.runPromiseExitWith(context)(effect, signal === undefined ? {} : { signal })
    inFlight.add(exit)
    try {
      return await exit
    } finally {
      inFlight.delete(exit)
    }
  }

  const end = async (): Promise<void> => {
    closing.abort()
    await Promise.allSettled(inFlight)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  return {
    closing: closing.signal,
    answer: async (options = {}, make, optionsSchema = callOptions) => {
      DocklineInput.checkOptions(options, optionsSchema)
      const exit = await run(Effect.suspend(make), options.signal)
      if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
      const refusal = Cause.findErrorOption(exit.cause)
      if (refusal._tag === "Some") return { ok: false, error: refusal.value }
      options.signal?.throwIfAborted()
      throw Cause.squash(exit.cause)
    },
    run,
    fork: () => Scope.forkUnsafe(scope),
    close: () => closed ??= end()
  }
}

/** Makes the calls of the façade: each reads its input and calls a service. */
export const methods = (
  calls: Calls<Services>,
  rules: DocumentInput.DocumentRules,
  { itemLimit, messageLimit }: CoreConfig,
  capabilities: Capability.List
) => {
  /** Makes a call that reads its input and the principal, and passes them to `use`. */
  const reading = <Input, Refusal, A, E, Options extends CallOptions>(
    read: (input: unknown) => Result.Result<Input, Refusal>,
    use: (input: Input, principal: Principal, options: Options | undefined) => Effect.Effect<A, E, Services>,
    optionsSchema: DocklineInput.OptionTypes<Options>
  ) =>
  (input: unknown, principal: Principal, options?: Options): Promise<Answer<A, E | Refusal>> =>
    calls.answer(options, () => {
      const caller = DocklineInput.principalOf(principal)
      return Effect.flatMap(Effect.fromResult(read(input)), (input) => use(input, caller, options))
    }, optionsSchema)

  const readDocument = DocumentInput.stepReader(rules, itemLimit)

  return {
    ...derivedMethods(calls, capabilities),
    places: (places: unknown, options?: CallOptions) =>
      calls.answer(
        options,
        () =>
          Effect.flatMap(
            Effect.fromResult(
              Result.flatMap(readPlaces(places), (read) =>
                checkBusinesses(read, Words.profilesOf(capabilities)))
            ),
            (businesses) =>
              Directory.use(({ put }) => put(businesses))
          )
      ),
    submit: reading(
      (input) => Result.succeed(Slices.atOnce(readDocument(input, true))),
      (read, caller, options: SubmitOptions = {}) =>
        Intake.use(({ receive }) =>
          receive(Effect.fromResult(read), caller, {
            dryRun: options.dryRun ?? false,
            precondition: preconditionOf(options)
          })
        ),
      {
        ...callOptions,
        dryRun: DocklineInput.flag,
        ifNew: DocklineInput.flag,
        ifVersion: DocklineInput.count
      }
    ),
    messages: reading(
      historyReader(messageLimit, Words.wordsOf(capabilities).messageTypes),
      (query, caller) => Messages.use(({ history }) => history(query, caller)),
      callOptions
    ),
    ready: (options?: CallOptions) => calls.answer(options, () => Effect.flatten(Readiness))
  }
}

/**
 * Makes the methods of the declared operations. The arguments of a method are the ids of its path, then its query or its body. The types of
 * the methods derive from the declarations, but `Object.fromEntries` loses them.
 */
const derivedMethods = (calls: Calls<Services>, capabilities: Capability.List): OperationMethods =>
  Object.fromEntries(
    Object.entries(declaredOperations(capabilities)).flatMap(([method, operation]) =>
      operation.kind === "upload" ? [] : [[method, methodOf(calls, operation, method)]]
    )
  ) as OperationMethods

/** An operation whose method derives from its declaration. */
type CallableOperation = Exclude<Operation.Any, Operation.AnyUpload>

const methodOf = (calls: Calls<Services>, operation: CallableOperation, method: string) => {
  const names = Object.keys(operation.params)
  const read = readerOf(operation)
  return (...values: ReadonlyArray<unknown>) => {
    const ids = names.map((name, index) => [name, textOf(values[index])] as const)
    const rest = values.slice(names.length)
    const input = read === undefined ? undefined : rest.shift()
    const [principal, options] = rest
    return calls.answer(options, () => {
      const caller = DocklineInput.principalOf(principal)
      return Effect.flatMap(
        Effect.fromResult(read?.(input) ?? Result.succeed({})),
        (value) => handle(method, { ...Object.fromEntries(ids), ...value }, caller)
      )
    })
  }
}

/** Reads the argument of a method after the ids; `undefined` for a method that takes only ids. */
const readerOf = (operation: CallableOperation): RequestInput.Reader<object> | undefined => {
  if (operation.kind === "read") return undefined
  if (operation.kind === "list") return queryReader(operation)
  return isEmpty(operation.body) ? undefined : RequestInput.map(operation.read, (body) => ({ body }))
}

const isEmpty = ({ ast }: Schema.Top): boolean =>
  ast._tag === "Objects" && ast.propertySignatures.length === 0

const handle = (method: string, input: Readonly<Record<string, unknown>>, principal: Principal) =>
  Effect.flatMap(OperationRegistry, (registry) => readingOf(registry)(method, input, principal))

/** An id as text; a value that is neither text nor a number becomes a text that names no entity. */
const textOf = (id: unknown): string =>
  typeof id === "string" || typeof id === "number" ? String(id) : describe(id)
