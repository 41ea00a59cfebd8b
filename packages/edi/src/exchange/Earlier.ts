/**
 * What a partner was told of a shipment before, as what it is told now is compared with it.
 *
 * Guarantee: a set is compared with the last one that told of the same, whatever either says of being a replacement.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import type { ToldSet } from "../domain/EdiPartner.ts"
import type { EdiToldBefore } from "../domain/EdiStore.ts"
import { isCancellation, unmarked } from "../sets/Corrections.ts"
import type { DraftedSet } from "../sets/Told.ts"
import { withoutEnd } from "../x12/Segment.ts"
import { readSteps } from "../x12/X12Reader.ts"

/** A set that is told, with the number of its order; a ship notice with that of its shipment. */
export interface ToldOf {
  readonly id: ToldSet
  readonly number: string
}

/** What was told of a shipment before. */
export interface Earlier {
  /** What the last set that told of this says; `undefined` if none did. */
  readonly contentOf: (key: string) => string | undefined
  /** Whether the partner has a set that tells of this: one that it did not reject, and that was not cancelled since. */
  readonly isKept: (key: string) => boolean
  /** Whether a set of this could not be written. */
  readonly isUnwritten: (set: ToldOf) => boolean
}

/** Where the first segment of a set says what the set tells of: BSN02, W0602 and W0604, W1704 and W1705. */
const places: Readonly<Record<ToldSet, ReadonlyArray<number>>> = { "856": [2], "945": [2, 4], "944": [4, 5] }

/** Whether sets of a kind tell of shipments. */
export const isTold = (id: string): id is ToldSet => Object.hasOwn(places, id)

/** The numbers of what a set tells of: those of its order and its shipment; that of the shipment for a ship notice. */
const numbersOf = ({ id, segments: [first] }: DraftedSet): ReadonlyArray<string> =>
  places[id].map((place) => String(first?.elements[place - 1] ?? ""))

export const toldOf = (set: DraftedSet): ToldOf => ({ id: set.id, number: numbersOf(set)[0] ?? "" })

/** Two sets with the same key tell of the same. */
export const keyOf = (set: DraftedSet): string => JSON.stringify([set.id, ...numbersOf(set)])

/** What a set says, without the first segment of a ship notice: what the notice is for, and when it was made. */
export const contentOf = (set: DraftedSet): string => {
  const { id, segments } = unmarked(set)
  return (id === "856" ? segments.slice(1) : segments)
    .map(({ elements, id }) => withoutEnd([id, ...elements].join("*"), "*")).join("~")
}

/** Reads what was told before, in steps; a text that cannot be read says nothing. */
export function* earlierOf({ files, isWhole }: EdiToldBefore): Slices.Steps<Earlier> {
  const contents = new Map<string, string>()
  const kept = new Map<string, boolean>()
  const unwritten = new Set<string>()
  for (const { sets, text } of files) {
    const outcomes = new Map(sets.map(({ kind, number, outcome }) => [`${kind} ${number}`, outcome]))
    for (const [name, outcome] of outcomes) if (outcome === "UNWRITTEN") unwritten.add(name)
    for (const set of yield* setsIn(text)) {
      const key = keyOf(set)
      if (!contents.has(key)) contents.set(key, contentOf(set))
      if (kept.has(key) || outcomes.get(nameOf(toldOf(set))) === "REJECTED") continue
      kept.set(key, !isCancellation(set))
    }
  }
  return {
    contentOf: (key) => contents.get(key),
    isKept: (key) => kept.get(key) ?? (!isWhole && !contents.has(key)),
    isUnwritten: (set) => unwritten.has(nameOf(set))
  }
}

/** The names of sets, as the record has them. */
const nameOf = ({ id, number }: ToldOf): string => `${id} ${number}`

/** The sets of a text that tell of shipments. */
function* setsIn(text: string): Slices.Steps<ReadonlyArray<DraftedSet>> {
  if (text === "") return []
  const reading = yield* readSteps(text)
  if (Result.isFailure(reading)) return []
  return reading.success.flatMap(({ groups }) => groups).flatMap(({ sets }) => sets)
    .flatMap(({ id, segments }) => isTold(id) ? [{ id, segments }] : []).toReversed()
}
