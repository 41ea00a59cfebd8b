/** Results as text, and the room that they take. */
import type { Room } from "@dockline/core/access/RequestLimits"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type { ExecutionResult, FormattedExecutionResult } from "graphql"

/** A result without errors whose text was written at once; reading its data parses the text. */
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

export const partsOf = (
  result: ExecutionResult | FormattedExecutionResult
): Iterator<string> & Iterable<string> =>
  result instanceof WrittenResult ? [result.text].values() : JsonWriter.parts(result)

/** Room for results (D12.3): what is read is held a second time, as the result that is made of it. */
export const roomFor = ({ take, takeNow }: Room): Room => ({
  take: (characters) => take(2 * characters),
  takeNow: (characters) => takeNow(2 * characters)
})
