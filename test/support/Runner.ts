/** Vitest, as the suites and laws of `@dockline/testing` use it. */
import type { Runner } from "@dockline/testing/Suite"
import { afterAll, describe, it } from "vitest"

/** Adds suites and laws to the test file that uses it. The suite itself says first that a case takes too long. */
export const runner: Runner = {
  describe: (name, body) => void describe(name, body),
  it: (name, run) => void it(name, run, 150_000),
  afterAll: (release) => void afterAll(release)
}

/** How often laws are tried: a third of what each asks for, or `LAW_FACTOR` times as often, as CI does beside. */
export const often = { factor: Number(process.env["LAW_FACTOR"] ?? 1 / 3) }

/** How often a property that is no law is tried, where it asks for `count`; see {@link often}. */
export const runs = (count: number): { readonly numRuns: number } => ({
  numRuns: Math.ceil(count * often.factor)
})
