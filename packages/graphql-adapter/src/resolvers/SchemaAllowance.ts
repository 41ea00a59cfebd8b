/**
 * Limits one operation in size and in time (D8.8).
 *
 * Guarantee: an answer holds at most `answerTextLimit`, except for one entity or page that is shown once. Reads run one
 * after another, and fields that ask the same of the same object are loaded once. No read runs beyond `timeoutMillis` from
 * the first one on; those of a mutation, which may share its transaction, only do not begin later. A mutation is refused
 * before it writes, never after.
 */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { AnswerTooLarge, InvalidRequest, OperationTooSlow } from "@dockline/core/values/Errors"
import { Clock, Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import { ofCatalogue } from "./GraphqlErrors.ts"
import type { GraphqlContext } from "./Run.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import { repeats, shapeOf, shapesAt, weigh } from "./SelectionShape.ts"
import type { Shape } from "./SelectionShape.ts"

/** The loads that fields with the same arguments share. */
interface Load {
  found: Promise<unknown> | undefined
  /** The fields that have not been given it yet. */
  waiting: number
}

const makeAllowance = () => {
  /** When the first read or write began, in milliseconds. */
  let begunAt: number | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const loads = new Map<unknown, Map<string, Load>>()
  return {
    /** An estimate of the answer in characters. */
    taken: 0,
    /** The milliseconds that are left of a time that begins with the first call. */
    left: (millis: number, now: number): number => {
      begunAt ??= now
      return Math.max(0, begunAt + millis - now)
    },
    /**
     * Loads what a field of `parent` asks for, after the loads before it, and gives it to `take`. Fields with the same parent
     * and key that are asked for together share one load; it is forgotten when the last of them has it.
     */
    load: <A>(parent: unknown, key: string, load: () => Promise<A>, take: (found: A) => void): Promise<A> => {
      const ofParent = loads.get(parent) ?? new Map<string, Load>()
      loads.set(parent, ofParent)
      const entry = ofParent.get(key) ?? { found: undefined, waiting: 0 }
      ofParent.set(key, entry)
      entry.waiting++
      const given = async () => {
        try {
          // Whoever asks for one key loads the same.
          const found = await (entry.found ??= load()) as A
          take(found)
          return found
        } finally {
          if (--entry.waiting === 0) ofParent.delete(key)
          if (ofParent.size === 0) loads.delete(parent)
        }
      }
      const done = turn.then(given)
      turn = done.catch(() => undefined)
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
const places = {
  entity: [[]],
  /** A list without pages. */
  list: [[]],
  connection: [["nodes"], ["edges", "node"]]
} as const

/** A field that is resolved: of which object, with which arguments, in which operation. */
export interface Asked {
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
        const left = allowanceOf(context).left(timeoutMillis, now)
        if (left === 0) return tooSlow()
        return interruptible
          ? Effect.timeoutOrElse(effect, { duration: left, orElse: tooSlow })
          : effect
      }),
      context
    )
}

/** Makes the reading of a field within the limits: `entitiesOf` gives the entities of what was read. */
export const makeReadWithin = (services: SchemaServices) => {
  const limit = services.config.answerTextLimit
  const inTime = makeInTime(services)
  return <A, E extends CatalogueError>(
    asked: Asked,
    read: Effect.Effect<A, E>,
    entitiesOf: (found: A) => ReadonlyArray<unknown>,
    place: keyof typeof places
  ): Promise<A> => {
    const { args, context, info, source } = asked
    const allowance = allowanceOf(context)
    const shapes = places[place].flatMap((path) => shapesAt(shapeOf(info), path))
    return allowance.load(
      source,
      JSON.stringify([info.fieldName, args]),
      () => {
        if (allowance.taken >= limit) throw tooLarge(limit)
        return inTime(read, context, info.operation.operation === "query")
      },
      (found) => {
        if (allowance.taken >= limit) throw tooLarge(limit)
        const isFirst = allowance.taken === 0 && !repeats(shapes, place !== "entity")
        allowance.taken += weighAll(entitiesOf(found), shapes, limit)
        if (allowance.taken > limit && !isFirst) throw tooLarge(limit)
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
    if (repeats([shape], false)) throw ofCatalogue(shownTwice)
    if (allowance.taken >= limit) throw tooLarge(limit)
    const written = await inTime(write, context, false)
    allowance.taken += weighAll([written], [shape], limit)
    return written
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

const shownTwice = new InvalidRequest({
  errors: [{
    path: "",
    detail:
      "a mutation shows each field of a list once, under a name of at most 64 characters; leave out the other " +
      "aliases, or read the shipment with a query"
  }]
})
