/**
 * The way to a database that goes wrong, before a real PostgreSQL: what the client saw, and what is there.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Queue, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, inject, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { Proxy } from "../../src/system/Proxy.ts"

const table = `faults_${randomBytes(6).toString("hex")}`
const direct = new URL(inject("postgresUrl"))

/** A client with one connection. */
class Client {
  readonly socket: Socket
  readonly #connection: PgConnection.PgConnection
  readonly #scope: Scope.Closeable

  private constructor(connection: PgConnection.PgConnection, socket: Socket, scope: Scope.Closeable) {
    this.#connection = connection
    this.socket = socket
    this.#scope = scope
  }

  static async open(port: string | number): Promise<Client> {
    const scope = Scope.makeUnsafe()
    const socket = connect(Number(port), direct.hostname)
    const making = PgConnection.make({
      url: Redacted.make(direct.href),
      stream: () => socket,
      connectTimeout: 5000
    })
    const connection = await Effect.runPromise(Scope.provide(making, scope))
    return new Client(connection, socket, scope)
  }

  get pid(): number {
    return this.#connection.processId
  }

  query(text: string, parameters: ReadonlyArray<unknown> = []): Promise<PgConnection.Result> {
    return Effect.runPromise(this.#connection.query(text, parameters))
  }

  /** What is told of a channel next, once it listens. */
  async listen(channel: string): Promise<{ readonly next: Promise<PgConnection.Notification> }> {
    const queue = await Effect.runPromise(Scope.provide(this.#connection.listen(channel), this.#scope))
    return { next: Effect.runPromise(Queue.take(queue)) }
  }

  end(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}

let straight: Client
let proxy: Proxy
const clients: Array<Client> = []

/** A client by way of the proxy. */
const open = async (): Promise<Client> => {
  const client = await Client.open(proxy.port)
  clients.push(client)
  return client
}

/** What becomes of a promise. */
const outcome = (promise: Promise<unknown>): Promise<"done" | "broken"> =>
  promise.then(() => "done" as const, () => "broken" as const)

/** How often a row is there. */
const rows = async (name: string): Promise<unknown> => {
  const { rows } = await straight.query(`select count(*)::int as count from ${table} where name = $1`, [name])
  return rows[0]!["count"]
}

/** Whether the server has the connection. */
const isConnected = async (pid: number): Promise<boolean> => {
  const { rows } = await straight.query("select from pg_stat_activity where pid = $1", [pid])
  return rows.length === 1
}

/** Whether nothing comes within a moment. */
const isSilent = async (promise: Promise<unknown>): Promise<boolean> => {
  const moment = new Promise((resolve) => setTimeout(() => resolve("silence"), 200))
  return await Promise.race([promise.then(() => "answer"), moment]) === "silence"
}

beforeAll(async () => {
  straight = await Client.open(direct.port)
  await straight.query(`create table ${table} (name text not null)`)
})

afterAll(async () => {
  await straight.query(`drop table ${table}`)
  await straight.end()
})

beforeEach(async () => {
  proxy = await Proxy.open(Number(direct.port))
})

afterEach(async () => {
  await proxy.close()
  for (const client of clients.splice(0)) await client.end()
})

const insert = (client: Client, name: string) => client.query(`insert into ${table} values ($1)`, [name])

describe("an open way", () => {
  it("passes everything as it is, in both directions, whatever its size", async () => {
    const client = await open()
    const text = randomBytes(3_000_000).toString("hex")
    const { rows } = await client.query("select $1::text as text", [text])
    assert.strictEqual(rows[0]!["text"], text)
  })

  it("ends a connection on one side when the other one ends it", async () => {
    const client = await open()
    const { pid } = client
    await client.end()
    await eventually("the end of the connection", async () => !await isConnected(pid))
  })
})

/** What a server says that has nothing to do. */
const readyForQuery = Buffer.from("Z\0\0\0\x05I", "latin1")

describe("a way that leads elsewhere", () => {
  it("does so for connections to come, and leaves those that are there", async () => {
    const nowhere = createServer((socket) => void socket.end(readyForQuery))
    nowhere.listen(0, "127.0.0.1")
    await once(nowhere, "listening")
    const client = await open()
    proxy.lead((nowhere.address() as AddressInfo).port)
    assert.strictEqual(await outcome(insert(client, "as before")), "done")
    const socket = connect(proxy.port)
    const [said] = await once(socket, "data") as [Buffer]
    assert.deepStrictEqual(said, readyForQuery)
    socket.destroy()
    nowhere.close()
  })
})

describe("a way that loses commits", () => {
  it("cuts in place of the answer to COMMIT, when the row is there", async () => {
    const client = await open()
    await client.query("begin")
    await insert(client, "committed")
    assert.strictEqual(await rows("committed"), 0)
    proxy.set({ kind: "losesCommits" })
    assert.strictEqual(await outcome(client.query("commit")), "broken")
    assert.strictEqual(await rows("committed"), 1)
    assert.strictEqual(proxy.lost, 1)
  })

  it("passes all other answers, a rollback among them", async () => {
    const client = await open()
    proxy.set({ kind: "losesCommits" })
    await insert(client, "by itself")
    await client.query("begin")
    await insert(client, "taken back")
    await client.query("rollback")
    assert.deepStrictEqual([await rows("by itself"), await rows("taken back")], [1, 0])
    await client.query("begin")
    await client.query("select 1 / 0").catch(() => {})
    const { command } = await client.query("commit")
    assert.strictEqual(command, "ROLLBACK", "nothing was committed")
    assert.strictEqual(proxy.lost, 0)
  })

  it("lets new connections be made, and passes what waits when it is over", async () => {
    proxy.set({ kind: "losesCommits" })
    const client = await open()
    await client.query("begin")
    proxy.set({ kind: "open" })
    assert.strictEqual((await client.query("commit")).command, "COMMIT")
  })
})

describe("a way that loses answers", () => {
  it("cuts in place of the answer to a statement by itself, when it is done", async () => {
    const client = await open()
    proxy.set({ kind: "losesAnswers" })
    assert.strictEqual(await outcome(insert(client, "answerless")), "broken")
    assert.strictEqual(await rows("answerless"), 1)
  })

  it("passes answers within a transaction", async () => {
    const client = await open()
    await client.query("begin")
    proxy.set({ kind: "losesAnswers" })
    await insert(client, "within")
    assert.strictEqual(await outcome(client.query("commit")), "broken")
    assert.strictEqual(await rows("within"), 1)
  })

  it("passes what comes unasked", async () => {
    const client = await open()
    const { next } = await client.listen(table)
    proxy.set({ kind: "losesAnswers" })
    await straight.query(`notify ${table}, 'news'`)
    assert.strictEqual((await next).payload, "news")
  })
})

describe("a silent way", () => {
  it("passes nothing to the server, and all of it when it is over", async () => {
    const client = await open()
    proxy.set({ kind: "silent" })
    const inserted = insert(client, "late")
    assert.isTrue(await isSilent(inserted))
    assert.strictEqual(await rows("late"), 0)
    proxy.set({ kind: "open" })
    await inserted
    assert.strictEqual(await rows("late"), 1)
  })

  it("leaves the server with the connection, and its locks, of a client that is gone", async () => {
    const client = await open()
    const { pid } = client
    proxy.set({ kind: "silent" })
    client.socket.destroy()
    await once(client.socket, "close")
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.isTrue(await isConnected(pid))
    proxy.set({ kind: "open" })
    await eventually("the end of the connection", async () => !await isConnected(pid))
  })

  it("takes new connections, and tells them nothing", async () => {
    proxy.set({ kind: "silent" })
    const connecting = open()
    assert.isTrue(await isSilent(connecting))
    proxy.set({ kind: "open" })
    await (await connecting).query("select 1")
  })
})

describe("a mute way", () => {
  it("passes what is asked, and its answer only when it is over", async () => {
    const client = await open()
    proxy.set({ kind: "mute" })
    const inserted = insert(client, "unheard")
    await eventually("the row", async () => await rows("unheard") === 1)
    assert.isTrue(await isSilent(inserted))
    proxy.set({ kind: "open" })
    await inserted
  })
})

describe("a slow way", () => {
  it("delays both directions, and keeps the order even when it becomes fast", async () => {
    const client = await open()
    proxy.set({ kind: "slow", millis: 100 })
    const begun = performance.now()
    await client.query("select 1")
    assert.isAtLeast(performance.now() - begun, 200)
    const both = [client.query("select 'first' as text"), client.query("select 'second' as text")]
    proxy.set({ kind: "open" })
    const texts = (await Promise.all(both)).map(({ rows }) => rows[0]!["text"])
    assert.deepStrictEqual(texts, ["first", "second"])
  })
})

describe("a way that is cut or closed", () => {
  it("breaks connections on both sides at once, and takes new ones when it is only cut", async () => {
    const client = await open()
    const { pid } = client
    const asked = outcome(client.query("select pg_sleep(10)"))
    proxy.cut()
    assert.strictEqual(await asked, "broken")
    await straight.query("select pg_cancel_backend($1)", [pid])
    await eventually("the end of the connection", async () => !await isConnected(pid))
    await (await open()).query("select 1")
  })

  it("takes no connections while it is closed", async () => {
    const client = await open()
    proxy.set({ kind: "closed" })
    assert.strictEqual(await outcome(client.query("select 1")), "broken")
    assert.strictEqual(await outcome(open()), "broken")
    proxy.set({ kind: "open" })
    await (await open()).query("select 1")
  })

  it("is free of its port when it has ended", async () => {
    const { port } = proxy
    const socket: Socket = connect(port, "127.0.0.1")
    await once(socket, "connect")
    const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve))
    await proxy.close()
    await closed
    const again = connect(port, "127.0.0.1")
    const [cause] = await once(again, "error") as [NodeJS.ErrnoException]
    assert.strictEqual(cause.code, "ECONNREFUSED")
    proxy = await Proxy.open(Number(direct.port))
  })
})
