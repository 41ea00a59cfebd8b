/**
 * Limits the size of one answer to `answerTextLimit` (D8.8), except for one entity or page that is shown once. Reads
 * run one after another, so that at most one is held beyond the answer. A mutation is refused before it writes, never
 * after.
 */
import { AnswerTooLarge, InvalidRequest } from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type { Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import { ofCatalogue } from "./GraphqlErrors.ts"
import type { GraphqlContext } from "./Run.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import { repeats, shapeOf, shapesAt, weigh } from "./SelectionShape.ts"
import type { Shape } from "./SelectionShape.ts"

/** The size of the answer of one operation so far. */
export class Allowance {
  /** An estimate in characters. */
  taken = 0
  #turn: Promise<unknown> = Promise.resolve()

  /** Runs a read after the reads before it. */
  inTurn<A>(read: () => Promise<A>): Promise<A> {
    const done = this.#turn.then(read)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

const allowances = new WeakMap<GraphqlContext, Allowance>()

/** The allowance of the operation that the context belongs to. */
export const allowanceOf = (context: GraphqlContext): Allowance => {
  const known = allowances.get(context)
  if (known !== undefined) return known
  const allowance = new Allowance()
  allowances.set(context, allowance)
  return allowance
}

/** The paths of fields from the answer of a field to its entities. */
const places = {
  entity: [[]],
  connection: [["nodes"], ["edges", "node"]]
} as const

/** Makes the reading of a field within the limit: `entitiesOf` gives the entities of what was read. */
export const makeReadWithin = ({ config, run }: SchemaServices) => {
  const limit = config.answerTextLimit
  return <A, E extends CatalogueError>(
    read: Effect.Effect<A, E>,
    entitiesOf: (found: A) => ReadonlyArray<unknown>,
    place: keyof typeof places,
    context: GraphqlContext,
    info: GraphQLResolveInfo
  ): Promise<A> => {
    const allowance = allowanceOf(context)
    const shapes = places[place].flatMap((path) => shapesAt(shapeOf(info), path))
    return allowance.inTurn(async () => {
      if (allowance.taken >= limit) throw tooLarge(limit)
      const found = await run(read, context)
      const isFirst = allowance.taken === 0 && !repeats(shapes, place === "connection")
      allowance.taken += weighAll(entitiesOf(found), shapes, limit)
      if (allowance.taken > limit && !isFirst) throw tooLarge(limit)
      return found
    })
  }
}

/** Makes the running of a mutation within the limit: a mutation whose answer may exceed it is refused before it writes. */
export const makeWriteWithin = ({ config, run }: SchemaServices) => {
  const limit = config.answerTextLimit
  return async <A, E extends CatalogueError>(
    write: Effect.Effect<A, E>,
    context: GraphqlContext,
    info: GraphQLResolveInfo
  ): Promise<A> => {
    const allowance = allowanceOf(context)
    const shape = shapeOf(info)
    if (repeats([shape], false)) throw ofCatalogue(shownTwice)
    if (allowance.taken >= limit) throw tooLarge(limit)
    const written = await run(write, context)
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
