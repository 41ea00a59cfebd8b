/**
 * Operations as clients send them and as they are executed, their results as text, and the limits of their size (D8.8): the size of the
 * selections before validation, and the number of entries that the lists of the answer and the arguments may have.
 *
 * Guarantee: checking the selections takes time linear in the document, because each fragment is measured once and sums stop growing beyond
 * every limit.
 */
import type { AnswerMemory } from "@dockline/core/access/RequestLimits"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import { defaultMessageLimit } from "@dockline/core/messages/Messages"
import { pageLimit } from "@dockline/core/values/Page"
import { Record, Struct } from "effect"
import type {
  DocumentNode,
  ExecutionResult,
  FieldNode,
  FormattedExecutionResult,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValueNode
} from "graphql"
import { getNamedType, GraphQLError, isObjectType, Kind, valueFromASTUntyped } from "graphql"
import type { OperationLimits } from "../GraphqlConfig.ts"
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
export const memoryFor = ({ reserve, reserveNow }: AnswerMemory): AnswerMemory => ({
  reserve: (characters) => reserve(2 * characters),
  reserveNow: (characters) => reserveNow(2 * characters)
})

const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : []
    )
  )

/** The fields by which introspection leads back to types; each may occur once on a path. */
const cyclicFields = ["fields", "inputFields", "interfaces", "possibleTypes"] as const

/** How the sizes of neighbouring selections combine, and the fault of a size beyond its limit. */
const sizes = {
  depth: ["most", "nests fields too deep"],
  /** The longest path that lies within introspection. */
  introspectionDepth: ["most", "nests fields of introspection too deep"],
  aliases: ["sum", "has too many aliases"],
  aliasLength: ["most", "has an alias with too many characters"],
  directives: ["sum", "has too many directives"],
  fields: ["sum", "has too many fields, counted with its fragments expanded"]
} as const

/** The size of a selection set, with its fragments expanded. */
type Measure = Readonly<Record<keyof typeof sizes, number>> & {
  /** The most occurrences of each of {@link cyclicFields} on one path. */
  readonly cycles: ReadonlyArray<number>
}

const nothing: Measure = { ...Record.map(sizes, () => 0), cycles: cyclicFields.map(() => 0) }

/** A placeholder for the measure of a fragment while it is being measured, which reveals a cycle. */
const endless: Measure = { ...nothing }

/** A value above every limit, at which sums stop growing. */
const enough = 1_000_000

const sum = (left: number, right: number): number => Math.min(left + right, enough)

const beside = (left: Measure, right: Measure): Measure => ({
  ...Record.map(sizes, ([how], name) => (how === "sum" ? sum : Math.max)(left[name], right[name])),
  cycles: left.cycles.map((count, index) => Math.max(count, right.cycles[index] ?? 0))
})

const withDirectives = (
  inside: Measure,
  ...nodes: ReadonlyArray<Pick<FieldNode, "directives"> | undefined>
): Measure => ({
  ...inside,
  directives: nodes.reduce((total, node) => sum(total, node?.directives?.length ?? 0), inside.directives)
})

/** Measures the operations and the fragments of a document; each fragment only once. */
const measuresOf = (document: DocumentNode, operations: ReadonlyArray<OperationDefinitionNode>) => {
  const fragments = fragmentsOf(document)
  const measures = new Map<string, Measure>()
  /** The name of a fragment that spreads itself. */
  let cyclic: string | undefined

  const ofSet = (node: SelectionSetNode | undefined): Measure =>
    (node?.selections ?? []).reduce(
      (total, selection) => beside(total, withDirectives(ofSelection(selection), selection)),
      nothing
    )

  const ofSelection = (node: SelectionNode): Measure => {
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value)
    const inside = ofSet(node.selectionSet)
    if (node.kind === Kind.INLINE_FRAGMENT) return inside
    const name = node.name.value
    const introspects = name === "__schema" || name === "__type"
    return {
      aliases: sum(inside.aliases, node.alias === undefined ? 0 : 1),
      aliasLength: Math.max(inside.aliasLength, node.alias?.value.length ?? 0),
      directives: inside.directives,
      fields: sum(inside.fields, 1),
      depth: introspects ? 1 : inside.depth + 1,
      introspectionDepth: introspects ? inside.depth + 1 : inside.introspectionDepth,
      cycles: introspects
        ? inside.cycles
        : inside.cycles.map((count, index) => count + (cyclicFields[index] === name ? 1 : 0))
    }
  }

  const ofFragment = (name: string): Measure => {
    const earlier = measures.get(name)
    if (earlier === endless) cyclic = name
    if (earlier !== undefined) return earlier
    const fragment = fragments.get(name)
    measures.set(name, endless)
    const measure = withDirectives(ofSet(fragment?.selectionSet), fragment)
    measures.set(name, measure)
    return measure
  }

  return {
    operations: operations.map((node) =>
      withDirectives(ofSet(node.selectionSet), node, ...(node.variableDefinitions ?? []))
    ),
    fragments: Array.from(fragments.keys(), ofFragment),
    cyclic
  }
}

/** An error for each limit that a document exceeds; none if the document may be validated. */
export const limitErrors = (document: DocumentNode, limits: OperationLimits): ReadonlyArray<GraphQLError> => {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (operations.length > limits.operations) {
    return [error(`The document holds ${operations.length} operations; the limit is ${limits.operations}`)]
  }
  const measures = measuresOf(document, operations)
  if (measures.cyclic !== undefined) return [error(`Fragment ${measures.cyclic} spreads itself`)]
  // Fragments are limited even if no operation uses them, because GraphQL's rules validate those too.
  const deepest = Math.max(limits.depth, limits.introspectionDepth)
  const unbound = { ...limits, depth: deepest, introspectionDepth: deepest }
  const faults = [
    ...measures.operations.flatMap((measure) => faultsOf(measure, limits)),
    ...measures.fragments.flatMap((measure) => faultsOf(measure, unbound))
  ]
  return Array.from(new Set(faults), error)
}

const error = (message: string): GraphQLError => new GraphQLError(message)

const faultsOf = (measure: Measure, limits: OperationLimits): ReadonlyArray<string> => [
  ...Struct.keys(sizes).flatMap((name) =>
    measure[name] > limits[name] ? [`The operation ${sizes[name][1]}; the limit is ${limits[name]}`] : []
  ),
  ...cyclicFields.filter((_, index) => (measure.cycles[index] ?? 0) > 1).map((name) =>
    `The operation comes back to "${name}" within "${name}" of introspection, which is not allowed`
  )
]

/** The fields of a selection, including the fields of its fragments. */
function* fieldsOf(
  set: SelectionSetNode | undefined,
  fragments: ReturnType<typeof fragmentsOf>
): Generator<FieldNode> {
  for (const node of set?.selections ?? []) {
    if (node.kind === Kind.FIELD) yield node
    else if (node.kind === Kind.INLINE_FRAGMENT) yield* fieldsOf(node.selectionSet, fragments)
    else yield* fieldsOf(fragments.get(node.name.value)?.selectionSet, fragments)
  }
}

type Values = Readonly<Record<string, unknown>>

/** The number of entries in all lists within a value. Above `limit`, the result may be any number above it. */
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

/**
 * The number of entries in all lists within the arguments of an operation. The entries of a variable count for each field that uses it, so
 * aliases cannot evade the limit. Above `limit`, the result may be any number above it.
 */
export const argumentEntriesOf = (operation: GraphqlOperation, limit: number): number => {
  const fragments = fragmentsOf(operation.document)
  const ofVariable = Record.map(variablesOf(operation), (value) => entriesWithin(value, limit))

  const ofValue = (node: ValueNode): number => {
    if (node.kind === Kind.VARIABLE) return ofVariable[node.name.value] ?? 0
    if (node.kind === Kind.LIST) {
      return node.values.reduce((sum, each) => sum + ofValue(each), node.values.length)
    }
    if (node.kind === Kind.OBJECT) return node.fields.reduce((sum, { value }) => sum + ofValue(value), 0)
    return 0
  }

  const ofSelections = (set: SelectionSetNode | undefined): number => {
    let total = 0
    for (const node of fieldsOf(set, fragments)) {
      for (const { value } of node.arguments ?? []) total += ofValue(value)
      total += ofSelections(node.selectionSet)
      if (total > limit) return total
    }
    return total
  }

  return ofSelections(operation.definition.selectionSet)
}

/**
 * The most entries that an operation may read: a list counts its entries, and for each of them the entries of lists within it; any other
 * field of a query counts one. Fields that a directive skips count too. Above `limit`, the result may be any number above it.
 */
export const entriesOf = (operation: GraphqlOperation, limit: number): number => {
  const { definition, document, schema, type } = operation
  const root = schema.getRootType(type)
  if (!isObjectType(root)) return 0
  const fragments = fragmentsOf(document)
  const variables = variablesOf(operation)

  const ofField = (node: FieldNode, type: GraphQLObjectType): number => {
    const field = type.getFields()[node.name.value]
    if (field === undefined) return 0
    const fieldType = getNamedType(field.type)
    const inside = isObjectType(fieldType) ? ofSelections(node.selectionSet, fieldType) : 0
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
    for (const node of fieldsOf(set, fragments)) {
      total += ofField(node, type)
      if (total > limit) return total
    }
    return total
  }

  return ofSelections(definition.selectionSet, root)
}

/** The number in an argument, at most `most`; `most` for any other value. The resolver refuses a number that is out of range. */
const within = (value: unknown, most: number): number =>
  typeof value === "number" && value >= 1 ? Math.min(value, most) : most

const limitOf = (input: unknown): unknown =>
  typeof input === "object" && input !== null && "limit" in input ? input.limit : undefined

const variablesOf = ({ definition, variables }: GraphqlOperation): Values => ({
  ...Object.fromEntries(
    (definition.variableDefinitions ?? []).flatMap(({ defaultValue, variable }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)] as const]
    )
  ),
  ...variables
})

const argumentsOf = ({ arguments: nodes }: FieldNode, variables: Values): Values =>
  Object.fromEntries(
    (nodes ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)])
  )
