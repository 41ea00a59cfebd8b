/** What each package.json says, and that it is true of the sources. */
import { existsSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesIn, packages, publicModules, readJson, root, sourceOf } from "./Workspace.ts"
import type { Package, Target } from "./Workspace.ts"

const statement =
  /^(?:import|export)\b[^"\n]* from "([^"]+)"|^\} from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm

/** What a file imports, types included. */
const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(statement), ([, ...names]) => names.find(Boolean)!)

const packageOf = (name: string): string => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/")

const sourcesOf = (directory: string): ReadonlyArray<string> =>
  filesIn(directory).filter((file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file)).map((
    file
  ) => join(directory, file))

/** What every package says in the same words. */
const common = ({ folder, manifest }: Package) => ({
  version: packages[0]!.manifest.version,
  homepage: `https://github.com/dockline/dockline/tree/main/packages/${folder}#readme`,
  bugs: "https://github.com/dockline/dockline/issues",
  repository: {
    type: "git",
    url: "git+https://github.com/dockline/dockline.git",
    directory: `packages/${folder}`
  },
  license: "Apache-2.0",
  author: "The Dockline authors",
  type: "module",
  files: ["dist", "!dist/.tsbuildinfo"],
  engines: readJson<Record<string, unknown>>(join(root, "package.json"))["engines"],
  publishConfig: { access: "public", provenance: true },
  peerDependencies: { ...manifest.peerDependencies, effect: "~4.1.0" }
})

/** The module of a target, as a path in the sources. */
const moduleOf = (target: Target): string | undefined =>
  sourceOf(target)?.slice("./src".length, -".ts".length)

/** Whether another package of ours imports what is not public of this one. */
const isInternallyImported = (name: string): boolean =>
  packages.some(({ directory }) =>
    sourcesOf(join(directory, "src")).flatMap(importsOf).some((each) => each.startsWith(`${name}/internal/`))
  )

/** What guides, READMEs and examples import. */
const shown = new Set(
  ["docs/guides", "examples", "packages", "README.md"].flatMap((place) =>
    place.endsWith(".md") ? [place] : filesIn(join(root, place)).map((file) => join(place, file))
  ).filter((file) => !/node_modules|dist\/|\/test\//.test(file))
    .filter((file) => file.startsWith("examples/") ? file.endsWith(".ts") : file.endsWith(".md"))
    .flatMap((file) => importsOf(join(root, file)))
)

describe.each(packages.map((each) => [each.manifest.name, each] as const))(
  "package.json of %s",
  (_, each) => {
    const { directory, manifest } = each

    it("says what all of them say: where it is from, its licence, what it runs on, how it is published", () => {
      expect(manifest).toMatchObject(common(each))
      expect(manifest["description"]).toEqual(expect.any(String))
      expect(manifest["keywords"]).toEqual((manifest["keywords"] as Array<string>).toSorted())
      expect(readFileSync(join(directory, "LICENSE"))).toEqual(readFileSync(join(root, "LICENSE")))
    })

    it("lists its public modules by name, each with its source, its types and its code, in this order", () => {
      const paths = Object.keys(manifest.exports).filter((path) =>
        !path.includes("*") && path !== "./package.json"
      )
      expect(paths).toEqual(paths.toSorted())
      for (const path of paths) {
        // A public name is that of the file, in whichever room it stands.
        const target = manifest.exports[path]!
        const file = moduleOf(target)
        expect(file?.endsWith(path.slice(1))).toBe(true)
        expect(target).toEqual({
          "@dockline/source": `./src${file}.ts`,
          types: `./dist${file}.d.ts`,
          default: `./dist${file}.js`
        })
        expect(Object.keys(target)).toEqual(["@dockline/source", "types", "default"])
      }
      const files = new Set(filesIn(join(directory, "src")).map((file) => `./src/${file}`))
      const named = Object.values(manifest.exports).map(sourceOf).filter((source) => source !== undefined)
      expect(named.filter((source) => !source.includes("*") && !files.has(source))).toEqual([])
    })

    it("opens what is not public to the packages of ours, under a path that says so, and to this workspace", () => {
      const patterns = Object.entries(manifest.exports).filter(([path]) => path.includes("*"))
      expect(patterns).toEqual([
        ...(isInternallyImported(manifest.name)
          ? [["./internal/*", {
            "@dockline/source": "./src/*.ts",
            types: "./dist/*.d.ts",
            default: "./dist/*.js"
          }]]
          : []),
        ["./*", { "@dockline/source": "./src/*.ts" }]
      ])
      expect(manifest.exports["./package.json"]).toBe("./package.json")
    })

    it("names each public module in its README, a guide or an example", () => {
      const readme = readFileSync(join(directory, "README.md"), "utf8")
      const unnamed = publicModules(each).filter((module) => {
        const name = module.slice(module.lastIndexOf("/") + 1)
        return !new RegExp("`" + name + "\\b").test(readme) && !shown.has(module)
      })
      expect(unnamed).toEqual([])
    })

    it("declares whatever its sources import", () => {
      const declared = new Set([
        manifest.name,
        ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
        ...builtinModules.map((name) => `node:${name}`),
        "node:sqlite",
        "node:test"
      ])
      // What browsers run is built into the package, with what it imports.
      const browser = join(directory, "src/browser")
      const built = new Set(Object.keys(manifest.devDependencies ?? {}))
      const undeclared = sourcesOf(join(directory, "src")).flatMap((file) =>
        importsOf(file).filter((name) => !name.startsWith(".")).map(packageOf).filter((name) =>
          !declared.has(name) && !(file.startsWith(browser) && built.has(name))
        )
      )
      expect(undeclared).toEqual([])
    })

    it("uses whatever it declares, types of what it uses aside", () => {
      const imported = sourcesOf(join(directory, "src")).flatMap((file) => readFileSync(file, "utf8")).join(
        "\n"
      )
      // Each has `effect` beside it, also where only the types of core that it shows are made of it (ADR 13).
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
        .filter((name) => name !== "effect")
      expect(declared.filter((name) => !name.startsWith("@types/") && !imported.includes(`"${name}`)))
        .toEqual([])
    })
  }
)

describe("what imports a package of another folder", () => {
  const names = new Set(packages.map(({ manifest }) => manifest.name))
  const known = new Set(packages.flatMap(publicModules))

  /** Whether it is one of ours that is not public, by the path for that. */
  const isThereInternally = (name: string): boolean => {
    const [, folder, internal, ...module] = name.split("/")
    return internal === "internal" &&
      existsSync(join(root, "packages", folder!, "src", `${module.join("/")}.ts`))
  }

  it.each(["packages", "examples"])(
    "imports what is public, and packages of ours what says that it is not: %s",
    (place) => {
      const files = sourcesOf(join(root, place)).filter((file) =>
        place === "examples" || file.includes("/src/")
      )
      const wrong = files.flatMap((file) =>
        importsOf(file)
          .filter((name) => names.has(packageOf(name)) && !known.has(name))
          .filter((name) => place === "examples" || !isThereInternally(name))
          .map((name) => `${file.slice(root.length)} imports ${name}`)
      )
      expect(wrong).toEqual([])
    }
  )
})
