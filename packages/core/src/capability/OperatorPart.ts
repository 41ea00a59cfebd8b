/**
 * The operations of a capability for operators (D11). Interfaces serve them in the same way as those of `operator/OperatorOperations`.
 */
import type { Effect } from "effect"
import type { OpenWords } from "../access/OpenWords.ts"
import type * as Operation from "../access/Operation.ts"

/** Operations for operators, by their names. */
export type OperatorTable = Readonly<Record<string, Operation.AnyOfOperators>>

/** The handlers of operations for operators, by the names of the operations. */
export type OperatorHandlersOf<Operations extends OperatorTable> = {
  readonly [Name in keyof Operations]: Operation.OperatorHandler<Operations[Name]>
}

/** Examples of the requests of operations that take a body, by the names of the operations. */
export type OperatorRequestsOf<Operations extends OperatorTable> = {
  readonly [
    Name in keyof Operations as [Operation.BodyJson<Operations[Name]>] extends [never] ? never : Name
  ]: Readonly<
    Record<string, Operation.RequestExample<Operation.BodyJson<Operations[Name]>>>
  >
}

/** Examples of the answers of operations that have an answer, by the names of the operations. */
export type OperatorAnswersOf<Operations extends OperatorTable> = {
  readonly [
    Name in keyof Operations as [Operation.AnswerView<Operations[Name]>] extends [void] ? never : Name
  ]: Operation.Json<Operation.AnswerView<Operations[Name]>>
}

/** The part of a capability for operators. */
export interface OperatorPart<Operations extends OperatorTable, Service> {
  /** The name of its group in REST, in camel case. */
  readonly name: string
  /** The title of its group in the reference. */
  readonly title: string
  /** The purpose of its operations, in a sentence. */
  readonly description: string
  readonly operations: Operations
  /** Makes the operations with the words of a service. Without this function, `operations` has them all. */
  readonly withWords?: (words: OpenWords) => Operations
  /** The handlers of its operations. */
  readonly handlers: Effect.Effect<OperatorHandlersOf<Operations>, never, Service>
  readonly requests: OperatorRequestsOf<Operations>
  readonly answers: OperatorAnswersOf<Operations>
}

/** Makes an operator part from its slots. */
export const make = <const Operations extends OperatorTable, Service>(
  slots: OperatorPart<Operations, Service>
): OperatorPart<Operations, Service> => slots

/** Any operator part, without the types of its operations and handlers. */
export interface Any<Service = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operations: OperatorTable
  /** Makes the operations with the words of a service. */
  readonly withWords?: (words: OpenWords) => OperatorTable
  /** The handlers of its operations. */
  readonly handlers: Effect.Effect<object, never, Service>
  readonly requests: Readonly<Record<string, object>>
  readonly answers: Readonly<Record<string, object>>
}
