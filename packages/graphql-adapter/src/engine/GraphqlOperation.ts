/** Operations as clients send them and as they are executed, and their results as text. */
import type { Room } from "@dockline/core/access/RequestLimits"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode
} from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"

export interface GraphqlRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** A parsed and validated document within the limits, and the operation to execute. Its variables are not coerced yet. */
export interface GraphqlOperation {
  /** The path of the request, which determines the schema. */
  readonly path: string
  readonly schema: GraphQLSchema
  readonly source: string
  readonly document: DocumentNode
  readonly definition: OperationDefinitionNode
  readonly type: "query" | "mutation" | "subscription"
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

/** The arguments with which graphql-js executes an operation. */
export const executionArgs = (
  { document, operationName, schema, variables }: GraphqlOperation,
  contextValue?: GraphqlContext
) => ({ schema, document, operationName, variableValues: variables, contextValue })

export type OperationResult = ExecutionResult | FormattedExecutionResult

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
export const partsOf = (result: OperationResult): Iterator<string> & Iterable<string> =>
  result instanceof WrittenResult ? [result.text].values() : JsonWriter.parts(result)

/** Memory for results (D12.3), counted twice: entities are in memory a second time, as the result that is made of them. */
export const roomFor = ({ take, takeNow }: Room): Room => ({
  take: (characters) => take(2 * characters),
  takeNow: (characters) => takeNow(2 * characters)
})
