/**
 * Laws: properties that hold for every generated value, with a name of their own, checked with fast-check under any test
 * runner. One that is broken reports the smallest case that was found, and the seed and path that show it again.
 *
 * ```ts
 * await Law.check(StrategyLaws.keysStayUnique(mine))
 * Law.register({ describe, it, afterAll }, "my strategy", StrategyLaws.everyStrategy(mine))
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
}

/** A law: `holds` throws where it does not. */
export const make = <A>(
  name: string,
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => void,
  runs = 150
): Law => ({
  name,
  runs,
  // Synchronous: a hundred times faster than through promises.
  check: async (parameters) => fc.assert(fc.property(arbitrary, holds), parameters as fc.Parameters<[A]>)
})

/** A law of a program: it fails or dies where the law does not hold. */
export const effect = <A, E>(
  name: string,
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => Effect.Effect<void, E>,
  runs = 50
): Law => ({
  name,
  runs,
  check: (parameters) =>
    fc.assert(
      fc.asyncProperty(arbitrary, (value) => Effect.runPromise(holds(value))),
      parameters as fc.Parameters<[A]>
    )
})

/** Checks a law; rejects with the smallest case that breaks it, and how to show it again. */
export const check = ({ runs, check }: Law, { factor = 1, seed, path }: CheckOptions = {}): Promise<void> =>
  check({
    numRuns: Math.ceil(runs * factor),
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path })
  })

/** The laws that are broken, with how. */
export const broken = async (
  laws: ReadonlyArray<Law>,
  options?: CheckOptions
): Promise<ReadonlyArray<{ readonly name: string; readonly reason: string }>> => {
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
