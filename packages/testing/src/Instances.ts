/**
 * Runs suites over several instances of a storage, like those of a service that is deployed twice, or restarted.
 *
 * A storage that passes its suites alone may still hide state that it should share: a cache that the other instance does not know of, a
 * counter of its process, or data that is on no disk.
 */
import { Context, Effect, Exit, Layer, Option, Scope, Semaphore, Stream } from "effect"

/** The program of a call to a member of a store. */
type Program = Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

/** Finds the program in a store; `shape` is the same program of the store with the shape. */
type Forward = (find: (store: object) => Program, shape: Program) => Program

const isProgram = (value: unknown): value is Program => Effect.isEffect(value) || Stream.isStream(value)

/** A store with the shape of another, whose programs are forwarded. Members that are no programs are those of the shape. */
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
 * The stores, built twice over the same base: calls alternate between the two, like calls to two instances of a service. Not for
 * `followSuite`, which is about one instance: its consumer lags behind the instance that appends.
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
 * The stores, built anew for each call and closed after it, like those of a service that is restarted between any two calls. Calls at the
 * same time share them, and so do all calls within one `Scope`: subscriptions stay open.
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

      /** Runs a program on stores that are open for as long as the caller's scope, or else for the program alone. */
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
