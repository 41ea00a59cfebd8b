/** Vitest, as the suites and laws of `@dockline/core/testing` use it. */
import type { CheckOptions } from "@dockline/core/testing/Law"
import type { Runner } from "@dockline/core/testing/Suite"
import { afterAll, describe, it } from "vitest"

/** Adds suites and laws to the test file that uses it. The suite itself says first that a case takes too long. */
export const runner: Runner = {
  describe: (name, body) => void describe(name, body),
  it: (name, run) => void it(name, run, 150_000),
  afterAll: (release) => void afterAll(release)
}

/** How often laws are tried: `LAW_FACTOR` times as often as each asks for. */
export const often: CheckOptions = { factor: Number(process.env["LAW_FACTOR"] ?? 1) }
