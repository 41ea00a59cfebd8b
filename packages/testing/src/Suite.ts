/**
 * Suites: what a storage promises, as programs that anyone can run against a storage of their own, under any test
 * runner.
 *
 * ```ts
 * import { describe, it, after } from "node:test"
 * Suite.register({ describe, it, afterAll: after }, intakeStoreSuite, MyStorage.layer)
 * ```
 *
 * Guarantee: the cases share nothing. Each builds the stores anew over the one base, and works in businesses of its own,
 * so that a suite also runs on a database that others use.
 */
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import type { MessageLogSettings } from "@dockline/core/messages/MessageLog"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, References, Scope } from "effect"
import type { Duration } from "effect"

export { alternating, reopening } from "./Instances.ts"

/** One promise: a name, and a program that fails, or dies, on a storage that does not keep it. */
export interface Case<out R> {
  readonly name: string
  readonly check: Effect.Effect<void, unknown, R>
  /** Settings of the message log that the case is about; the others are those in force. */
  readonly messageLog: Partial<MessageLogSettings> | undefined
}

/** The promises of some ports, `R`. */
export interface Suite<out R> {
  readonly name: string
  readonly cases: ReadonlyArray<Case<R>>
}

/** What a case does: a program, or its body as `Effect.gen` takes it. */
export type Check<R> =
  | Effect.Effect<unknown, unknown, R>
  | (() => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>)

/** Adds a case to a suite, with settings of the message log if it is about them. */
export type AddTest<in R> = (name: string, check: Check<R>, messageLog?: Partial<MessageLogSettings>) => void

/** What the author of a suite writes it with. */
export interface Author<in R> {
  /** Puts a name before those of the cases within. */
  readonly describe: (name: string, body: () => void) => void
  readonly test: AddTest<R>
}

/** What is left out where nothing is needed. */
const none = <R>() => Layer.empty as Layer.Layer<never> as Layer.Layer<R>

const programOf = <R>(check: Check<R>): Effect.Effect<unknown, unknown, R> =>
  Effect.isEffect(check) ? check : Effect.gen(check)

/** Makes a suite of what its author adds. */
export const make = <R>(name: string, write: (author: Author<R>) => void): Suite<R> => {
  const cases: Array<Case<R>> = []
  let path: ReadonlyArray<string> = []
  write({
    describe: (name, body) => {
      const outer = path
      path = [...outer, name]
      body()
      path = outer
    },
    test: (name, check, messageLog) =>
      void cases.push({
        name: [...path, name].join(": "),
        check: Effect.asVoid(programOf(check)),
        messageLog
      })
  })
  return { name, cases }
}

/** Adds cases of services over the stores: each case has services of its own. */
export const withServices =
  <T, S, R>(test: AddTest<Exclude<T, S> | R>, services: Layer.Layer<S, never, R>): AddTest<T> =>
  (name, check, messageLog) =>
    test(name, Effect.provide(programOf(check), Layer.fresh(services), { local: true }), messageLog)

/** Makes a suite of parts, each of which adds its cases under its name, of the stores or of services over them. */
export const ofParts = <T, S = never, R = never>(
  name: string,
  parts: Record<string, (test: AddTest<T>) => void>,
  services: Layer.Layer<S, never, R> = none()
): Suite<Exclude<T, S> | R> =>
  make(name, ({ describe, test }) => {
    for (const [part, write] of Object.entries(parts)) {
      describe(part, () => write(withServices(test, services)))
    }
  })

/** The part of a test runner that suites and laws need: Vitest, Jest, Mocha and `node:test` all have it. */
export interface Runner {
  /** Groups what its body adds. */
  readonly describe: (name: string, body: () => void) => void
  /** Adds a test, which fails when the promise is rejected. */
  readonly it: (name: string, run: () => Promise<void>) => void
  /** `afterAll`, or what it is called: Mocha's and `node:test`'s `after`. */
  readonly afterAll: (release: () => Promise<void>) => void
}

/** How cases are run. */
export interface RunOptions {
  /** How long a case may take: one that waits for ever has failed. Two minutes unless given. */
  readonly limit?: Duration.Input
}

/** A case on stores with its settings: built anew, never shared. Log lines below a warning are left out. */
const over = <R, E, Base>(
  { check, messageLog }: Case<R>,
  stores: Layer.Layer<R, E, Base>,
  { limit = "2 minutes" }: RunOptions
): Effect.Effect<void, unknown, Base> => {
  const settings = MessageLogConfig.useSync((inForce) => ({ ...inForce, ...messageLog }))
  const layer = Layer.provide(stores, Layer.effect(MessageLogConfig, settings))
  // What a case opens ends with it, whatever scope the program around it has.
  const alone = Effect.updateContext(
    check,
    (context: Context.Context<R>) => Context.omit(Scope.Scope)(context) as Context.Context<R>
  )
  return Effect.provide(alone, Layer.fresh(layer), { local: true }).pipe(
    Effect.timeout(limit),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
}

/** What a test runner is to show of a case that failed: most show nothing of what kept a storage away. */
const detailsOf = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  return error instanceof StorageUnavailable ? new Error(Cause.pretty(cause), { cause: error }) : error
}

/**
 * Adds every case of a suite to a test runner. `stores` are built anew for each case, over the one `base`, such as a
 * pool of connections, which is released when all have run; `Layer.empty` where they need none, and there are options.
 */
export const register: {
  <R, E>(runner: Runner, suite: Suite<R>, stores: Layer.Layer<R, E>): void
  <R, E, Base, E2>(
    runner: Runner,
    suite: Suite<R>,
    stores: Layer.Layer<R, E, Base>,
    base: Layer.Layer<Base, E2>,
    options?: RunOptions
  ): void
} = <R, E, Base, E2>(
  runner: Runner,
  suite: Suite<R>,
  stores: Layer.Layer<R, E, Base>,
  base: Layer.Layer<Base, E2> = none(),
  options: RunOptions = {}
): void => {
  runner.describe(suite.name, () => {
    const runtime = ManagedRuntime.make(base)
    runner.afterAll(() => runtime.dispose())
    for (const each of suite.cases) {
      runner.it(each.name, async () => {
        const exit = await runtime.runPromiseExit(over(each, stores, options))
        if (Exit.isFailure(exit)) throw detailsOf(exit.cause)
      })
    }
  })
}

/** A case that a storage did not pass. */
export interface Failure {
  readonly name: string
  /** Why, for people. */
  readonly reason: string
}

/** How a storage did. */
export interface Report {
  readonly suite: string
  readonly passes: ReadonlyArray<string>
  readonly failures: ReadonlyArray<Failure>
}

/** Runs every case of a suite, one after another, without a test runner. */
export const run = <R, E, Base>(
  suite: Suite<R>,
  stores: Layer.Layer<R, E, Base>,
  options: RunOptions = {}
): Effect.Effect<Report, never, Base> =>
  Effect.map(
    Effect.forEach(suite.cases, (each) =>
      Effect.map(
        Effect.exit(over(each, stores, options)),
        (exit) => ({ name: each.name, exit })
      )),
    (results) => ({
      suite: suite.name,
      passes: results.filter(({ exit }) => Exit.isSuccess(exit)).map(({ name }) => name),
      failures: results.flatMap(({ name, exit }) =>
        Exit.isFailure(exit) ? [{ name, reason: Cause.pretty(exit.cause) }] : []
      )
    })
  )
