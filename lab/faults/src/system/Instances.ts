/**
 * Two instances under faults: PostgreSQL on a separate disk, a proxy for each instance, and the instances. All of it belongs to one run,
 * and nothing is left when the run ends.
 */
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import type { Scene } from "../run/Play.ts"
import { Disk } from "./Disk.ts"
import { openPair } from "./Pair.ts"
import { PostgresServer } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"
import { startInstances } from "./Served.ts"

/** The instances with their database and proxies. */
export type Instances = Awaited<ReturnType<typeof openInstances>>

/** Starts them, on a database with or without a synchronous standby; they may take a moment to be ready. */
export const openInstances = async (
  scene: Scene,
  hasStandby: boolean,
  settings: Readonly<Record<string, string>>
) => {
  const { opened, options: { folder, template } } = scene
  let server = await PostgresServer.open(
    Disk.make(join(folder, "disk"), opened),
    join(folder, "postgres.log"),
    opened,
    template
  )
  const { port } = server.postgres
  const proxies = { a: await Proxy.open(port, opened), b: await Proxy.open(port, opened) }
  const pair = hasStandby ? await openPair(server, proxies, folder, opened) : undefined
  const urlFor = (side: Side): string => {
    const hosts = (pair?.portsFor(side) ?? [proxies[side].port]).map((port) => `127.0.0.1:${port}`).join(",")
    return server.url.replace(/@[^/]+/, `@${hosts}`)
      + (pair === undefined ? "" : "?target_session_attrs=read-write")
  }
  let copy: Disk | undefined
  return {
    ...await startInstances(scene, urlFor, settings),
    proxies,
    /** The database, and its standby if it has one. */
    pair,
    /** The PostgreSQL that is in use. */
    get server(): PostgresServer {
      return pair?.server ?? server
    },
    get databaseUrl(): string {
      return this.server.url
    },
    /** Copies the data at one moment: the state of an asynchronous standby that loses its connection at that moment. */
    copy: async () => {
      copy = Disk.make(join(folder, "standby"), opened)
      await server.copyTo(copy)
    },
    /** Breaks all connections to the database, and refuses new ones. */
    cutOff: () => {
      for (const side of sides) proxies[side].set({ kind: "closed" })
    },
    /** Replaces the PostgreSQL in use by one on the copy, for both instances. */
    promote: async () => {
      if (copy === undefined) throw new Error("no copy was made")
      await server.close()
      server = await PostgresServer.open(copy, join(folder, "standby.log"), opened)
      for (const side of sides) proxies[side].lead(server.postgres.port)
    }
  }
}
