/**
 * The tables of docs/THREAT-MODEL.md, as its tests read them.
 */
import { readFileSync } from "node:fs"

const text = readFileSync(new URL("../../docs/THREAT-MODEL.md", import.meta.url), "utf8")

/** The text of each section, by its heading. */
export const sections: ReadonlyMap<string, string> = new Map(
  text.split(/^#{2,3} /m).slice(1).map((section) => {
    const end = section.indexOf("\n")
    return [section.slice(0, end).trim(), section.slice(end + 1)] as const
  })
)

/** The cells of a row; a bar within code is written `\|`. */
const cellsOf = (line: string): ReadonlyArray<string> =>
  line.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/).map((cell) =>
    cell.trim().replaceAll("\\|", "|")
  )

/** The rows of the table of a section, without its head. */
export const rowsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> =>
  (sections.get(heading) ?? "").split("\n").filter((line) => line.startsWith("|")).slice(2).map(cellsOf)
