/**
 * Laws: named properties that hold for every generated value. fast-check checks them under any test runner. A broken law reports the
 * smallest counterexample that was found, with the seed and the path that reproduce it.
 *
 * ```ts
 * await Law.check(StrategyLaws.keysStayUnique(mine))
 * Law.register({ describe, it }, "my strategy", StrategyLaws.everyStrategy(mine))
 * ```
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Runner } from "./Suite.ts"

/** A property with a name. */
export interface Law {
  /** The statement of the law, with its section or decision in WIRE.md, if any. */
  readonly name: string
  /** The default number of tries. */
  readonly runs: number
  /** Tries the law. Rejects with a value that breaks it. */
  readonly check: (parameters: fc.Parameters<unknown>) => Promise<void>
}

/** Options of checking a law. */
export interface CheckOptions {
  /** A factor for the number of tries; 1 by default. */
  readonly factor?: number
  /** The seed of a run to repeat. */
  readonly seed?: number
  /** The path of the counterexample in the run with this seed. */
  readonly path?: string
  /** Whether to report the smallest value that breaks the law, or the first; by default the smallest. */
  readonly breaksBy?: "smallest" | "first"
}

/** A value, with its text for reports. */
interface Sample<A> {
  readonly value: A
  readonly [fc.toStringMethod]: () => string
}

const withText = <A>(arbitrary: fc.Arbitrary<A>, show: (value: A) => string): fc.Arbitrary<Sample<A>> =>
  arbitrary.map((value) => ({ value, [fc.toStringMethod]: () => show(value) }))

/** Throws if a value broke the law, with the reason, the value, and the way to reproduce it. */
const conclude = <A>(name: string, details: fc.RunDetails<[Sample<A>]>): void => {
  if (!details.failed) return
  const { errorInstance: cause, counterexample, counterexamplePath: path, numRuns, numSkips, seed } = details
  const skips = `only ${numRuns} of ${numRuns + numSkips} values were fit for it`
  throw new Error(
    [
      `Broken law: ${name}`,
      ...(counterexample === null ? [skips] : [
        `by: ${fc.stringify(counterexample[0])}`,
        `Show it again: Law.check(law, { seed: ${seed}, path: "${path}" })`,
        `because: ${cause instanceof Error ? cause.message : String(cause)}`
      ])
    ].join("\n"),
    { cause }
  )
}

/** Makes a law: `holds` throws for a value that breaks it. `show` returns the text of a value in a report. */
export const make = <A>(
  name: string,
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => void,
  runs = 150,
  show: (value: A) => string = fc.stringify
): Law => ({
  name,
  runs,
  // A synchronous property is checked a hundred times faster than an asynchronous one.
  check: async (parameters) =>
    conclude(
      name,
      fc.check(
        fc.property(withText(arbitrary, show), ({ value }) => holds(value)),
        parameters as fc.Parameters<[Sample<A>]>
      )
    )
})

/** Makes a law from a program, which fails or dies for a value that breaks it. `show` as in {@link make}. */
export const effect = <A, E>(
  name: string,
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => Effect.Effect<void, E>,
  runs = 50,
  show: (value: A) => string = fc.stringify
): Law => ({
  name,
  runs,
  check: async (parameters) =>
    conclude(
      name,
      await fc.check(
        fc.asyncProperty(withText(arbitrary, show), ({ value }) => Effect.runPromise(holds(value))),
        parameters as fc.Parameters<[Sample<A>]>
      )
    )
})

const saysNothing = (value: unknown): boolean =>
  value === "" || value === 0 || value === false ||
  (typeof value === "object" && (value === null || Object.keys(value).length === 0))

/** Whether a value is a named field without a value. The additional fields of a document always contain such fields for the driver. */
const isNameAlone = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 2 &&
  "name" in value && "value" in value && value.value === ""

const saying = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((each) => !isNameAlone(each)).map(saying)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, saying(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => !saysNothing(member)))
}

/**
 * Writes a value for a report as JSON, without empty members (`""`, 0, `false`, `null`, `[]` and `{}`), and without named fields that have
 * no value, which are most members of a document or an item.
 */
export const brief = (value: unknown): string => JSON.stringify(saying(value))

/** Checks a law; rejects with the smallest counterexample, and the way to reproduce it. */
export const check = (
  { runs, check }: Law,
  { factor = 1, seed, path, breaksBy = "smallest" }: CheckOptions = {}
): Promise<void> =>
  check({
    numRuns: Math.ceil(runs * factor),
    endOnFailure: breaksBy === "first",
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path })
  })

/** A law that is broken. */
export interface BrokenLaw {
  readonly name: string
  /** For people: the smallest counterexample, the reason, and the way to reproduce it. */
  readonly reason: string
}

/** The broken laws, with their reasons. */
export const brokenLaws = async (
  laws: ReadonlyArray<Law>,
  options?: CheckOptions
): Promise<ReadonlyArray<BrokenLaw>> => {
  const results = await Promise.all(laws.map(async (law) => {
    const reason = await check(law, options).then(() => undefined, (error: unknown) => String(error))
    return { name: law.name, reason }
  }))
  return results.flatMap(({ name, reason }) => (reason === undefined ? [] : [{ name, reason }]))
}

/** Adds each law to a test runner. */
export const register = (
  runner: Pick<Runner, "describe" | "it">,
  name: string,
  laws: ReadonlyArray<Law>,
  options?: CheckOptions
): void =>
  runner.describe(name, () => {
    for (const law of laws) runner.it(law.name, () => check(law, options))
  })
