/**
 * A primary with a synchronous standby that replaces it when it is lost: each instance knows both addresses, one of which leads to the
 * primary at a time.
 *
 * Guarantee: a standby is promoted only if it had confirmed every commit that the primary acknowledged.
 */
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import type { EventOf } from "../history/History.ts"
import { Disk } from "./Disk.ts"
import { awaitStandby, PostgresServer } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"

/** How a primary is lost: its processes are killed or frozen, or the network to it drops everything. */
export const losses: ReadonlyArray<EventOf<"failover">["how"]> = ["kill", "hang", "isolation"]

/** One of the two addresses: its proxies for the instances and for the standby, and the server behind them. */
interface Node {
  readonly ways: Readonly<Record<Side, Proxy>>
  readonly replication: Proxy
  server: PostgresServer
}

const proxiesOf = ({ replication, ways }: Node): ReadonlyArray<Proxy> => [replication, ways.a, ways.b]

/** Creates a standby of a server, and points the proxies at it. */
export const openPair = async (
  server: PostgresServer,
  ways: Node["ways"],
  folder: string,
  opened: AsyncDisposableStack
) => {
  const way = () => Proxy.open(server.postgres.port, opened)
  let primary: Node = { ways, replication: await way(), server }
  let standby: Node = { ways: { a: await way(), b: await way() }, replication: await way(), server }
  let copies = 0
  const pair = {
    get server(): PostgresServer {
      return primary.server
    },
    /** The ports of both, as an instance reaches them. */
    portsFor: (side: Side): ReadonlyArray<number> => [primary, standby].map(({ ways }) => ways[side].port),
    /** Loses the primary. */
    lose: async (how: EventOf<"failover">["how"]): Promise<void> => {
      if (how === "hang") return primary.server.hang()
      for (const proxy of proxiesOf(primary)) proxy.set({ kind: how === "kill" ? "closed" : "silent" })
      if (how === "kill") await primary.server.kill()
    },
    /** Promotes the standby. */
    promote: async (): Promise<void> => {
      primary.replication.set({ kind: "closed" })
      await standby.server.command("select pg_promote(true, 30)")
      ;[primary, standby] = [standby, primary]
    },
    /** Ends the former primary permanently, however it was lost. */
    fence: async (): Promise<void> => {
      for (const proxy of proxiesOf(standby)) proxy.set({ kind: "closed" })
      await standby.server.kill()
      standby.server.disk.remove()
    },
    /** Starts a standby at the other address, on a copy of the primary; from then on no commit is acknowledged without it. */
    join: async (): Promise<void> => {
      const { replication, server } = primary
      replication.lead(server.postgres.port)
      const name = `standby-${++copies}`
      const disk = Disk.make(join(folder, name), opened)
      await server.copyToStandby(disk, replication.port)
      standby.server = await PostgresServer.open(disk, join(folder, `${name}.log`), opened)
      for (const side of sides) standby.ways[side].lead(standby.server.postgres.port)
      await awaitStandby((statement) => server.command(statement))
    }
  }
  await pair.join()
  return pair
}
