/** The program as a shell sees it: signals, closed pipes, exit codes, completions. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Child from "./Child.ts"
import * as FakeService from "./FakeService.ts"
import { acme, env } from "./Showing.ts"

/** Pages without end, each larger than what a pipe holds. */
const endless: FakeService.Handler = (request, response) => {
  const items = Array.from(
    { length: 100 },
    (_, index) => ({ slug: `b${index}`, name: "n".repeat(2000) })
  )
  FakeService.json({ items, next: "more" })(request, response)
}

describe("dockline", () => {
  it("ends with 130 at Ctrl-C, while it waits for an answer", async () => {
    let arrived = () => {}
    const waiting = new Promise<void>((resolve) => (arrived = resolve))
    await using service = await FakeService.serve(() => arrived())
    const child = Child.start(["business", "list"], env(service.url))
    await waiting
    child.kill("SIGINT")
    assert.deepStrictEqual(await child.ended, { code: 130, data: "", errors: "" })
  })

  it("ends quietly with 0 when whoever reads it has enough", async () => {
    await using service = await FakeService.serve(endless)
    const child = Child.start(["business", "list", "--json"], env(service.url), { leavesAfter: 1 })
    const { code, errors } = await child.ended
    assert.deepStrictEqual([code, errors], [0, ""])
  })

  it.runIf(process.platform === "linux")("says that the disk is full, and ends with 1", async () => {
    await using service = await FakeService.serve(endless)
    const child = Child.start(["business", "list"], env(service.url), {
      stdout: openSync("/dev/full", "w")
    })
    const { code, errors } = await child.ended
    assert.strictEqual(code, 1)
    assert.match(errors, /^dockline: Cannot write to standard output: ENOSPC/)
  })

  it("does not wait for standard input that nothing asks for", async () => {
    await using service = await FakeService.serve(FakeService.json(acme))
    const child = Child.start(["--json", "business", "show", "acme"], env(service.url), {
      stdin: "left open"
    })
    assert.deepStrictEqual(await child.ended, {
      code: 0,
      data: `${JSON.stringify(acme, undefined, 2)}\n`,
      errors: ""
    })
  })

  it("asks nothing without a terminal, and says what to give instead", async () => {
    const child = Child.start(["business", "list"], { DOCKLINE_CLIENT_ID: "operator" })
    const { code, data, errors } = await child.ended
    assert.deepStrictEqual([code, data], [2, ""])
    assert.match(errors, /^dockline: Secret of client operator is missing.* Set DOCKLINE_CLIENT_SECRET\n$/)
  })

  it("prints completions that know the commands and their flags", async () => {
    const { code, data, errors } = await Child.start(["--completions", "bash"], {}).ended
    assert.deepStrictEqual([code, errors], [0, ""])
    for (const word of ["rotate-secret", "field-map", "--password-env"]) assert.include(data, word)
  })

  it("runs by npm run from the root of the repository, with the version of its package", async () => {
    const child = spawn("npm", ["run", "--silent", "dockline", "--", "--version"], {
      cwd: new URL("../../..", import.meta.url),
      env: { ...process.env, XDG_CACHE_HOME: Child.home.XDG_CACHE_HOME },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let data = ""
    child.stdout.on("data", (chunk: Buffer) => (data += chunk.toString()))
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0)
    assert.match(data, /^dockline \d+\.\d+\.\d+\n$/)
  })
})
