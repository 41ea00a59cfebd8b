/** What is in the tarballs, and whether bundlers, Node and TypeScript will find it. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join, normalize } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import * as Graphiql from "../../packages/graphql-adapter/src/graphiql/Library.ts"
import * as SwaggerUi from "../../packages/http-adapter/src/reference/SwaggerUi.ts"
import { ends, run } from "./Commands.ts"
import { filesIn, packages, publicModules, readJson, root, sourceOf } from "./Workspace.ts"
import type { Manifest } from "./Workspace.ts"

/** What the pages of packages load of libraries, with the licences. */
const libraries: Readonly<Record<string, typeof SwaggerUi | typeof Graphiql>> = {
  "@dockline/graphql-adapter": Graphiql,
  "@dockline/http-adapter": SwaggerUi
}

/** What packages build for their pages, beside the copies of libraries. */
const builtFiles: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@dockline/dashboard": ["app.css", "app.js", "files.json", "icon.svg", "LICENSES.txt"].map((file) =>
    `dist/files/${file}`
  )
}

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

    it("has code, types, source maps and sources of each module, what pages load, and nothing else", () => {
      const sources = filesIn(join(each.directory, "src"))
      // What browsers run is built into the files of its page.
      const modules = sources.filter((file) => file.endsWith(".ts") && !file.startsWith("browser/")).map((
        file
      ) => file.replace(/\.ts$/, ""))
      const expected = [
        ...sources.map((file) => `src/${file}`),
        ...modules.flatMap((module) =>
          [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => `dist/${module}${ending}`)
        )
      ]
      const { files: copies = {}, folder } = libraries[name] ?? {}
      const library = folder === undefined ? [] : [...Object.keys(copies), "LICENSES.txt"]
      expect(modules.filter((module) => /\.(test|spec|bench)$/.test(module))).toEqual([])
      const others = [
        "LICENSE",
        "README.md",
        "package.json",
        ...library.map((file) => `${folder}/${file}`),
        ...(builtFiles[name] ?? [])
      ]
      expect(files.toSorted()).toEqual([...expected, ...others].toSorted())
    })

    it("maps every file to a source that it holds", () => {
      for (const path of files.filter((file) => file.endsWith(".map"))) {
        const { sources } = readJson<{ sources: ReadonlyArray<string> }>(join(directory, path))
        expect(sources).toHaveLength(1)
        expect(files).toContain(normalize(join(dirname(path), sources[0]!)))
        const mapped = path.replace(/\.map$/, "")
        expect(readFileSync(join(directory, mapped), "utf8")).toMatch(/\n\/\/# sourceMappingURL=\S+\.map\s*$/)
      }
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
      expect(messages.map((message) => formatMessage(message, manifest as never, { color: false }))).toEqual(
        []
      )
    })

    // ESM only: Node 22.12 and later `require` ES modules (see Installed.test.ts), so that a second, CommonJS form would
    // only bring the danger of loading everything twice. attw's other profiles ask for that form.
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

    it("gives a path to what is not public under internal alone", () => {
      const open = Object.entries(each.manifest.exports).filter(([, target]) =>
        sourceOf(target) === "./src/*.ts"
      )
      expect(open.map(([path]) => path).filter((path) => path !== "./internal/*")).toEqual([])
    })
  }
)
