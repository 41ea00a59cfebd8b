/**
 * Executes `pushMessages` alone with plain fields, the query that customers send most: general execution takes longer
 * over a thousand messages than reading and writing them. The answer is the same, but it is written as text at once:
 * payloads go from the storage to the client without being parsed.
 */
import type { Message } from "@dockline/core/Message"
import { getArgumentValues, Kind, locatedError, validateExecutionArgs } from "graphql"
import type {
  ExecutionResult,
  FieldNode,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode
} from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { messageFields, PushMessage } from "../schema/SchemaMessages.ts"
import type { ReadMessages } from "../schema/SchemaMessages.ts"
import type { Prepared } from "./Prepared.ts"
import { WrittenResult } from "./WrittenResult.ts"

/** One field of each message. */
interface Column {
  /** What is before the value: the name of the member. */
  readonly head: string
  readonly name: string
  readonly write: Write
}

/** Writes the value of a field as JSON. */
type Write = (message: Message) => string

interface ListPlan {
  readonly node: FieldNode
  readonly key: string
  readonly columns: ReadonlyArray<Column>
}

export type MessageList = (
  prepared: Prepared,
  context: GraphqlContext
) => Promise<ExecutionResult> | undefined

export const make = (schema: GraphQLSchema, read: ReadMessages): MessageList => {
  const field = schema.getQueryType()!.getFields()["pushMessages"]!
  const columns = new Map(columnsOfType())
  const plans = new WeakMap<OperationDefinitionNode, ListPlan | undefined>()

  const execute = async (
    { columns, key, node }: ListPlan,
    { document, operationName, variables }: Prepared,
    context: GraphqlContext
  ): Promise<ExecutionResult> => {
    const valid = validateExecutionArgs({ schema, document, operationName, variableValues: variables })
    if (!("operation" in valid)) return { errors: valid }
    try {
      const args = getArgumentValues(field, node, valid.variableValues)
      const messages = await read(args, context, columns.filter(({ name }) => name === "message").length)
      return new WrittenResult(
        `{"data":{${JSON.stringify(key)}:[${messages.map((message) => textOf(message, columns)).join(",")}]}}`
      )
    } catch (error) {
      return { errors: [locatedError(error, [node], [key])], data: null }
    }
  }

  return (prepared, context) => {
    const { operation } = prepared
    if (!plans.has(operation)) plans.set(operation, makePlan(operation, columns))
    const plan = plans.get(operation)
    return plan === undefined ? undefined : execute(plan, prepared, context)
  }
}

const textOf = (message: Message, columns: ReadonlyArray<Column>): string => {
  let text = ""
  for (const { head, write } of columns) text += head + write(message)
  return `${text}}`
}

/** How each field of a message is written: as general execution writes it. */
const columnsOfType = (): ReadonlyArray<readonly [string, Write]> => [
  ["__typename", () => JSON.stringify(PushMessage.name)],
  ...Object.entries(messageFields).map(([name, { type, resolve }]) => {
    const leaf = type.ofType
    return [name, (message: Message) => JSON.stringify(leaf.coerceOutputValue(resolve(message)))] as const
  }),
  ["message", ({ json }) => json]
]

const isPlain = (node: SelectionNode): node is FieldNode =>
  node.kind === Kind.FIELD && (node.directives ?? []).length === 0

const makePlan = (
  { operation, directives, selectionSet }: OperationDefinitionNode,
  known: ReadonlyMap<string, Write>
): ListPlan | undefined => {
  const [node] = selectionSet.selections
  if (operation !== "query" || (directives ?? []).length > 0 || selectionSet.selections.length !== 1) {
    return undefined
  }
  if (node === undefined || !isPlain(node) || node.name.value !== "pushMessages") return undefined
  const columns = new Map<string, Column>()
  for (const selection of node.selectionSet?.selections ?? []) {
    const write = isPlain(selection) ? known.get(selection.name.value) : undefined
    if (!isPlain(selection) || write === undefined) return undefined
    const key = keyOf(selection)
    if (columns.has(key)) continue
    const head = `${columns.size === 0 ? "{" : ","}${JSON.stringify(key)}:`
    columns.set(key, { head, name: selection.name.value, write })
  }
  return { node, key: keyOf(node), columns: Array.from(columns.values()) }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value
