/**
 * Limits one operation in size and in time (D8.8).
 *
 * Guarantee: an answer holds at most `answerTextLimit`, except for one entity or page that is shown once. Reads run one
 * after another, and fields with the same arguments of the same object share one load. No read runs beyond `timeoutMillis` from
 * the first one on; those of a mutation, which may share its transaction, only do not begin later. A mutation is refused
 * before it writes, never after.
 */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { AnswerTooLarge, InvalidRequest, OperationTooSlow } from "@dockline/core/values/Errors"
import { Clock, Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import { ofCatalogue } from "./Run.ts"
import type { GraphqlContext } from "./Run.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import { repeats, shapeOf, shapesAt, weigh } from "./SelectionShape.ts"
import type { Shape } from "./SelectionShape.ts"

const makeAllowance = () => {
  /** When the first read or write began, in milliseconds. */
  let begunAt: number | undefined
  let queue: Promise<unknown> = Promise.resolve()
  const loads = new Map<unknown, Map<string, Promise<unknown>>>()
  return {
    /** An estimate of the answer in characters. */
    used: 0,
    /** The milliseconds that are left of a time that begins with the first call. */
    left: (millis: number, now: number): number => {
      begunAt ??= now
      return Math.max(0, begunAt + millis - now)
    },
    /**
     * Loads the value of a field of `parent` after the loads before it, and passes it to `accept`. Fields with the same parent and
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
        // Fields with one key load the same.
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

/** The paths of fields from the answer of a field to its entities. */
const entityPaths = {
  entity: [[]],
  /** A list without pages. */
  list: [[]],
  connection: [["nodes"], ["edges", "node"]]
} as const

/** What a resolver is called with. */
export interface FieldRequest {
  readonly source: unknown
  readonly args: unknown
  readonly context: GraphqlContext
  readonly info: GraphQLResolveInfo
}

/** Runs effects within the time of the operation. Those that are not `interruptible` may end later, but not begin. */
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

/** Makes the reading of a field within the limits: `entitiesOf` gives the entities of the value. */
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

/** Makes the running of a mutation within the limit: a mutation whose answer may exceed it is refused before it writes. */
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
