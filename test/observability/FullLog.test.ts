/** A server whose log cannot be written: the disk is full, or the reader of the log is gone. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import type { StdioOptions } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Programs from "../../programs/Programs.mjs"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/ProgramSettings.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

/** Starts a server that logs every request, and passes it to `use` once it answers. */
const serving = async (
  stdio: StdioOptions,
  use: (server: { readonly baseUrl: string; readonly closeLog: () => void }) => Promise<void>
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-log-"))
  const port = String(await freePort())
  const program = await Programs.bundled("packages/server/src/main.ts")
  const child = spawn(ServerProcess.node, [program], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: port,
      DATA_DIR: folder,
      DEMO: "true",
      LOG_LEVEL: "Debug",
      LOG_FORMAT: "json"
    },
    stdio
  })
  child.stdout?.resume()
  child.stderr?.resume()
  const ended = once(child, "exit")
  const baseUrl = `http://localhost:${port}`
  const closeLog = (): void => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  try {
    await eventually("the server answers", async () => {
      assert.strictEqual(child.exitCode, null)
      return await fetch(`${baseUrl}/readyz`).then(({ ok }) => ok, () => false)
    })
    await use({ baseUrl, closeLog })
    assert.strictEqual(child.exitCode, null)
  } finally {
    child.kill("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null])
    rmSync(folder, { recursive: true, force: true })
  }
}

const lostOf = async (baseUrl: string): Promise<number> => {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  return Number(/^dockline_log_lost_entries_total (\d+)$/m.exec(metrics)?.[1])
}

const requests = async (baseUrl: string): Promise<void> => {
  for (let at = 0; at < 20; at++) {
    const { status } = await fetch(`${baseUrl}/v1/shipments`)
    assert.strictEqual(status, 401)
  }
}

describe("a server whose log cannot be written", () => {
  // @threat load.21
  it("serves and stops where the disk is full, and counts what is lost", async () => {
    const full = openSync("/dev/full", "w")
    try {
      await serving(["ignore", full, full], async ({ baseUrl }) => {
        const before = await lostOf(baseUrl)
        assert.isAtLeast(before, 1)
        await requests(baseUrl)
        assert.isAtLeast(await lostOf(baseUrl), before + 20)
      })
    } finally {
      closeSync(full)
    }
  })

  it("serves and stops where its reader is gone, and counts what is lost", async () => {
    await serving(["ignore", "pipe", "pipe"], async ({ baseUrl, closeLog }) => {
      await requests(baseUrl)
      assert.strictEqual(await lostOf(baseUrl), 0)
      closeLog()
      await requests(baseUrl)
      assert.isAtLeast(await lostOf(baseUrl), 10)
    })
  })
})
