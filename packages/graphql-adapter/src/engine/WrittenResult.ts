/**
 * Results of which the text was written at once.
 */
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import type { ExecutionResult, FormattedExecutionResult } from "graphql"

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
