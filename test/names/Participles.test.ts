/**
 * The number of declared names in each package that are participles without a noun. The budgets are in `participles.json`; CONTRIBUTING.md
 * lists the nouns ("Nouns for names").
 *
 * No budget may grow, and one that is too high is lowered: `UPDATE_NAMES=1 npx vitest run test/names` writes them.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { isParticiple } from "./ParticiplesPlugin.ts"

/** The most participles among the names of each package. */
type Budgets = Readonly<Record<string, number>>

/** A declared name that is a participle. */
interface Place {
  readonly file: string
  readonly line: number
  readonly name: string
}

/** The linter's report, with only the rule of this folder. */
interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly code: string
    readonly message: string
    readonly filename: string
    readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
  }>
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const budgetFile = join(root, "test/names/participles.json")

const run = (command: string, ...args: ReadonlyArray<string>): string =>
  spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).stdout

const packageOf = ({ file }: Place) => file.split("/")[1]!

const placesIn = (folder: string): ReadonlyArray<Place> => {
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint")
  const output = run(process.execPath, oxlint, "-c", "test/names/oxlint.json", "-f", "json", folder)
  return (JSON.parse(output) as Report).diagnostics.map(({ code, filename, labels, message }) => {
    assert.strictEqual(code, "names(participle)", message)
    return { file: filename, line: labels[0]!.span.line, name: message }
  })
}

/** The lines of each file that the text of `git diff -U0` adds, as `file:line`. */
const linesAdded = (diff: string): ReadonlySet<string> => {
  let file = ""
  return new Set(
    diff.split("\n").flatMap((row) => {
      file = /^\+\+\+ b\/(.+)$/.exec(row)?.[1] ?? file
      const [, first, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row) ?? []
      return Array.from(
        { length: first === undefined ? 0 : Number(count) },
        (_, index) => `${file}:${Number(first) + index}`
      )
    })
  )
}

/** The lines that are newer than the budgets; none if there is no history. */
const newLines = (): ReadonlySet<string> => {
  const recorded = run("git", "log", "-1", "--format=%H", "--", budgetFile).trim()
  return linesAdded(
    recorded === "" ? "" : run("git", "diff", "-U0", "--no-color", recorded, "--", "packages")
  )
}

/** The faults of the budgets, a text for each package. */
const faultsOf = (
  places: ReadonlyArray<Place>,
  budgets: Budgets,
  isNew: ReadonlySet<string>
): ReadonlyArray<string> => {
  const byPackage = Map.groupBy(places, packageOf)
  return Array.from(new Set([...Object.keys(budgets), ...byPackage.keys()])).flatMap((name) => {
    const own = byPackage.get(name) ?? []
    const budget = budgets[name] ?? 0
    if (own.length === budget) return []
    if (own.length < budget) {
      return [`${name} has ${own.length} participles as names, below its budget of ${budget}: lower it`]
    }
    const fresh = own.filter(({ file, line }) => isNew.has(`${file}:${line}`))
    const shown = (fresh.length === 0 ? own : fresh).map(({ file, line, name }) =>
      `  ${file}:${line} ${name}`
    )
    return [
      `${name} has ${own.length} participles as names, over its budget of ${budget}; name these by nouns:\n${
        shown.join("\n")
      }`
    ]
  })
}

describe("participles as names", () => {
  it("are participles without a noun, and no adjectives that say whether something is so", () => {
    for (const name of ["given", "Found", "told", "Submitted"]) assert.isTrue(isParticiple(name), name)
    for (const name of ["storedHash", "sentAt", "expired", "seed", "Snapshot"]) {
      assert.isFalse(isParticiple(name), name)
    }
  })

  it("are named with their places where they are new, or all where none is known to be", () => {
    const places = [3, 7].map((line) => ({ file: "packages/wire/src/A.ts", line, name: "found" }))
    const added = linesAdded(
      "+++ b/packages/wire/src/A.ts\n@@ -7 +7 @@ const\n-const\n+const found\n@@ -9,0 +10,2 @@"
    )
    assert.sameMembers([...added], [7, 10, 11].map((line) => `packages/wire/src/A.ts:${line}`))
    assert.deepStrictEqual(faultsOf(places, { wire: 2 }, added), [])
    const fault = "wire has 2 participles as names, over its budget of 1; name these by nouns:\n"
    assert.deepStrictEqual(faultsOf(places, { wire: 1 }, added), [`${fault}  packages/wire/src/A.ts:7 found`])
    assert.deepStrictEqual(faultsOf(places, { wire: 1 }, new Set()), [
      `${fault}  packages/wire/src/A.ts:3 found\n  packages/wire/src/A.ts:7 found`
    ])
    assert.deepStrictEqual(faultsOf(places, { wire: 3 }, added), [
      "wire has 2 participles as names, below its budget of 3: lower it"
    ])
  })

  it("are as many in each package as its budget", () => {
    const places = placesIn("packages")
    if (process.env["UPDATE_NAMES"] === "1") {
      const counts = readdirSync(join(root, "packages")).map((name) =>
        [name, places.filter((place) => packageOf(place) === name).length] as const
      )
      writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(counts), undefined, 2)}\n`)
    }
    const faults = faultsOf(places, JSON.parse(readFileSync(budgetFile, "utf8")) as Budgets, newLines())
    assert.isEmpty(faults, faults.join("\n"))
  })
})
