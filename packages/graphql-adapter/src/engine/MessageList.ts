/**
 * Executes `pushMessages` alone with plain fields, the query that customers send most: general execution takes longer
 * over a thousand messages than reading and writing them. The answer is the same.
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

/** One field of each message; `key` is its name in the answer. */
interface Column {
  readonly key: string
  readonly name: string
  readonly valueOf: (message: Message) => unknown
}

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
      return { data: { [key]: messages.map((message) => rowOf(message, columns)) } }
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

const rowOf = (message: Message, columns: ReadonlyArray<Column>): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = {}
  for (const { key, valueOf } of columns) row[key] = valueOf(message)
  return row
}

/** The value of each field of a message, as general execution writes it. */
const columnsOfType = (): ReadonlyArray<readonly [string, Column["valueOf"]]> => [
  ["__typename", () => PushMessage.name],
  ...Object.entries(messageFields).map(([name, { type, resolve }]) => {
    const leaf = type.ofType
    return [name, (message: Message) => leaf.coerceOutputValue(resolve(message))] as const
  })
]

const isPlain = (node: SelectionNode): node is FieldNode =>
  node.kind === Kind.FIELD && (node.directives ?? []).length === 0

const makePlan = (
  { operation, directives, selectionSet }: OperationDefinitionNode,
  known: ReadonlyMap<string, Column["valueOf"]>
): ListPlan | undefined => {
  const [node] = selectionSet.selections
  if (operation !== "query" || (directives ?? []).length > 0 || selectionSet.selections.length !== 1) {
    return undefined
  }
  if (node === undefined || !isPlain(node) || node.name.value !== "pushMessages") return undefined
  const columns = new Map<string, Column>()
  for (const selection of node.selectionSet?.selections ?? []) {
    const valueOf = isPlain(selection) ? known.get(selection.name.value) : undefined
    if (!isPlain(selection) || valueOf === undefined) return undefined
    columns.set(keyOf(selection), { key: keyOf(selection), name: selection.name.value, valueOf })
  }
  // Assigned to a plain object, it would be no member.
  if (keyOf(node) === "__proto__" || columns.has("__proto__")) return undefined
  return { node, key: keyOf(node), columns: Array.from(columns.values()) }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value
