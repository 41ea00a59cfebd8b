/** The two programs, installed by `npm install --global @dockline/server @dockline/cli` from a registry with the packages. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { run } from "./Commands.ts"
import { packages } from "./Workspace.ts"

/** A registry of the packed packages: npm's metadata of each, and its tarball. */
const registry = createServer(({ url = "" }, response) => {
  const tarball = inject("tarballs").find(({ name }) =>
    url === `/${name.replace("/", "%2f")}` || url === `/${name}.tgz`
  )
  if (tarball === undefined) return void response.writeHead(404).end("{}")
  const { name, path, version } = tarball
  const bytes = readFileSync(path)
  if (url.endsWith(".tgz")) return void response.end(bytes)
  const manifest = JSON.parse(
    execFileSync("tar", ["-xzOf", path, "package/package.json"], { encoding: "utf8" })
  )
  const dist = {
    tarball: `${address()}/${name}.tgz`,
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`
  }
  response.setHeader("content-type", "application/json")
  response.end(
    JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } })
  )
})

const address = () => `http://localhost:${(registry.address() as AddressInfo).port}`

let prefix: string

beforeAll(async () => {
  prefix = mkdtempSync(join(tmpdir(), "dockline-global-"))
  await once(registry.listen(0), "listening")
  await run("npm", [
    "install",
    "--global",
    `--prefix=${prefix}`,
    `--@dockline:registry=${address()}`,
    "@dockline/server",
    "@dockline/cli"
  ], { cwd: prefix })
})
afterAll(() => {
  registry.close()
  rmSync(prefix, { recursive: true, force: true })
})

it.each([
  ["dockline-server", "@dockline/server"],
  ["dockline", "@dockline/cli"]
])("%s says its version", async (program, name) => {
  const { version } = packages.find(({ manifest }) => manifest.name === name)!.manifest
  expect(await run(join(prefix, "bin", program), ["--version"], { cwd: prefix })).toMatch(
    new RegExp(`^(?:dockline )?${version}\n$`)
  )
})

it("dockline-server has all settings, and all capabilities", async () => {
  const help = await run(join(prefix, "bin/dockline-server"), ["--help"], { cwd: prefix })
  for (const capability of ["edi", "kargo"]) expect(help).toContain(capability)
})
