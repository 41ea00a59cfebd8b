/**
 * TLS to PostgreSQL as libpq has it: on a real PostgreSQL with a certificate of an authority of its own, and on one
 * without.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import { refine } from "@dockline/sql-storage/connections/StorageErrors"
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import * as Postgres from "@dockline/sql-storage/Postgres"
import { Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import * as Certificate from "../../../test/support/Certificate.ts"

const scope = Scope.makeUnsafe()
const directory = mkdtempSync(join(tmpdir(), "dockline-tls-"))
const file = (name: string) => join(directory, name)

/** Certificates: of the authority, of the server for `localhost`, of a client, and of another authority. */
const writeCertificates = () => {
  const authority = Certificate.authority()
  const client = Certificate.forHost("dockline", { authority })
  writeFileSync(file("ca.pem"), authority.cert)
  writeFileSync(file("other.pem"), Certificate.authority().cert)
  writeFileSync(file("client.pem"), client.cert)
  writeFileSync(file("client.key"), client.key)
  return { ca: authority, server: Certificate.forHost("localhost", { authority }) }
}

/** Which connections a database of that name takes. */
const access = `hostssl    tls_only    dockline  127.0.0.1/32  scram-sha-256
hostnossl  plain_only  dockline  127.0.0.1/32  scram-sha-256
hostssl    known_only  dockline  127.0.0.1/32  scram-sha-256 clientcert=verify-ca
host       either      dockline  127.0.0.1/32  scram-sha-256
host       dockline    dockline  127.0.0.1/32  scram-sha-256
`

let url: URL
beforeAll(async () => {
  const data = file("database")
  const start = async (settings: Record<string, string>, within: Scope.Scope) =>
    Effect.runPromise(
      Scope.provide(EmbeddedPostgres.make({ directory: data, settings }), within)
    )
  const first = Scope.makeUnsafe()
  const firstServer = await start({}, first)
  await Effect.runPromise(
    SqlClient.SqlClient.use((sql) =>
      Effect.forEach(
        ["tls_only", "plain_only", "known_only", "either"],
        (name) => sql.unsafe(`create database ${name}`)
      )
    ).pipe(
      Effect.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: firstServer.url }))
    )
  )
  await Effect.runPromise(Scope.close(first, Exit.void))
  const { ca, server } = writeCertificates()
  const cluster = join(data, "postgres")
  const { gid, uid } = statSync(cluster)
  const write = (name: string, text: string) => {
    writeFileSync(join(cluster, name), text, { mode: 0o600 })
    chownSync(join(cluster, name), uid, gid)
  }
  write("server.pem", server.cert)
  write("server.key", server.key)
  write("ca.pem", ca.cert)
  write("pg_hba.conf", access)
  const { url: original } = await start({
    // Who asks for it waits for a standby that never comes.
    synchronous_standby_names: "nobody",
    synchronous_commit: "local",
    ssl: "on",
    ssl_cert_file: "server.pem",
    ssl_key_file: "server.key",
    ssl_ca_file: "ca.pem"
  }, scope)
  url = new URL(Redacted.value(original))
})

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(directory, { recursive: true, force: true })
})

/** Whether a connection of the URL is encrypted, or why there is none. */
const outcome = (url: string) =>
  SqlClient.SqlClient.use((sql) =>
    // Opened twice: what is tried first depends on what was taken before.
    Effect.all(
      [1, 2].map(() =>
        sql.withTransaction(
          sql<{ readonly ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
        )
      ),
      { concurrency: "unbounded" }
    )
  ).pipe(
    Effect.map((rows) => rows.map(([row]) => row!.ssl ? "tls" : "plain").join()),
    Effect.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(url) })),
    Effect.catch((error) => Effect.succeed(`refused: ${String(error.cause ?? error)}`)),
    Effect.runPromise
  )

const urlOf = (database: string, options: string, host = "127.0.0.1") => {
  const target = new URL(url)
  target.pathname = `/${database}`
  return `${target.href.replace("@127.0.0.1", `@${host}`)}?${options}`
}

const root = `sslrootcert=${file("ca.pem")}`
const stranger = `sslrootcert=${file("other.pem")}`
const clientCertificate = `sslcert=${file("client.pem")}&sslkey=${file("client.key")}`

describe("a server with TLS", () => {
  for (
    const [database, options, expected] of [
      ["either", "", /^tls/],
      ["either", "sslmode=disable", /^plain/],
      ["either", "sslmode=allow", /^plain/],
      ["either", "sslmode=prefer", /^tls/],
      ["either", "sslmode=require", /^tls/],
      ["either", `sslmode=require&${root}`, /^tls/],
      ["either", `sslmode=verify-ca&${root}`, /^tls/],
      ["tls_only", "", /^tls/],
      ["tls_only", "sslmode=disable", /^refused/],
      ["tls_only", "sslmode=allow", /^tls/],
      ["plain_only", "", /^plain/],
      ["plain_only", "sslmode=require", /^refused/],
      // Root certificates are verified in every mode; where TLS is not required there may be none then.
      ["either", `sslmode=require&${stranger}`, /^refused/],
      ["either", `sslmode=verify-ca&${stranger}`, /^refused/],
      ["either", `sslmode=prefer&${stranger}`, /^plain/],
      // Without root certificates it is Node's authorities that count.
      ["either", "sslmode=verify-ca", /^refused/],
      ["either", "sslmode=verify-full", /^refused/],
      ["either", "sslrootcert=system", /^refused/],
      ["known_only", `sslmode=require`, /^refused/],
      ["known_only", `sslmode=verify-ca&${root}&${clientCertificate}`, /^tls/]
    ] as const
  ) {
    const text = options.replaceAll(`${directory}/`, "")
    it(`${database}?${text}: ${expected.source.slice(1)}`, async () => {
      assert.match(await outcome(urlOf(database, options)), expected)
    })
  }

  it("verify-full takes the name that the certificate is for, and no other", async () => {
    const options = `sslmode=verify-full&${root}`
    assert.match(await outcome(urlOf("either", options, "localhost")), /^tls/)
    assert.match(await outcome(urlOf("either", options)), /^refused/)
  })

  it("that is not trusted is told at once, with what to do", async () => {
    const layer = Postgres.layer({ url: urlOf("either", `sslmode=verify-ca&${stranger}`) })
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
    assert.strictEqual(error._tag === "PostgresError" && error.code, "DATABASE_REFUSED")
    assert.match(error.message, /database name and sslmode of its URL: .*(?:certificate|signature)/)
  })
})

describe("a server without TLS", () => {
  for (
    const [options, expected] of [
      ["", /^plain,plain$/],
      ["sslmode=prefer", /^plain,plain$/],
      ["sslmode=require", /^refused/],
      [`sslmode=verify-full&${root}`, /^refused/]
    ] as const
  ) {
    it(`?${options.replaceAll(`${directory}/`, "")}: ${expected.source.slice(1)}`, async () => {
      assert.match(await outcome(`${inject("postgresUrl")}?${options}`), expected)
    })
  }
})

describe("a commit whose wait for a standby is cancelled", () => {
  for (const mode of ["disable", "require"]) {
    it(`has an unknown outcome, with sslmode=${mode}`, async () => {
      const table = `unconfirmed_${mode}`
      const commit = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table ${sql(table)} ()`
        const inTransaction = sql.withTransaction(
          Effect.andThen(
            sql`set local synchronous_commit = on`,
            sql`insert into ${sql(table)} default values`
          )
        )
        const alone = sql`with waiting as materialized (select set_config('synchronous_commit', 'on', true))
          insert into ${sql(table)} select from waiting`
        const cancel = sql`select pg_cancel_backend(pid) from pg_stat_activity
          where wait_event = 'SyncRep' and datname = current_database()`
        for (const write of [inTransaction, alone]) {
          const writing = yield* Effect.forkChild(Effect.flip(refine(write)))
          yield* Effect.repeat(cancel, { until: (rows) => rows.length > 0 })
          const error = yield* Fiber.join(writing)
          assert.strictEqual(error._tag, "StorageUnavailable")
          assert.include(inspect(error.cause, { depth: 10 }), "The commit was not confirmed by a standby")
        }
        // They are there, as far as this server knows: it says so before others can see what was committed.
        yield* Effect.repeat(sql`select from ${sql(table)}`, { until: (rows) => rows.length === 2 })
      })
      await Effect.runPromise(Effect.provide(
        commit,
        Database.layer({
          ...Database.defaultDatabaseConfig,
          url: Redacted.make(`${url.href}?sslmode=${mode}`)
        })
      ))
    })
  }
})

describe("a statement that is interrupted", () => {
  it.each(["disable", "require"])("is cancelled in PostgreSQL, with sslmode=%s", async (mode) => {
    const interrupt = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sleeping = sql`select from pg_stat_activity
        where state = 'active' and query like 'select pg_sleep%' and datname = current_database()`
      const sleep = yield* Effect.forkChild(sql.withTransaction(sql`select pg_sleep(600)`))
      yield* Effect.repeat(sleeping, { until: (rows) => rows.length === 1 })
      yield* Fiber.interrupt(sleep)
      assert.lengthOf(yield* sleeping, 0)
    })
    await Effect.runPromise(Effect.provide(
      interrupt,
      Database.layer({
        ...Database.defaultDatabaseConfig,
        url: Redacted.make(`${url.href}?sslmode=${mode}`)
      })
    ))
  })
})
