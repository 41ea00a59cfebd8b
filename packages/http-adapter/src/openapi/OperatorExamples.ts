/**
 * The form of example requests in the reference, and the examples of the operator side, which stand beside its declarations.
 */
import * as DeclaredExamples from "@dockline/core/internal/operator/DeclaredExamples"

export interface RequestExample<A extends object = object> {
  readonly summary: string
  readonly description?: string
  readonly value: A
}

export type RequestExamples = Readonly<Record<string, Readonly<Record<string, RequestExample>>>>

export const requests: RequestExamples = DeclaredExamples.requests

export const answers: Readonly<Record<string, object>> = DeclaredExamples.answers
