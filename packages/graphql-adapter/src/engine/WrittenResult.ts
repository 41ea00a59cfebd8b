/**
 * Results of which the text was written at once.
 */
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import type { ExecutionResult, FormattedExecutionResult } from "graphql"

/** How often an answer holds what is read: the result that is made of it holds it a second time (D12.3). */
export const copies = 2

/** A result without errors, as its text; whoever reads its data has the text parsed. */
export class WrittenResult implements ExecutionResult {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get data(): NonNullable<ExecutionResult["data"]> {
    return this.toJSON().data
  }

  toJSON(): { readonly data: NonNullable<ExecutionResult["data"]> } {
    return JSON.parse(this.text)
  }
}

/** The parts of a result as JSON. */
export const partsOf = (
  result: ExecutionResult | FormattedExecutionResult
): Iterator<string> & Iterable<string> =>
  result instanceof WrittenResult ? [result.text].values() : JsonWriter.parts(result)
