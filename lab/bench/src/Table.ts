/**
 * Tables of figures, for a terminal and as Markdown, and the median that stands in them.
 */

/** The median; the mean of the middle two when their number is even. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = Array.from(values).sort((left, right) => left - right)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2
}

/** A table for a terminal: the first column to the left, figures to the right. */
export const textTable = (
  head: ReadonlyArray<string>,
  body: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const rows = [head, ...body]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)).join(
      "  "
    )
  )
}

/** A table of Markdown, padded as our formatter does. */
export const markdownTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  isLeft: (column: number) => boolean
): ReadonlyArray<string> => {
  const widths = head.map((_, column) => Math.max(4, ...[head, ...rows].map((row) => row[column]!.length)))
  const line = (row: ReadonlyArray<string>) =>
    `| ${
      row.map((cell, column) =>
        isLeft(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
      )
        .join(" | ")
    } |`
  const rule = widths.map((
    width,
    column
  ) => (isLeft(column) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)]
}
