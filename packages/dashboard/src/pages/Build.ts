/**
 * Builds the files that browsers load, from `src/browser`, with esbuild: one script and one style sheet, minified, each
 * with a hash of its content in its name. `prepack` runs this module, and writes them beside the compiled package; in a
 * checkout they are built in memory when they are first asked for.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** A file for browsers. */
export interface BuiltFile {
  /** Its name without the hash. */
  readonly name: string
  /** The hash of its content in its address. */
  readonly version: string
  readonly content: string
}

const here = dirname(fileURLToPath(import.meta.url))

/** The sources, beside this module or beside the folder that it was compiled into. */
const sources = join(here, here.includes("/dist/") ? "../../src/browser" : "../browser")

/** Where the published package has the files. */
export const folder = join(here, "../../dist/files")

/** What a minimal program of esbuild's interface needs; the package is a development dependency. */
interface Esbuild {
  readonly build: (options: object) => Promise<{
    readonly outputFiles: ReadonlyArray<{ readonly path: string; readonly text: string }>
  }>
}

// Not imported: a program that bundles this module would otherwise hold esbuild.
const require = createRequire(import.meta.url)

const built = (name: string, content: string): BuiltFile => ({
  name,
  version: createHash("sha256").update(content).digest("hex").slice(0, 16),
  content
})

/** Builds the files. */
export const build = async (): Promise<ReadonlyArray<BuiltFile>> => {
  const esbuild: Esbuild = require(["esbuild"].join(""))
  const { outputFiles } = await esbuild.build({
    entryPoints: { app: join(sources, "main.tsx"), "app-styles": join(sources, "styles/index.css") },
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent"
  })
  const textOf = (name: string): string => outputFiles.find(({ path }) => path.endsWith(name))!.text
  return [
    built("app.js", textOf("app.js")),
    built("app.css", textOf("app-styles.css")),
    built("icon.svg", readFileSync(join(sources, "icon.svg"), "utf8"))
  ]
}

/** The packages whose code is in the script. */
const bundled = ["preact", "@preact/signals", "@preact/signals-core"]

/** Writes the files, their list and the licences of what they hold. */
const write = async (): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const files = await build()
  for (const { name, content } of files) writeFileSync(join(folder, name), content)
  writeFileSync(join(folder, "files.json"), JSON.stringify(files.map(({ name }) => name)))
  const licences = bundled.map((name) => {
    const [directory] = require.resolve(name).split(`${sep}dist${sep}`)
    return `${name}\n\n${readFileSync(join(directory!, "LICENSE"), "utf8").trim()}`
  })
  writeFileSync(join(folder, "LICENSES.txt"), `${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
}

/** The files that `prepack` has written. */
export const read = (): ReadonlyArray<BuiltFile> => {
  const names: ReadonlyArray<string> = JSON.parse(readFileSync(join(folder, "files.json"), "utf8"))
  return names.map((name) => built(name, readFileSync(join(folder, name), "utf8")))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write()
