/** Controls for the field of each column of a file, and for the form of the file, its numbers and its dates. */
import { Part, Rows, Select } from "@dockline/dashboard/browser/PageParts"
import type { Column } from "@dockline/dashboard/browser/PageParts"
import type { PackingListAnswer } from "../domain/PackingList.ts"
import { fieldWords } from "../mapping/FieldWords.ts"
import type { Mapping } from "./Upload.tsx"

const strategies = ["OVERWRITE", "MERGE", "APPEND", "DELETE"].map((name) => [name, name] as const)

const decimalOptions = [["", "not used"], ["POINT", "a point: 1.5"], ["COMMA", "a comma: 1,5"]] as const

const dateOptions = [
  ["YEAR_MONTH_DAY", "2026-11-30"],
  ["DAY_MONTH_YEAR", "30.11.2026"],
  ["MONTH_DAY_YEAR", "11/30/2026"]
] as const

const directionOptions = [["", "that of a column"], ["INBOUND", "Inbound"], ["OUTBOUND", "Outbound"]] as const

const separatorOptions = [
  ["", "what the first line has most"],
  ["SEMICOLON", "semicolons"],
  ["COMMA", "commas"],
  ["TAB", "tabs"],
  ["BAR", "bars: |"]
] as const

/** The number of rows that are offered as the header. */
const headerRows = 20

interface Settings {
  readonly answer: PackingListAnswer
  readonly mapping: Mapping
  readonly disabled: boolean
  readonly change: (mapping: Mapping) => void
}

/** Controls for the position of the table in a file. When it changes, columns are suggested anew. */
export const TableSettings = (
  { answer: { sheet, sheets }, change, disabled, isCsv, mapping }: Settings & { readonly isCsv: boolean }
) => {
  const anew = (changes: Partial<Mapping>): void => change({ ...mapping, ...changes, columns: [] })
  const rows = Math.max(headerRows, mapping.headerRow)
  return (
    <>
      {sheets.length < 2 ? null : (
        <label>
          Sheet
          <Select
            disabled={disabled}
            options={sheets.map((name) => [name, name] as const)}
            value={mapping.sheet || sheet}
            onChange={({ currentTarget }) => anew({ sheet: currentTarget.value })}
          />
        </label>
      )}
      {isCsv
        ? (
          <label>
            Columns are apart by
            <Select
              disabled={disabled}
              options={separatorOptions}
              value={mapping.separator}
              onChange={({ currentTarget }) => anew({ separator: currentTarget.value })}
            />
          </label>
        )
        : null}
      <label>
        Names of columns are in row
        <Select
          disabled={disabled}
          options={Array.from({ length: rows }, (_, at) => [String(at + 1), String(at + 1)] as const)}
          value={String(mapping.headerRow)}
          onChange={({ currentTarget }) => anew({ headerRow: Number(currentTarget.value) })}
        />
      </label>
    </>
  )
}

/** Controls for the field of each column, and for the form of numbers and dates. */
export const Columns = ({ answer: { columns }, change, disabled, mapping }: Settings) => {
  const choose = (column: string, field: string): void =>
    change({
      ...mapping,
      // A field belongs to one column at most.
      columns: [
        ...mapping.columns.filter((each) => each.column !== column && each.field !== field),
        ...field === "" ? [] : [{ column, field }]
      ]
    })
  const direction = mapping.values.find(({ field }) => field === "direction")?.value ?? ""
  const options = [["", "not read"] as const, ...Object.entries(fieldWords)]
  const columnsOfTable: ReadonlyArray<Column<PackingListAnswer["columns"][number]>> = [
    ["Column", ({ letters, name }) => name === letters ? letters : `${letters} ${name}`, "main"],
    [
      "Field",
      ({ name }) => (
        <Select
          disabled={disabled}
          aria-label={`Field of ${name}`}
          options={options}
          value={mapping.columns.find(({ column }) => column === name)?.field ?? ""}
          onChange={({ currentTarget }) => choose(name, currentTarget.value)}
        />
      ),
      "left"
    ],
    [
      "First lines",
      ({ examples }) => examples.filter((each) => each !== "").join(", "),
      "wide",
      "First lines"
    ]
  ]
  return (
    <Part id="columns" title="Columns">
      <Rows classes="cards" id={({ letters }) => letters} rows={columns} columns={columnsOfTable} />
      <div class="filters">
        <label>
          Direction
          <Select
            disabled={disabled}
            options={directionOptions}
            value={direction}
            onChange={({ currentTarget: { value } }) =>
              change({
                ...mapping,
                values: [
                  ...mapping.values.filter(({ field }) => field !== "direction"),
                  ...value === "" ? [] : [{ field: "direction", value }]
                ]
              })}
          />
        </label>
        <label>
          What items do
          <Select
            disabled={disabled}
            options={strategies}
            value={mapping.strategy || "OVERWRITE"}
            onChange={({ currentTarget }) => change({ ...mapping, strategy: currentTarget.value })}
          />
        </label>
        <label>
          Fractions are behind
          <Select
            disabled={disabled}
            options={decimalOptions}
            value={mapping.decimal}
            onChange={({ currentTarget }) => change({ ...mapping, decimal: currentTarget.value })}
          />
        </label>
        <label>
          Dates are written as
          <Select
            disabled={disabled}
            options={dateOptions}
            value={mapping.dates}
            onChange={({ currentTarget }) => change({ ...mapping, dates: currentTarget.value })}
          />
        </label>
      </div>
    </Part>
  )
}
