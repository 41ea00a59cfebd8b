/** Tables of rows by their columns; on a phone each row is a card. */
import type { ComponentChildren } from "preact"
import { Heads } from "./Parts.tsx"

/** A column: its name, what it shows of a row, and classes of its cells; `number` has the name stand right too. */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  classes?: string,
  /** Says on a phone what the cell is. */
  label?: string | ((row: Row) => string)
]

export const Rows = <Row extends object>({ classes = "rows cards", columns, id, rows }: {
  readonly rows: ReadonlyArray<Row>
  readonly id: (row: Row) => string | number
  readonly columns: ReadonlyArray<Column<Row>>
  readonly classes?: string
}) => (
  <table class={`table ${classes}`}>
    <Heads
      names={columns.map(([name, , classes = ""]) => /\bnumber\b/.test(classes) ? [name] as const : name)}
    />
    <tbody>
      {rows.map((row) => (
        <tr key={id(row)}>
          {columns.map(([name, cell, classes, label]) => (
            <td key={name} class={classes} data-label={typeof label === "function" ? label(row) : label}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
