/** The server as a new user starts it: by `npx`, in an empty folder, without settings. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { freePort } from "../support/ProgramSettings.ts"
import { environment, run } from "./Commands.ts"
import { withOurs } from "./Workspace.ts"

let folder: string

/** The command that `npx @dockline/server` runs if the registry has the packages. */
const npx = (): ReadonlyArray<string> => {
  const ours = withOurs("@dockline/server")
  const tarballs = inject("tarballs").filter(({ name }) => ours.includes(name))
  return ["--yes", ...tarballs.map(({ path }) => `--package=${path}`), "--", "dockline-server"]
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-npx-"))
  // PostgreSQL refuses root, so another user runs it here.
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("says its settings, and makes nothing", async () => {
  expect(await run("npx", [...npx(), "--help"], { cwd: folder })).toContain("\n  DATABASE_URL  (")
  expect(readdirSync(folder)).toEqual([])
})

it("serves on a database of its own in that folder, and leaves nothing running at Ctrl-C", async () => {
  const port = await freePort()
  const child = spawn("npx", npx(), {
    cwd: folder,
    // Vitest sets a BASE_URL.
    env: environment({ PORT: String(port), BASE_URL: undefined }),
    // A process group of its own, which gets Ctrl-C.
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  try {
    const said = once(createInterface({ input: child.stdout }), "line")
    const [first] = await Promise.race([said, ended.then(([code]) => [`"it ended with ${code}"`])])
    expect(JSON.parse(String(first))).toMatchObject({
      message: `Dockline serves http://localhost:${port}`,
      database: "embedded PostgreSQL in ./data",
      demo: true
    })
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    expect(readdirSync(folder)).toEqual(["data"])
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGINT")
    await ended
    child.stdout.destroy()
  }
  await expect.poll(() => existsSync(join(folder, "data/postgres/postmaster.pid")), { timeout: 10_000 }).toBe(
    false
  )
  await expect(fetch(`http://localhost:${port}/readyz`)).rejects.toThrow("fetch failed")
})
