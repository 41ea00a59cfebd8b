/**
 * The programs, run by npm (D12.3): a signal to npm, as a supervisor or a container sends it, ends the program in order, and no process is
 * left.
 */
import { build } from "esbuild"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { bundled } from "../../programs/Programs.mjs"
import { freePort } from "../support/ProgramSettings.ts"

const root = new URL("../../", import.meta.url)

let folder: string
let group: number | undefined

beforeEach(() => {
  // PostgreSQL may run as another user, who needs access.
  folder = mkdtempSync(join(tmpdir(), "dockline-npm-"))
})

afterEach(() => {
  try {
    // Processes that have outlived npm.
    if (group !== undefined) process.kill(-group, "SIGKILL")
  } catch {
    // There are none.
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a script of npm until it has written a text, sends npm a signal, and returns how npm ended and its output. */
const stopped = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  text: string,
  meanwhile: () => void = () => {}
) => {
  const child = spawn("npm", ["run", ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", TMPDIR: folder, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  group = child.pid
  let output = ""
  const closed = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) => code ?? signal)
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes(text)) resolve()
      })
    }
    void closed.then((how) => reject(new Error(`npm ended with ${String(how)}: ${output}`)))
  })
  meanwhile()
  child.kill("SIGTERM")
  // The streams close when the last process that writes to them has gone.
  return { how: await closed, output }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

const postgresOf = (directory: string): number =>
  Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0])

const assertNothingRuns = (...pids: ReadonlyArray<number>) => {
  assert.deepStrictEqual(pids.filter(isAlive), [])
  assert.isFalse(isAlive(-group!), "a process of npm's group is left")
}

describe("SIGTERM to npm", () => {
  it("ends npm start in order", async () => {
    const [port, data] = [await freePort(), join(folder, "data")]
    const compiled = join(dirname(await bundled("packages/server/src/main.ts")), "compiled")
    rmSync(compiled, { recursive: true, force: true })
    let postgres = 0
    const { how, output } = await stopped(
      ["start"],
      { PORT: String(port), DATA_DIR: data },
      "Dockline serves",
      () => (postgres = postgresOf(data))
    )
    assert.include(output, "Stopping")
    assert.strictEqual(how, 0, output)
    assert.isFalse(await isOpen(port))
    assertNothingRuns(postgres)
    assert.isFalse(existsSync(join(data, "postgres", "postmaster.pid")))
    assert.isTrue(existsSync(compiled), "its compiled code is not kept")
  })

  it("ends npm run demo as an interruption, and leaves nothing", async () => {
    let postgres = 0
    const { how, output } = await stopped(["demo"], {}, "tokens", () => {
      const made = readdirSync(folder).find((name) => name.startsWith("dockline-demo-"))
      postgres = postgresOf(join(folder, made!, "data"))
    })
    assert.strictEqual(how, 130, output)
    assertNothingRuns(postgres)
    assert.deepStrictEqual(readdirSync(folder).filter((name) => name.startsWith("dockline-demo-")), [])
  })

  it("ends npm run customer", async () => {
    const env = {
      BOOKS: join(folder, "customer.sqlite"),
      DOCKLINE_URL: `http://127.0.0.1:${await freePort()}`
    }
    const { how, output } = await stopped(["customer"], env, "Following acme")
    assert.strictEqual(how, 0, output)
    assert.include(output, "Stopped after message 0")
    assertNothingRuns()
  })
})

describe("a Node that is too old", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const older =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})"
  const scriptsOfPrograms = ["start", "demo", "customer", "dockline"].map((name) =>
    [`npm run ${name}`, scripts[name]!.split(" ").slice(2)] as const
  )

  it.each([
    ...scriptsOfPrograms,
    ...["cli", "server"].map((name) =>
      [`the program of ${name} as it is installed`, [
        "--conditions=@dockline/source",
        `packages/${name}/src/main.ts`,
        "--version"
      ]] as const
    )
  ])("is named in one line by %s", (_, args) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", older, ...args], {
      cwd: root,
      encoding: "utf8"
    })
    assert.deepStrictEqual({ status, stderr, stdout }, {
      status: 1,
      stderr: "Dockline needs Node 22.19 or newer; this is 20.20.2\n",
      stdout: ""
    })
  })

  it.each(["cli", "server"])(
    "is named by the program of %s before it imports what that Node cannot read",
    async (name) => {
      const source = fileURLToPath(new URL(`packages/${name}/src/main.ts`, root))
      const { outputFiles } = await build({ entryPoints: [source], format: "esm", write: false })
      writeFileSync(join(folder, "main.mjs"), outputFiles[0]!.contents)
      // Its imports are missing, as if they could not be read.
      const { stderr } = spawnSync(process.execPath, ["--import", older, join(folder, "main.mjs")], {
        encoding: "utf8"
      })
      assert.strictEqual(stderr, "Dockline needs Node 22.19 or newer; this is 20.20.2\n")
    }
  )
})

it("a program runs from its source in whatever folder it is called, where it cannot be bundled", () => {
  mkdirSync(join(folder, "programs"))
  mkdirSync(join(folder, "elsewhere"))
  const run = join(folder, "programs/run.mjs")
  copyFileSync(new URL("programs/run.mjs", root), run)
  writeFileSync(join(folder, "hello.mjs"), "console.log(process.argv.slice(2).join())")
  const { stderr, stdout } = spawnSync(process.execPath, [run, "hello.mjs", "a", "b"], {
    cwd: join(folder, "elsewhere"),
    encoding: "utf8"
  })
  assert.deepStrictEqual({ stderr, stdout }, { stderr: "", stdout: "a,b\n" })
})
