/** The rule for folders ("rooms") reports exactly the violations, and the lists name every folder. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { assert, describe, it } from "vitest"
import { capabilitiesIn, fault, lists, listsIn, root } from "./Rooms.ts"

const filesIn = (folder: string, extension = /\.ts$/): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => extension.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => join(folder, file))

/** Files that several packages have: programs, and the module of a whole package. */
const entries = new Set(["main.ts", "index.ts"])

const packages = readdirSync(join(root, "packages"))

describe("the rule of the rooms", () => {
  const given = listsIn(`
## Rooms

| room     | what is there |
| -------- | ------------- |
| \`low\`  | what is used  |
| \`high\` | what uses     |

| package        | rooms               |
| -------------- | ------------------- |
| \`cli\`        | \`commands\`        |

## Ways in
`)
  const judged = (importer: string, imported: string) =>
    fault(`packages/core/src/${importer}.ts`, `packages/core/src/${imported}.ts`, given)

  it("lets a room import itself and what is below it", () => {
    assert.isUndefined(judged("high/A", "high/B"))
    assert.isUndefined(judged("high/A", "low/B"))
    assert.isUndefined(judged("high/part/A", "high/B"))
    assert.isUndefined(judged("Whole", "high/A"))
  })

  it("tells of what is above", () => {
    assert.include(judged("low/A", "high/B"), "low imports high")
  })

  it("tells of a capability that imports what is internal to another room, but not of what is its own", () => {
    const ofCapability = (imported: string) =>
      fault("packages/core/src/high/A.ts", `packages/core/src/${imported}.ts`, given, new Set(["high"]))
    assert.include(ofCapability("low/internal/B"), "internal to low")
    assert.isUndefined(ofCapability("high/internal/B"))
    assert.isUndefined(ofCapability("low/B"))
    assert.isUndefined(judged("high/A", "low/internal/B"))
  })

  it("tells of a room that is not listed", () => {
    assert.include(judged("other/A", "low/B"), "no room other")
    assert.include(judged("low/A", "other/B"), "no room other")
  })

  it("tells of files beside the rooms that import rooms, when a room imports them", () => {
    const whole = "packages/cli/src/CommandLine.ts"
    assert.include(fault("packages/cli/src/commands/ClientCommands.ts", whole, given), "imports rooms")
    assert.isUndefined(
      fault("packages/cli/src/commands/ClientCommands.ts", "packages/cli/src/Table.ts", given)
    )
  })
})

describe("the lists of ARCHITECTURE.md", () => {
  it("name every room that there is, and no other", () => {
    for (const place of packages) {
      const folder = join("packages", place, "src")
      const files = filesIn(folder, /\.tsx?$/).map((file) => relative(folder, file).split("/"))
      const rooms = new Set(files.filter((path) => path.length > 1).map(([room]) => room))
      assert.sameMembers([...lists.get(place) ?? []], [...rooms], place)
    }
  })
})

describe("the capabilities of ARCHITECTURE.md", () => {
  it("are the rooms whose rows say so", () => {
    const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    assert.includeMembers(Array.from(capabilitiesIn(architecture)), ["day", "trace", "skus", "exceptions"])
  })
})

describe("every folder", () => {
  it("has no more files than are read together", () => {
    const folders = Map.groupBy(
      [
        ...packages.flatMap((name) => filesIn(join("packages", name))),
        ...filesIn("test"),
        ...filesIn("lab"),
        ...filesIn("examples")
      ],
      (file) => dirname(file)
    )
    const crowded = Array.from(folders).filter(([, files]) => files.length > 20)
    assert.deepStrictEqual(crowded.map(([folder, files]) => `${folder}: ${files.length}`), [])
  })
})

describe("every module", () => {
  it("has a name that no other has, but for entries", () => {
    const modules = packages.flatMap((name) => filesIn(join("packages", name, "src")))
    const named = Map.groupBy(modules, (file) => basename(file))
    const twice = Array.from(named).filter(([name, files]) => files.length > 1 && !entries.has(name))
    assert.deepStrictEqual(twice.map(([, files]) => files), [])
  })
})
