/**
 * Executes a query of only `pushMessages` with plain fields, which customers send most: for a thousand messages, general execution takes
 * longer than reading and writing them. The answer is the same, but it is written directly as text, so that payloads go from the storage to
 * the client without being parsed.
 */
import type { Message } from "@dockline/core/messages/Message"
import { getArgumentValues, isEnumType, Kind, locatedError, validateExecutionArgs } from "graphql"
import type {
  ExecutionResult,
  FieldNode,
  GraphQLEnumType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode
} from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { fieldsOfMessage, messageName } from "../schema/SchemaMessages.ts"
import type { ReadMessages } from "../schema/SchemaMessages.ts"
import { executionArgs, WrittenResult } from "./GraphqlOperation.ts"
import type { GraphqlOperation } from "./GraphqlOperation.ts"

type Write = (message: Message) => string

interface ListPlan {
  readonly node: FieldNode
  /** For each column, the text before the value, and the function that writes the value. */
  readonly columns: ReadonlyArray<readonly [head: string, write: Write]>
  /** How often an answer shows each payload. */
  readonly copies: number
}

/** Makes the function that executes such a query; it returns `undefined` for any other operation. */
export const make = (schema: GraphQLSchema, read: ReadMessages) => {
  const field = schema.getQueryType()?.getFields()["pushMessages"]
  const types = schema.getType("MessageType")
  const writes = isEnumType(types) ? writesOf(types) : new Map<string, Write>()
  const plans = new WeakMap<OperationDefinitionNode, ListPlan | undefined>()

  const execute = async (
    { columns, copies, node }: ListPlan,
    operation: GraphqlOperation,
    context: GraphqlContext
  ): Promise<ExecutionResult> => {
    const execution = validateExecutionArgs(executionArgs(operation))
    if (!("operation" in execution)) return { errors: execution }
    try {
      const args = field === undefined ? {} : getArgumentValues(field, node, execution.variableValues)
      const messages = await read(args, context, copies)
      const texts = messages.map((message) => {
        let text = ""
        for (const [head, write] of columns) text += head + write(message)
        return `${text}}`
      })
      return new WrittenResult(`{"data":{${JSON.stringify(keyOf(node))}:[${texts.join(",")}]}}`)
    } catch (error) {
      return { errors: [locatedError(error, [node], [keyOf(node)])], data: null }
    }
  }

  return (operation: GraphqlOperation, context: GraphqlContext): Promise<ExecutionResult> | undefined => {
    const { definition } = operation
    if (!plans.has(definition)) plans.set(definition, planOf(writes, definition))
    const plan = plans.get(definition)
    return plan === undefined ? undefined : execute(plan, operation, context)
  }
}

/** For each field, the function that writes it as general execution does. */
const writesOf = (types: GraphQLEnumType): ReadonlyMap<string, Write> =>
  new Map<string, Write>([
    ["__typename", () => JSON.stringify(messageName)],
    ...Object.entries(fieldsOfMessage(types)).map(([name, { type, resolve }]): [string, Write] => [
      name,
      (message) => JSON.stringify(type.ofType.coerceOutputValue(resolve(message)))
    ]),
    ["message", ({ json }) => json]
  ])

const isPlain = (node: SelectionNode | undefined): node is FieldNode =>
  node?.kind === Kind.FIELD && (node.directives ?? []).length === 0

const planOf = (
  writes: ReadonlyMap<string, Write>,
  { operation, directives, selectionSet }: OperationDefinitionNode
): ListPlan | undefined => {
  const [node, ...others] = selectionSet.selections
  const isList = operation === "query" && (directives ?? []).length === 0 && others.length === 0 &&
    isPlain(node) && node.name.value === "pushMessages"
  if (!isList) return undefined
  const columns = new Map<string, readonly [head: string, write: Write]>()
  let copies = 0
  for (const selection of node.selectionSet?.selections ?? []) {
    const write = isPlain(selection) ? writes.get(selection.name.value) : undefined
    if (!isPlain(selection) || write === undefined) return undefined
    const key = keyOf(selection)
    if (columns.has(key)) continue
    columns.set(key, [`${columns.size === 0 ? "{" : ","}${JSON.stringify(key)}:`, write])
    if (selection.name.value === "message") copies++
  }
  return { node, columns: Array.from(columns.values()), copies }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value
