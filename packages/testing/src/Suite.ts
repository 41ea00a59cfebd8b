/**
 * Suites: the guarantees of a storage, as programs that anyone can run against their own storage, under any test runner.
 *
 * ```ts
 * import { describe, it, after } from "node:test"
 * Suite.register({ describe, it, afterAll: after }, intakeStoreSuite, MyStorage.layer)
 * ```
 *
 * Guarantee: the cases share nothing. Each case builds the stores again over the same base, and works in its own businesses, so that a suite
 * can also run on a database with other users. Only the suite of signing keys replaces keys of the whole service.
 *
 * A storage that passes its suites as a single instance may still have state that it should share or store, such as a cache, a counter of
 * its process, or data that is never written. A suite can therefore also run over several instances of a storage, like those of a service
 * that is deployed twice ({@link alternating}) or restarted ({@link reopening}).
 */
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import type { MessageLogSettings } from "@dockline/core/messages/MessageLog"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import {
  Cause,
  Context,
  Effect,
  Exit,
  Layer,
  ManagedRuntime,
  Option,
  References,
  Scope,
  Semaphore,
  Stream
} from "effect"
import type { Duration } from "effect"

/** One guarantee: its name, and a program that fails or dies if a storage does not have it. */
export interface Case<out R> {
  readonly name: string
  readonly check: Effect.Effect<void, unknown, R>
  /** Settings of the message log that the case needs. The other settings keep their values. */
  readonly messageLog: Partial<MessageLogSettings> | undefined
}

/** The guarantees of some ports, `R`. */
export interface Suite<out R> {
  readonly name: string
  readonly cases: ReadonlyArray<Case<R>>
}

/** The content of a case: a program, or its body for `Effect.gen`. */
export type Check<R> =
  | Effect.Effect<unknown, unknown, R>
  | (() => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>)

/** Adds a case to a suite, with settings of the message log if the case needs them. */
export type AddTest<in R> = (name: string, check: Check<R>, messageLog?: Partial<MessageLogSettings>) => void

/** The functions with which an author writes a suite. */
export interface Author<in R> {
  /** Puts a name before the names of the cases that `body` adds. */
  readonly describe: (name: string, body: () => void) => void
  readonly test: AddTest<R>
}

/** The empty layer, for a suite that needs no services. */
const none = <R>() => Layer.empty as Layer.Layer<never> as Layer.Layer<R>

const programOf = <R>(check: Check<R>): Effect.Effect<unknown, unknown, R> =>
  Effect.isEffect(check) ? check : Effect.gen(check)

/** Makes a suite from the cases that its author adds. */
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

/** Adds cases over services on the stores: each case has its own services. */
export const withServices =
  <T, S, R>(test: AddTest<Exclude<T, S> | R>, services: Layer.Layer<S, never, R>): AddTest<T> =>
  (name, check, messageLog) =>
    test(name, Effect.provide(programOf(check), Layer.fresh(services), { local: true }), messageLog)

/** Makes a suite from parts. Each part adds its cases under its name, over the stores or over services on the stores. */
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

/** The functions of a test runner that suites and laws need: Vitest, Jest, Mocha and `node:test` all have them. */
export interface Runner {
  /** Groups the tests that its body adds. */
  readonly describe: (name: string, body: () => void) => void
  /** Adds a test, which fails when the promise is rejected. */
  readonly it: (name: string, run: () => Promise<void>) => void
  /** `afterAll`, or its equivalent: `after` in Mocha and `node:test`. */
  readonly afterAll: (release: () => Promise<void>) => void
}

/** Options of running cases. */
export interface RunOptions {
  /** The time limit of a case, after which it fails. Two minutes by default. */
  readonly limit?: Duration.Input
}

/** Runs a case on stores that are built for it with its settings. Log lines below a warning are dropped. */
const over = <R, E, Base>(
  { check, messageLog }: Case<R>,
  stores: Layer.Layer<R, E, Base>,
  { limit = "2 minutes" }: RunOptions
): Effect.Effect<void, unknown, Base> => {
  const settings = MessageLogConfig.useSync((inForce) => ({ ...inForce, ...messageLog }))
  const layer = Layer.provide(stores, Layer.effect(MessageLogConfig, settings))
  // Without the outer scope, the resources of a case are released when the case ends.
  const alone = Effect.updateContext(
    check,
    (context: Context.Context<R>) => Context.omit(Scope.Scope)(context) as Context.Context<R>
  )
  return Effect.provide(alone, Layer.fresh(layer), { local: true }).pipe(
    Effect.timeout(limit),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
}

/** The error of a failed case for a test runner. It contains the cause of a `StorageUnavailable`, which most runners would not show. */
const detailsOf = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  return error instanceof StorageUnavailable ? new Error(Cause.pretty(cause), { cause: error }) : error
}

/**
 * Adds every case of a suite to a test runner. `stores` are built again for each case. `base`, such as a pool of connections, is built once,
 * and released when all cases have run. To pass options without a base, pass `Layer.empty`.
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

/** A failed case. */
export interface Failure {
  readonly name: string
  /** The reason, for people. */
  readonly reason: string
}

/** The result of a suite. */
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

/** The program of a call to a member of a store. */
type Program = Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

/**
 * Makes the program to run instead of a call. `find` returns the program of the call on a store; `shape` is that program on the first
 * store.
 */
type Forward = (find: (store: object) => Program, shape: Program) => Program

const isProgram = (value: unknown): value is Program => Effect.isEffect(value) || Stream.isStream(value)

/** A store with the members of `shape`, whose programs are forwarded. Members that are no programs are unchanged. */
const forwarding = (shape: object, forward: Forward): object =>
  new Proxy(shape, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== "function") {
        return isProgram(member) ? forward((store) => Reflect.get(store, name), member) : member
      }
      return (...args: ReadonlyArray<unknown>): unknown => {
        const call = (store: object) => Reflect.apply(Reflect.get(store, name), store, args) as Program
        const result: unknown = call(target)
        return isProgram(result) ? forward(call, result) : result
      }
    }
  })

type Stores = ReadonlyMap<string, object>

const forwardingAll = <R>(
  shapes: Context.Context<R>,
  forward: (find: (stores: Stores) => Program, shape: Program) => Program
): Context.Context<R> =>
  Context.makeUnsafe(
    new Map(
      Array.from(shapes.mapUnsafe, ([key, shape]: [string, object]) => [
        key,
        forwarding(shape, (find, like) => forward((stores) => find(stores.get(key) ?? shape), like))
      ])
    )
  )

/**
 * The stores, built twice over the same base. Calls alternate between the two, like calls to two instances of a service. Do not use this
 * for `followSuite`, which tests a single instance: its consumer would lag behind the instance that appends.
 */
export const alternating = <R, E, Base>(stores: Layer.Layer<R, E, Base>): Layer.Layer<R, E, Base> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const one = yield* Layer.build(Layer.fresh(stores))
      const other = yield* Layer.build(Layer.fresh(stores))
      let calls = 0
      return forwardingAll(one, (find, shape) => calls++ % 2 === 0 ? shape : find(other.mapUnsafe))
    })
  )

/**
 * The stores, built again for each call and closed after it, as in a service that restarts between any two calls. Simultaneous calls share
 * the stores, and so do all calls within one `Scope`, so that subscriptions stay open.
 */
export const reopening = <R, E, Base>(stores: Layer.Layer<R, E, Base>): Layer.Layer<R, E, Base> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const base = yield* Effect.context<Base>()
      const lock = yield* Semaphore.make(1)
      let users = 0
      let open: { readonly scope: Scope.Closeable; readonly stores: Stores } | undefined

      const enter = lock.withPermit(Effect.gen(function*() {
        if (open === undefined) {
          const scope = yield* Scope.make()
          const context = yield* Layer.buildWithScope(Layer.fresh(stores), scope).pipe(
            Effect.provideContext(base),
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
          open = { scope, stores: context.mapUnsafe }
        }
        users++
        return open.stores
      }))

      const leave = lock.withPermit(Effect.suspend(() => {
        if (--users > 0 || open === undefined) return Effect.void
        const { scope } = open
        open = undefined
        return Scope.close(scope, Exit.void)
      }))

      const entry = Effect.acquireRelease(enter, () => leave)

      /** Runs a program on stores that stay open until the caller's scope ends or, without one, until the program ends. */
      const run = (find: (stores: Stores) => Program) =>
        Effect.flatMap(Effect.serviceOption(Scope.Scope), (scope) => {
          const result = Effect.flatMap(
            entry,
            (services) => find(services) as Effect.Effect<unknown, unknown>
          )
          return Option.isSome(scope) ? Scope.provide(result, scope.value) : Effect.scoped(result)
        })

      const shapes = yield* Effect.scoped(Layer.build(Layer.fresh(stores)))
      return forwardingAll(shapes, (find, shape) =>
        Effect.isEffect(shape)
          ? run(find)
          : Stream.unwrap(Effect.map(entry, (services) => find(services) as Stream.Stream<unknown, unknown>)))
    })
  )
