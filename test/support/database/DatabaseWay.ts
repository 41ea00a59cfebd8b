/**
 * A connection to a database that tests can cut: a proxy between a server and PostgreSQL.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { Context, Effect, Layer, Redacted } from "effect"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import * as TestDatabase from "../TestDatabase.ts"

/** The proxy to the database. */
export class DatabaseWay extends Context.Service<DatabaseWay, {
  readonly url: URL
  /** Breaks all connections and accepts no new ones. */
  readonly cut: Effect.Effect<void>
  /** Accepts connections again. */
  readonly restore: Effect.Effect<void>
}>()("test/DatabaseWay") {}

const listen = (server: Server, port: number) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Opens a proxy to the server of the URL, cut with the scope; statements that `drops` selects do not arrive. */
export const make = Effect.fnUntraced(function*(target: URL, drops: (sent: Buffer) => boolean = () => false) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    far.pipe(near)
    near.on("data", (chunk: Buffer) => void (drops(chunk) || far.write(chunk))).on("end", () => far.end())
  })
  const port = yield* listen(server, 0)
  const cut = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    sockets.forEach((socket) => socket.resetAndDestroy())
  })
  yield* Effect.addFinalizer(() => Effect.suspend(() => server.listening ? cut : Effect.void))
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String(port)
  return DatabaseWay.of({ url, cut, restore: Effect.asVoid(Effect.suspend(() => listen(server, port))) })
})

/** Connections to a migrated database of its own, through a proxy that tests can cut. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* TestDatabase.createMigrated
  const way = yield* make(new URL(Redacted.value(url)))
  return Migrations.layer.pipe(
    Layer.provideMerge(
      Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(way.url.href) })
    ),
    Layer.provideMerge(Layer.succeed(DatabaseWay, way))
  )
}))

/** Runs an effect while the database is away. */
export const whileAway = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  DatabaseWay.use(({ cut, restore }) => Effect.acquireUseRelease(cut, () => effect, () => restore))
