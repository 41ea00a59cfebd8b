/**
 * Laws: properties that hold for every generated value, with a name of their own, checked with fast-check under any test
 * runner. One that is broken reports the smallest case that was found, and the seed and path that show it again.
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
  /** What holds, with the section or decision of WIRE.md that it comes from where there is one. */
  readonly name: string
  /** How often it is tried unless told otherwise. */
  readonly runs: number
  /** Tries it; rejects with the smallest value that breaks it. */
  readonly check: (parameters: fc.Parameters<unknown>) => Promise<void>
}

/** How a law is checked. */
export interface CheckOptions {
  /** How many times as often as the law asks for; 1 unless given. */
  readonly factor?: number
  /** The seed of a run that is to be repeated. */
  readonly seed?: number
  /** The path of the case of that run. */
  readonly path?: string
  /** Whether the smallest value that breaks it is looked for, or the first one does; the smallest unless given. */
  readonly breaksBy?: "smallest" | "first"
}

/** A value that reports show in a way of their own. */
interface Sample<A> {
  readonly value: A
  readonly [fc.toStringMethod]: () => string
}

const withText = <A>(arbitrary: fc.Arbitrary<A>, show: (value: A) => string): fc.Arbitrary<Sample<A>> =>
  arbitrary.map((value) => ({ value, [fc.toStringMethod]: () => show(value) }))

/** Rejects when a value was found that breaks the law: with why, the value, and how to show it again. */
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

/** A law: `holds` throws where it does not. `show` says how a value is shown in a report. */
export const make = <A>(
  name: string,
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => void,
  runs = 150,
  show: (value: A) => string = fc.stringify
): Law => ({
  name,
  runs,
  // Synchronous: a hundred times faster than through promises.
  check: async (parameters) =>
    conclude(
      name,
      fc.check(
        fc.property(withText(arbitrary, show), ({ value }) => holds(value)),
        parameters as fc.Parameters<[Sample<A>]>
      )
    )
})

/** A law of a program: it fails or dies where the law does not hold. `show` as in {@link make}. */
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

/** A field that has a name and no value: a document's additional fields always hold those of the driver. */
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
 * Writes a value for a report as JSON, without the members that say nothing (`""`, 0, `false`, `null`, `[]` and `{}`),
 * and without named fields that have no value: of a document or an item, these are most.
 */
export const brief = (value: unknown): string => JSON.stringify(saying(value))

/** Checks a law; rejects with the smallest case that breaks it, and how to show it again. */
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
  /** How, for people: the smallest case that was found, why, and how to show it again. */
  readonly reason: string
}

/** The laws that are broken, with how. */
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
