/**
 * A primary with a synchronous standby, as somebody runs them who has the primary replaced when it is lost: each
 * instance knows both addresses, of which one leads to the primary at a time.
 *
 * Guarantee: a standby is promoted only when it had confirmed every commit that the primary acknowledged.
 */
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import { until } from "../Until.ts"
import { Disk } from "./Disk.ts"
import { PostgresServer, standbyName } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"

/** How a primary is lost: its processes are killed, or frozen, or nothing comes through to it. */
export const losses = ["kill", "hang", "isolation"] as const

export type Loss = (typeof losses)[number]

/** How long a standby may take to confirm commits, in milliseconds. */
const joiningMillis = 20_000

/** One of the two addresses, and the server that it leads to. */
interface Node {
  readonly ways: Readonly<Record<Side, Proxy>>
  /** The way of its standby. */
  readonly replication: Proxy
  server: PostgresServer
}

const waysOf = async (server: PostgresServer, opened: AsyncDisposableStack): Promise<Proxy> =>
  opened.adopt(await Proxy.open(server.postgres.port), (proxy) => proxy.close())

/** A primary with its standby. */
export class Pair {
  readonly #folder: string
  readonly #opened: AsyncDisposableStack
  #primary: Node
  #standby: Node
  #copies = 0

  private constructor(folder: string, opened: AsyncDisposableStack, primary: Node, standby: Node) {
    this.#folder = folder
    this.#opened = opened
    this.#primary = primary
    this.#standby = standby
  }

  /** Makes a standby of a server, to which the ways lead. */
  static async open(
    server: PostgresServer,
    ways: Readonly<Record<Side, Proxy>>,
    folder: string,
    opened: AsyncDisposableStack
  ): Promise<Pair> {
    const primary = { ways, replication: await waysOf(server, opened), server }
    const [a, b, replication] = await Promise.all([1, 2, 3].map(() => waysOf(server, opened))) as [
      Proxy,
      Proxy,
      Proxy
    ]
    const pair = new Pair(folder, opened, primary, { ways: { a, b }, replication, server })
    await pair.join()
    return pair
  }

  /** The primary. */
  get server(): PostgresServer {
    return this.#primary.server
  }

  /** The ports of both, as an instance reaches them. */
  portsFor(side: Side): ReadonlyArray<number> {
    return [this.#primary, this.#standby].map(({ ways }) => ways[side].port)
  }

  /** Has the primary be lost. */
  async lose(how: Loss): Promise<void> {
    const { replication, server, ways } = this.#primary
    const all = [replication, ...sides.map((side) => ways[side])]
    if (how === "hang") return server.hang()
    for (const proxy of all) proxy.set({ kind: how === "kill" ? "closed" : "silent" })
    if (how === "kill") await server.kill()
  }

  /** Has the standby take the place of the primary. */
  async promote(): Promise<void> {
    this.#primary.replication.set({ kind: "closed" })
    await this.#standby.server.command("select pg_promote(true, 30)")
    const lost = this.#primary
    this.#primary = this.#standby
    this.#standby = lost
  }

  /** Ends the former primary for good, however it was lost. */
  async fence(): Promise<void> {
    const { replication, server, ways } = this.#standby
    for (const proxy of [replication, ...sides.map((side) => ways[side])]) proxy.set({ kind: "closed" })
    await server.kill()
    server.disk.remove()
  }

  /** Brings a standby back at the other address, on a copy of the primary, and lets no commit be acknowledged without it. */
  async join(): Promise<void> {
    const { replication, server } = this.#primary
    replication.lead(server.postgres.port)
    replication.set({ kind: "open" })
    const name = `standby-${++this.#copies}`
    const disk = this.#opened.adopt(Disk.make(join(this.#folder, name)), (disk) => disk.remove())
    await server.copyToStandby(disk, replication.port)
    const standby = this.#opened.adopt(
      await PostgresServer.openCopied(disk, join(this.#folder, `${name}.log`)),
      (server) => server.close()
    )
    this.#standby.server = standby
    for (const side of sides) {
      this.#standby.ways[side].lead(standby.postgres.port)
      this.#standby.ways[side].set({ kind: "open" })
    }
    await server.command(`alter system set synchronous_standby_names = '${standbyName}'`)
    await server.command("select pg_reload_conf()")
    const joined = "select from pg_stat_replication where sync_state = 'sync'"
    if (await until(async () => (await server.command(joined)).length > 0, joiningMillis)) return
    throw new Error("the standby confirmed nothing")
  }
}
