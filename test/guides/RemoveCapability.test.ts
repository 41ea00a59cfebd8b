/**
 * D20.1: each capability consists of its folders and of a line in each of at most four lists. Without these, in a copy, the types check;
 * and without all capabilities, the tests of all packages and of HTTP pass.
 */
import { execFile } from "node:child_process"
import {
  chmodSync,
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { copyProject } from "./Copy.ts"
import { root } from "./Project.ts"

interface Drill {
  /** A pattern for the lines of lists that belong to the capability. */
  readonly named: RegExp
  /** The folders of the capability. */
  readonly folders: ReadonlyArray<string>
  /** The lists: files from which the lines that name the capability are deleted. */
  readonly lists: ReadonlyArray<string>
}

const drills: Readonly<Record<string, Drill>> = {
  exceptions: {
    named: /exception/i,
    folders: [
      "packages/core/src/exceptions",
      "packages/core/test/exceptions",
      "packages/sql-storage/sql/exceptions",
      "packages/sql-storage/src/exceptions",
      "packages/sql-storage/test/exceptions",
      "packages/testing/src/capabilities/exceptions",
      "packages/graphql-adapter/test/exceptions",
      "packages/kargo/src/exceptions",
      "packages/client/src/ExceptionRoutes.ts",
      "packages/cli/src/capabilities/exceptions",
      "packages/cli/test/capabilities/exceptions",
      "packages/dashboard/src/browser/exceptions"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/kargo/src/SchemaParts.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  },
  day: {
    named: /\bday|Day/,
    folders: [
      "packages/core/src/day",
      "packages/core/test/day",
      "packages/sql-storage/sql/day",
      "packages/sql-storage/src/day",
      "packages/sql-storage/test/day",
      "packages/testing/src/capabilities/day",
      "packages/client/src/DayRoutes.ts",
      "packages/cli/src/capabilities/day",
      "packages/dashboard/src/browser/day"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  },
  edi: {
    named: /\bedi|Edi/,
    folders: [
      "packages/edi"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  },
  alerts: {
    named: /alert/i,
    folders: [
      "packages/alerts",
      "docs/guides/tell-people.md"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts"
    ]
  },
  epcis: {
    named: /epcis/i,
    folders: [
      "packages/epcis",
      "docs/guides/publish-epcis.md"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts"
    ]
  },
  "packing-lists": {
    named: /packing-?list/i,
    folders: [
      "packages/packing-lists",
      "docs/guides/send-packing-lists.md"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  },
  skus: {
    named: /sku/i,
    folders: [
      "packages/core/src/skus",
      "packages/core/test/skus",
      "packages/sql-storage/sql/skus",
      "packages/sql-storage/src/skus",
      "packages/sql-storage/test/skus",
      "packages/testing/src/capabilities/skus",
      "packages/graphql-adapter/test/skus",
      "packages/kargo/src/skus",
      "packages/kargo/test/skus",
      "packages/client/src/SkuRoutes.ts",
      "packages/cli/src/capabilities/skus",
      "packages/cli/test/capabilities/skus",
      "packages/dashboard/src/browser/skus"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/kargo/src/SchemaParts.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  },
  kargo: {
    named: /kargo/i,
    // Its guide, and the tests with files by others for Kargo, belong to it too.
    folders: [
      "packages/kargo",
      "docs/guides/switch-from-kargo.md",
      "test/foreign/Collection.ts",
      "test/foreign/Collection.test.ts",
      "test/foreign/Examples.test.ts",
      "test/foreign/GoClient.test.ts",
      "test/foreign/Service.ts",
      "test/foreign/go"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts"
    ]
  },
  trace: {
    named: /trace/i,
    folders: [
      "packages/core/src/trace",
      "packages/core/test/trace",
      "packages/sql-storage/sql/trace",
      "packages/sql-storage/src/trace",
      "packages/sql-storage/test/trace",
      "packages/testing/src/capabilities/trace",
      "packages/client/src/TraceRoutes.ts",
      "packages/cli/src/capabilities/trace",
      "packages/dashboard/src/browser/trace"
    ],
    lists: [
      "packages/server/src/Capabilities.ts",
      "packages/cli/src/capabilities/CapabilityCommands.ts",
      "packages/dashboard/src/browser/capabilities.ts"
    ]
  }
}

/** A list without the lines that name a capability. */
const without = (text: string, named: RegExp): string =>
  text.split("\n").filter((line) => !named.test(line)).join("\n")

/** The files outside these folders and the lists that name something in the folders. */
const strangersOf = ({ folders, lists }: Drill): ReadonlyArray<string> => {
  const modules = folders.flatMap((folder) =>
    globSync(folder.includes(".") ? folder : `${folder}/**/*.{ts,tsx}`, { cwd: root })
  )
  const names = modules.filter((path) => path.includes("/src/")).map((path) =>
    path.replace(/^.*\//, "").replace(/\.tsx?$/, "")
  )
  const naming = new RegExp(`/(?:${names.join("|")})(?:\\.tsx?)?"`)
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).filter((path) =>
    !modules.includes(path) && !lists.includes(path) &&
    naming.test(readFileSync(join(root, path), "utf8"))
  )
}

/** Deletes the folders of a capability in a copy, and its lines in the lists. */
const remove = (copy: string, { folders, lists, named }: Drill): void => {
  for (const folder of folders) rmSync(join(copy, folder), { recursive: true, force: true })
  for (const file of lists) {
    const text = readFileSync(join(copy, file), "utf8")
    const rest = without(text, named)
    assert.notStrictEqual(rest, text, `${file} has a line of it`)
    writeFileSync(join(copy, file), rest)
  }
}

/** The output of a program of this project in a copy, and whether it succeeded. */
const runIn = (copy: string, program: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [join(root, "node_modules", program), ...args], {
    cwd: copy,
    maxBuffer: 2 ** 26
  }).then(
    ({ stdout }) => ({ isDone: true, said: stdout }),
    ({ stderr, stdout }: { readonly stdout: string; readonly stderr: string }) => ({
      isDone: false,
      said: `${stdout}\n${stderr}`
    })
  )

interface TestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<
      { readonly fullName: string; readonly status: string; readonly failureMessages: ReadonlyArray<string> }
    >
  }>
}

/** The tests that failed by a report, with their first lines: the whole output would be longer than what a log keeps. */
const failuresOf = (report: string): ReadonlyArray<string> => {
  const { testResults }: TestReport = JSON.parse(readFileSync(report, "utf8"))
  return testResults.flatMap(({ assertionResults, message, name }) => [
    ...(message === "" ? [] : [`${name}: ${message}`]),
    ...assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ failureMessages, fullName }) =>
        `${name}: ${fullName}: ${failureMessages.join("\n").slice(0, 1000)}`
      )
  ])
}

/** Checks the types of all packages of a copy, and of the pages. */
const checkTypes = async (copy: string): Promise<void> => {
  writeFileSync(
    join(copy, "tsconfig.json"),
    JSON.stringify({
      extends: "./tsconfig.base.json",
      compilerOptions: { noEmit: true, composite: false, incremental: false, lib: ["ES2024", "DOM"] },
      include: ["packages/*/src/**/*.ts"],
      exclude: ["packages/*/src/browser"]
    })
  )
  for (const project of [copy, join(copy, "packages/dashboard/src/browser")]) {
    const { said } = await runIn(copy, "typescript/bin/tsc", "-p", project)
    assert.strictEqual(said, "")
  }
}

describe.each(Object.entries(drills))("the capability %s", (_, drill) => {
  it("is known by at most four files outside its folders: the lists", () => {
    assert.isAtMost(drill.lists.length, 4)
    assert.deepStrictEqual(strangersOf(drill), [])
  })

  it("can be deleted with its line in each list: the types of all packages check", async () => {
    const copy = copyProject()
    remove(copy, drill)
    await checkTypes(copy)
  }, 300_000)
})

/** The tests about the list itself, which depend on its content. */
const ofTheList = [
  "packages/cli/test/commands/LeftOut.test.ts",
  "packages/cli/test/Readme.test.ts",
  "packages/cli/test/commands/Certify.test.ts",
  "packages/cli/test/commands/Lists.test.ts",
  "packages/cli/test/commands/WebhookCommands.test.ts",
  "packages/client/test/Declared.test.ts",
  "packages/sql-storage/test/ListCost.test.ts",
  "packages/sql-storage/test/schema/Businesses.test.ts",
  "packages/sql-storage/test/schema/Schema.test.ts",
  "test/http/operator/OperatorAccess.test.ts",
  "test/http/operator/OperatorPreconditions.test.ts",
  "test/http/protocol/Csv.test.ts",
  "test/http/protocol/OneReader.test.ts"
]

/** A program with the server's list, emptied, and with lists that are empty from the start. */
const programWithoutCapabilities = `
import * as Client from "@dockline/client"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { capabilities, capabilitiesOf, sqlCapabilities } from "./Capabilities.ts"

const none = await Dockline.open({ storage: Memory.layer, capabilities: [] })
const ofServer = await Dockline.open({ storage: Memory.layerWith(capabilities), capabilities })
const client = Client.make({ url: "http://localhost:8080", token: "none", capabilities: [] })
const ready = [await none.ready(), await ofServer.ready()].every(({ ok }) => ok)
console.log(ready, typeof client.submit, capabilitiesOf([]).length, sqlCapabilities.length)
await none.close()
await ofServer.close()
`

describe("the contract", () => {
  it(
    "stands without any capability: its types check, empty lists are lists, and the tests of packages and of HTTP pass",
    async () => {
      const copy = copyProject()
      // PostgreSQL runs as another user.
      chmodSync(copy, 0o755)
      const others = [
        "vitest.config.ts",
        "test/Suite.ts",
        "test/graphql",
        "programs",
        "examples",
        "docs",
        ...globSync("packages/*/{test,README.md}", { cwd: root })
      ]
      for (const path of others) {
        const filter = (source: string) => !source.includes("node_modules")
        cpSync(join(root, path), join(copy, path), { recursive: true, filter })
      }
      for (const name of readdirSync(join(copy, "examples"))) {
        symlinkSync(join(copy, "examples", name), join(copy, `node_modules/@dockline/example-${name}`))
      }
      for (const drill of Object.values(drills)) remove(copy, drill)
      for (const path of ofTheList) rmSync(join(copy, path), { recursive: true })
      const program = "packages/server/src/WithoutCapabilities.ts"
      writeFileSync(join(copy, program), programWithoutCapabilities)
      await checkTypes(copy)
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--conditions=@dockline/source",
        program
      ], { cwd: copy })
      assert.strictEqual(stdout, "true function 0 0\n")
      rmSync(join(copy, program))
      const report = join(copy, "report.json")
      const { isDone, said } = await runIn(
        copy,
        "vitest/vitest.mjs",
        "run",
        "--maxWorkers=2",
        "--reporter=dot",
        "--reporter=json",
        `--outputFile.json=${report}`,
        "packages/"
      )
      assert.deepStrictEqual(failuresOf(report), [])
      assert.isTrue(isDone, said.slice(-4000))
    },
    1_200_000
  )
})

describe.each(
  [["kargo", /kargo/i], ["epcis", /epcis/i], ["packing-lists", /packing-?list/i], [
    "alerts",
    /@dockline\/alerts/
  ], [
    "edi",
    /\bedi\b|\bEDI\b|\bEdi[A-Z]/
  ]] as const
)(
  "the name of %s",
  (name, named) => {
    it("stands in no source of another package but its own folders and the lists", () => {
      const { folders, lists } = drills[name]!
      const naming = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).filter((path) =>
        !folders.some((folder) => path.startsWith(`${folder}/`)) &&
        named.test(readFileSync(join(root, path), "utf8"))
      )
      assert.deepStrictEqual(naming.toSorted(), lists.toSorted())
    })
  }
)
