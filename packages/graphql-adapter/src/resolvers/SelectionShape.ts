/**
 * Resolves what a selection shows of an object, merged as in execution, and estimates its text; a shape is never
 * larger than the answer.
 */
import { Predicate } from "effect"
import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isListType,
  isObjectType,
  Kind
} from "graphql"
import type {
  FieldNode,
  GraphQLObjectType,
  GraphQLResolveInfo,
  SelectionNode,
  SelectionSetNode
} from "graphql"

interface SelectedField {
  readonly key: string
  readonly name: string
  readonly isList: boolean
  /** The selection of its objects; `undefined` for leaves. */
  readonly shape: Shape | undefined
}

export type Shape = ReadonlyArray<SelectedField>

/** The selection of the field that is resolved. */
export const shapeOf = (info: GraphQLResolveInfo): Shape => {
  const type = getNamedType(info.returnType)
  return isObjectType(type) ? merge(info.fieldNodes.map(({ selectionSet }) => selectionSet), type, info) : []
}

/** The selections of the objects at a path of fields, one for each name in the answer. */
export const shapesAt = (shape: Shape, [name, ...rest]: ReadonlyArray<string>): ReadonlyArray<Shape> =>
  name === undefined
    ? [shape]
    : shape.flatMap((field) =>
      field.name === name && field.shape !== undefined ? shapesAt(field.shape, rest) : []
    )

const merge = (
  sets: ReadonlyArray<SelectionSetNode | undefined>,
  type: GraphQLObjectType,
  info: GraphQLResolveInfo
): Shape => {
  const spread = new Set<string>()
  const nodes = sets.flatMap((set) => Array.from(fieldsOf(set, info, spread)))
  const byKey = Map.groupBy(nodes, ({ alias, name }) => (alias ?? name).value)
  return Array.from(byKey, ([key, same]): SelectedField => {
    const name = same[0]?.name.value ?? key
    const fieldType = type.getFields()[name]?.type
    const inside = fieldType === undefined ? undefined : getNamedType(fieldType)
    return {
      key,
      name,
      isList: fieldType !== undefined && isListType(getNullableType(fieldType)),
      shape: isObjectType(inside)
        ? merge(same.map(({ selectionSet }) => selectionSet), inside, info)
        : undefined
    }
  })
}

/** The fields of a selection that are shown, those of fragments included; a fragment is spread once. */
function* fieldsOf(
  set: SelectionSetNode | undefined,
  info: GraphQLResolveInfo,
  spread: Set<string>
): Generator<FieldNode> {
  for (const node of set?.selections ?? []) {
    if (!isIncluded(node, info)) continue
    if (node.kind === Kind.FIELD) yield node
    else if (node.kind === Kind.INLINE_FRAGMENT) yield* fieldsOf(node.selectionSet, info, spread)
    else if (!spread.has(node.name.value)) {
      spread.add(node.name.value)
      yield* fieldsOf(info.fragments[node.name.value]?.selectionSet, info, spread)
    }
  }
}

const isIncluded = (node: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean =>
  (node.directives ?? []).length === 0 ||
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.["if"] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.["if"] !== false)

/** The longest name in the answer with which a field of a list counts as shown once. */
const longestKey = 64

/** Whether a field within a list is shown more than once, or under a name so long that it takes as much text. */
export const repeats = (shapes: ReadonlyArray<Shape>, inList: boolean): boolean => {
  const byName = Map.groupBy(shapes.flat(), ({ name }) => name)
  return Array.from(byName.values()).some((fields) => {
    const isListed = inList || fields.some(({ isList }) => isList)
    const inside = fields.flatMap(({ shape }) => shape === undefined ? [] : [shape])
    if (inside.length > 0) return repeats(inside, isListed)
    return isListed && (fields.length > 1 || fields.some(({ key }) => key.length > longestKey))
  })
}

/** An estimate of the quotes, colon and comma of a member, of a number, a flag, or the braces of an object. */
const overhead = 6

/** An estimate of the characters of a value in its selection; beyond the limit, any number beyond it. */
export const weigh = (value: unknown, shape: Shape, limit: number): number => {
  let weight = overhead
  if (!Predicate.isObject(value)) return weight
  for (const { key, name, shape: inside = [] } of shape) {
    const member = value[name]
    weight += key.length + overhead
    if (typeof member === "string") {
      weight += member.length
    } else if (Array.isArray(member)) {
      for (const entry of member) {
        weight += Predicate.isObject(entry)
          ? weigh(entry, inside, limit - weight)
          : String(entry).length + overhead
        if (weight > limit) return weight
      }
    } else {
      weight += weigh(member, inside, limit - weight)
    }
  }
  return weight
}
