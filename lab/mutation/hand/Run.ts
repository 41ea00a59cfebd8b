/**
 * `npm run test:mutants`: each mutant of `Mutants.ts` against its tests. Fails for each that no test notices.
 *
 *   npm run test:mutants                 all of them, some ten minutes
 *   npm run test:mutants -- --only key   those whose name has the text
 *   npm run test:mutants -- --from key   the first of these and all after it, as when a run was stopped
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutants } from "./Mutants.ts"
import type { Mutant } from "./Mutants.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

interface Report {
  readonly numTotalTests: number
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** The first test that fails with the mutant in place; `undefined` if none does. */
const noticedBy = (at: number, { tests }: Mutant, folder: string): string | undefined => {
  const outputFile = join(folder, `${at}.json`)
  const { stderr } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "lab/mutation/hand/vitest.config.ts",
      "--bail=1",
      "--reporter=json",
      `--outputFile=${outputFile}`,
      ...tests
    ],
    { cwd: root, env: { ...process.env, MUTANT: String(at) }, encoding: "utf8" }
  )
  const { numTotalTests, testResults }: Report = JSON.parse(readFileSync(outputFile, "utf8"))
  if (numTotalTests === 0) throw new Error(`no test ran: ${stderr}`)
  return testResults.flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === "failed")?.fullName
}

const text = { type: "string", default: "" } as const
const { values: { from: first, only } } = parseArgs({ options: { from: text, only: text } })
const start = mutants.findIndex(({ name }) => name.includes(first))
if (start < 0) throw new Error(`no name has "${first}"`)
const folder = mkdtempSync(join(tmpdir(), "dockline-mutants-"))
try {
  const survivors: Array<string> = []
  for (const [at, mutant] of mutants.entries()) {
    const { file, from, name } = mutant
    if (at < start || !name.includes(only)) continue
    if (readFileSync(join(root, file), "utf8").split(from).length !== 2) {
      throw new Error(`"${name}": its text does not stand once in ${file}`)
    }
    const test = noticedBy(at, mutant, folder)
    console.log(test === undefined ? `SURVIVED  ${name}` : `noticed   ${name}\n          by ${test}`)
    if (test === undefined) survivors.push(name)
  }
  if (survivors.length > 0) throw new Error(`${survivors.length} survived`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
