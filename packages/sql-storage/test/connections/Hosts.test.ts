/** Several hosts in one URL: which of them is used, and when it is left. */
import * as Database from "@dockline/sql-storage/connections/Database"
import { lacks } from "@dockline/sql-storage/connections/PostgresSession"
import * as PostgresUrl from "@dockline/sql-storage/connections/PostgresUrl"
import { isAway, isRefused, refine } from "@dockline/sql-storage/connections/StorageErrors"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Result, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import * as RefusingDatabase from "../../../../test/support/database/RefusingDatabase.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { silentWay } from "../SilentWay.ts"

describe("hosts of a URL", () => {
  for (
    const [url, hosts, target] of [
      ["postgres://u:p@a/x", ["a:5432"], "any"],
      ["postgres:///x?user=u", ["localhost:5432"], "any"],
      [
        "postgres://u:p,q@a:1,b,[::1]:3/x?target_session_attrs=read-write",
        ["a:1", "b:5432", "::1:3"],
        "read-write"
      ],
      ["postgres://u:p@a,b/x?port=7&target_session_attrs=primary", ["a:7", "b:7"], "primary"],
      ["postgres:///x?user=u&host=a,b&port=1,2", ["a:1", "b:2"], "any"],
      ["postgres://u:p@c:9/x?host=a,/run/pg", ["a:9", "/run/pg:9"], "any"]
    ] as const
  ) {
    it(`are those of ${url}`, () => {
      const address = Result.getOrThrow(PostgresUrl.parse(url))
      assert.deepStrictEqual(address.hosts.map(({ host, port }) => `${host}:${port}`), [...hosts])
      assert.strictEqual(address.target, target)
      const forDriver = new URL(Redacted.value(address.url))
      assert.isFalse(forDriver.searchParams.has("host") || forDriver.searchParams.has("port"))
    })
  }

  it("are verified by TLS each by its own name", () => {
    const { hosts } = Result.getOrThrow(PostgresUrl.parse("postgres://u@a,b/x?sslmode=verify-full"))
    assert.deepStrictEqual(hosts.map(({ encryption: [tls] }) => tls && tls.host), ["a", "b"])
  })
})

describe("target_session_attrs", () => {
  const sessions = {
    primary: { isStandby: false, isReadOnly: false },
    readOnly: { isStandby: false, isReadOnly: true },
    standby: { isStandby: true, isReadOnly: false }
  }
  for (
    const [target, ...servers] of [
      ["any", "primary", "readOnly", "standby"],
      ["read-write", "primary"],
      ["primary", "primary", "readOnly"]
    ] as const
  ) {
    it(`${target} takes what libpq takes`, () => {
      const sessionsTaken = Object.entries(sessions).filter(([, session]) =>
        lacks(target, session) === undefined
      )
      assert.deepStrictEqual(sessionsTaken.map(([name]) => name), [...servers])
    })
  }
})

/** Sessions through it may not write unless they ask for it. */
const readOnly = (startup: Buffer): Buffer => {
  const parameters = Buffer.concat([
    startup.subarray(0, -1),
    Buffer.from("default_transaction_read_only\0on\0\0")
  ])
  parameters.writeInt32BE(parameters.length, 0)
  return parameters
}

const portOf = (url: Redacted.Redacted<string>): number => Number(new URL(Redacted.value(url)).port)

/** A port at which nothing listens. */
const closedPort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Two ways to one database that can be written to, of which the first can fall silent, and one that is read-only. */
class Ways extends Context.Service<Ways, {
  readonly first: { readonly port: number; silent: boolean }
  readonly second: { readonly port: number }
  readonly readOnly: { readonly port: number; readonly uses: () => number }
  readonly closed: number
  /** A database by ports and options. */
  readonly connect: (
    ports: ReadonlyArray<number>,
    options?: string
  ) => Layer.Layer<SqlClient.SqlClient, PostgresUrl.InvalidPostgresUrl>
}>()("test/Ways") {}

const ways = Layer.effect(
  Ways,
  Effect.gen(function*() {
    const { url } = yield* TestDatabase.create
    const state = { silent: false }
    const first = yield* silentWay(url, () => state.silent)
    const second = yield* silentWay(url, () => false)
    let uses = 0
    const reading = yield* silentWay(url, () => false, (startup) => {
      uses++
      return readOnly(startup)
    })
    return {
      first: Object.assign(state, { port: portOf(first.url) }),
      second: { port: portOf(second.url) },
      readOnly: { port: portOf(reading.url), uses: () => uses },
      closed: yield* closedPort,
      connect: (ports, options = "target_session_attrs=read-write") =>
        Database.layer({
          ...Database.defaultDatabaseConfig,
          silenceMillis: 500,
          url: Redacted.make(
            Redacted.value(url).replace(/@[^/]+/, `@${ports.map((port) => `127.0.0.1:${port}`).join(",")}`)
              + `?sslmode=disable&${options}`
          )
        })
    }
  })
)

const session = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly pid: number; readonly mode: string }>`select pg_backend_pid() as pid,
        current_setting('default_transaction_read_only') as mode`,
    ([row]) => row!
  )
)

const transaction = SqlClient.SqlClient.use((sql) => sql.withTransaction(session))

const write = SqlClient.SqlClient.use((sql) =>
  sql.withTransaction(Effect.andThen(sql`set transaction read only`, sql`create table never ()`))
)

over(ways)("a database with several hosts", (test) => {
  test("is where it can be written to, and the others are left alone from then on", function*() {
    const { closed, connect, first, readOnly } = yield* Ways
    yield* Effect.gen(function*() {
      assert.strictEqual((yield* session).mode, "off")
      const uses = readOnly.uses()
      assert.isAtLeast(uses, 1)
      const all = yield* Effect.all(Array.from({ length: 5 }, () => transaction), {
        concurrency: "unbounded"
      })
      assert.isAbove(new Set(all.map(({ pid }) => pid)).size, 1)
      assert.strictEqual(readOnly.uses(), uses)
    }).pipe(Effect.provide(connect([closed, readOnly.port, first.port])))
  })

  test("refuses with each host and its reason, and is away as long as one of them is", function*() {
    const { closed, connect, readOnly } = yield* Ways
    const error: SqlError.SqlError = yield* Effect.flip(session).pipe(
      Effect.provide(connect([closed, readOnly.port])),
      Effect.catchTag("InvalidPostgresUrl", Effect.die)
    )
    const { cause } = error.reason
    assert.instanceOf(cause, Error)
    assert.strictEqual(
      cause.message,
      `127.0.0.1:${closed}: connect ECONNREFUSED 127.0.0.1:${closed}; `
        + `127.0.0.1:${readOnly.port}: it is read-only, and target_session_attrs is read-write`
    )
    assert.isTrue(isAway(error))
    assert.isFalse(isRefused(error))
  })

  test("is refused where every host refuses", function*() {
    const { connect } = yield* Ways
    const refusing = Effect.acquireRelease(
      Effect.promise(() => RefusingDatabase.listen("28000")),
      (database) => Effect.promise(() => database[Symbol.asyncDispose]())
    )
    const ports = [(yield* refusing).url, (yield* refusing).url].map((url) => Number(new URL(url).port))
    const error = yield* Effect.flip(session).pipe(
      Effect.provide(connect(ports)),
      Effect.catchTag("InvalidPostgresUrl", Effect.die)
    )
    assert.isTrue(isRefused(error))
  })

  test("is left with all connections when a host has become read-only", function*() {
    const { connect, first } = yield* Ways
    const pids = Effect.map(
      Effect.all([session, transaction]),
      (sessions) => sessions.map(({ pid }) => pid)
    )
    const isLeft = Effect.gen(function*() {
      const before = yield* pids
      assert.strictEqual((yield* Effect.flip(refine(write)))._tag, "StorageUnavailable")
      const after = yield* Effect.retry(pids, { schedule: Schedule.spaced("10 millis"), times: 100 })
      return before.every((pid) => !after.includes(pid))
    })
    assert.isTrue(yield* Effect.provide(isLeft, connect([first.port])))
    // Elsewhere nothing better is to be found.
    assert.isFalse(yield* Effect.provide(isLeft, connect([first.port], "target_session_attrs=any")))
  })

  test("is reached beside a host that says nothing, also one that falls silent", function*() {
    const { connect, first, second } = yield* Ways
    yield* Effect.gen(function*() {
      yield* Effect.all([session, transaction])
      first.silent = true
      const failure = yield* Effect.forkChild(Effect.flip(refine(session)))
      assert.strictEqual((yield* Fiber.join(failure))._tag, "StorageUnavailable")
      const patient = Effect.retry({ schedule: Schedule.spaced("50 millis") })
      yield* patient(transaction)
      yield* patient(session)
    }).pipe(Effect.provide(connect([first.port, second.port])))
    yield* Effect.provide(session, connect([first.port, second.port]))
    first.silent = false
  })
})
