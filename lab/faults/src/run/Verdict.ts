/**
 * Judges a history, and shows what was violated.
 *
 * Guarantee: a verdict is small, however many violations there are and however large their events: it is sent from process to process.
 */
import * as Checker from "../checker/Checker.ts"
import type { Counts } from "../checker/Checker.ts"
import type { Violation } from "../checker/Facts.ts"
import type { History } from "../history/History.ts"

/** The limits of a verdict: violations of an invariant, events of a violation, and characters of a line. */
const [mostShown, longestLine] = [10, 2000]

/** A violation as the verdict shows it. */
export interface ShownViolation extends Omit<Violation, "events"> {
  /** The first events that show it, each in a line. */
  readonly events: ReadonlyArray<string>
  /** The number of further events. */
  readonly more: number
}

export interface Verdict {
  /** The number of violations of each invariant. */
  readonly violated: Counts
  /** The first violations of each invariant. */
  readonly violations: ReadonlyArray<ShownViolation>
}

const line = (text: string): string =>
  text.length <= longestLine ? text : `${text.slice(0, longestLine)}… (${text.length} characters)`

/** Shows violations with the events of a history. */
export const show = (all: ReadonlyArray<Violation>, history: History): Verdict => {
  const violated: Record<string, number> = {}
  const violations = all.flatMap(({ events, invariant, text }): ReadonlyArray<ShownViolation> => {
    const count = (violated[invariant] ?? 0) + 1
    violated[invariant] = count
    if (count > mostShown) return []
    const shown = events.slice(0, mostShown).flatMap((seq) => history[seq] ?? [])
    return [{
      invariant,
      text: line(text),
      events: shown.map((event) => line(JSON.stringify(event))),
      more: Math.max(0, events.length - mostShown)
    }]
  })
  return { violated, violations }
}

/** Checks a history, and adds the violations that were found in other ways. */
export const judge = (
  history: History,
  others: ReadonlyArray<Violation> = []
): Verdict & { readonly counts: Counts } => {
  const { counts, violations } = Checker.check(history)
  return { ...show([...others, ...violations], history), counts }
}
