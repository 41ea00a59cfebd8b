/**
 * The demo on a screen: numbered steps, tables with aligned columns, colour where a person looks at a terminal. Its
 * lines fit 80 columns.
 */

export interface Screen {
  /** A step: its name, what was done, and what came of it. */
  readonly step: (name: string, did: string, outcome?: string) => void
  /** A table below a step; the returned function adds a row, which has a cell for each column. */
  readonly table: (columns: ReadonlyArray<Column>) => (cells: ReadonlyArray<string>) => void
  /** Lines below a step, as they are. */
  readonly lines: (text: string) => void
  /** The last line. */
  readonly end: (text: string) => void
}

/** A column of a table: the width of its widest cell. */
export interface Column {
  readonly title: string
  readonly width: number
}

const indent = "    "

const codes = { bold: 1, dim: 2, green: 32, cyan: 36 }

export const make = (write: (line: string) => void, isTerminal: boolean): Screen => {
  const paint = (colour: keyof typeof codes, text: string): string =>
    isTerminal ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
  let steps = 0
  return {
    step: (name, did, outcome) => {
      steps += 1
      write("")
      write(`${String(steps).padStart(2)}  ${paint("bold", name.padEnd(9))} ${did}`)
      if (outcome !== undefined) write(`${indent}${paint("green", `-> ${outcome}`)}`)
    },
    table: (columns) => {
      // A row has no more cells than there are columns.
      const row = (cells: ReadonlyArray<string>) =>
        indent + cells.map((cell, index) => cell.padEnd(columns[index]!.width)).join("  ").trimEnd()
      write("")
      write(paint("cyan", row(columns.map(({ title }) => title))))
      write(paint("dim", row(columns.map(({ width }) => "-".repeat(width)))))
      return (cells) => write(row(cells))
    },
    lines: (text) => {
      write("")
      for (const line of text.split("\n")) write(paint("dim", indent + line))
    },
    end: (text) => {
      write("")
      write(paint("bold", text))
    }
  }
}
