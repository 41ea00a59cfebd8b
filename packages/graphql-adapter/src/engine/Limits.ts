/**
 * Judges the limits of an operation (D8.8) before it is validated, in time linear in the document: each fragment is
 * measured once, and sums stop growing beyond every limit.
 */
import { GraphQLError, Kind } from "graphql"
import type { DocumentNode, OperationDefinitionNode, SelectionNode, SelectionSetNode } from "graphql"
import type { OperationLimits } from "../GraphqlConfig.ts"

/** The fields by which introspection comes back to types; each may stand once on a path. */
const cyclicFields = ["fields", "inputFields", "interfaces", "possibleTypes"] as const

/** The size of a selection set, with its fragments expanded. */
interface Measure {
  readonly aliases: number
  readonly aliasLength: number
  readonly directives: number
  readonly fields: number
  readonly depth: number
  /** The longest path that lies within introspection. */
  readonly introspectionDepth: number
  /** The most occurrences of each of {@link cyclicFields} on one path. */
  readonly cycles: ReadonlyArray<number>
}

const nothing: Measure = {
  aliases: 0,
  aliasLength: 0,
  directives: 0,
  fields: 0,
  depth: 0,
  introspectionDepth: 0,
  cycles: cyclicFields.map(() => 0)
}

/** The measure of a fragment while it is measured. */
const endless: Measure = { ...nothing }

/** Beyond every limit, and far from where adding loses precision. */
const enough = 1_000_000

const sum = (left: number, right: number): number => Math.min(left + right, enough)

const beside = (left: Measure, right: Measure): Measure => ({
  aliases: sum(left.aliases, right.aliases),
  aliasLength: Math.max(left.aliasLength, right.aliasLength),
  directives: sum(left.directives, right.directives),
  fields: sum(left.fields, right.fields),
  depth: Math.max(left.depth, right.depth),
  introspectionDepth: Math.max(left.introspectionDepth, right.introspectionDepth),
  cycles: left.cycles.map((count, index) => Math.max(count, right.cycles[index] ?? 0))
})

interface Directed {
  readonly directives?: ReadonlyArray<unknown> | undefined
}

const withDirectives = (inside: Measure, ...nodes: ReadonlyArray<Directed | undefined>): Measure => ({
  ...inside,
  directives: nodes.reduce((total, node) => sum(total, node?.directives?.length ?? 0), inside.directives)
})

/** Measures the operations and the fragments of a document, fragments once each. */
const measuresOf = (document: DocumentNode, operations: ReadonlyArray<OperationDefinitionNode>) => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : []
    )
  )
  const measured = new Map<string, Measure>()
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
    const known = measured.get(name)
    if (known === endless) cyclic = name
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    measured.set(name, endless)
    const measure = withDirectives(ofSet(fragment?.selectionSet), fragment)
    measured.set(name, measure)
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

/** The limits that a document exceeds; none when it may be validated. */
export const exceeded = (document: DocumentNode, limits: OperationLimits): ReadonlyArray<GraphQLError> => {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (operations.length > limits.operations) {
    return [error(`The document holds ${operations.length} operations; the limit is ${limits.operations}`)]
  }
  const measures = measuresOf(document, operations)
  if (measures.cyclic !== undefined) return [error(`Fragment ${measures.cyclic} spreads itself`)]
  // GraphQL's rules validate fragments that no operation uses, too.
  const deepest = Math.max(limits.depth, limits.introspectionDepth)
  const unbound = { ...limits, depth: deepest, introspectionDepth: deepest }
  const faults = [
    ...measures.operations.flatMap((measure) => faultsOf(measure, limits)),
    ...measures.fragments.flatMap((measure) => faultsOf(measure, unbound))
  ]
  return Array.from(new Set(faults), error)
}

const error = (message: string): GraphQLError => new GraphQLError(message)

const faults = [
  ["depth", "nests fields too deep"],
  ["introspectionDepth", "nests fields of introspection too deep"],
  ["aliases", "has too many aliases"],
  ["aliasLength", "has an alias with too many characters"],
  ["directives", "has too many directives"],
  ["fields", "has too many fields, counted with its fragments expanded"]
] as const

const faultsOf = (measure: Measure, limits: OperationLimits): ReadonlyArray<string> => [
  ...faults.flatMap(([name, fault]) =>
    measure[name] > limits[name] ? [`The operation ${fault}; the limit is ${limits[name]}`] : []
  ),
  ...cyclicFields.filter((_, index) => (measure.cycles[index] ?? 0) > 1).map((name) =>
    `The operation comes back to "${name}" within "${name}" of introspection, which is not allowed`
  )
]
