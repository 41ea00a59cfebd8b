/**
 * The code blocks of a guide: the fenced parts of a Markdown file, with their kinds and places.
 *
 * Guarantee: every fence of the text becomes a block, or the text is refused; none is silently left out.
 */
import { posix } from "node:path"

/** The kinds that the tests can handle. */
export const kinds = [
  "sh",
  "ts",
  "sql",
  "text",
  "json",
  "xml",
  "mermaid",
  "python",
  "java",
  "csharp",
  "powershell"
] as const

/** The language of a block. */
export type Kind = (typeof kinds)[number]

/** One block. */
export interface Block {
  readonly kind: Kind
  /** Its file: named by the first line of TypeScript (`// src/x.ts`), or by the fence (`json file=x.json`). */
  readonly file: string | undefined
  /** Its terminal (`sh terminal=server`): a program may keep running in it, and print more later. */
  readonly terminal: string | undefined
  readonly text: string
  /** The line at which it begins. */
  readonly line: number
}

/** A guide. */
export interface Guide {
  readonly name: string
  readonly blocks: ReadonlyArray<Block>
}

/** A fault of a guide, with its place. */
export class Fault extends Error {
  override readonly name = "Fault"
  constructor(guide: string, line: number, reason: string) {
    super(`${guide}:${line}: ${reason}`)
  }
}

const fence = /^\s*(?:`{3,}|~{3,})/

/** Reads a guide. Throws a `Fault` at the first invalid block. */
export const read = (name: string, markdown: string): Guide => {
  const blocks: Array<Block> = []
  let open: { readonly info: string; readonly line: number; readonly lines: Array<string> } | undefined
  markdown.split("\n").forEach((text, index) => {
    const line = index + 1
    if (!fence.test(text)) {
      open?.lines.push(text)
    } else if (!text.startsWith("```") || text.startsWith("````")) {
      throw new Fault(name, line, "a fence is three backticks at the beginning of a line")
    } else if (open === undefined) {
      open = { info: text.slice(3), line, lines: [] }
    } else {
      blocks.push(blockOf(name, open.info, open.line, open.lines.join("\n")))
      open = undefined
    }
  })
  if (open !== undefined) throw new Fault(name, open.line, "the block is not closed")
  const files = blocks.flatMap(({ file, line }) => (file === undefined ? [] : [{ file, line }]))
  const again = files.find(({ file }, index) => files.findIndex((each) => each.file === file) < index)
  if (again !== undefined) throw new Fault(name, again.line, `${again.file} is shown twice`)
  return { name, blocks }
}

const blockOf = (guide: string, info: string, line: number, text: string): Block => {
  const [kind = "", ...options] = info.trim().split(/\s+/)
  if (!isKind(kind)) {
    throw new Fault(guide, line, `no test knows blocks of the kind "${kind}"; use ${kinds.join(", ")}`)
  }
  const named: { file?: string; terminal?: string } = {}
  for (const option of options) {
    const [, key, value] = /^(file|terminal)=(\S+)$/.exec(option) ?? []
    if (key !== "file" && key !== "terminal") {
      throw new Fault(guide, line, `"${option}" means nothing; a fence takes file=… and terminal=…`)
    }
    named[key] = value!
  }
  if (text.replaceAll("…", "").trim() === "") throw new Fault(guide, line, "the block shows nothing")
  const file = kind === "ts" ? /^\/\/ ([\w./-]+\.ts)$/m.exec(text.split("\n", 1)[0]!)?.[1] : named.file
  if (file !== undefined && (posix.isAbsolute(file) || posix.normalize(file).startsWith(".."))) {
    throw new Fault(guide, line, `${file} is outside of the project`)
  }
  return { kind, file, terminal: named.terminal, text, line }
}

const isKind = (text: string): text is Kind => (kinds as ReadonlyArray<string>).includes(text)

/** The name of the file to which a block of TypeScript is written. */
export const fileOf = ({ file, line }: Block): string => file ?? `block-${line}.ts`
