/**
 * Connections on which nothing comes back, though a statement is under way: a way to PostgreSQL that swallows packets.
 * Durations are bounded far below the statement timeout, which would end them too.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import type { PostgresHost } from "@dockline/sql-storage/connections/PostgresUrl"
import { refine } from "@dockline/sql-storage/connections/StorageErrors"
import { assert, describe } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { vi } from "vitest"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over, test } from "../../../../test/support/Tests.ts"
import * as Silence from "../../src/connections/Silence.ts"
import { silentWay } from "../SilentWay.ts"

/** Nothing but their silence ends what waits for a connection. */
const config = { ...Database.defaultDatabaseConfig, silenceMillis: 500, statementTimeoutMillis: 3_600_000 }

const session = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row!.pid)
)

const transaction = SqlClient.SqlClient.use((sql) => sql.withTransaction(session))

/** Stops what comes back on the connections that are open. */
class Hanging extends Context.Service<Hanging, Effect.Effect<void>>()("test/Hanging") {}

/** A way to PostgreSQL that swallows what its present connections say, and forwards what new ones do. */
const swallow = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* TestDatabase.create
  const silent = new Set<Socket>()
  const detour = yield* silentWay(url, (socket) => silent.has(socket))
  return Layer.mergeAll(
    Database.layer({ ...config, url: detour.url }),
    Layer.succeed(Hanging, Effect.sync(() => detour.sockets.forEach((socket) => silent.add(socket))))
  )
}))

over(swallow)("a way that swallows", (test) => {
  test("is given up, idle connections too, and new ones are opened", function*() {
    const sql = yield* SqlClient.SqlClient
    const hang = yield* Hanging
    const gate = yield* Deferred.make<void>()
    // Two connections for one alone: when it hangs one is lent and the other is idle.
    const borrower = yield* Effect.forkChild(
      Effect.exit(
        sql.withTransaction(Effect.andThen(session, Effect.andThen(Deferred.await(gate), session)))
      )
    )
    const idle = yield* transaction
    const shared = yield* session
    yield* hang
    yield* Deferred.succeed(gate, undefined)
    const [read, write] = yield* Effect.all([Effect.flip(refine(session)), Fiber.join(borrower)], {
      concurrency: "unbounded"
    })
    assert.strictEqual(read._tag, "StorageUnavailable")
    assert.strictEqual(write._tag, "Failure")
    const patient = Effect.retry({ schedule: Schedule.spaced("50 millis") })
    assert.notStrictEqual(yield* patient(transaction), idle)
    assert.notStrictEqual(yield* patient(session), shared)
  }, 60_000)
})

const database = Layer.unwrap(
  Effect.map(TestDatabase.create, ({ url }) => Database.layer({ ...config, url }))
)

over(database)("a statement that takes its time", (test) => {
  test("is left alone, alone on its connection, before others, and while it waits for a lock", function*() {
    const sql = yield* SqlClient.SqlClient
    const slow = sql`select pg_sleep(3)`
    const locking = sql`select pg_advisory_xact_lock(1)`
    yield* Effect.all([
      slow,
      slow,
      ...Array.from({ length: 4 }, () => session),
      sql.withTransaction(Effect.andThen(locking, slow)),
      Effect.delay(sql.withTransaction(locking), 200)
    ], { concurrency: "unbounded", discard: true })
  }, 30_000)

  test("is left alone where its connection is idle for long within a transaction", function*() {
    const sql = yield* SqlClient.SqlClient
    const pids = yield* sql.withTransaction(
      Effect.all([session, Effect.delay(session, 2500)])
    )
    assert.strictEqual(pids[0], pids[1])
  }, 30_000)
})

/** A server that says one thing first, and nothing ever after. */
const mute = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.on("error", () => {}).write("hello")).listen(
      0,
      "127.0.0.1"
    )
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

const hostOf = (host: string): PostgresHost => ({
  host,
  port: 5432,
  socket: { host, port: 5432 },
  encryption: [false]
})
const primary = hostOf("primary")
const standby = hostOf("standby")
const none: ReadonlySet<PostgresHost> = new Set()

/** A connection to it on which something has come, and how it is watched. */
const looking = Effect.fnUntraced(function*(limitMillis: number, answer: Silence.Look) {
  const server = yield* mute
  const to = { host: "127.0.0.1", port: (server.address() as AddressInfo).port }
  const watch = yield* Silence.watch(
    { suspectMillis: 40, probeMillis: 40, limitMillis },
    () => Effect.succeed(answer)
  )
  const open = Effect.fnUntraced(function*(processId: number, host = primary) {
    const socket = watch.openSocket(to).on("error", () => {})
    yield* Effect.promise(() => once(socket, "data"))
    const { during } = watch.add(socket, host, processId)
    const closed = Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
    return { socket, during, closed }
  })
  return { watch, open }
})

describe("a silent connection", () => {
  for (
    const [what, answer, breaks] of [
      ["of a session that is not at work", { answering: new Set([primary]), atWork: new Set([2]) }, true],
      ["of a session whose number is at work on another host", {
        answering: new Set([standby]),
        atWork: new Set([1])
      }, true],
      ["to where nothing answers", { answering: none }, true],
      ["to where nothing but another host answers", { answering: new Set([standby]) }, true],
      ["of a session that is at work", { answering: new Set([primary]), atWork: new Set([1]) }, false],
      ["to where something answers that tells no more", { answering: new Set([primary]) }, false]
    ] as const
  ) {
    test.live(
      `${what} ${breaks ? "breaks, and idle ones with it" : "is left alone until the limit"}`,
      function*() {
        const { open, watch } = yield* looking(breaks ? 60_000 : 400, answer)
        const idle = yield* open(3)
        const elsewhere = yield* open(4, standby)
        const silent = yield* open(1)
        const since = performance.now()
        yield* Effect.raceFirst(silent.during(Effect.never), silent.closed)
        if (!breaks) assert.isAtLeast(performance.now() - since, 399)
        if (!idle.socket.destroyed) yield* idle.closed
        assert.isFalse(elsewhere.socket.destroyed)
        elsewhere.socket.destroy()
        yield* elsewhere.closed
        assert.strictEqual(watch.size(), 0)
      }
    )
  }

  test.live("is none on which nothing is due, however long", function*() {
    const { open } = yield* looking(100, { answering: none })
    const { socket } = yield* open(1)
    yield* Effect.sleep(200)
    assert.isFalse(socket.destroyed)
    socket.destroy()
  })

  test.live("has its limit wherever the clock is set", function*() {
    const { open } = yield* looking(60_000, { answering: new Set([primary]), atWork: new Set([1]) })
    const { during, socket } = yield* open(1)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 })
    yield* Effect.raceFirst(during(Effect.never), Effect.sleep(200))
    vi.useRealTimers()
    assert.isFalse(socket.destroyed)
    socket.destroy()
  })
})
