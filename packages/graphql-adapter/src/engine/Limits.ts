/**
 * The limits of an operation (D8.8), judged on the document alone, before it is validated or executed.
 *
 * Guarantee: time is linear in the document, whatever its fragments would expand to: each fragment is measured once,
 * and sums stop growing where every limit is passed.
 */
import { GraphQLError, Kind } from "graphql"
import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode
} from "graphql"
import type { OperationLimits } from "../GraphqlConfig.ts"

/** The fields by which introspection comes back to types; each may stand once on a path. */
const cyclicFields = ["fields", "inputFields", "interfaces", "possibleTypes"] as const

/** What a selection set amounts to, with its fragments expanded. */
interface Measure {
  readonly aliases: number
  /** The longest alias, in characters. */
  readonly aliasLength: number
  readonly directives: number
  readonly fields: number
  /** The longest path of fields. */
  readonly depth: number
  /** The longest path that lies within introspection. */
  readonly introspectionDepth: number
  /** How often each of {@link cyclicFields} stands on one path, at most. */
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

/** Of a fragment while it is measured. */
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
  cycles: left.cycles.map((count, index) => Math.max(count, right.cycles[index]!))
})

/** Measures selections; fragments once each. */
class Measuring {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #measured = new Map<string, Measure>()
  /** The name of a fragment that spreads itself. */
  cyclic: string | undefined

  constructor(document: DocumentNode) {
    this.#fragments = new Map(
      document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : []
      )
    )
  }

  operation(node: OperationDefinitionNode): Measure {
    const directives = (node.directives?.length ?? 0) +
      (node.variableDefinitions ?? []).reduce((sum, { directives = [] }) => sum + directives.length, 0)
    const inside = this.#selections(node.selectionSet)
    return { ...inside, directives: sum(inside.directives, directives) }
  }

  #selections(node: SelectionSetNode | undefined): Measure {
    return (node?.selections ?? []).reduce(
      (total, selection) => beside(total, this.#selection(selection)),
      nothing
    )
  }

  #selection(node: SelectionNode): Measure {
    const directives = node.directives?.length ?? 0
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const inside = this.#fragment(node.name.value)
      return { ...inside, directives: sum(inside.directives, directives) }
    }
    const inside = this.#selections(node.selectionSet)
    if (node.kind === Kind.INLINE_FRAGMENT) {
      return { ...inside, directives: sum(inside.directives, directives) }
    }
    const name = node.name.value
    const introspects = name === "__schema" || name === "__type"
    return {
      aliases: sum(inside.aliases, node.alias === undefined ? 0 : 1),
      aliasLength: Math.max(inside.aliasLength, node.alias?.value.length ?? 0),
      directives: sum(inside.directives, directives),
      fields: sum(inside.fields, 1),
      depth: introspects ? 1 : inside.depth + 1,
      introspectionDepth: introspects ? inside.depth + 1 : inside.introspectionDepth,
      cycles: introspects
        ? inside.cycles
        : inside.cycles.map((count, index) => count + (cyclicFields[index] === name ? 1 : 0))
    }
  }

  fragments(): ReadonlyArray<Measure> {
    return Array.from(this.#fragments.keys(), (name) => this.#fragment(name))
  }

  #fragment(name: string): Measure {
    const known = this.#measured.get(name)
    if (known === endless) this.cyclic = name
    if (known !== undefined) return known
    const fragment = this.#fragments.get(name)
    this.#measured.set(name, endless)
    const inside = this.#selections(fragment?.selectionSet)
    const measure = { ...inside, directives: sum(inside.directives, fragment?.directives?.length ?? 0) }
    this.#measured.set(name, measure)
    return measure
  }
}

/** The limits that a document exceeds; none when it may be validated. */
export const exceeded = (document: DocumentNode, limits: OperationLimits): ReadonlyArray<GraphQLError> => {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (operations.length > limits.operations) {
    return [error(`The document holds ${operations.length} operations; the limit is ${limits.operations}`)]
  }
  const measuring = new Measuring(document)
  const measures = operations.map((node) => measuring.operation(node))
  // A fragment that no operation uses is looked at by GraphQL's rules all the same.
  const deepest = Math.max(limits.depth, limits.introspectionDepth)
  const unbound = { ...limits, depth: deepest, introspectionDepth: deepest }
  const faults = [
    ...measures.flatMap((measure) => faultsOf(measure, limits)),
    ...measuring.fragments().flatMap((measure) => faultsOf(measure, unbound))
  ]
  if (measuring.cyclic !== undefined) {
    return [error(`Fragment ${measuring.cyclic} spreads itself`)]
  }
  return Array.from(new Set(faults), error)
}

const error = (message: string): GraphQLError => new GraphQLError(message)

const faultsOf = (measure: Measure, limits: OperationLimits): ReadonlyArray<string> => {
  const beyond = (count: number, limit: number, what: string): ReadonlyArray<string> =>
    count > limit ? [`The operation ${what}; the limit is ${limit}`] : []
  const { aliases, aliasLength, directives, fields, depth, introspectionDepth } = measure
  return [
    ...beyond(depth, limits.depth, "nests fields too deep"),
    ...beyond(introspectionDepth, limits.introspectionDepth, "nests fields of introspection too deep"),
    ...beyond(aliases, limits.aliases, "has too many aliases"),
    ...beyond(aliasLength, limits.aliasLength, "has an alias with too many characters"),
    ...beyond(directives, limits.directives, "has too many directives"),
    ...beyond(fields, limits.fields, "has too many fields, counted with its fragments expanded"),
    ...cyclicFields.filter((_, index) => measure.cycles[index]! > 1).map((name) =>
      `The operation comes back to "${name}" within "${name}" of introspection, which is not allowed`
    )
  ]
}
