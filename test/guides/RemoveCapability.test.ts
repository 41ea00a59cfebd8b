/**
 * D20.1: each capability is its folders and a line in each list. Without them, in a copy, the types check, and its name stands in no
 * more than a few files.
 */
import { execFile } from "node:child_process"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { copyProject } from "./Copy.ts"
import { root } from "./Project.ts"

interface Drill {
  /** The folders of the capability. */
  readonly folders: ReadonlyArray<string>
  /** The lists that have a line of it: in each, the lines that go, and the members that go from lists in brackets. */
  readonly lists: Readonly<
    Record<string, { readonly lines: ReadonlyArray<string>; readonly members?: ReadonlyArray<string> }>
  >
}

/** A text without a member of the one list, in brackets or braces, that has it. */
const withoutMember = (text: string, member: string): string => {
  const lists = Array.from(text.matchAll(/([[{] ?)([\w.:, ]+?)( ?[\]}])/g)).filter(([, , members = ""]) =>
    members.split(", ").includes(member)
  )
  assert.strictEqual(lists.length, 1, `one list has ${member}`)
  const [list, open = "", members = "", close = ""] = lists[0]!
  const rest = members.split(", ").filter((each) => each !== member)
  return text.replace(
    list,
    rest.length === 0 ? `${open}${close}`.replaceAll(" ", "") : `${open}${rest.join(", ")}${close}`
  )
}

const drills: Readonly<Record<string, Drill>> = {
  day: {
    folders: [
      "packages/core/src/day",
      "packages/core/test/day",
      "packages/sql-storage/src/day",
      "packages/sql-storage/test/day",
      "packages/testing/src/suites/day",
      "packages/client/src/DayRoutes.ts",
      "packages/cli/src/capabilities/day",
      "packages/dashboard/src/browser/day"
    ],
    lists: {
      "packages/server/src/Capabilities.ts": {
        lines: [
          `import { day } from "@dockline/core/day/DayCapability"\n`,
          `import { daySql } from "@dockline/sql-storage/day/DaySql"\n`
        ],
        members: ["day", "daySql"]
      },
      "packages/testing/src/index.ts": {
        lines: [`import { dayStoreSuite } from "./suites/day/DayStoreSuite.ts"\n`, `  dayStoreSuite,\n`]
      },
      "packages/cli/src/capabilities/CapabilityCommands.ts": {
        lines: [`import { day } from "./day/DayCommands.ts"\n`],
        members: ["day"]
      },
      "packages/dashboard/src/browser/capabilities.ts": {
        lines: [`import { pages as day } from "./day/Day.tsx"\n`],
        members: ["day"]
      }
    }
  },
  skus: {
    folders: [
      "packages/core/src/skus",
      "packages/core/test/skus",
      "packages/sql-storage/src/skus",
      "packages/sql-storage/test/skus",
      "packages/testing/src/suites/skus",
      "packages/http-adapter/src/api/skus",
      "packages/http-adapter/src/handlers/skus",
      "packages/kargo/src/skus",
      "packages/kargo/test/skus",
      "packages/client/src/SkuRoutes.ts",
      "packages/cli/src/capabilities/skus",
      "packages/dashboard/src/browser/skus"
    ],
    lists: {
      "packages/server/src/Capabilities.ts": {
        lines: [
          `import { skus } from "@dockline/core/skus/SkuCapability"\n`,
          `import { skusSql } from "@dockline/sql-storage/skus/SkuSql"\n`
        ],
        members: ["skus", "skusSql"]
      },
      "packages/http-adapter/src/api/RestParts.ts": {
        lines: [`import { skuMaster } from "./skus/SkuMasterPart.ts"\n`],
        members: ["skuMaster"]
      },
      "packages/http-adapter/src/handlers/PartAnswers.ts": {
        lines: [`import * as SkuMaster from "./skus/SkuMaster.ts"\n`],
        members: ["skus: SkuMaster.make"]
      },
      "packages/kargo/src/SchemaParts.ts": {
        lines: [`import { skus } from "./skus/SkusPart.ts"\n`],
        members: ["skus"]
      },
      "packages/testing/src/index.ts": {
        lines: [`import { skuStoreSuite } from "./suites/skus/SkuStoreSuite.ts"\n`, `  skuStoreSuite,\n`]
      },
      "packages/cli/src/capabilities/CapabilityCommands.ts": {
        lines: [`import { sku } from "./skus/SkuCommands.ts"\n`],
        members: ["sku"]
      },
      "packages/dashboard/src/browser/extensions.ts": {
        lines: [`import { itemWords as skus } from "./skus/ItemWords.ts"\n`],
        members: ["skus"]
      }
    }
  },
  kargo: {
    folders: ["packages/kargo"],
    lists: {
      "packages/server/src/Capabilities.ts": {
        lines: [
          `import { kargo } from "@dockline/kargo/KargoCapability"\n`,
          `import { kargoGraphql } from "@dockline/kargo/KargoGraphql"\n`
        ],
        members: ["kargo", "kargoGraphql"]
      },
      "packages/cli/src/follow/PayloadProfiles.ts": {
        lines: [`import { kargoProfile } from "@dockline/kargo/KargoProfile"\n`],
        members: ["kargoProfile"]
      }
    }
  },
  trace: {
    folders: [
      "packages/core/src/trace",
      "packages/core/test/trace",
      "packages/sql-storage/src/trace",
      "packages/sql-storage/test/trace",
      "packages/testing/src/suites/trace",
      "packages/client/src/TraceRoutes.ts",
      "packages/cli/src/capabilities/trace",
      "packages/dashboard/src/browser/trace"
    ],
    lists: {
      "packages/server/src/Capabilities.ts": {
        lines: [
          `import { trace } from "@dockline/core/trace/TraceCapability"\n`,
          `import { traceSql } from "@dockline/sql-storage/trace/TraceSql"\n`
        ],
        members: ["trace", "traceSql"]
      },
      "packages/testing/src/index.ts": {
        lines: [
          `import { traceStoreSuite } from "./suites/trace/TraceStoreSuite.ts"\n`,
          `  traceStoreSuite,\n`
        ]
      },
      "packages/cli/src/capabilities/CapabilityCommands.ts": {
        lines: [`import { trace } from "./trace/TraceCommand.ts"\n`],
        members: ["trace"]
      },
      "packages/dashboard/src/browser/capabilities.ts": {
        lines: [`import { pages as trace } from "./trace/Trace.tsx"\n`],
        members: ["trace"]
      },
      "packages/dashboard/src/browser/extensions.ts": {
        lines: [`import { links as trace } from "./trace/Links.ts"\n`],
        members: ["trace"]
      }
    }
  }
}

/** The files that name something in these folders, outside of them and of the lists. */
const strangersOf = ({ folders, lists }: Drill): ReadonlyArray<string> => {
  const modules = folders.flatMap((folder) =>
    globSync(folder.includes(".") ? folder : `${folder}/**/*.{ts,tsx}`, { cwd: root })
  )
  const names = modules.filter((path) => path.includes("/src/")).map((path) =>
    path.replace(/^.*\//, "").replace(/\.tsx?$/, "")
  )
  const naming = new RegExp(`/(?:${names.join("|")})(?:\\.tsx?)?"`)
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).filter((path) =>
    !modules.includes(path) && lists[path] === undefined &&
    naming.test(readFileSync(join(root, path), "utf8"))
  )
}

describe.each(Object.entries(drills))("the capability %s", (_, drill) => {
  it("is known by no file of a package outside its folders and the lists", () => {
    assert.deepStrictEqual(strangersOf(drill), [])
  })

  it("can be deleted with its line in each list: the types of all packages check", async () => {
    const copy = copyProject()
    for (const folder of drill.folders) rmSync(join(copy, folder), { recursive: true, force: true })
    for (const [file, { lines, members = [] }] of Object.entries(drill.lists)) {
      let text = readFileSync(join(copy, file), "utf8")
      for (const line of lines) {
        assert.strictEqual(text.split(line).length, 2, `${file} has once: ${line}`)
        text = text.replace(line, "")
      }
      for (const member of members) text = withoutMember(text, member)
      writeFileSync(join(copy, file), text)
    }
    writeFileSync(
      join(copy, "tsconfig.json"),
      JSON.stringify({
        extends: "./tsconfig.base.json",
        compilerOptions: { noEmit: true, composite: false, incremental: false, lib: ["ES2024", "DOM"] },
        include: ["packages/*/src/**/*.ts"],
        exclude: ["packages/dashboard/src/browser"]
      })
    )
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const said = await promisify(execFile)(process.execPath, [tsc, "-p", copy], { cwd: copy }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout
    )
    assert.strictEqual(said, "")
  }, 300_000)
})
