/**
 * Builds the files that browsers load, from `src/browser`, with esbuild: a script, parts of it that are loaded on demand, and a style
 * sheet, minified, each with a hash of its content in its address. `prepack` runs this module to write the files beside the compiled
 * package; in a checkout, they are built in memory on first use.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

export interface BuiltFile {
  /** The name of the file. For a part of the script, it contains a hash, because other parts import the part by name. */
  readonly name: string
  /** The hash of the content. */
  readonly version: string
  readonly content: string
  /** Whether the script needs this part to start. */
  readonly isNeeded: boolean
}

const here = dirname(fileURLToPath(import.meta.url))

/** The folder of the sources, relative to this module in its source form or compiled. */
const sources = join(here, here.includes("/dist/") ? "../../src/browser" : "../browser")

/** The folder of the files in the published package. */
export const folder = join(here, "../../dist/files")

/** The part of esbuild's interface that this module uses; esbuild is a development dependency of the checkout. */
interface Esbuild {
  readonly build: (options: object) => Promise<{
    readonly outputFiles: ReadonlyArray<{ readonly path: string; readonly text: string }>
    readonly metafile: { readonly outputs: Outputs }
  }>
}

type Outputs = Readonly<
  Record<string, { readonly imports: ReadonlyArray<{ readonly path: string; readonly kind: string }> }>
>

// Loaded with `require`: a program that bundles this module must not contain esbuild.
const require = createRequire(import.meta.url)

const fileOf = (name: string, content: string, isNeeded = false): BuiltFile => ({
  name,
  version: createHash("sha256").update(content).digest("hex").slice(0, 16),
  content,
  isNeeded
})

/** All parts that a file imports statically, also indirectly. */
const importsOf = (
  name: string,
  outputs: Outputs,
  names = new Set<string>()
): ReadonlySet<string> => {
  const [, output] = Object.entries(outputs).find(([path]) => basename(path) === name) ?? []
  for (const { kind, path } of output?.imports ?? []) {
    const part = basename(path)
    if (kind !== "import-statement" || names.has(part)) continue
    names.add(part)
    importsOf(part, outputs, names)
  }
  return names
}

export const build = async (): Promise<ReadonlyArray<BuiltFile>> => {
  const esbuild: Esbuild = require(["esbuild"].join(""))
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints: { app: join(sources, "main.tsx"), "app-styles": join(sources, "styles/index.css") },
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    splitting: true,
    chunkNames: "part-[hash]",
    // Browser code of all packages is bundled from its sources, because it is not compiled beside them.
    conditions: ["@dockline/source"],
    format: "esm",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent"
  })
  const neededNames = importsOf("app.js", metafile.outputs)
  const names: Readonly<Record<string, string>> = { "app-styles.css": "app.css" }
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path)
    return fileOf(names[name] ?? name, text, neededNames.has(name))
  })
  return [...files, fileOf("icon.svg", readFileSync(join(sources, "icon.svg"), "utf8"))]
}

const libraries = ["preact", "@preact/signals", "@preact/signals-core"]

/** Writes the files, their list and the licences of their contents. */
const write = async (): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const files = await build()
  for (const { name, content } of files) writeFileSync(join(folder, name), content)
  writeFileSync(
    join(folder, "files.json"),
    JSON.stringify(files.map(({ isNeeded, name }) => [name, isNeeded]))
  )
  const licences = libraries.map((name) => {
    const [directory] = require.resolve(name).split(`${sep}dist${sep}`)
    return `${name}\n\n${readFileSync(join(directory!, "LICENSE"), "utf8").trim()}`
  })
  writeFileSync(join(folder, "LICENSES.txt"), `${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
}

/** The files that `prepack` has written. */
export const read = (): ReadonlyArray<BuiltFile> => {
  const names: ReadonlyArray<readonly [string, boolean]> = JSON.parse(
    readFileSync(join(folder, "files.json"), "utf8")
  )
  return names.map(([name, isNeeded]) => fileOf(name, readFileSync(join(folder, name), "utf8"), isNeeded))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write()
