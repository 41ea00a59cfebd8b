/**
 * The programs in the READMEs, as files of the projects of readers.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { packages, root } from "./Workspace.ts"

/** One block of TypeScript. */
export interface Program {
  /** Its file: named by its own first line, by the comment before the block, or by its place. */
  readonly file: string
  readonly text: string
  /** Its output, line by line, from its comments `// prints …`. */
  readonly prints: ReadonlyArray<string>
}

/** A README, and the folder of a reader's project for its programs. */
export interface Readme {
  readonly name: string
  readonly folder: string
  readonly programs: ReadonlyArray<Program>
}

const block = /(?:<!-- (\S+) -->\n\s*)?^```ts[^\n]*\n(?:\/\/ (\S+\.ts)\n)?([\s\S]*?)^```$/gm

/** Reads the programs of a README. */
export const read = (name: string, folder: string): Readme => {
  const markdown = readFileSync(join(root, name), "utf8")
  const programs = Array.from(markdown.matchAll(block), ([, marker, file, text], index) => ({
    file: file ?? `${marker ?? `example${index + 1}`}.ts`,
    text: text!,
    prints: Array.from(text!.matchAll(/\/\/ prints (.*)$/gm), ([, line]) => line!)
  }))
  return { name, folder, programs }
}

/** The README of the repository and those of the packages. */
export const readmes: ReadonlyArray<Readme> = [
  read("README.md", "readme"),
  ...packages.map(({ folder }) => read(`packages/${folder}/README.md`, `readme-${folder}`))
]

/** Whether another program of its README imports it: it runs there. */
export const isImported = ({ programs }: Readme, { file }: Program): boolean =>
  programs.some(({ text }) => text.includes(`"./${file}"`))

/** Whether it serves on `PORT` until it is stopped. */
export const isServer = ({ text }: Program): boolean => text.includes(`process.env["PORT"]`)

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Compares the output with the expected lines, in which `…` stands for anything. */
export const matches = (prints: ReadonlyArray<string>, printed: string): boolean => {
  const pattern = prints.map((line) => line.split("…").map(escape).join(".*")).join("\n")
  return new RegExp(`^${pattern}\n?$`).test(printed)
}
