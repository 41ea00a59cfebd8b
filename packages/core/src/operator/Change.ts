/**
 * A change that operators make, as a value (D11): an operation beside those of `access/Operation.ts` that reads a body, or none, and
 * that runs each time it is asked for.
 *
 * Guarantee: it takes no idempotency key, as nothing of its answer is kept: the answer may hold a secret, which is shown once.
 */
import { Redacted } from "effect"
import type { Effect, Schema } from "effect"
import type { Principal } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import type { Reader } from "../input/RequestInput.ts"
import type { ErrorClass } from "../values/CatalogueError.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"

export interface Change<
  Name extends string,
  Rest extends Operation.Route,
  Params extends Operation.Fields,
  Body extends Schema.Top,
  Given,
  View extends Schema.Top,
  Done,
  Errors extends ReadonlyArray<ErrorClass>
> extends Operation.Declaration<Name, Rest, Params, Errors> {
  readonly kind: "change"
  /** Its body as operators send it; it takes none when absent. */
  readonly body?: Body
  /** Reads the body into what the operation takes. */
  readonly read?: Reader<Given>
  /** Whether a request without a body means `{}`. Not so unless given. */
  readonly isBodyOptional?: boolean
  /** What operators see of what was done; `Schema.Void` for nothing. */
  readonly view: View
  /** Shows what was done; as it is when absent. It alone unwraps a new secret. */
  readonly show?: (done: Done) => View["Type"]
  /** The field of the view that names what is created below the path of the request; `null` if it has no path of its own. */
  readonly creates?: keyof View["Type"] & string | null
  /** The part of the view whose version a request may expect; absent where it may expect none. */
  stateOf?(view: View["Type"]): unknown
  /** Whether its work goes on after the answer. Not so unless given. */
  readonly isAccepted?: boolean
}

/** Declares a change by its name, which is also the `operationId` in the OpenAPI document. */
export const change = <
  const Name extends string,
  const Rest extends Operation.Route,
  const Params extends Operation.Fields,
  View extends Schema.Top,
  const Errors extends ReadonlyArray<ErrorClass>,
  Body extends Schema.Top = never,
  Given = never,
  Done = View["Type"]
>(
  name: Name,
  declared: Omit<Change<Name, Rest, Params, Body, Given, View, Done, Errors>, "kind" | "name">
): Change<Name, Rest, Params, Body, Given, View, Done, Errors> => ({ kind: "change", name, ...declared })

/** Takes a new secret out of its wrapping, to show it in the answer that creates it alone. */
export const unwrapped = <Name extends string, Made extends Readonly<Record<Name, Redacted.Redacted>>>(
  made: Made,
  name: Name
): Omit<Made, Name> & Readonly<Record<Name, string>> => ({ ...made, [name]: Redacted.value(made[name]) })

/** Any {@link Change}, whatever it reads and shows. */
export type AnyChange =
  & Omit<
    Change<
      string,
      Operation.Route,
      Operation.Fields,
      Schema.Top,
      unknown,
      Schema.Top,
      never,
      ReadonlyArray<ErrorClass>
    >,
    "creates"
  >
  & {
    /** The field of the view that names what is created. */
    readonly creates?: string | null
  }

/** Any operation of operators: a read, a list or a change. */
export type AnyOfOperators = Operation.AnyRead | Operation.AnyList | AnyChange

/** The JSON form of the body that a request of an operation has; `never` where it has none. */
export type Sent<Op> = Op extends { readonly body?: infer Body extends Schema.Top } ? Body["Encoded"] : never

/** What a request says: the parameters of its path, with the query of a list or the JSON form of a body. */
export type Asked<Op extends AnyOfOperators> = Op extends AnyChange
  ? Operation.Params<Op> & ([Sent<Op>] extends [never] ? unknown : { readonly body: Sent<Op> })
  : Operation.Input<Op>

/** What the answer of an operation shows: a page of rows, or its view. */
export type Shown<Op> = Op extends Operation.AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: infer View extends Schema.Top } ? View["Type"]
  : never

/** What an operation of operators does; any of them may find the storage away. */
export type OperatorHandler<Op extends AnyOfOperators> = (
  input: Operation.Input<Op>,
  principal: Principal
) => Effect.Effect<Operation.Answer<Op>, Operation.Refusal<Op> | StorageUnavailable>
