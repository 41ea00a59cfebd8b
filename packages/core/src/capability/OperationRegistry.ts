/**
 * The operations that a service offers: the operations of the contract and of its capabilities. Every interface that derives from
 * operations reads them here.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Principal } from "../access/Access.ts"
import { keepView, run } from "../access/Idempotency.ts"
import type { KeyRefusal, Once, Outcome } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { handlers } from "../operations/Handlers.ts"
import type { CatalogueError } from "../values/CatalogueError.ts"
import type { Page } from "../values/Page.ts"
import * as Capability from "./Capability.ts"
import { declaredOperations, operatorPartsOf } from "./DeclaredOperations.ts"
import * as Extension from "./Extension.ts"

/** The operations that a service offers, and their handlers. */
export class OperationRegistry extends Context.Service<OperationRegistry, {
  readonly capabilities: Capability.List
  /** The operations, by the names of their methods. */
  readonly operations: Readonly<Record<string, Operation.Any>>
  /** The handlers of all operations except uploads. An interface calls the service of an upload itself. */
  readonly handlers: Readonly<Record<string, Operation.AnyHandler>>
  /** The handlers of the capabilities' operations for operators. */
  readonly operatorHandlers: Readonly<Record<string, Operation.AnyOperatorHandler>>
  /** The services of the capabilities, for interfaces with parts of a capability that do not derive from its operations. */
  readonly services: Context.Context<never>
}>()("@dockline/core/capability/OperationRegistry") {
  /** The operations of the contract and of these capabilities, over their services. */
  static readonly layer = <const Capabilities extends Capability.List>(capabilities: Capabilities) =>
    Layer.effect(
      OperationRegistry,
      Effect.gen(function*() {
        const contract: Readonly<Record<string, Operation.AnyHandler>> = { ...yield* handlers }
        // The casts restore the services of the capabilities, because the loops lose their types.
        const own = yield* (Effect.all(capabilities.map(({ handlers }) => handlers)) as Effect.Effect<
          ReadonlyArray<object>,
          never,
          Capability.ServicesOf<Capabilities>
        >)
        const all: Readonly<Record<string, Operation.AnyHandler>> = Object.assign({}, contract, ...own)
        const entries = yield* (Effect.forEach(
          Object.entries(all),
          ([method, handler]) =>
            Effect.map(
              Extension.extending(handler, Capability.extensionsOf(capabilities, method)),
              (handler) => [method, handler] as const
            )
        ) as Effect.Effect<
          ReadonlyArray<readonly [string, Operation.AnyHandler]>,
          never,
          Capability.ExtensionNeedsOf<Capabilities>
        >)
        const ofOperators = yield* (Effect.all(
          operatorPartsOf(capabilities).map(({ handlers }) => handlers)
        ) as Effect.Effect<ReadonlyArray<object>, never, Capability.ServicesOf<Capabilities>>)
        return OperationRegistry.of({
          capabilities,
          operations: declaredOperations(capabilities),
          handlers: Object.fromEntries(entries),
          operatorHandlers: Object.assign({}, ...ofOperators),
          services: yield* Effect.context<never>()
        })
      })
    )
}

/** The part of a registry that running operations needs. */
type Offer = Pick<OperationRegistry["Service"], "operations" | "handlers">

/** Makes a function that runs a reading operation, by its method name. */
export const reading = ({ handlers }: Offer) =>
(
  method: string,
  input: Readonly<Record<string, unknown>>,
  principal: Principal
): Effect.Effect<object, CatalogueError> => handlers[method]!(input, principal)

/** Makes a function that runs an operation that reads a list, by its method name. */
export const listing = (offer: Offer) =>
(
  ...request: Parameters<ReturnType<typeof reading>>
): Effect.Effect<Page<object>, CatalogueError> =>
  // The declaration of a list says that it answers pages.
  reading(offer)(...request) as Effect.Effect<Page<object>, CatalogueError>

/** A request for an operation that changes something. */
export interface WriteRequest {
  readonly params: Readonly<Record<string, string>>
  readonly body: Effect.Effect<unknown, CatalogueError>
  readonly principal: Principal
  /** Runs the request once under its key, if it has one. */
  readonly once: Once | undefined
}

/** Makes a function that runs an operation that changes something. Only the operation's own functions know the type of its result. */
export const writing = ({ handlers, operations }: Offer) =>
(
  method: string,
  { body, once, params, principal }: WriteRequest
): Effect.Effect<Outcome<object>, KeyRefusal> => {
  const { may, placeOf } = writeOf(operations, method)
  const handler = handlers[method]!
  return run<object, CatalogueError>(once, may, (keep) =>
    Effect.flatMap(body, (input) =>
      keepView(
        keep,
        (done: object) => Result.succeed({ place: placeOf(done, input), answer: done }),
        (keep) => handler({ ...params, body: input }, principal, keep)
      )))
}

/** The operation of a method that changes something. Any other method is a bug of the program, and throws. */
export const writeOf = (operations: Offer["operations"], method: string): Operation.AnyWrite => {
  const operation = operations[method]
  if (operation?.kind === "write") return operation
  throw new TypeError(`${method} is not an operation that changes something`)
}

/** The methods of the operations of a kind, in the order of the registry. */
export const methodsOf = (
  operations: Offer["operations"],
  kind: Operation.Any["kind"]
): ReadonlyArray<string> => Object.keys(operations).filter((method) => operations[method]?.kind === kind)
