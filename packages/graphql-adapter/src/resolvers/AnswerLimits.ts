/**
 * Limits one operation in size and in time (D8.8).
 *
 * Guarantee: an answer has at most `answerTextLimit` characters, by an estimate that never exceeds its real size, except for one entity or
 * page that is shown once. Reads run one after another, and fields with the same arguments of the same object share one load. A read ends
 * within `timeoutMillis` after the beginning of the first one; a read of a mutation, which may share its transaction, only has to begin
 * within that time. A mutation is refused before it writes, never after.
 */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { AnswerTooLarge, InvalidRequest, OperationTooSlow } from "@dockline/core/values/Errors"
import { Clock, Effect, Predicate } from "effect"
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
import { ofCatalogue } from "./Run.ts"
import type { GraphqlContext, SchemaServices } from "./Run.ts"

interface SelectedField {
  readonly key: string
  readonly name: string
  readonly isList: boolean
  /** The selection of the objects of the field; `undefined` for leaves. */
  readonly shape: Shape | undefined
}

/**
 * The selected fields of an object, merged as in execution. The estimate by a shape never exceeds the real size of the answer.
 */
export type Shape = ReadonlyArray<SelectedField>

/** The selection of the field that is resolved. */
export const shapeOf = (info: GraphQLResolveInfo): Shape => {
  const type = getNamedType(info.returnType)
  return isObjectType(type) ? merge(info.fieldNodes.map(({ selectionSet }) => selectionSet), type, info) : []
}

/** The selections of the objects at a path of fields; a field with several names in the answer has several. */
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

/** The fields of a selection that the answer shows, including the fields of fragments; each fragment is spread once. */
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

/** A field within a list whose name in the answer is longer than this, in characters, counts as repeated. */
const longestKey = 64

/** Whether a field within a list is shown more than once, or under a name that may be as long as a value. */
export const repeats = (shapes: ReadonlyArray<Shape>, inList: boolean): boolean => {
  const byName = Map.groupBy(shapes.flat(), ({ name }) => name)
  return Array.from(byName.values()).some((fields) => {
    const isListed = inList || fields.some(({ isList }) => isList)
    const inside = fields.flatMap(({ shape }) => shape === undefined ? [] : [shape])
    if (inside.length > 0) return repeats(inside, isListed)
    return isListed && (fields.length > 1 || fields.some(({ key }) => key.length > longestKey))
  })
}

/** An estimate in characters: of the quotes, colon and comma of a member, of a number or a flag, or of the braces of an object. */
const overhead = 6

/** An estimate of the characters of a value in its selection. Above `limit`, the result may be any number above it. */
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

const makeAllowance = () => {
  /** When the first read or write began, in milliseconds. */
  let begunAt: number | undefined
  let queue: Promise<unknown> = Promise.resolve()
  const loads = new Map<unknown, Map<string, Promise<unknown>>>()
  return {
    /** An estimate of the answer in characters. */
    used: 0,
    /** The rest of a time limit in milliseconds; the time begins with the first call. */
    left: (millis: number, now: number): number => {
      begunAt ??= now
      return Math.max(0, begunAt + millis - now)
    },
    /**
     * Loads the value of a field of `parent` after all earlier loads, and passes the value to `accept`. Fields with the same parent and
     * key share one load.
     */
    load: <A>(
      parent: unknown,
      key: string,
      load: () => Promise<A>,
      accept: (value: A) => void
    ): Promise<A> => {
      const ofParent = loads.get(parent) ?? new Map<string, Promise<unknown>>()
      loads.set(parent, ofParent)
      const done = queue.then(async () => {
        const loading = ofParent.get(key) ?? load()
        ofParent.set(key, loading)
        // Fields with one key load the same value.
        const value = await loading as A
        accept(value)
        return value
      })
      queue = done.catch(() => undefined)
      return done
    }
  }
}

const allowances = new WeakMap<GraphqlContext, ReturnType<typeof makeAllowance>>()

export const allowanceOf = (context: GraphqlContext): ReturnType<typeof makeAllowance> => {
  const allowance = allowances.get(context) ?? makeAllowance()
  allowances.set(context, allowance)
  return allowance
}

/** For each kind of field, the paths from its value to its entities. */
const entityPaths = {
  entity: [[]],
  /** A list without pages. */
  list: [[]],
  connection: [["nodes"], ["edges", "node"]]
} as const

/** The arguments of a resolver. */
export interface FieldRequest {
  readonly source: unknown
  readonly args: unknown
  readonly context: GraphqlContext
  readonly info: GraphQLResolveInfo
}

/** Makes the function that runs effects within the time limit of the operation. An effect that is not `interruptible` may end later. */
export const makeInTime = ({ config: { timeoutMillis }, run }: SchemaServices) => {
  const tooSlow = () => Effect.fail(new OperationTooSlow({ seconds: timeoutMillis / 1000 }))
  return <A, E extends CatalogueError>(
    effect: Effect.Effect<A, E>,
    context: GraphqlContext,
    interruptible: boolean
  ): Promise<A> =>
    run(
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A, E | OperationTooSlow> => {
        const remainder = allowanceOf(context).left(timeoutMillis, now)
        if (remainder === 0) return tooSlow()
        return interruptible
          ? Effect.timeoutOrElse(effect, { duration: remainder, orElse: tooSlow })
          : effect
      }),
      context
    )
}

/** Makes the function that reads a field within the limits; `entitiesOf` returns the entities in the value. */
export const makeReadWithin = (services: SchemaServices) => {
  const limit = services.config.answerTextLimit
  const inTime = makeInTime(services)
  return <A, E extends CatalogueError>(
    { args, context, info, source }: FieldRequest,
    read: Effect.Effect<A, E>,
    entitiesOf: (value: A) => ReadonlyArray<unknown>,
    kind: keyof typeof entityPaths
  ): Promise<A> => {
    const allowance = allowanceOf(context)
    const shapes = entityPaths[kind].flatMap((path) => shapesAt(shapeOf(info), path))
    const check = () => {
      if (allowance.used >= limit) throw tooLarge(limit)
    }
    return allowance.load(
      source,
      JSON.stringify([info.fieldName, args]),
      async () => {
        check()
        return await inTime(read, context, info.operation.operation === "query")
      },
      (value) => {
        check()
        const isFirst = allowance.used === 0 && !repeats(shapes, kind !== "entity")
        allowance.used += weighAll(entitiesOf(value), shapes, limit)
        if (allowance.used > limit && !isFirst) throw tooLarge(limit)
      }
    )
  }
}

/** Makes the function that runs a mutation within the limits. A mutation whose answer may exceed them is refused before it writes. */
export const makeWriteWithin = (services: SchemaServices) => {
  const limit = services.config.answerTextLimit
  const inTime = makeInTime(services)
  return async <A, E extends CatalogueError>(
    write: Effect.Effect<A, E>,
    context: GraphqlContext,
    info: GraphQLResolveInfo
  ): Promise<A> => {
    const allowance = allowanceOf(context)
    const shape = shapeOf(info)
    if (repeats([shape], false)) throw ofCatalogue(repeatedFields)
    if (allowance.used >= limit) throw tooLarge(limit)
    const result = await inTime(write, context, false)
    allowance.used += weighAll([result], [shape], limit)
    return result
  }
}

const weighAll = (entities: ReadonlyArray<unknown>, shapes: ReadonlyArray<Shape>, limit: number): number => {
  let weight = 0
  for (const shape of shapes) {
    for (const entity of entities) {
      weight += weigh(entity, shape, limit)
      if (weight > limit) return weight
    }
  }
  return weight
}

const tooLarge = (limit: number) => ofCatalogue(new AnswerTooLarge({ limit }))

const repeatedFields = new InvalidRequest({
  errors: [{
    path: "",
    detail:
      "a mutation shows each field of a list once, under a name of at most 64 characters; leave out the other " +
      "aliases, or read the shipment with a query"
  }]
})
