/**
 * The threats of docs/THREAT-MODEL.md and docs/threats, and the tests that attack them. A test names its threats in the line above
 * its title: `// @threat tenants.3`, several with a space between them.
 */
import { globSync, readFileSync } from "node:fs"

const root = new URL("../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** The text of each section of the threat model, by its heading. */
export const sections: ReadonlyMap<string, string> = new Map(
  ["docs/THREAT-MODEL.md", ...globSync("docs/threats/*.md", { cwd: root }).toSorted()].flatMap((page) =>
    read(page).split(/^#{2,3} /m).slice(1).map((section) => {
      const end = section.indexOf("\n")
      // An entry continues in indented lines.
      return [section.slice(0, end).trim(), section.slice(end + 1).replaceAll(/\n {2}(?=\S)/g, " ")] as const
    })
  )
)

/** A line of the threat model. */
export interface Threat {
  readonly id: string
  readonly threat: string
  readonly prevention: string
}

/** Every threat, in the order of the document. */
export const threats: ReadonlyArray<Threat> = [...sections.values()].flatMap((section) =>
  Array.from(
    section.matchAll(/^- \*\*(\w+\.\d+)\*\* (.+?) _Held by_ (.+)$/gm),
    ([, id = "", threat = "", prevention = ""]) => ({ id, threat, prevention })
  )
)

/** A test that names a threat. The title is empty if the tag stands above anything else, or above a skipped test. */
export interface ThreatTest {
  readonly id: string
  readonly path: string
  readonly title: string
}

const tagPattern = /^ *\/\/ @threat (.+)\n([^]*?)(?=^ *\/\/ @threat |(?![^]))/gm

/** The title of a test or a group that runs: the first argument of a call, followed by another. */
const titlePattern =
  /(?:\b(?:it|test|describe|plainIt)(?:\.(?!skip|todo|fails)\w+)*|\))\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/

/** The beginning of a test or a group that runs. */
const runningPattern = /^\s*(?:it|test|describe|plainIt)(?:\.(?!skip|todo|fails)\w+)*\b(?!\.)/

/** A title, with an ellipsis in place of the parts that differ from test to test. */
const general = (title: string): string =>
  title.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}|%[sdjo]/g, "…").replaceAll(/\\(["'`\\])/g, "$1")

/** Every test that names a threat, by threat. */
export const threatTests: ReadonlyArray<ThreatTest> = globSync([
  "test/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "lab/load/test/*.test.ts"
], {
  cwd: root
}).toSorted().flatMap((path) =>
  Array.from(read(path).matchAll(tagPattern)).flatMap(([, ids = "", code = ""]) => {
    const [, plain, template] = runningPattern.test(code) ? titlePattern.exec(code) ?? [] : []
    return ids.split(" ").map((id) => ({ id, path, title: general(plain ?? template ?? "") }))
  })
)
