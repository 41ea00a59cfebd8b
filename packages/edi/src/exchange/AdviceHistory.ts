/**
 * The earlier advices to a partner about a shipment, for comparison with a new one.
 *
 * Guarantee: a set is compared with the last set about the same subject, whether or not either is marked as a replacement.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import type { AdviceKind } from "../domain/EdiPartner.ts"
import type { AdviceHistory } from "../domain/EdiStore.ts"
import { isCancellation, withoutCorrection } from "../sets/Replacement.ts"
import type { AdviceSet } from "../sets/Replacement.ts"
import { withoutEnd } from "../x12/Fault.ts"
import { readSteps } from "../x12/X12Reader.ts"

/** A set, with the number of its order, or of its shipment for a ship notice. */
export interface AdviceSubject {
  readonly id: AdviceKind
  readonly number: string
}

/** The earlier advices about a shipment. */
export interface History {
  /** The content of the last set with this key; `undefined` without any. */
  readonly contentOf: (key: string) => string | undefined
  /** Whether the partner has a set with this key that it did not reject and that was not cancelled since. */
  readonly isKept: (key: string) => boolean
  /** Whether a set about this subject could not be written. */
  readonly isUnwritten: (set: AdviceSubject) => boolean
}

/** The elements of the first segment of a set that name its subject: BSN02, W0602 and W0604, W1704 and W1705. */
const places: Readonly<Record<AdviceKind, ReadonlyArray<number>>> = {
  "856": [2],
  "945": [2, 4],
  "944": [4, 5]
}

/** Whether sets of a kind are about shipments. */
export const isAdviceKind = (id: string): id is AdviceKind => Object.hasOwn(places, id)

/** The numbers that name the subject of a set: its order and its shipment; only the shipment for a ship notice. */
const numbersOf = ({ id, segments: [first] }: AdviceSet): ReadonlyArray<string> =>
  places[id].map((place) => String(first?.elements[place - 1] ?? ""))

/** The subject of a set: its kind, and the number of the shipment or order. */
export const subjectOf = (set: AdviceSet): AdviceSubject => ({ id: set.id, number: numbersOf(set)[0] ?? "" })

/** Two sets with the same key are about the same shipment or order. */
export const keyOf = (set: AdviceSet): string => JSON.stringify([set.id, ...numbersOf(set)])

/** The content of a set, without the first segment of a ship notice, which only has its purpose and its time. */
export const contentOf = (set: AdviceSet): string => {
  const { id, segments } = withoutCorrection(set)
  return (id === "856" ? segments.slice(1) : segments)
    .map(({ elements, id }) => withoutEnd([id, ...elements].join("*"), "*")).join("~")
}

/** Reads the earlier sets, in steps; an unreadable text counts as empty. */
export function* historyOf({ files, isWhole }: AdviceHistory): Slices.Steps<History> {
  const contents = new Map<string, string>()
  const keptKeys = new Map<string, boolean>()
  const unwritten = new Set<string>()
  for (const { sets, text } of files) {
    const outcomes = new Map(sets.map(({ kind, number, outcome }) => [`${kind} ${number}`, outcome]))
    for (const [name, outcome] of outcomes) if (outcome === "UNWRITTEN") unwritten.add(name)
    for (const set of yield* setsIn(text)) {
      const key = keyOf(set)
      if (!contents.has(key)) contents.set(key, contentOf(set))
      if (keptKeys.has(key) || outcomes.get(nameOf(subjectOf(set))) === "REJECTED") continue
      keptKeys.set(key, !isCancellation(set))
    }
  }
  return {
    contentOf: (key) => contents.get(key),
    isKept: (key) => keptKeys.get(key) ?? (!isWhole && !contents.has(key)),
    isUnwritten: (set) => unwritten.has(nameOf(set))
  }
}

/** The names of sets, as in the record. */
const nameOf = ({ id, number }: AdviceSubject): string => `${id} ${number}`

/** The sets of a text that are about shipments. */
function* setsIn(text: string): Slices.Steps<ReadonlyArray<AdviceSet>> {
  if (text === "") return []
  const reading = yield* readSteps(text)
  if (Result.isFailure(reading)) return []
  return reading.success.flatMap(({ groups }) => groups).flatMap(({ sets }) => sets)
    .flatMap(({ id, segments }) => isAdviceKind(id) ? [{ id, segments }] : []).toReversed()
}
