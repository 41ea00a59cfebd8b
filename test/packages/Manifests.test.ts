/** The contents of each package.json, and their agreement with the sources. */
import { existsSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesIn, packages, publicModules, readJson, root, sourceOf } from "./Workspace.ts"
import type { Package, Target } from "./Workspace.ts"

const statement =
  /^(?:import|export)\b[^"\n]* from "([^"]+)"|^\} from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm

/** The imports of a file, including types. */
const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(statement), ([, ...names]) => names.find(Boolean)!)

const packageOf = (name: string): string => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/")

const sourcesOf = (directory: string): ReadonlyArray<string> =>
  filesIn(directory).filter((file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file)).map((
    file
  ) => join(directory, file))

/** The fields that are the same in every package. */
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
  files: [
    "dist",
    "!dist/.tsbuildinfo",
    ...["sql", "page"].filter((each) => existsSync(join(root, "packages", folder, each)))
  ],
  engines: readJson<Record<string, unknown>>(join(root, "package.json"))["engines"],
  publishConfig: { access: "public", provenance: true },
  peerDependencies: { ...manifest.peerDependencies, effect: "~4.1.0" }
})

/** The target of the path of a public module. */
const published = (module: string): Target => ({
  "@dockline/source": `./src/${module}.ts`,
  types: `./dist/${module}.d.ts`,
  default: `./dist/${module}.js`
})

/** The imports in guides, READMEs and examples. */
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

    it("makes modules public by the paths of their files, each with its source, its types and its code", () => {
      const { ".": whole, "./package.json": self, "./*": pattern, ...named } = manifest.exports
      expect(self).toBe("./package.json")
      if (whole !== undefined) {
        // The name of a package alone leads to a file of its choice.
        const source = sourceOf(whole)!
        expect(whole).toEqual(published(source.slice("./src/".length, -".ts".length)))
        expect(existsSync(join(directory, source))).toBe(true)
      }
      const rooms = filesIn(join(directory, "src")).flatMap((file) =>
        /^(.*\binternal)\//.exec(file)?.[1] ?? []
      )
      if ("default" in (pattern as object)) {
        // All modules are public except those in folders named `internal`, which only this workspace can import.
        expect(pattern).toEqual(published("*"))
        expect(named).toEqual(
          Object.fromEntries(
            [...new Set(rooms)].toSorted().map((room) => [
              `./${room}/*`,
              { "@dockline/source": `./src/${room}/*.ts` }
            ])
          )
        )
      } else {
        // Few are public, each by a line of its own or of its folder; only this workspace can import the others.
        expect(pattern).toEqual({ "@dockline/source": "./src/*.ts" })
        const paths = Object.keys(named)
          // Pages are built into the dashboard.
          .filter((path) => path !== "./browser/*")
        expect(paths).toEqual(paths.toSorted())
        for (const path of paths) {
          expect(named[path]).toEqual(published(path.slice(2)))
          expect(Object.keys(named[path]!)).toEqual(["@dockline/source", "types", "default"])
          const place = path.endsWith("/*") ? path.slice(1, -"/*".length) : `${path.slice(1)}.ts`
          expect(existsSync(join(directory, `src${place}`))).toBe(true)
        }
      }
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
      // Browser code is built into the package, with its imports.
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
      // Each has `effect` as a peer, even if only the types of core that it exposes use it (ADR 13).
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

  it.each(["packages", "examples"])("imports what is public: %s", (place) => {
    const files = sourcesOf(join(root, place)).filter((file) =>
      place === "examples" || file.includes("/src/")
    )
    // The pages of all packages are sources of one bundle.
    const isOfBundle = (file: string, name: string) =>
      file.includes("/src/browser/") && name.includes("/browser/")
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => names.has(packageOf(name)) && !known.has(name) && !isOfBundle(file, name))
        .map((name) => `${file.slice(root.length)} imports ${name}`)
    )
    expect(wrong).toEqual([])
  })
})
