/**
 * What one answer may amount to, over all its fields and aliases (D8.8).
 *
 * Guarantee: an answer stays within `answerTextLimit`, but for one entity or page that is shown once: what can be read
 * over REST can be read here. Reads of an answer come one after another, so that no more than one is held beyond what
 * the answer shows. A mutation is refused before it writes, never after.
 */
import { AnswerTooLarge, InvalidRequest } from "@dockline/core/Errors"
import type { GraphQLResolveInfo } from "graphql"
import type { SchemaServices } from "../schema/SchemaServices.ts"
import { ofCatalogue } from "./GraphqlErrors.ts"
import type { GraphqlContext } from "./Run.ts"
import { repeats, shapeOf, shapesAt, weigh } from "./SelectionShape.ts"
import type { Shape } from "./SelectionShape.ts"

/** What the answer of one operation has taken of its limit. */
export class Allowance {
  /** Characters, about. */
  taken = 0
  #turn: Promise<unknown> = Promise.resolve()

  /** Runs a read once those before it are done. */
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

/** Where in the answer of a field its entities are: each is a path of fields. */
const places = {
  entity: [[]],
  connection: [["nodes"], ["edges", "node"]]
} as const

/** Reads what a field shows, and counts it. */
export type ReadWithin = <A>(
  read: () => Promise<A>,
  /** The entities of what was read. */
  entitiesOf: (found: A) => ReadonlyArray<unknown>,
  place: keyof typeof places,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => Promise<A>

/** Makes reading within the limit. */
export const makeReadWithin = ({ config }: Pick<SchemaServices, "config">): ReadWithin => {
  const limit = config.answerTextLimit
  return (read, entitiesOf, place, context, info) => {
    const allowance = allowanceOf(context)
    const shapes = places[place].flatMap((path) => shapesAt(shapeOf(info), path))
    return allowance.inTurn(async () => {
      if (allowance.taken >= limit) throw tooLarge(limit)
      const found = await read()
      const isFirst = allowance.taken === 0 && !repeats(shapes, place === "connection")
      allowance.taken += weighAll(entitiesOf(found), shapes, limit)
      if (allowance.taken > limit && !isFirst) throw tooLarge(limit)
      return found
    })
  }
}

/** Runs a mutation whose answer is counted, or refuses it before. */
export type WriteWithin = <A>(
  write: () => Promise<A>,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => Promise<A>

/** Makes writing within the limit. */
export const makeWriteWithin = ({ config }: Pick<SchemaServices, "config">): WriteWithin => {
  const limit = config.answerTextLimit
  return async (write, context, info) => {
    const allowance = allowanceOf(context)
    const shape = shapeOf(info)
    if (repeats([shape], false)) throw ofCatalogue(shownTwice)
    if (allowance.taken >= limit) throw tooLarge(limit)
    const written = await write()
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
