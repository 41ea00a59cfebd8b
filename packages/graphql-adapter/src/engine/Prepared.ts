/** Operations: as clients ask for them, and as they are executed once their document is parsed, limited and validated. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql"

export interface GraphqlRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

export interface Served {
  readonly path: string
  readonly schema: GraphQLSchema
}

/** A parsed, limited and validated document with the operation chosen. Its variables are not coerced yet. */
export interface Prepared {
  readonly served: Served
  readonly source: string
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}
