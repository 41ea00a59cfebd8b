/** Who is lent a connection, and when: whatever breaks, whoever waits is served or told. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import { test } from "../../../../test/support/Tests.ts"
import * as ConnectionPool from "../../src/connections/ConnectionPool.ts"

/** A connection that tests can break. */
class Connection implements ConnectionPool.Poolable {
  readonly id: number
  isBroken = false
  closed = false
  users = 0

  constructor(id: number) {
    this.id = id
  }

  usable() {
    return !this.isBroken
  }
}

type Refusal = "away" | "refused" | "busy"

const lane = { size: 2, share: 2, waitMillis: Infinity }
const limits = {
  lanes: { requests: lane, reads: lane, dispatch: lane, reserved: lane },
  shared: 2,
  sharedBy: 3,
  idleMillis: 1000,
  busy: () => "busy" as const
}
const requestsOf = (lanes: Partial<ConnectionPool.LaneConfig>) => ({
  ...limits,
  lanes: { ...limits.lanes, requests: { ...lane, ...lanes } }
})

const request = { lane: "requests" } as const

/** A database that tests can make slow or send away. */
class Database {
  readonly connections: Array<Connection> = []
  /** Where exclusive connections lead to. */
  readonly nodes: Array<string | undefined> = []
  away = false
  /** It takes connections, and turns them away before they can be used. */
  refuses = false
  openMillis = 0

  readonly open = Effect.acquireRelease(
    Effect.gen({ self: this }, function*() {
      if (this.openMillis > 0) yield* Effect.sleep(this.openMillis)
      if (this.away) return yield* Effect.fail("away" as const)
      const connection = new Connection(this.connections.length)
      this.connections.push(connection)
      return connection
    }),
    (connection) =>
      Effect.sync(() => {
        connection.closed = true
      }),
    { interruptible: true }
  ).pipe(Effect.tap(() => this.refuses ? Effect.fail("refused" as const) : Effect.void))

  readonly pool = (config: typeof limits = limits) =>
    ConnectionPool.make<Connection, Refusal>({
      openExclusive: (node) => {
        this.nodes.push(node?.host)
        return this.open
      },
      openShared: this.open,
      ...config
    })

  get idsOpen() {
    return this.connections.flatMap(({ closed, id }) => closed ? [] : [id])
  }
}

/** Has a connection for itself until the latch opens. */
const holdUntil = <E>(
  pool: ConnectionPool.ConnectionPool<Connection, E>,
  latch: Deferred.Deferred<void>,
  onLent: (connection: Connection) => void = () => {}
) =>
  Effect.scoped(Effect.flatMap(pool.exclusive(request), (connection) => {
    onLent(connection)
    return Deferred.await(latch)
  }))

const settle = Effect.andThen(Effect.yieldNow, TestClock.adjust(0))

describe("a connection for one alone", () => {
  test("is lent to no second one, and to those that wait in the order of asking", function*() {
    const pool = yield* new Database().pool()
    const latches = yield* Effect.replicateEffect(Deferred.make<void>(), 5)
    const loans: Array<number> = []
    const inUse = new Set<Connection>()
    const fibers = yield* Effect.forEach(latches, (latch, index) =>
      Effect.forkChild(
        Effect.scoped(Effect.gen(function*() {
          const connection = yield* pool.exclusive(request)
          assert.isFalse(inUse.has(connection))
          inUse.add(connection)
          loans.push(index)
          yield* Deferred.await(latch)
          inUse.delete(connection)
        })),
        { startImmediately: true }
      ))
    assert.deepStrictEqual(loans, [0, 1])
    for (const index of [1, 0, 2, 3, 4]) {
      yield* Deferred.succeed(latches[index]!, undefined)
      yield* Fiber.join(fibers[index]!)
      yield* settle
    }
    assert.deepStrictEqual(loans, [0, 1, 2, 3, 4])
  })

  test("is lent to who waits, not to one that comes as it is returned", function*() {
    const pool = yield* new Database().pool()
    const end = yield* Deferred.make<void>()
    const first = yield* Deferred.make<void>()
    const loans: Array<string> = []
    const hold = (name: string, latch = end) =>
      Effect.forkScoped(holdUntil(pool, latch, () => loans.push(name)), { startImmediately: true })
    yield* hold("first", first)
    yield* hold("second")
    yield* hold("waiting")
    yield* Deferred.succeed(first, undefined)
    yield* hold("late")
    yield* settle
    assert.deepStrictEqual(loans, ["first", "second", "waiting"])
  })

  test("leads to the node that is asked for, and is kept for that node", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    const idAt = (host?: string) =>
      Effect.scoped(Effect.map(
        pool.exclusive({ ...request, node: host === undefined ? undefined : { host, port: 5432 } }),
        ({ id }) => id
      ))
    const hosts = ["db1", undefined, "db2", "db1", undefined, "db2"]
    const ids = yield* Effect.forEach(hosts, (host) => idAt(host))
    assert.deepStrictEqual(ids, [0, 1, 2, 0, 1, 2])
    assert.deepStrictEqual(database.nodes, ["db1", undefined, "db2"])
    yield* TestClock.adjust(3 * limits.idleMillis)
    assert.deepStrictEqual(database.idsOpen, [])
  })

  test("is the one used last, so that those of a peak are closed when nobody uses them", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    const latch = yield* Deferred.make<void>()
    const both = yield* Effect.forkChild(
      Effect.all([holdUntil(pool, latch), holdUntil(pool, latch)], { concurrency: 2 }),
      { startImmediately: true }
    )
    yield* Deferred.succeed(latch, undefined)
    yield* Fiber.join(both)
    assert.deepStrictEqual(database.idsOpen, [0, 1])
    const id = Effect.scoped(Effect.map(pool.exclusive(request), (connection) => connection.id))
    assert.strictEqual(new Set(yield* Effect.replicateEffect(id, 3)).size, 1)
    for (let second = 0; second < 3; second++) {
      yield* Effect.scoped(pool.exclusive(request))
      yield* TestClock.adjust(limits.idleMillis)
    }
    assert.strictEqual(database.idsOpen.length, 1)
    yield* TestClock.adjust(2 * limits.idleMillis)
    assert.deepStrictEqual(database.idsOpen, [])
  })

  test("is lent no more once it broke, in use or idle, and then closed", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    yield* Effect.scoped(Effect.map(pool.exclusive(request), (connection) => {
      connection.isBroken = true
    }))
    assert.deepStrictEqual(database.idsOpen, [])
    yield* Effect.scoped(pool.exclusive(request))
    database.connections[1]!.isBroken = true
    assert.strictEqual((yield* Effect.scoped(pool.exclusive(request))).id, 2)
    assert.deepStrictEqual(database.idsOpen, [2])
  })

  test("that cannot be opened takes no place: whoever asked is told, and the next one tries again", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    database.away = true
    for (let attempt = 0; attempt < 3 * lane.size; attempt++) {
      assert.strictEqual(yield* Effect.flip(Effect.scoped(pool.exclusive(request))), "away")
    }
    database.away = false
    database.refuses = true
    assert.strictEqual(yield* Effect.flip(Effect.scoped(pool.exclusive(request))), "refused")
    assert.strictEqual(yield* Effect.flip(pool.shared(() => Effect.void)), "refused")
    assert.deepStrictEqual(database.idsOpen, [])
    database.refuses = false
    const latch = yield* Deferred.make<void>()
    let loans = 0
    const holder = yield* Effect.forkChild(
      Effect.replicateEffect(holdUntil(pool, latch, () => ++loans), lane.size, {
        concurrency: "unbounded"
      }),
      { startImmediately: true }
    )
    assert.strictEqual(loans, lane.size)
    yield* Deferred.succeed(latch, undefined)
    yield* Fiber.join(holder)
  })

  test("is left to others by who gives up waiting or opening, and what was half open is closed", function*() {
    const database = new Database()
    const pool = yield* database.pool(requestsOf({ size: 1 }))
    database.openMillis = 100
    const opening = yield* Effect.forkChild(Effect.scoped(pool.exclusive(request)), {
      startImmediately: true
    })
    const waiting = yield* Effect.forkChild(Effect.scoped(pool.exclusive(request)), {
      startImmediately: true
    })
    const last = yield* Effect.forkChild(Effect.scoped(pool.exclusive(request)), { startImmediately: true })
    yield* TestClock.adjust(50)
    yield* Fiber.interrupt(waiting)
    yield* Fiber.interrupt(opening)
    yield* TestClock.adjust(100)
    assert.isTrue(Exit.isSuccess(yield* Fiber.await(last)))
    assert.deepStrictEqual(database.idsOpen, [0])
  })
})

/** Holds a connection of its own until the latch opens. */
const claim = <E>(
  pool: ConnectionPool.ConnectionPool<Connection, E>,
  claim: Partial<ConnectionPool.Claim>,
  latch: Deferred.Deferred<void>
) =>
  Effect.scoped(
    Effect.andThen(pool.exclusive({ ...request, ...claim }), Effect.as(Deferred.await(latch), "served"))
  )

describe("a claim", () => {
  test("takes no connection of another lane", function*() {
    const pool = yield* new Database().pool()
    const latch = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(
      Effect.replicateEffect(claim(pool, {}, latch), 5, { concurrency: "unbounded" }),
      { startImmediately: true }
    )
    yield* Effect.scoped(pool.exclusive({ lane: "reads" }))
    yield* Effect.scoped(pool.exclusive({ lane: "dispatch" }))
    yield* Effect.scoped(pool.exclusive({ lane: "reserved" }))
    yield* Deferred.succeed(latch, undefined)
    yield* Fiber.join(holder)
  })

  for (
    const [what, claimNeeds] of [
      ["for a connection", {}],
      ["for its turn", { turn: "hot" }],
      ["for its holder's share", { holder: "acme" }]
    ] as const
  ) {
    test(`that waits ${what} is given up at the limit, and leaves its place to others`, function*() {
      const size = what === "for a connection" ? 1 : 2
      const pool = yield* new Database().pool(requestsOf({ size, share: 1, waitMillis: 1000 }))
      const latch = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(claim(pool, claimNeeds, latch), { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.flip(claim(pool, claimNeeds, latch)), {
        startImmediately: true
      })
      yield* TestClock.adjust(999)
      assert.isUndefined(second.pollUnsafe())
      if (size > 1) yield* Effect.scoped(pool.exclusive({ ...request, turn: "cold", holder: "globex" }))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(second), "busy")
      // Whoever has a connection takes its time.
      yield* TestClock.adjust(5000)
      assert.isUndefined(first.pollUnsafe())
      const third = yield* Effect.forkChild(claim(pool, claimNeeds, latch), { startImmediately: true })
      yield* Deferred.succeed(latch, undefined)
      assert.strictEqual(yield* Fiber.join(first), "served")
      assert.strictEqual(yield* Fiber.join(third), "served")
    })
  }
})

describe("shared connections", () => {
  test("are used by no more at once than there is room for, and the least used one first", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    const latch = yield* Deferred.make<void>()
    let most = 0
    const use = pool.shared((connection) => {
      most = Math.max(most, ++connection.users)
      return Effect.ensuring(Deferred.await(latch), Effect.sync(() => connection.users--))
    })
    const all = yield* Effect.forkChild(Effect.replicateEffect(use, 20, { concurrency: "unbounded" }))
    yield* settle
    assert.deepStrictEqual(database.connections.map(({ users }) => users), [limits.sharedBy, limits.sharedBy])
    yield* Deferred.succeed(latch, undefined)
    yield* Fiber.join(all)
    assert.strictEqual(most, limits.sharedBy)
  })

  test("are opened once for all who wait, who are all told when it fails; the next one tries again", function*() {
    const database = new Database()
    const pool = yield* database.pool({ ...limits, shared: 1 })
    database.openMillis = 100
    const use = pool.shared(({ id }) => Effect.succeed(id))
    database.away = true
    const first = yield* Effect.forkChild(
      Effect.all([Effect.flip(use), Effect.flip(use)], { concurrency: 2 })
    )
    yield* TestClock.adjust(100)
    assert.deepStrictEqual(yield* Fiber.join(first), ["away", "away"])
    database.away = false
    const second = yield* Effect.forkChild(Effect.all([use, use], { concurrency: 2 }))
    yield* TestClock.adjust(100)
    assert.deepStrictEqual(yield* Fiber.join(second), [0, 0])
  })

  test("are opened though the first who waited gave up", function*() {
    const database = new Database()
    const pool = yield* database.pool({ ...limits, shared: 1 })
    database.openMillis = 100
    const use = pool.shared(({ id }) => Effect.succeed(id))
    const first = yield* Effect.forkChild(use, { startImmediately: true })
    const second = yield* Effect.forkChild(use, { startImmediately: true })
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust(100)
    assert.strictEqual(yield* Fiber.join(second), 0)
    assert.strictEqual(database.connections.length, 1)
  })

  test("are replaced when they broke, and closed when nobody uses them", function*() {
    const database = new Database()
    const pool = yield* database.pool()
    const use = pool.shared(({ id }) => Effect.succeed(id))
    assert.strictEqual(yield* use, 0)
    assert.strictEqual(yield* use, 0)
    database.connections[0]!.isBroken = true
    assert.strictEqual(yield* use, 1)
    assert.deepStrictEqual(database.idsOpen, [1])
    yield* TestClock.adjust(limits.idleMillis)
    assert.strictEqual(yield* use, 1)
    yield* TestClock.adjust(2 * limits.idleMillis)
    assert.deepStrictEqual(database.idsOpen, [])
  })
})

describe("the end of a pool", () => {
  test("waits for what is lent, closes all, and lends nothing more", function*() {
    const database = new Database()
    const scope = yield* Scope.make()
    const pool = yield* Scope.provide(database.pool(), scope)
    const latch = yield* Deferred.make<void>()
    yield* Effect.scoped(pool.exclusive(request))
    yield* pool.shared(() => Effect.void)
    const holder = yield* Effect.forkChild(holdUntil(pool, latch), { startImmediately: true })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* settle
    assert.isUndefined(closing.pollUnsafe())
    yield* Deferred.succeed(latch, undefined)
    yield* Fiber.join(holder)
    yield* Fiber.join(closing)
    assert.deepStrictEqual(database.idsOpen, [])
    assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(Effect.scoped(pool.exclusive(request)))))
    assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(pool.shared(() => Effect.void))))
  })
})

/** What happens to a pool, one after another. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("exclusive"), millis: fc.integer({ min: 0, max: 40 }) })
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("shared"), millis: fc.integer({ min: 0, max: 40 }) })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forever"), millis: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("give up"), millis: fc.integer({ min: 0, max: 20 }) })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("break"), millis: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("go away"), millis: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("come back"), millis: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("open slowly"), millis: fc.integer({ min: 0, max: 30 }) })
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("wait"), millis: fc.integer({ min: 0, max: 30 }) }) }
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs the steps; then the database is there, and everybody who still waits must be served or told. */
const nobodyIsLeft = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const database = new Database()
    const scope = yield* Scope.make()
    const pool = yield* Scope.provide(
      database.pool(requestsOf({ size: 3, share: 1, waitMillis: 200 })),
      scope
    )
    const work = (connection: Connection, millis: number) =>
      Effect.andThen(
        Effect.sleep(millis),
        Effect.suspend(() => connection.isBroken ? Effect.fail("broke") : Effect.void)
      )
    const inUse = new Map<Connection, string | undefined>()
    const alone = (
      use: (connection: Connection) => Effect.Effect<unknown, unknown>,
      claim: Partial<ConnectionPool.Claim> = {}
    ) =>
      Effect.scoped(Effect.gen(function*() {
        const connection = yield* pool.exclusive({ ...request, ...claim })
        assert.isFalse(inUse.has(connection), "lent twice")
        inUse.set(connection, claim.holder)
        const ofHolder = [...inUse.values()].filter((holder) =>
          holder !== undefined && holder === claim.holder
        )
        assert.lengthOf(ofHolder, claim.holder === undefined ? 0 : 1, "more than a share")
        yield* Effect.addFinalizer(() => Effect.sync(() => inUse.delete(connection)))
        yield* use(connection)
      }))
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    const keepers: Array<Fiber.Fiber<unknown, unknown>> = []
    const run = Effect.fnUntraced(function*({ kind, millis }: Step) {
      if (kind === "exclusive") {
        const holder = `holder ${millis % 2}`
        const claim = [{}, { holder }, { turn: `turn ${millis % 4}`, holder }][millis % 3]
        fibers.push(yield* Effect.forkChild(alone((connection) => work(connection, millis), claim)))
      }
      if (kind === "shared") {
        fibers.push(yield* Effect.forkChild(pool.shared((connection) => work(connection, millis))))
      }
      // One is kept for good, so that the others must do with the rest.
      if (kind === "forever" && keepers.length < 2) {
        keepers.push(yield* Effect.forkChild(alone(() => Effect.never)))
      }
      if (kind === "give up" && fibers.length > 0) yield* Fiber.interrupt(fibers[millis % fibers.length]!)
      if (kind === "break") {
        for (const [index, connection] of database.connections.entries()) {
          if (millis === 0 || index % (millis + 1) === 0) connection.isBroken = true
        }
      }
      if (kind === "go away") database.away = true
      if (kind === "come back") database.away = false
      if (kind === "open slowly") database.openMillis = millis
      if (kind === "wait") yield* TestClock.adjust(millis)
    })
    yield* Effect.forEach(steps, run, { discard: true })
    database.away = false
    // Everyone opens slowly at most, then works at most that long.
    yield* TestClock.adjust((fibers.length + 1) * (30 + 40))
    const waiting = fibers.filter((fiber) => fiber.pollUnsafe() === undefined).length
    assert.strictEqual(waiting, 0, "left waiting")
    // An assertion that fails in a fiber ends that fiber alone.
    const ends = yield* Effect.forEach(fibers, Fiber.await)
    yield* Effect.forEach(ends.filter(Exit.hasDies), (end) => end, { discard: true })
    yield* Effect.forEach(keepers, Fiber.interrupt, { discard: true })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* TestClock.adjust(100)
    assert.isDefined(closing.pollUnsafe(), "closed")
    assert.deepStrictEqual(database.idsOpen, [], "left open")
  })

describe("whoever waits", () => {
  it("is served or told, whatever breaks, is given up or kept, and in whatever order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        (steps) => Effect.runPromise(nobodyIsLeft(steps).pipe(Effect.provide(TestClock.layer())))
      ),
      runs(500)
    )
  })
})
