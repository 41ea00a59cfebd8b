/**
 * Counts the entries that the lists of an operation may hold (D8.8), before anything is read.
 *
 * A list counts its entries, and those of the lists within it for each of them; another field of a query counts one. What a
 * directive skips counts too.
 */
import { defaultMessageLimit } from "@dockline/core/Messages"
import { pageLimit } from "@dockline/core/Page"
import { getNamedType, isObjectType, Kind, valueFromASTUntyped } from "graphql"
import type { FieldNode, GraphQLObjectType, GraphQLSchema, SelectionSetNode } from "graphql"
import type { Prepared } from "./Prepared.ts"

type Values = Readonly<Record<string, unknown>>

/** The most entries that an operation may read; beyond `limit`, any number beyond it. */
export const entriesOf = (prepared: Prepared, schema: GraphQLSchema, limit: number): number => {
  const { document, operation } = prepared
  const root = schema.getRootType(operation.operation)
  if (!isObjectType(root)) return 0
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : []
    )
  )
  const variables = variablesOf(prepared)

  const ofField = (node: FieldNode, type: GraphQLObjectType): number => {
    const field = type.getFields()[node.name.value]
    if (field === undefined) return 0
    const shown = getNamedType(field.type)
    const inside = isObjectType(shown) ? ofSelections(node.selectionSet, shown) : 0
    if (field.args.some(({ name }) => name === "first")) {
      return within(argumentsOf(node, variables)["first"], pageLimit) * (1 + inside)
    }
    if (field.name === "pushMessages") {
      return within(limitOf(argumentsOf(node, variables)["input"]), defaultMessageLimit)
    }
    return type === schema.getQueryType() ? 1 + inside : inside
  }

  const ofSelections = (set: SelectionSetNode | undefined, type: GraphQLObjectType): number => {
    let total = 0
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) total += ofField(node, type)
      else if (node.kind === Kind.INLINE_FRAGMENT) total += ofSelections(node.selectionSet, type)
      else total += ofSelections(fragments.get(node.name.value), type)
      if (total > limit) return total
    }
    return total
  }

  return ofSelections(operation.selectionSet, root)
}

/** The number that is asked for, at most `most`: more is refused with an error of its own, as is what is no number. */
const within = (asked: unknown, most: number): number =>
  typeof asked === "number" && asked >= 1 ? Math.min(asked, most) : most

const limitOf = (input: unknown): unknown =>
  typeof input === "object" && input !== null && "limit" in input ? input.limit : undefined

const variablesOf = ({ operation, variables }: Prepared): Values => ({
  ...Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ defaultValue, variable }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)] as const]
    )
  ),
  ...variables
})

const argumentsOf = ({ arguments: given }: FieldNode, variables: Values): Values =>
  Object.fromEntries(
    (given ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)])
  )
