/**
 * A pool of connections: each exclusive connection is lent to one user at a time, each shared connection to many users at once (ADR 17).
 *
 * Guarantee: waiting claims are served in order, as soon as a connection is free or may be opened. If opening a connection fails, only the
 * claims that wait for this connection fail. A broken connection does not count as open, and is never lent again.
 *
 * Exclusive connections are divided into lanes, and no lane takes connections of another. Claims with the same turn are served one after
 * another, and the claims of one holder get at most the share of their lane. A claim holds no connection while it waits for its turn or its
 * share, and fails when it has waited for the longest time that its lane allows.
 */
import { idle } from "@dockline/core/access/RequestLimits"
import { Deferred, Effect, Exit, RcMap, Record, Scope, Semaphore } from "effect"
import { keyOf } from "./Nodes.ts"
import type { NodeAddress } from "./Nodes.ts"

export interface Poolable {
  /** Whether the connection may be lent again. */
  readonly usable: () => boolean
}

/** A lane: for writes, for reads of clients, for the dispatchers of webhooks, or for connections that are never returned. */
export type Lane = "requests" | "reads" | "dispatch" | "reserved"

/** The limits of a lane of exclusive connections. */
export interface LaneConfig {
  /** The most connections that are lent at once. */
  readonly size: number
  /** The most connections that one holder has at once. */
  readonly share: number
  /** The longest wait for a turn, a share and a connection together, in milliseconds. */
  readonly waitMillis: number
}

/** A request for an exclusive connection. */
export interface Claim {
  readonly lane: Lane
  /** Claims with the same turn get connections one after another, even in different lanes. */
  readonly turn?: string | undefined
  /** Claims of one holder share the lane's `share`. */
  readonly holder?: string | undefined
  /** The node to connect to; by default the database of the URL. */
  readonly node?: NodeAddress | undefined
  /**
   * Whether statements are sent without waiting for the answers to earlier ones. Pipelined statements cannot be cancelled, and a loan that
   * fails closes the connection.
   */
  readonly isPipelined?: boolean
}

/** How a pool opens its connections, and how many. An attempt to open a connection must end by itself. */
export interface PoolConfig<C extends Poolable, E> {
  /** Opens an exclusive connection until the scope closes. */
  readonly openExclusive: (node: NodeAddress | undefined) => Effect.Effect<C, E, Scope.Scope>
  readonly openShared: Effect.Effect<C, E, Scope.Scope>
  readonly lanes: Readonly<Record<Lane, LaneConfig>>
  /** The error of a claim whose wait has ended without a connection. */
  readonly busy: (waitMillis: number) => E
  readonly shared: number
  /** The most users of one shared connection at once. */
  readonly sharedBy: number
  /** The time after which an unused connection is closed, in milliseconds; it may take twice as long. */
  readonly idleMillis: number
}

export interface ConnectionPool<C, E> {
  /** Lends an exclusive connection until the scope closes. */
  readonly exclusive: (claim: Claim) => Effect.Effect<C, E, Scope.Scope>
  /** Lends a shared connection while an effect runs. */
  readonly shared: <A, E2, R>(use: (connection: C) => Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
}

interface Open<C> {
  readonly connection: C
  readonly close: Effect.Effect<void>
  /** The key of the node. */
  readonly node: string
  /** Whether the connection was not used since the last sweep. */
  isUnused: boolean
}

interface Slot<C, E> {
  open: Open<C> | undefined
  opening: Deferred.Deferred<Open<C>, E> | undefined
  users: number
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Opens a connection in its own scope. Only the opening can be interrupted. */
const openAlone = <C, E>(
  restore: Restore,
  open: Effect.Effect<C, E, Scope.Scope>,
  node = ""
): Effect.Effect<Open<C>, E> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return restore(Scope.provide(open, scope)).pipe(
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      Effect.map((connection) => ({
        connection,
        close: Scope.close(scope, Exit.void),
        node,
        isUnused: false
      }))
    )
  })

/** Semaphores by key. Each exists while it is used. */
const semaphores = (permits: number) =>
  RcMap.make({ lookup: (_key: string) => Effect.sync(() => Semaphore.makeUnsafe(permits)) })

type Semaphores = Effect.Success<ReturnType<typeof semaphores>>

const takeOf = (map: Semaphores, key: string | undefined): Effect.Effect<void, never, Scope.Scope> =>
  key === undefined ? Effect.void : Effect.flatMap(RcMap.get(map, key), (permits) => permits.takeScoped(1))

/** Takes a permit until the scope closes, if one is free now; returns whether it did. */
const takeNow = (permits: Semaphore.Semaphore): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.uninterruptible(Effect.flatMap(Effect.scope, (scope) =>
    Effect.flatMap(
      permits.takeIfAvailable(1),
      (isTaken) =>
        isTaken ? Effect.as(Scope.addFinalizer(scope, permits.release(1)), true) : Effect.succeed(false)
    )))

const takeNowOf = (map: Semaphores, key: string | undefined): Effect.Effect<boolean, never, Scope.Scope> =>
  key === undefined ? Effect.succeed(true) : Effect.flatMap(RcMap.get(map, key), takeNow)

/** Admits claims of exclusive connections. */
const makeAdmission = Effect.fnUntraced(
  function*<E>({ busy, lanes }: Pick<PoolConfig<Poolable, E>, "busy" | "lanes">) {
    const turns = yield* semaphores(1)
    const openLanes = yield* Effect.all(
      Record.map(lanes, (lane) =>
        Effect.map(semaphores(lane.share), (shares) => ({
          ...lane,
          permits: Semaphore.makeUnsafe(lane.size),
          shares,
          waiting: 0
        })))
    )
    /** Waits for the turn, the share and the permit of a claim, at most for the time that its lane allows. */
    const wait = ({ holder, lane, turn }: Claim): Effect.Effect<void, E, Scope.Scope> => {
      const opening = openLanes[lane]
      const { permits, shares, waitMillis } = opening
      const entry = Effect.gen(function*() {
        yield* takeOf(turns, turn)
        yield* takeOf(shares, holder)
        yield* permits.takeScoped(1)
      })
      const inTime = waitMillis === Infinity ? entry : idle(Effect.timeoutOrElse(entry, {
        duration: waitMillis,
        orElse: () => Effect.fail(busy(waitMillis))
      }))
      return Effect.suspend(() => {
        opening.waiting++
        return Effect.ensuring(inTime, Effect.sync(() => opening.waiting--))
      })
    }
    return {
      enter: (claim: Claim): Effect.Effect<void, E, Scope.Scope> =>
        Effect.suspend(() => {
          const { permits, shares, waiting } = openLanes[claim.lane]
          // No claim overtakes a waiting one, and a claim that need not wait needs no timer.
          if (waiting > 0 || claim.turn !== undefined) return wait(claim)
          return Effect.flatMap(takeNowOf(shares, claim.holder), (hasShare) =>
            hasShare
              ? Effect.flatMap(takeNow(permits), (isTaken) =>
                isTaken ? Effect.void : wait({ lane: claim.lane }))
              : wait(claim))
        }),
      close: Effect.forEach(Object.values(openLanes), ({ permits, size }) => permits.take(size), {
        discard: true
      })
    }
  }
)

/** Exclusive connections: an admitted claim gets an idle connection, or opens one. */
const makeExclusive = Effect.fnUntraced(function*<C extends Poolable, E>(config: PoolConfig<C, E>) {
  const admission = yield* makeAdmission(config)
  /** Idle connections. The last used one is lent first. */
  const idle: Array<Open<C>> = []
  let closed = false

  const takeOut = (restore: Restore, node: NodeAddress | undefined): Effect.Effect<Open<C>, E> =>
    Effect.suspend(() => {
      const key = keyOf(node)
      const at = idle.findLastIndex((open) => open.node === key)
      if (at < 0) return openAlone(restore, config.openExclusive(node), key)
      const [last] = idle.splice(at, 1) as [Open<C>]
      return last.connection.usable()
        ? Effect.succeed(last)
        : Effect.andThen(last.close, takeOut(restore, node))
    })

  const giveBack = (open: Open<C>) =>
    Effect.suspend(() => {
      if (closed || !open.connection.usable()) return open.close
      open.isUnused = false
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
          // The finalizer of the connection is added after the finalizer of the permit, so the connection is returned first.
          yield* restore(admission.enter(claim))
          const open = yield* takeOut(restore, claim.node)
          // `Effect.addFinalizer` would copy all services.
          yield* Scope.addFinalizer(yield* Effect.scope, giveBack(open))
          return open.connection
        })
      ),
    sweep: Effect.andThen(
      closeIdle((open) => open.isUnused || !open.connection.usable()),
      Effect.sync(() => {
        for (const open of idle) open.isUnused = true
      })
    ),
    close: Effect.suspend(() => {
      closed = true
      return Effect.andThen(closeIdle(() => true), admission.close)
    })
  }
})

/** Shared connections: a user gets the connection with the fewest users. */
const makeShared = <C extends Poolable, E>(config: PoolConfig<C, E>, scope: Scope.Scope) => {
  const permits = Semaphore.makeUnsafe(config.shared * config.sharedBy)
  const slots = Array.from({ length: config.shared }, (): Slot<C, E> => ({
    open: undefined,
    opening: undefined,
    users: 0
  }))
  let closed = false

  /** Opens the connection of a slot for all users that wait for it, even if the first of them is interrupted. */
  const open = (slot: Slot<C, E>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const opening = Deferred.makeUnsafe<Open<C>, E>()
        slot.opening = opening
        const settle = (exit: Exit.Exit<Open<C>, E>) =>
          Effect.suspend(() => {
            slot.opening = undefined
            if (Exit.isSuccess(exit)) slot.open = exit.value
            return Deferred.done(opening, exit)
          })
        const slotOpening = Effect.uninterruptibleMask((interruptible) =>
          Effect.onExit(openAlone(interruptible, config.openShared), settle)
        )
        return Effect.andThen(
          Effect.forkIn(slotOpening, scope, { startImmediately: true }),
          restore(Deferred.await(opening))
        )
      })
    )

  const empty = (slot: Slot<C, E>) =>
    Effect.suspend(() => {
      const { open } = slot
      slot.open = undefined
      return open === undefined ? Effect.void : open.close
    })

  const connectionOf = (slot: Slot<C, E>): Effect.Effect<Open<C>, E> =>
    Effect.suspend(() => {
      if (slot.open?.connection.usable()) return Effect.succeed(slot.open)
      if (slot.opening !== undefined) return Deferred.await(slot.opening)
      return Effect.andThen(empty(slot), open(slot))
    })

  const enter = Effect.sync(() => {
    const slot = slots.reduce((least, slot) => slot.users < least.users ? slot : least)
    slot.users++
    return slot
  })

  const withSlot = (slot: Slot<C, E>) =>
    Effect.map(connectionOf(slot), (open) => {
      open.isUnused = false
      return open.connection
    })

  return {
    lend: <A, E2, R>(use: (connection: C) => Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
      Effect.suspend(() =>
        closed
          ? Effect.interrupt
          : permits.withPermit(
            Effect.acquireUseRelease(
              enter,
              (slot) => Effect.flatMap(withSlot(slot), use),
              (slot) => Effect.sync(() => slot.users--)
            )
          )
      ),
    sweep: Effect.forEach(slots, (slot) =>
      Effect.suspend(() => {
        if (slot.open === undefined) return Effect.void
        if (slot.users === 0 && (slot.open.isUnused || !slot.open.connection.usable())) return empty(slot)
        slot.open.isUnused = true
        return Effect.void
      }), { discard: true }),
    close: Effect.suspend(() => {
      closed = true
      return Effect.andThen(
        permits.take(config.shared * config.sharedBy),
        Effect.forEach(slots, empty, { discard: true })
      )
    })
  }
}

/** Makes a pool, which opens no connection yet. At the end of the scope it waits until all connections are returned. */
export const make = <C extends Poolable, E>(
  config: PoolConfig<C, E>
): Effect.Effect<ConnectionPool<C, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const exclusive = yield* makeExclusive(config)
    const shared = makeShared(config, scope)
    yield* Effect.addFinalizer(() => Effect.andThen(exclusive.close, shared.close))
    yield* Effect.andThen(exclusive.sweep, shared.sweep).pipe(
      Effect.delay(config.idleMillis),
      Effect.forever,
      Effect.forkScoped
    )
    return { exclusive: exclusive.lend, shared: shared.lend }
  })
