/** The disk of a run: how full it is, and that nothing of it stays. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Disk, launch } from "../../src/system/Disk.ts"

const { env, prefix } = launch()

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-disk-"))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program that may mount, with `disk` in it, and gives what it prints, as JSON. */
const run = (body: string): unknown => {
  const url = new URL("../../src/system/Disk.ts", import.meta.url).href
  const program = `
    import { readdirSync, writeFileSync, existsSync } from "node:fs"
    import { Disk } from ${JSON.stringify(url)}
    const disk = Disk.make(${JSON.stringify(join(folder, "disk"))})
    const write = (name) => {
      try {
        writeFileSync(disk.folder + "/" + name, "x".repeat(8192))
        return "written"
      } catch (cause) {
        return cause.code
      }
    }
    console.log(JSON.stringify(await (async () => { ${body} })()))
    disk.remove()`
  const [command, ...rest] = [...prefix, process.execPath, "--input-type=module", "--eval", program]
  const output = execFileSync(command!, rest, {
    encoding: "utf8",
    cwd: fileURLToPath(new URL("../../../../", import.meta.url)),
    env: { ...process.env, ...env },
    timeout: 60_000
  })
  return JSON.parse(output)
}

describe("the disk of a run", () => {
  it.skipIf(prefix.length === 0)("has no room for anything while it is filled, and has it afterwards", () => {
    const said = run(`
      const before = write("before")
      disk.fill()
      const during = write("during")
      disk.empty()
      disk.empty()
      return [disk.isLimited, before, during, write("after"), existsSync(disk.folder + "/ballast")]`)
    assert.deepStrictEqual(said, [true, "written", "ENOSPC", "written", false])
  })

  it.skipIf(prefix.length === 0)("takes what becomes free while it is filled", () => {
    const said = run(`
      write("before")
      disk.fill()
      writeFileSync(disk.folder + "/before", "")
      await new Promise((resolve) => setTimeout(resolve, 200))
      return write("during")`)
    assert.strictEqual(said, "ENOSPC")
  })

  it.skipIf(prefix.length === 0)("is seen by nobody else, and is gone with its process", () => {
    const path = join(folder, "disk")
    assert.throws(() =>
      run(
        `console.log(write("secret")); process.kill(process.pid, "SIGKILL"); return await new Promise(() => {})`
      )
    )
    assert.deepStrictEqual(readdirSync(path), [])
    assert.notInclude(readFileSync("/proc/mounts", "utf8"), path)
  })

  it("is a folder that cannot be filled where nothing may be mounted", () => {
    const disk = Disk.make(join(folder, "plain"))
    assert.isFalse(disk.isLimited)
    disk.fill()
    assert.isFalse(existsSync(join(disk.folder, "ballast")))
    disk.remove()
    assert.isFalse(existsSync(disk.folder))
  })
})
