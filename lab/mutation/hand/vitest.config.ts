/** The tests with one mutant in place: `MUTANT` is its number. The text is replaced as the module is loaded, in no file. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { mergeConfig } from "vitest/config"
import server from "../../../test/server/vitest.config.ts"
import whole from "../../../vitest.config.ts"
import { mutants } from "./Mutants.ts"

const { file, from, tests, to } = mutants[Number(process.env["MUTANT"])]!
const root = fileURLToPath(new URL("../../../", import.meta.url))

// The tests of the bundled server have a suite of their own, which the whole one leaves out.
const suite = tests.every((test) => test.startsWith("test/server/")) ? server : whole

export default mergeConfig(suite, {
  root,
  test: { fsModuleCache: false },
  plugins: [{
    name: "mutant",
    enforce: "pre",
    load: (id: string) =>
      id.split("?", 1)[0] === root + file
        ? readFileSync(root + file, "utf8").replace(from, () => to)
        : undefined
  }]
})
