/**
 * PostgreSQL as one layer: the façade on it, by URL and embedded, and what it says of databases that cannot be used.
 */
import * as Dockline from "@dockline/core/embed/Dockline"
import { Effect, Exit, Redacted, Result, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as RefusingDatabase from "../../../../test/support/database/RefusingDatabase.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import * as Database from "../../src/connections/Database.ts"
import * as PostgresUrl from "../../src/connections/PostgresUrl.ts"
import { EmbeddedPostgresError } from "../../src/embedded/EmbeddedPostgres.ts"
import * as Postgres from "../../src/Postgres.ts"
import * as Migrations from "../../src/schema/Migrations.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** An empty database of its own. */
const createDatabase = async (): Promise<string> =>
  Redacted.value((await Effect.runPromise(Scope.provide(TestDatabase.create, scope))).url)

let url: string
beforeAll(async () => {
  url = await createDatabase()
})

const client = {
  clientId: "wms",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
} as const

const acme = { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East", docks: ["D1"] }] }

const order = (orderNumber: string): Dockline.DocumentJson => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber,
  dockSlug: "D1",
  items: [{ lpn: `P-${orderNumber}`, sku: "S1", quantity: 1, quantityUnit: "CASE" }]
})

const value = <A>(answer: Dockline.Answer<A, { readonly message: string }>): A => {
  if (answer.ok) return answer.value
  throw new Error(`refused: ${answer.error.message}`)
}

/** Why Dockline does not open on a storage. */
const failure = async (options: Postgres.PostgresUrlOptions): Promise<Postgres.PostgresError> => {
  try {
    await using _ = await Dockline.open({ storage: Postgres.layer(options) })
  } catch (error) {
    assert.instanceOf(error, Dockline.DocklineNotOpened)
    assert.instanceOf(error.cause, Postgres.PostgresError)
    assert.include(error.message, error.cause.message)
    return error.cause
  }
  return assert.fail("was opened")
}

describe("Dockline on PostgreSQL", () => {
  it("keeps what it was told, for whoever opens it next", async () => {
    {
      await using dockline = await Dockline.open({ storage: Postgres.layer({ url }) })
      value(await dockline.ready())
      value(await dockline.places([acme]))
      value(await dockline.submit(order("KEPT"), client))
    }
    await using dockline = await Dockline.open({ storage: Postgres.layer({ url, migrate: false }) })
    const { items } = value(await dockline.shipments({ shipmentNumber: "KEPT" }, client))
    assert.deepStrictEqual(items.map(({ shipmentNumber }) => shipmentNumber), ["KEPT"])
  })

  it("is ready with a warning where commits do not wait for its disk", async () => {
    const warningsWith = async (synchronousCommit: string) => {
      const options = encodeURIComponent(`-c synchronous_commit=${synchronousCommit}`)
      await using dockline = await Dockline.open({
        storage: Postgres.layer({ url: `${url}?options=${options}` })
      })
      return value(await dockline.ready())
    }
    const [warning, ...others] = await warningsWith("off")
    assert.match(warning!, /may be lost when the database crashes; set synchronous_commit to on/)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(await warningsWith("on"), [])
  })
})

describe("a database that cannot be used", () => {
  it("is unreachable where nothing listens", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const error = await failure({ url: `postgres://user:hidden@127.0.0.1:${port}/x` })
    assert.strictEqual(error.code, "DATABASE_UNREACHABLE")
    assert.match(
      error.message,
      /check the host and port of its URL, .* that it runs and accepts connections: connect ECONNREFUSED/
    )
    assert.notInclude(error.message, "hidden")
  })

  it("keeps a plus in the options of its URL, as libpq does", () => {
    const address = Result.getOrThrow(PostgresUrl.parse("postgres://user@a/x?application_name=c%2B%2B+tools"))
    assert.strictEqual(address.applicationName, "c+++tools")
  })

  it("has a URL that cannot be used, which shows nothing of it, and says what to do", async () => {
    for (
      const [url, reason] of [
        ["", /it must begin with postgres:\/\//],
        ["localhost/x", /it must begin with postgres:\/\//],
        [
          "postgres://user:hid#den@localhost/x",
          /escape special characters in its user and password: %23 for #/
        ],
        ["postgres://localhost:70000/x", /its host or its port \(a number from 1 to 65535\) is not valid/],
        ["mysql://user:hid@localhost/x", /it must begin with postgres:\/\//],
        ["postgres://user:hid@a:1,b:port/x", /its host or its port/],
        ["postgres:///x?host=a,b,c&port=1,2&password=hid", /it names 3 hosts and 2 ports/],
        [
          "postgres://user:hid@a/x?target_session_attrs=standby",
          /target_session_attrs must be one of any, read-write, primary/
        ],
        ["postgres://user:hid@a,b/x?load_balance_hosts=random", /hosts are tried in their order/],
        [
          "postgres://user:hid@a/x?gssencmode=disable",
          /the option gssencmode is not supported: leave it out/
        ],
        [
          "postgres://user:hid@a/x?connect_timeout=soon",
          /connect_timeout must be whole seconds, from 1 to 99999/
        ],
        ["postgres://user:hid@a/x?port=0", /its port is not a number from 1 to 65535/],
        [
          "postgres://user:hid@a/x?sslmode=full",
          /sslmode must be one of disable, allow, prefer, require, verify-ca/
        ],
        ["postgres://user:hid@a/x?sslmode=require&sslrootcert=system", /needs sslmode=verify-full/],
        [
          "postgres://user:hid@a/x?sslrootcert=/not/there",
          /file of sslrootcert cannot be read: \/not\/there/
        ],
        ["postgres://user:hid@a/x?sslcert=system", /file of sslcert cannot be read: system/],
        ["postgres://user:hid@a/x?sslkey=system", /file of sslkey cannot be read: system/]
      ] as const
    ) {
      const error = await failure({ url })
      assert.strictEqual(error.code, "URL_INVALID", url)
      assert.match(error.message, /^The URL of the database cannot be used: Invalid URL; /)
      assert.match(error.message, reason)
      assert.notInclude(inspect(error, { depth: 10 }), "hid")
    }
  })

  it("is told from one that does not let us in, by what it says as we connect", async () => {
    for (
      const [state, code] of [
        ["57P03", "DATABASE_UNREACHABLE"],
        ["53300", "DATABASE_UNREACHABLE"],
        ["42501", "DATABASE_REFUSED"],
        ["3D000", "DATABASE_REFUSED"],
        ["28000", "DATABASE_REFUSED"],
        // What a pooler says of a parameter that it does not know.
        ["08P01", "DATABASE_REFUSED"]
      ] as const
    ) {
      await using database = await RefusingDatabase.listen(state)
      for (const migrate of [true, false]) {
        const error = await failure({ url: database.url, migrate })
        assert.strictEqual(error.code, code, state)
        assert.include(error.message, `refused with ${state}`)
      }
    }
  })

  it("is not opened with a number of connections that is none", () => {
    for (const connections of [0, -1, 1.5, NaN]) {
      assert.throws(
        () => Postgres.layer({ url, connections }),
        /^connections must be a whole number, 1 or more, not/
      )
    }
  })

  it("is outdated without the newest schema, where it is not to be migrated", async () => {
    const error = await failure({ url: await createDatabase(), migrate: false })
    assert.strictEqual(error.code, "SCHEMA_OUTDATED")
    assert.match(error.message, /migrate it first, or open it with migrate: true/)
  })

  it("is too new once a newer version has taken from its schema, whether it is to be migrated or not", async () => {
    const database = await createDatabase()
    const connection = Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(database) })
    const later = Effect.andThen(Migrations.migrate, TestDatabase.migrateBeyond(Migrations.newest + 1))
    await Effect.runPromise(Effect.provide(later, connection))
    for (const migrate of [true, false]) {
      const error = await failure({ url: database, migrate })
      assert.strictEqual(error.code, "SCHEMA_NEWER")
      assert.include(
        error.message,
        `it is number ${Migrations.newest + 1}, and this version knows ${Migrations.newest}`
      )
      assert.match(error.message, /start the newer version, or restore the backup/)
    }
  })

  it("is unsuitable in another encoding", async () => {
    const latin = `${new URL(url).pathname.slice(1)}_latin`
    await Effect.runPromise(
      TestDatabase.admin((sql) =>
        sql.unsafe(`create database ${latin} encoding 'LATIN1' locale 'C' template template0`)
      )
    )
    try {
      const error = await failure({ url: url.replace(/[^/]+$/, latin) })
      assert.strictEqual(error.code, "DATABASE_UNSUITABLE")
      assert.match(error.message, /must be encoded in UTF8, but it is encoded in LATIN1/)
    } finally {
      await Effect.runPromise(TestDatabase.admin((sql) => sql.unsafe(`drop database ${latin} with (force)`)))
    }
  })

  it("cannot be migrated by who may not write", async () => {
    const database = await createDatabase()
    const error = await failure({ url: `${database}?options=-c%20default_transaction_read_only%3Don` })
    assert.strictEqual(error.code, "MIGRATION_FAILED")
    assert.match(error.message, /migrate as the user that owns it/)
  })
})

describe("embedded", () => {
  it("runs as long as it is open, on a folder that only one has at a time", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dockline-embedded-"))
    try {
      {
        await using dockline = await Dockline.open({ storage: Postgres.layerEmbedded({ directory }) })
        value(await dockline.places([acme]))
        value(await dockline.submit(order("KEPT"), client))
        const error = await Dockline.open({ storage: Postgres.layerEmbedded({ directory }) })
          .then(() => undefined, (error: Dockline.DocklineNotOpened) => error)
        assert.instanceOf(error?.cause, EmbeddedPostgresError)
      }
      await using dockline = await Dockline.open({
        storage: Postgres.layerEmbedded({ directory, connections: 4 })
      })
      assert.strictEqual(value(await dockline.shipments({}, client)).items.length, 1)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
})
