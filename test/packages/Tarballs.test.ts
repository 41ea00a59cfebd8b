/** The contents of the tarballs, and whether bundlers, Node and TypeScript will find them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import * as Library from "../../packages/graphql-adapter/src/graphiql/Library.ts"
import * as SwaggerUi from "../../packages/http-adapter/src/reference/SwaggerUi.ts"
import { ends, run } from "./Commands.ts"
import { filesIn, packages, publicModules, readJson, root } from "./Workspace.ts"
import type { Manifest } from "./Workspace.ts"

/** The parts of libraries that the pages of packages load, with the licences. */
const libraries: Readonly<Record<string, typeof SwaggerUi | typeof Library>> = {
  "@dockline/graphql-adapter": Library,
  "@dockline/http-adapter": SwaggerUi
}

/** The files that packages build for their pages, beside the copies of libraries. */
const builtFiles: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@dockline/dashboard": ["app.css", "app.js", "files.json", "icon.svg", "LICENSES.txt"].map((file) =>
    `dist/files/${file}`
  )
}

/** The files beside the sources of a package that its programs read: SQL, and programs of pages. */
const besideSources = (directory: string): ReadonlyArray<string> =>
  ["sql", "page"].filter((each) => existsSync(join(directory, each))).flatMap((each) =>
    filesIn(join(directory, each)).map((file) => `${each}/${file}`)
  )

const tarballs = inject("tarballs")
const unpacked = mkdtempSync(join(tmpdir(), "dockline-unpacked-"))
afterAll(() => rmSync(unpacked, { recursive: true, force: true }))

it("is one of each package", () => {
  expect(tarballs.map(({ name }) => name).toSorted()).toEqual(
    packages.map(({ manifest }) => manifest.name).toSorted()
  )
})

describe.each(packages.map((each) => [each.manifest.name, each] as const))(
  "the tarball of %s",
  (name, each) => {
    const tarball = tarballs.find((one) => one.name === name)!
    const directory = join(unpacked, each.folder, "package")
    const files = tarball.files.map(({ path }) => path)

    beforeAll(async () => {
      await run("mkdir", ["-p", dirname(directory)], { cwd: unpacked })
      await run("tar", ["-xzf", tarball.path, "-C", dirname(directory)], { cwd: unpacked })
    })

    it("has code and types of each module, what pages load, and nothing else", () => {
      // Browser code is built into the files of its page.
      const modules = filesIn(join(each.directory, "src"))
        .filter((file) => file.endsWith(".ts") && !file.startsWith("browser/"))
        .map((file) => file.replace(/\.ts$/, ""))
      const expected = modules.flatMap((module) => [`dist/${module}.js`, `dist/${module}.d.ts`])
      const { files: copies = {}, folder } = libraries[name] ?? {}
      const answers = filesIn(join(each.directory, "src")).filter((file) => file.endsWith("/answers.json"))
      const library = folder === undefined ? [] : [...Object.keys(copies), "LICENSES.txt"]
      expect(modules.filter((module) => /\.(test|spec|bench)$/.test(module))).toEqual([])
      const others = [
        "LICENSE",
        "README.md",
        "package.json",
        ...library.map((file) => `${folder}/${file}`),
        ...answers.map((file) => `dist/${file}`),
        ...(builtFiles[name] ?? []),
        ...besideSources(each.directory)
      ]
      // The names of the parts of a script depend on their contents.
      const fixed = files.filter((file) => !/^dist\/files\/part-[\dA-Z]{8}\.js$/.test(file))
      expect(fixed.toSorted()).toEqual([...expected, ...others].toSorted())
    })

    it("names no folder of the machine that packed it, and imports no TypeScript", () => {
      const places = [root, inject("checkout"), `${homedir()}/`]
      for (const path of files) {
        const text = readFileSync(join(directory, path), "utf8")
        expect(places.filter((place) => text.includes(place)), path).toEqual([])
        if (path.endsWith(".js")) expect(text).not.toMatch(/^(import|export).* from "[^"]+\.ts"/m)
      }
    })

    it("has a program where it says so, which can be started", () => {
      for (const path of Object.values(each.manifest.bin ?? {})) {
        expect(readFileSync(join(directory, path), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/)
        expect(statSync(join(directory, path)).isFile()).toBe(true)
      }
    })

    it("passes publint", async () => {
      const { messages } = await publint({
        strict: true,
        pack: { tarball: new Uint8Array(readFileSync(tarball.path)).buffer }
      })
      const manifest = readJson<Manifest>(join(directory, "package.json"))
      const said = messages.map((message) => formatMessage(message, manifest as never, { color: false }))
      expect(said).toEqual([])
    })

    // ESM only: Node 22.12 and later `require` ES modules (see Installed.test.ts), so that a second, CommonJS form would only bring the
    // danger of loading everything twice. attw's other profiles require that form.
    it("passes attw for each public module", { skip: publicModules(each).length === 0 }, async () => {
      const modules = publicModules(each)
      const { code, stdout, stderr } = await ends(
        join(import.meta.dirname, "node_modules/.bin/attw"),
        [
          tarball.path,
          "--profile=esm-only",
          "--no-definitely-typed",
          "--format=ascii",
          "--no-color",
          "--entrypoints",
          ...modules.map((module) => `.${module.slice(name.length)}`)
        ],
        { cwd: root }
      )
      expect(code, `${stdout}\n${stderr}`).toBe(0)
      expect(modules.filter((module) => !stdout.includes(`"${module}"`))).toEqual([])
    })

    it("has no condition that leads to sources, and no path to what is internal", () => {
      const { exports } = readJson<Manifest>(join(directory, "package.json"))
      const targets = Object.values(exports).flatMap((target) =>
        target !== null && typeof target === "object" ? Object.entries(target) : []
      )
      expect(
        targets.filter(([condition, path]) => condition === "@dockline/source" || path.includes("/src/"))
      )
        .toEqual([])
      const open = Object.entries(exports).filter(([path, target]) =>
        path.includes("internal") && target !== null
      )
      expect(open).toEqual([])
    })
  }
)
