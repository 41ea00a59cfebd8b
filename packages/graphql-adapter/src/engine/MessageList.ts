/**
 * The quick way for the query that customers send most: `pushMessages` alone, with plain fields. GraphQL's general
 * execution takes longer over a thousand messages than reading and writing them does.
 *
 * Guarantee: the answer is that of general execution; whatever is not exactly this query is left to it.
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
import { messageFields, PushMessage } from "../schema/SchemaMessages.ts"
import type { ReadMessages } from "../schema/SchemaMessages.ts"
import type { Prepared } from "./Engine.ts"
import type { GraphqlContext } from "./Run.ts"

/** One field of each message: its name in the answer, and its value. */
interface Column {
  readonly key: string
  readonly valueOf: (message: Message) => unknown
}

interface Plan {
  readonly node: FieldNode
  readonly key: string
  readonly columns: ReadonlyArray<Column>
  /** How often the payload of each message is among the columns. */
  readonly payloads: number
}

/** Executes the query, or says that it is another one. */
export type MessageList = (
  prepared: Prepared,
  context: GraphqlContext
) => Promise<ExecutionResult> | undefined

/** Makes the execution for a schema, with the reading that its resolver does. */
export const make = (schema: GraphQLSchema, read: ReadMessages): MessageList => {
  const field = schema.getQueryType()?.getFields()["pushMessages"]
  const columns = new Map(columnsOfType())
  const plans = new WeakMap<OperationDefinitionNode, Plan | undefined>()

  const planOf = (operation: OperationDefinitionNode): Plan | undefined => {
    if (!plans.has(operation)) plans.set(operation, makePlan(operation, columns))
    return plans.get(operation)
  }

  const execute = async (
    plan: Plan,
    prepared: Prepared,
    context: GraphqlContext
  ): Promise<ExecutionResult> => {
    const { document, operationName, variables } = prepared
    const valid = validateExecutionArgs({ schema, document, operationName, variableValues: variables })
    if (!("operation" in valid)) return { errors: valid }
    try {
      const messages = await read(
        getArgumentValues(field!, plan.node, valid.variableValues),
        context,
        plan.payloads
      )
      return { data: { [plan.key]: messages.map((message) => rowOf(message, plan.columns)) } }
    } catch (error) {
      return { errors: [locatedError(error, [plan.node], [plan.key])], data: null }
    }
  }

  return (prepared, context) => {
    const plan = planOf(prepared.operation)
    return plan === undefined || field === undefined ? undefined : execute(plan, prepared, context)
  }
}

const rowOf = (message: Message, columns: ReadonlyArray<Column>): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = {}
  for (const { key, valueOf } of columns) row[key] = valueOf(message)
  return row
}

/** How each field of a message is resolved and written, as the type says. */
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
): Plan | undefined => {
  const [node] = selectionSet.selections
  if (operation !== "query" || (directives ?? []).length > 0 || selectionSet.selections.length !== 1) {
    return undefined
  }
  if (node === undefined || !isPlain(node) || node.name.value !== "pushMessages") return undefined
  const columns: Array<Column> = []
  let payloads = 0
  for (const selection of node.selectionSet?.selections ?? []) {
    const valueOf = isPlain(selection) ? known.get(selection.name.value) : undefined
    if (!isPlain(selection) || valueOf === undefined) return undefined
    columns.push({ key: keyOf(selection), valueOf })
    if (selection.name.value === "message") payloads++
  }
  const keys = [keyOf(node), ...columns.map(({ key }) => key)]
  // Assigned to a plain object, it would be no member.
  return keys.includes("__proto__") ? undefined : { node, key: keyOf(node), columns, payloads }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value
