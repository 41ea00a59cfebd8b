/**
 * PgBouncer in front of a database. If it is missing, a message says so, and its tests are skipped.
 */
import * as Planner from "@dockline/sql-storage/connections/Planner"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "../Eventually.ts"
import { freePort } from "../ProgramSettings.ts"

/** Whether there is a PgBouncer. */
export const isThere: boolean = (() => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    console.warn("Tests of poolers are skipped: install PgBouncer (apt-get install pgbouncer).")
    return false
  }
})()

/** Our start-up parameters that PgBouncer does not pass on. */
export const ignoredParameters = [
  "default_transaction_isolation",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  ...Object.keys(Planner.settings)
].join()

/** A running PgBouncer. */
export interface PgBouncer {
  /** The URL of the database through it. */
  readonly url: string
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a PgBouncer in front of the database, by default with 12 connections. */
export const start = async (direct: URL, options: Readonly<Record<string, string>>): Promise<PgBouncer> => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-pgbouncer-"))
  const port = await freePort()
  const { hostname, password, pathname, port: target, username } = direct
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      `* = host=${hostname} port=${target} user=${username} password=${password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      ...Object.entries({ default_pool_size: "12", ...options }).map(([name, value]) => `${name} = ${value}`)
    ].join("\n")
  )
  chmodSync(folder, 0o755)
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  const child = spawn("pgbouncer", [...asUser, join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text
  })
  await eventually("PgBouncer listens", () => log.includes("process up"))
  return {
    url: `postgres://anybody@127.0.0.1:${port}${pathname}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await once(child, "exit")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
