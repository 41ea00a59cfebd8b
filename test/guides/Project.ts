/**
 * The projects that guides tell their readers to make: a folder for each, with the files of its blocks.
 *
 * They resolve the packages by name, as an installed project does, and their types are checked as strictly as our own.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { fileOf } from "./Block.ts"
import type { Block, Guide } from "./Block.ts"

/** The repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url))

/** The folder of all projects. */
export interface Projects {
  readonly folder: string
  /** The folder of one guide, which contains its files. */
  readonly folderOf: (guide: Guide) => string
  readonly remove: () => void
}

/** Replaces the addresses in a guide by those of the test. */
export type Substitute = (text: string) => string

const compilerOptions = {
  composite: false,
  declaration: false,
  declarationMap: false,
  sourceMap: false,
  noEmit: true,
  // The sources of our packages, which are the largest part, are checked again only when they have changed.
  incremental: true,
  tsBuildInfoFile: join(root, "node_modules/.cache/guides/types.tsbuildinfo"),
  rewriteRelativeImportExtensions: false,
  lib: ["ES2024", "ESNext.Disposable"]
}

/** Makes the projects of some guides. */
export const make = (guides: ReadonlyArray<Guide>, substitute: (guide: Guide) => Substitute): Projects => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-guides-"))
  const folderOf = ({ name }: Guide) => join(folder, name.replace(/\W+/g, "-"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*/**/*.ts"] })
  )
  for (const guide of guides) {
    mkdirSync(folderOf(guide))
    const replace = substitute(guide)
    for (const block of guide.blocks) {
      if (block.kind !== "ts" && block.file === undefined) continue
      const path = join(folderOf(guide), fileOf(block))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${replace(block.text)}\n`)
    }
  }
  return { folder, folderOf, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * The compiler's errors in the files of all projects, one line each: `guide/file(line,column): …`. Errors in our packages, which it reads
 * from their sources, are left out.
 */
export const typeErrors = (projects: Projects): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const tsc = join(root, "node_modules/.bin/tsc")
    // One checker: several would repeat much of the work, and are no faster here.
    const args = ["-p", projects.folder, "--pretty", "false", "--singleThreaded"]
    execFile(tsc, args, { cwd: projects.folder }, (error, output) => {
      const lines = output.split("\n").filter((line) => /^(?!\.\.).*: error TS|^error TS/.test(line))
      const hasRun = error === null || output.includes(": error TS")
      resolve(hasRun ? lines : [`tsc: ${error.message} ${output}`])
    })
  })

/** The imports of a program at run time, without imports of types only. */
const imports = /^(?:import|export)\s(?!type\b)[^"]*?"(\.[^"]+)"/gm

/** The files of a guide that a program imports. */
export const importsOf = (block: Block): ReadonlyArray<string> =>
  Array.from(
    block.text.matchAll(imports),
    ([, path]) => posix.normalize(posix.join(posix.dirname(fileOf(block)), path!))
  )

/** The files of a guide that others of its files import. */
export const imported = ({ blocks }: Guide): ReadonlySet<string> =>
  new Set(blocks.filter(({ kind }) => kind === "ts").flatMap(importsOf))

/** Whether a command of the guide runs the file of a block. */
export const isNamed = ({ blocks }: Guide, block: Block): boolean => {
  const file = fileOf(block).replaceAll(".", String.raw`\.`)
  const command = new RegExp(String.raw`^(?:.*[\s;&|])?node(?:\s+--\S+)*\s+${file}(?:\s|$)`, "m")
  return blocks.some(({ kind, text }) => kind === "sh" && command.test(text))
}

/** The programs of a guide that nothing runs: those that only import each other. */
export const unreached = (guide: Guide): ReadonlyArray<Block> => {
  const programs = guide.blocks.filter(({ kind }) => kind === "ts")
  const known = imported(guide)
  const reached = new Set<Block>()
  const reach = (block: Block): void => {
    if (reached.has(block)) return
    reached.add(block)
    const files = importsOf(block)
    for (const other of programs) if (files.includes(fileOf(other))) reach(other)
  }
  for (const block of programs) if (!known.has(fileOf(block)) || isNamed(guide, block)) reach(block)
  return programs.filter((block) => !reached.has(block))
}
