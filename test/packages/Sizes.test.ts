/**
 * The sizes of the packages: each tarball, and each main module bundled for a program (minified and gzipped, without the dependencies of
 * the packages). The budgets are in `sizes.json`, in bytes.
 *
 * A budget makes growth visible: raise it in the change that needs it, and give the reason there. A budget far above the present size shows
 * nothing, so it has to be lowered.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, inject, it } from "vitest"
import { packages, readJson, root } from "./Workspace.ts"

const budgets = readJson<{
  readonly tarballs: Readonly<Record<string, number>>
  readonly bundles: Readonly<Record<string, number>>
}>(join(root, "test/packages/sizes.json"))

/** The factor by which a budget may exceed the present size. */
const slack = 1.25

const check = (what: string, size: number, budget: number): void => {
  if (size > budget) {
    expect.fail(
      `${what} has ${size} bytes, over its budget of ${budget}: make it smaller, or raise the budget in sizes.json`
    )
  }
  if (size * slack < budget) {
    expect.fail(
      `${what} has ${size} bytes, far below its budget of ${budget}: lower the budget in sizes.json`
    )
  }
}

/** Other packages, which are installed beside ours, once. */
const external = [
  ...new Set(
    packages.flatMap(({ manifest }) =>
      Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    )
  )
].filter((name) => !name.startsWith("@dockline/"))

/** The size of a program that imports a module and uses all of it. */
const bundled = async (module: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${module}"`, resolveDir: inject("checkout") },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node22",
    external: external.flatMap((name) => [name, `${name}/*`])
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

describe("tarballs", () => {
  it("have a budget each", () => {
    expect(Object.keys(budgets.tarballs)).toEqual(packages.map(({ manifest }) => manifest.name))
  })

  it.each(inject("tarballs").map(({ name, size }) => [name, size] as const))(
    "%s is within its budget",
    (name, size) => {
      check(`the tarball of ${name}`, size, budgets.tarballs[name]!)
    }
  )
})

describe("bundles", () => {
  it.each(Object.entries(budgets.bundles))(
    "a program with %s is within its budget",
    async (module, budget) => {
      check(`the bundle of ${module}`, await bundled(module), budget)
    }
  )
})
