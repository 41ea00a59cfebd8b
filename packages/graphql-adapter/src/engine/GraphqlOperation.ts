/** Operations, as clients ask for them and as they are executed, and their results as text. */
import type { Room } from "@dockline/core/access/RequestLimits"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode
} from "graphql"

export interface GraphqlRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** A schema at its path. */
export interface ServedSchema {
  readonly path: string
  readonly schema: GraphQLSchema
}

/** A parsed, limited and validated document with the operation chosen. Its variables are not coerced yet. */
export interface Prepared {
  readonly served: ServedSchema
  readonly source: string
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

export type Result = ExecutionResult | FormattedExecutionResult

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

/** The parts of the text of a result. */
export const partsOf = (result: Result): Iterator<string> & Iterable<string> =>
  result instanceof WrittenResult ? [result.text].values() : JsonWriter.parts(result)

/** Room for results (D12.3): what is read is held a second time, as the result that is made of it. */
export const roomFor = ({ take, takeNow }: Room): Room => ({
  take: (characters) => take(2 * characters),
  takeNow: (characters) => takeNow(2 * characters)
})
