/** Vitest for the suites and laws of `@dockline/testing`. */
import type { Runner } from "@dockline/testing/Suite"
import { afterAll, describe, it } from "vitest"

/** Adds suites and laws to the test file that uses it. A suite itself reports a case that takes too long, before Vitest does. */
export const runner: Runner = {
  describe: (name, body) => void describe(name, body),
  it: (name, run) => void it(name, run, 150_000),
  afterAll: (release) => void afterAll(release)
}

/** How often laws are tried: by default a third of their own number, or `LAW_FACTOR` times as often, as in CI. */
export const often = { factor: Number(process.env["LAW_FACTOR"] ?? 1 / 3) }

/** The number of tries of a property that is no law, from its own `count`; see {@link often}. */
export const runs = (count: number): { readonly numRuns: number } => ({
  numRuns: Math.ceil(count * often.factor)
})
