/**
 * The Containerfile, built by its own tool in an empty root; and the resulting image, run as process 1, without root's rights, on a
 * read-only root.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { ends, run } from "../packages/Commands.ts"
import { pack } from "../packages/PackedSetup.ts"
import { withOurs } from "../packages/Workspace.ts"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/ProgramSettings.ts"
import * as Debian from "./Debian.ts"

let folder: string
let postgres: Debian.Postgres
/** The root of the image. */
let mounted: string
let config: {
  readonly Entrypoint: ReadonlyArray<string>
  readonly Env: ReadonlyArray<string>
  readonly User: string
  readonly WorkingDir: string
  readonly Volumes: Readonly<Record<string, object>>
  readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
}

const inFolder = (path: string, ...args: ReadonlyArray<string>) => run(path, args, { cwd: folder })

const buildah = async (...args: ReadonlyArray<string>): Promise<string> => {
  const places = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")]
  return (await inFolder(Debian.program("buildah"), ...places, "--storage-driver", "vfs", ...args)).trim()
}

/** The libraries that a program loads at its start. */
const librariesOf = async (program: string): Promise<ReadonlyArray<string>> =>
  [...(await inFolder("ldd", program)).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!)

/**
 * A stand-in for the two images that the Containerfile names, without access to a registry: a root with only a shell and its tools, Node
 * with its libraries, and npm.
 */
const bases = async (): Promise<void> => {
  const node = realpathSync(process.execPath)
  const root = join(folder, "root")
  for (
    const path of ["bin", "dev", "etc", "proc", "root", "tmp", "usr/bin", "usr/local/bin", "usr/local/lib"]
  ) {
    mkdirSync(join(root, path), { recursive: true })
  }
  for (const library of await librariesOf(node)) {
    mkdirSync(dirname(join(root, library)), { recursive: true })
    cpSync(realpathSync(library), join(root, library))
  }
  cpSync(Debian.program("busybox", "busybox-static"), join(root, "bin/busybox"))
  await inFolder("chroot", root, "/bin/busybox", "--install", "-s")
  const base = await buildah("from", "scratch")
  await buildah("add", "--quiet", base, root, "/")
  await buildah("commit", "--quiet", base, "localhost/base")

  const local = join(await buildah("mount", base), "usr/local")
  cpSync(node, join(local, "bin/node"))
  const npm = dirname(dirname(realpathSync(Debian.program("npm"))))
  cpSync(npm, join(local, "lib/npm"), { recursive: true, dereference: true })
  await inFolder("ln", "-s", "../lib/npm/bin/npm-cli.js", join(local, "bin/npm"))
  const authorities = process.env["NODE_EXTRA_CA_CERTS"]
  if (authorities !== undefined) {
    cpSync(realpathSync(authorities), join(local, "authorities.pem"))
    await buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/usr/local/authorities.pem", base)
  }
  await buildah("config", "--env", "npm_config_prefer_offline=true", base)
  await buildah("commit", "--quiet", "--rm", base, "localhost/node")
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-container-"))
  chmodSync(folder, 0o755)
  postgres = await Debian.postgres()
  const [packed] = await Promise.all([
    pack([...new Set([...withOurs("@dockline/server"), ...withOurs("@dockline/cli")])]),
    bases()
  ])
  const cache = join(homedir(), ".npm")
  mkdirSync(cache, { recursive: true })
  try {
    const options = {
      isolation: "chroot",
      network: "host",
      format: "docker",
      tag: "localhost/server",
      volume: `${cache}:/root/.npm`,
      file: Debian.deployed("Containerfile")
    }
    const images = ["--build-arg=NODE_IMAGE=localhost/node", "--build-arg=BASE_IMAGE=localhost/base"]
    const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    await buildah("bud", ...given, ...images, packed.folder)
  } finally {
    packed.remove()
  }
  const container = await buildah("from", "localhost/server")
  mounted = await buildah("mount", container)
  ;({ Docker: { config } } = JSON.parse(await buildah("inspect", container)) as {
    readonly Docker: { readonly config: typeof config }
  })
})

afterAll(async () => {
  await postgres?.stop()
  await buildah("rm", "--all")
  rmSync(folder, { recursive: true, force: true })
})

/**
 * The command that runs another one in the image as a container does: with processes and mounts of its own, as process 1, and with a
 * read-only root. `/proc` shows the parts that the unit of systemd lets the server see.
 */
const contained = (environment: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>) => {
  const env = [...config.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)]
  const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1"
    mount -t proc -o subset=pid proc proc && mount --rbind /dev dev && shift && exec env -i "$@"`
  return [
    ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"],
    ["sh", "-c", script, "sh", mounted, ...env],
    [Debian.program("chroot", "coreutils"), `--userspec=${config.User}`, "."],
    ["sh", "-c", `cd ${config.WorkingDir} && exec "$@"`, "sh", ...command]
  ].flat()
}

const inside = (environment: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>) => {
  const [program, ...args] = contained(environment, ...command)
  return ends(program!, args, { cwd: folder })
}

it("is what a container is to be: nobody's, without a package manager, of a known size", async () => {
  assert.strictEqual(config.User, "10001:10001")
  assert.deepStrictEqual(Object.keys(config.Volumes), ["/data"])
  const { stdout } = await inside(
    {},
    "sh",
    "-c",
    "id -u; touch /app/x /x /data/../y; command -v npm; ls -A /data /packages"
  )
  assert.strictEqual(stdout, "10001\n/data:\n")
  // Besides Debian's 127 MB for Node.
  const [bytes] = (await inFolder("du", "-sb", join(mounted, "app"))).split("\t")
  assert.isBelow(Number(bytes), 100_000_000)
})

it("has every command of the server", async () => {
  const called = (env: Readonly<Record<string, string>>, command: string) =>
    inside(env, ...config.Entrypoint, command)
  assert.match((await called({}, "--version")).stdout, /^\d+\.\d+\.\d+\n$/)
  const url = await postgres.create("commands")
  assert.match(
    (await called({ DATABASE_URL: url }, "migrate")).stdout,
    /^The schema of PostgreSQL at .* is number \d+; ran /
  )
  const checked = await called({ DATABASE_URL: url }, "check")
  assert.match(checked.stdout, /^ok +schema +it is number \d+, which this version needs$/m)
  // The embedded database was left out.
  const { code, stderr } = await inside({}, ...config.Entrypoint)
  assert.strictEqual(code, 1)
  assert.include(stderr, "set DATABASE_URL")
})

it("serves, is healthy, and ends in order at SIGTERM as process 1", async () => {
  const port = String(await freePort())
  const environment = { DATABASE_URL: await postgres.create("served"), PORT: port }
  const [kind, ...health] = config.Healthcheck.Test
  assert.strictEqual(kind, "CMD")
  assert.strictEqual((await inside(environment, ...health)).code, 1)

  const [program, ...args] = contained(environment, ...config.Entrypoint)
  const server = Debian.start(program!, args)
  try {
    await eventually(
      `the server is ready: ${server.output()}`,
      () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status === 200, () => false),
      60_000
    )
    assert.strictEqual((await inside(environment, ...health)).code, 0)
    // The child of `unshare`.
    const [pid] = (await inFolder("ps", "-o", "pid=", "--ppid", String(server.child.pid))).trim().split("\n")
    assert.match(await inFolder("cat", `/proc/${pid!.trim()}/status`), /^NSpid:\s+\d+\s+1$/m)
    process.kill(Number(pid), "SIGTERM")
    await eventually("the server has ended", () => server.child.exitCode !== null)
    assert.strictEqual(server.child.exitCode, 0)
    assert.include(server.output(), "Stopping: requests and deliveries in flight are finished")
  } finally {
    await server.stop("SIGKILL")
  }
})
