/** The unit of systemd: it is valid, and as restricted as intended; its settings, and those of compose.yaml, exist. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { table } from "../../packages/server/src/settings/SettingsTable.ts"
import { ends } from "../packages/Commands.ts"
import * as Debian from "./Debian.ts"

const settings = new Set(table.map(({ name }) => name))

describe("dockline@.service", () => {
  let folder: string
  let unit: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "dockline-unit-"))
    unit = join(folder, "dockline@8080.service")
    copyFileSync(Debian.deployed("dockline@.service"), unit)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const analyze = (...args: ReadonlyArray<string>) =>
    ends(Debian.program("systemd-analyze", "systemd"), args, { cwd: folder })

  it("is one that systemd understands whole", async () => {
    assert.deepStrictEqual(await analyze("verify", unit), { code: 0, stdout: "", stderr: "" })
  })

  it("is exposed by 1.3 of 10 at most", async () => {
    const { code, stdout, stderr } = await analyze("security", "--offline=true", "--threshold=13", unit)
    assert.strictEqual(code, 0, stdout + stderr)
    assert.match(stdout, /Overall exposure level for dockline@8080\.service: 1\.\d OK/)
  })

  it("sets what the server reads", () => {
    const [, set = ""] = /^Environment=(.*)$/m.exec(readFileSync(unit, "utf8")) ?? []
    const names = set.split(" ").map((each) => each.split("=")[0])
    assert.deepStrictEqual(names, ["NODE_ENV", "PORT", "LOG_FORMAT"])
    for (const name of names.slice(1)) assert.isTrue(settings.has(name!))
  })
})

describe("compose.yaml", () => {
  interface Service {
    readonly image: string
    readonly command?: ReadonlyArray<string>
    readonly environment?: Readonly<Record<string, string>>
    readonly depends_on?: unknown
    readonly volumes?: ReadonlyArray<string>
    readonly read_only?: boolean
  }
  const text = readFileSync(Debian.deployed("compose.yaml"), "utf8")
  const { networks, services, volumes } = parse(text, { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, unknown>>
    readonly networks: {
      readonly default: { readonly ipam: { readonly config: ReadonlyArray<{ readonly subnet: string }> } }
    }
  }

  it("runs two instances with the same settings, which the server reads, after the schema is up to date", () => {
    const { migrate, "server-1": first, "server-2": second } = services
    assert.deepStrictEqual(first, second)
    assert.deepStrictEqual(migrate!.environment, first!.environment)
    assert.deepStrictEqual(migrate!.command, ["migrate"])
    assert.deepStrictEqual(first!.depends_on, { migrate: { condition: "service_completed_successfully" } })
    assert.isTrue(first!.read_only)
    for (const name of Object.keys(first!.environment!)) assert.isTrue(settings.has(name), name)
    assert.strictEqual(first!.environment!["TRUSTED_PROXIES"], networks.default.ipam.config[0]!.subnet)
    assert.strictEqual(first!.environment!["MIGRATE"], "false")
  })

  it("names what there is: files, volumes, services, variables", () => {
    const mounted = Object.values(services).flatMap(({ volumes: all = [] }) =>
      all.map((each) => each.split(":")[0]!)
    )
    for (const source of mounted) {
      assert.isTrue(source.startsWith("./") ? existsSync(Debian.deployed(source)) : source in volumes, source)
    }
    const caddy = readFileSync(Debian.deployed("Caddyfile"), "utf8")
    const { environment = {} } = services["proxy"]!
    for (const name of Object.keys(environment)) assert.include(caddy, `{$${name}:`)
    for (const server of environment["DOCKLINE_SERVERS"]!.split(" ")) {
      assert.property(services, server.split(":")[0]!)
    }
    // The command at the top makes the settings without a default.
    const needed = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!)
    assert.isAbove(needed.length, 4)
    for (const name of needed) assert.include(text, `${name}=`)
  })
})
