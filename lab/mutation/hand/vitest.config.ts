/**
 * Runs tests with one mutant: `MUTANT` is its number. The text of a module is replaced when it is loaded, and no file changes; SQL is
 * read from another file.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { mergeConfig } from "vitest/config"
import { withSqlOf } from "../../../programs/Bundle.mjs"
import server from "../../../test/server/vitest.config.ts"
import whole from "../../../vitest.config.ts"
import { mutants } from "./Mutants.ts"

const { file, from, tests, to } = mutants[Number(process.env["MUTANT"])]!
const root = fileURLToPath(new URL("../../../", import.meta.url))

const mutated = () => readFileSync(root + file, "utf8").replace(from, () => to)

const ofSql = (): string => {
  const other = join(mkdtempSync(join(tmpdir(), "dockline-mutant-")), "mutated.sql")
  writeFileSync(other, mutated())
  return other
}

// The tests of the bundled server have a separate configuration.
const suite = tests.every((test) => test.startsWith("test/server/")) ? server : whole

export default mergeConfig(suite, {
  root,
  test: { fsModuleCache: false },
  plugins: [{
    name: "mutant",
    enforce: "pre",
    load: (id: string) => id.split("?", 1)[0] === root + file ? mutated() : undefined,
    transform: (text: string, id: string) =>
      file.endsWith(".sql") && text.includes(".sql")
        ? withSqlOf(text, id.split("?", 1)[0]!, file, ofSql)
        : undefined
  }]
})
