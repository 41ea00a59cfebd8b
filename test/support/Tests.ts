/** Tests that are written as the body of `Effect.gen`. */
import * as vitest from "@effect/vitest"
import { Effect } from "effect"
import type { Layer, Scope } from "effect"

/** Adds a test by title, with a limit of its own in milliseconds if it takes longer than most. */
export type AddTest<in R> = (
  title: string,
  body: () => Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, unknown, never>,
  timeout?: number
) => void

const adding =
  <R>({ effect }: Pick<vitest.Vitest.MethodsNonLive<R>, "effect">): AddTest<R> => (title, body, timeout) =>
    effect(title, () => Effect.gen(body), timeout)

const liveTest: AddTest<never> = (title, body, timeout) =>
  vitest.it.live(title, () => Effect.gen(body), timeout)

/** A test with the test clock, or, as `test.live`, with the machine's clock. */
export const test = Object.assign(adding(vitest.it), { live: liveTest })

/** Tests of services that are built once for all of them, with the clock of the machine. */
export const over =
  <R, E>(services: Layer.Layer<R, E>) => (name: string, write: (test: AddTest<R>) => void): void =>
    vitest.layer(services, { excludeTestServices: true })(name, (it) => write(adding(it)))
