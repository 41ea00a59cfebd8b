/**
 * Connections that are kept for the next who needs one: some are lent to one at a time, some carry the statements of
 * many at once.
 *
 * Guarantee: whoever waits is served in the order of asking, as soon as there is a connection or may be one, or gets
 * the error of the attempt to open it. Nobody who waits depends on anybody else to ask too, a connection that broke or
 * could not be opened takes no place, and an idle one that broke is lent to nobody.
 *
 * Connections for one at a time are divided into lanes, and no lane takes those of another. Claims with the same turn
 * have a connection one after another, and those of one holder have no more than the share of a lane: whoever waits for
 * a turn or a share holds no connection meanwhile. A claim that has waited for as long as its lane allows is given up.
 */
import { Deferred, Effect, Exit, Record, Scope, Semaphore } from "effect"
import * as KeyedPermits from "./KeyedPermits.ts"

/** What a pool needs to know of a connection. */
export interface Poolable {
  /** Whether it may be lent again. */
  readonly usable: () => boolean
}

/** The lanes: for requests, for the dispatchers of webhooks, and for those that keep a connection for good. */
export type Lane = "requests" | "dispatch" | "reserved"

/** How a part of the connections is lent that are lent to one at a time. */
export interface LaneConfig {
  /** How many of them are lent at once; others wait. */
  readonly size: number
  /** How many of them one holder has at once, at most. */
  readonly share: number
  /** How long a claim waits for its turn, its share and a connection together, in milliseconds. */
  readonly waitMillis: number
}

/** What is asked for when a connection is. */
export interface Claim {
  readonly lane: Lane
  /** Claims of the same turn have a connection one after another, whatever their lane. */
  readonly turn?: string | undefined
  /** On whose behalf it is asked for: claims of one holder share the lane's `share`. */
  readonly holder?: string | undefined
}

/** How a pool opens its connections, and how many. */
export interface PoolConfig<C extends Poolable, E> {
  /** Opens a connection that is lent to one at a time, until the scope closes; it ends within a time of its own. */
  readonly openExclusive: Effect.Effect<C, E, Scope.Scope>
  /** Opens a connection that many use at once, until the scope closes; it ends within a time of its own. */
  readonly openShared: Effect.Effect<C, E, Scope.Scope>
  /** The lanes of the connections that are lent to one at a time. */
  readonly lanes: Readonly<Record<Lane, LaneConfig>>
  /** The error of a claim that has waited for so many milliseconds. */
  readonly busy: (waitMillis: number) => E
  /** How many connections are shared. */
  readonly shared: number
  /** How many use one shared connection at once; others wait. */
  readonly sharedBy: number
  /** How long a connection is kept that nobody uses, in milliseconds; it may be twice as long. */
  readonly idleMillis: number
}

/** A pool of connections. */
export interface ConnectionPool<C, E> {
  /** A connection for one alone, until the scope closes. */
  readonly exclusive: (claim: Claim) => Effect.Effect<C, E, Scope.Scope>
  /** A connection beside others, while an effect runs. */
  readonly shared: <A, E2, R>(use: (connection: C) => Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
}

/** A connection that is open, and what closes it. */
interface Open<C> {
  readonly connection: C
  readonly close: Effect.Effect<void>
  /** Nobody has used it since the last look. */
  unused: boolean
}

/** The place of one shared connection. */
interface Place<C, E> {
  open: Open<C> | undefined
  opening: Deferred.Deferred<Open<C>, E> | undefined
  users: number
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Opens a connection in a scope of its own. Only the opening may be interrupted: what is open is in somebody's hands. */
const openAlone = <C, E>(
  restore: Restore,
  open: Effect.Effect<C, E, Scope.Scope>
): Effect.Effect<Open<C>, E> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return restore(Scope.provide(open, scope)).pipe(
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      Effect.map((connection) => ({ connection, close: Scope.close(scope, Exit.void), unused: false }))
    )
  })

/** Who may have a connection for itself, and when. */
const makeAdmission = <E>({ busy, lanes }: Pick<PoolConfig<Poolable, E>, "busy" | "lanes">) => {
  const turns = KeyedPermits.make(1)
  const opened = Record.map(lanes, (lane) => ({
    ...lane,
    permits: Semaphore.makeUnsafe(lane.size),
    shares: KeyedPermits.make(lane.share)
  }))
  return {
    /** Waits for a turn and a share first: neither keeps a connection from others. */
    enter: ({ holder, lane, turn }: Claim): Effect.Effect<void, E, Scope.Scope> => {
      const { permits, shares, waitMillis } = opened[lane]
      const entered = Effect.gen(function*() {
        if (turn !== undefined) yield* turns.takeScoped(turn)
        if (holder !== undefined) yield* shares.takeScoped(holder)
        yield* permits.takeScoped(1)
      })
      return waitMillis === Infinity
        ? entered
        : Effect.timeoutOrElse(entered, {
          duration: waitMillis,
          orElse: () => Effect.fail(busy(waitMillis))
        })
    },
    close: Effect.forEach(Object.values(opened), ({ permits, size }) => permits.take(size), { discard: true })
  }
}

/** Connections that are lent to one at a time: whoever is admitted gets or opens one. */
const makeExclusive = <C extends Poolable, E>(config: PoolConfig<C, E>) => {
  const admission = makeAdmission(config)
  /** Used last is lent first. */
  const idle: Array<Open<C>> = []
  let closed = false

  const takeOut = (restore: Restore): Effect.Effect<Open<C>, E> =>
    Effect.suspend(() => {
      const last = idle.pop()
      if (last === undefined) return openAlone(restore, config.openExclusive)
      return last.connection.usable() ? Effect.succeed(last) : Effect.andThen(last.close, takeOut(restore))
    })

  const giveBack = (open: Open<C>) =>
    Effect.suspend(() => {
      if (closed || !open.connection.usable()) return open.close
      open.unused = false
      idle.push(open)
      return Effect.void
    })

  const closeIdle = (which: (open: Open<C>) => boolean) =>
    Effect.suspend(() => {
      const closing = idle.filter(which)
      idle.splice(0, idle.length, ...idle.filter((open) => !which(open)))
      return Effect.forEach(closing, ({ close }) => close, { discard: true })
    })

  return {
    lend: (claim: Claim) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          if (closed) return yield* Effect.interrupt
          // Its place is returned after the connection, in whatever way this ends.
          yield* restore(admission.enter(claim))
          const open = yield* takeOut(restore)
          yield* Effect.addFinalizer(() => giveBack(open))
          return open.connection
        })
      ),
    sweep: Effect.andThen(
      closeIdle((open) => open.unused || !open.connection.usable()),
      Effect.sync(() => {
        for (const open of idle) open.unused = true
      })
    ),
    close: Effect.suspend(() => {
      closed = true
      return Effect.andThen(closeIdle(() => true), admission.close)
    })
  }
}

/** Connections that many use at once: each goes to the one that the fewest use. */
const makeShared = <C extends Poolable, E>(config: PoolConfig<C, E>, scope: Scope.Scope) => {
  const permits = Semaphore.makeUnsafe(config.shared * config.sharedBy)
  const places = Array.from({ length: config.shared }, (): Place<C, E> => ({
    open: undefined,
    opening: undefined,
    users: 0
  }))
  let closed = false

  /** Opens the connection of a place, for all who wait for it, whether or not the first of them still does. */
  const open = (place: Place<C, E>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const opening = Deferred.makeUnsafe<Open<C>, E>()
        place.opening = opening
        const settle = (exit: Exit.Exit<Open<C>, E>) =>
          Effect.suspend(() => {
            place.opening = undefined
            if (Exit.isSuccess(exit)) place.open = exit.value
            return Deferred.done(opening, exit)
          })
        const opened = Effect.uninterruptibleMask((interruptible) =>
          Effect.onExit(openAlone(interruptible, config.openShared), settle)
        )
        return Effect.andThen(
          Effect.forkIn(opened, scope, { startImmediately: true }),
          restore(Deferred.await(opening))
        )
      })
    )

  const empty = (place: Place<C, E>) =>
    Effect.suspend(() => {
      const { open } = place
      place.open = undefined
      return open === undefined ? Effect.void : open.close
    })

  const connectionOf = (place: Place<C, E>): Effect.Effect<Open<C>, E> =>
    Effect.suspend(() => {
      if (place.open?.connection.usable()) return Effect.succeed(place.open)
      if (place.opening !== undefined) return Deferred.await(place.opening)
      return Effect.andThen(empty(place), open(place))
    })

  const leastUsed = () => places.reduce((least, place) => place.users < least.users ? place : least)

  const leave = (place: Place<C, E>) =>
    Effect.sync(() => {
      place.users--
    })

  const enter = Effect.sync(() => {
    const place = leastUsed()
    place.users++
    return place
  })

  const used = (place: Place<C, E>) =>
    Effect.map(connectionOf(place), (open) => {
      open.unused = false
      return open.connection
    })

  return {
    lend: <A, E2, R>(use: (connection: C) => Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
      Effect.suspend(() =>
        closed
          ? Effect.interrupt
          : permits.withPermit(
            Effect.acquireUseRelease(enter, (place) => Effect.flatMap(used(place), use), leave)
          )
      ),
    sweep: Effect.forEach(places, (place) =>
      Effect.suspend(() => {
        if (place.open === undefined) return Effect.void
        if (place.users === 0 && (place.open.unused || !place.open.connection.usable())) return empty(place)
        place.open.unused = true
        return Effect.void
      }), { discard: true }),
    close: Effect.suspend(() => {
      closed = true
      return Effect.andThen(
        permits.take(config.shared * config.sharedBy),
        Effect.forEach(places, empty, { discard: true })
      )
    })
  }
}

/** Makes a pool, which opens nothing yet. It ends with the scope, when all that was lent has been returned. */
export const make = <C extends Poolable, E>(
  config: PoolConfig<C, E>
): Effect.Effect<ConnectionPool<C, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const exclusive = makeExclusive(config)
    const shared = makeShared(config, scope)
    yield* Effect.addFinalizer(() => Effect.andThen(exclusive.close, shared.close))
    yield* Effect.andThen(exclusive.sweep, shared.sweep).pipe(
      Effect.delay(config.idleMillis),
      Effect.forever,
      Effect.forkScoped
    )
    return { exclusive: exclusive.lend, shared: shared.lend }
  })
