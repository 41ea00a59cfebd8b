/**
 * The tests for mutants of core's rules: the tests of the rules and their laws. They need no database, and their generators draw the same
 * values each time, so that scores can be compared.
 */
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import type { TestSpecification } from "vitest/node"

/** The tests of the mutated modules (field maps are in `Payload`, references in `Outcome`), and their laws. */
const rules = [
  "Access",
  "Authorize",
  "Day",
  "DocumentValues",
  "ElementString",
  "Intake",
  "IntakeStore",
  "Laws",
  "LinearDecision",
  "Movement",
  "MovementStore",
  "Outcome",
  "Ownership",
  "PalletEventInput",
  "Payload",
  "PayloadProfile",
  "Plan",
  "PlanConflicts",
  "Recounting",
  "Remaining",
  "Remap",
  "Shipment",
  "ShipmentSize",
  "Shipments",
  "Steps",
  "Strategy",
  "View"
]

/** Slow tests come last, because a quick test of the rule catches most mutants. */
class QuickFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isSlow = ({ moduleId }: TestSpecification) => Number(/Laws|ShipmentSize|Store/.test(moduleId))
    return Promise.resolve(files.toSorted((left, right) => isSlow(left) - isSlow(right)))
  }
}

// Each mutant has its own worker, which without a cache would spend most of its time on compiling.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "dockline-mutation-compile-cache")

/** The packages of the copy by name: `node_modules` leads from there to the checkout, which has no mutants. */
const copies = {
  name: "copies",
  enforce: "pre" as const,
  resolveId: (id: string): string | undefined => {
    const [, folder, path] = /^@dockline\/(core|testing)(?:\/(.+))?$/.exec(id) ?? []
    if (folder === undefined) return undefined
    const root = join(process.cwd(), "packages", folder)
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const target = exports[path === undefined ? "." : `./${path}`]
    return join(root, target?.["@dockline/source"] ?? `src/${path!.replace(/^internal\//, "")}.ts`)
  }
}

export default defineConfig({
  plugins: [copies],
  test: {
    include: rules.map((rule) => `packages/core/test/*/${rule}.test.ts`),
    // A fifth of the cases finds nearly every mutant that a law can find, and each mutant runs them.
    env: { LAW_FACTOR: "0.2" },
    setupFiles: ["lab/mutation/seed.ts"],
    sequence: { sequencer: QuickFirst },
    isolate: false,
    testTimeout: 30_000
  }
})
