/**
 * Counts the entries that the lists of an operation may hold (D8.8), before anything is read: those of its answer, and those of its
 * arguments.
 *
 * A list of the answer counts its entries, and those of the lists within it for each of them; another field of a query counts one.
 * What a directive skips counts too. A list of the arguments counts its entries, those of lists within it too, once for each field
 * that names it: aliases do not multiply what a variable holds.
 */
import { defaultMessageLimit } from "@dockline/core/messages/Messages"
import { pageLimit } from "@dockline/core/values/Page"
import { getNamedType, isObjectType, Kind, valueFromASTUntyped } from "graphql"
import type { FieldNode, GraphQLObjectType, GraphQLSchema, SelectionSetNode, ValueNode } from "graphql"
import type { Prepared } from "./Prepared.ts"

type Values = Readonly<Record<string, unknown>>

const fragmentsOf = ({ document }: Prepared): ReadonlyMap<string, SelectionSetNode> =>
  new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : []
    )
  )

/** The entries of all lists within a value; beyond `limit`, any number beyond it. */
const entriesWithin = (root: unknown, limit: number): number => {
  let entries = 0
  const pending = [root]
  while (pending.length > 0 && entries <= limit) {
    const value = pending.pop()
    if (typeof value !== "object" || value === null || value instanceof Blob) continue
    const members: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value)
    if (Array.isArray(value)) entries += members.length
    for (const member of members) if (typeof member === "object") pending.push(member)
  }
  return entries
}

/** The entries of the lists that the arguments of an operation hold; beyond `limit`, any number beyond it. */
export const argumentEntriesOf = (prepared: Prepared, limit: number): number => {
  const fragments = fragmentsOf(prepared)
  const variables = variablesOf(prepared)
  const counts = new Map<string, number>()

  const ofVariable = (name: string): number => {
    const known = counts.get(name)
    if (known !== undefined) return known
    const count = entriesWithin(variables[name], limit)
    counts.set(name, count)
    return count
  }

  const ofValue = (node: ValueNode): number => {
    if (node.kind === Kind.VARIABLE) return ofVariable(node.name.value)
    if (node.kind === Kind.LIST) {
      return node.values.reduce((sum, each) => sum + ofValue(each), node.values.length)
    }
    if (node.kind === Kind.OBJECT) return node.fields.reduce((sum, { value }) => sum + ofValue(value), 0)
    return 0
  }

  const ofSelections = (set: SelectionSetNode | undefined): number => {
    let total = 0
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) { for (const { value } of node.arguments ?? []) total += ofValue(value) }
      total += ofSelections(
        node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node.selectionSet
      )
      if (total > limit) return total
    }
    return total
  }

  return ofSelections(prepared.operation.selectionSet)
}

/** The most entries that an operation may read; beyond `limit`, any number beyond it. */
export const entriesOf = (prepared: Prepared, schema: GraphQLSchema, limit: number): number => {
  const { operation } = prepared
  const root = schema.getRootType(operation.operation)
  if (!isObjectType(root)) return 0
  const fragments = fragmentsOf(prepared)
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
