/**
 * A primary with a synchronous standby, as somebody runs them who has the primary replaced when it is lost: each
 * instance knows both addresses, of which one leads to the primary at a time.
 *
 * Guarantee: a standby is promoted only when it had confirmed every commit that the primary acknowledged.
 */
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import type { EventOf } from "../history/History.ts"
import { Disk } from "./Disk.ts"
import { awaitStandby, PostgresServer } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"

/** How a primary is lost: its processes are killed, or frozen, or nothing comes through to it. */
export const losses: ReadonlyArray<EventOf<"failover">["how"]> = ["kill", "hang", "isolation"]

/** One of the two addresses, the way of its standby, and the server that all of them lead to. */
interface Node {
  readonly ways: Readonly<Record<Side, Proxy>>
  readonly replication: Proxy
  server: PostgresServer
}

const proxiesOf = ({ replication, ways }: Node): ReadonlyArray<Proxy> => [replication, ways.a, ways.b]

/** Makes a standby of a server, to which the ways lead. */
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
    /** Has the primary be lost. */
    lose: async (how: EventOf<"failover">["how"]): Promise<void> => {
      if (how === "hang") return primary.server.hang()
      for (const proxy of proxiesOf(primary)) proxy.set({ kind: how === "kill" ? "closed" : "silent" })
      if (how === "kill") await primary.server.kill()
    },
    /** Has the standby take the place of the primary. */
    promote: async (): Promise<void> => {
      primary.replication.set({ kind: "closed" })
      await standby.server.command("select pg_promote(true, 30)")
      ;[primary, standby] = [standby, primary]
    },
    /** Ends the former primary for good, however it was lost. */
    fence: async (): Promise<void> => {
      for (const proxy of proxiesOf(standby)) proxy.set({ kind: "closed" })
      await standby.server.kill()
      standby.server.disk.remove()
    },
    /** Brings a standby back at the other address, on a copy of the primary, and lets no commit be acknowledged without it. */
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
