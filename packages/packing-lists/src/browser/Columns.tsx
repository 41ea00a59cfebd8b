/**
 * Controls for the field of each column of a file, and for the forms of the file, of numbers and of dates. Also controls for the saved
 * mappings of a business: people choose a mapping for a file, and save the current mapping for the partner's next file.
 */
import {
  ConfirmButton,
  FaultNote,
  Part,
  perform,
  Rows,
  Select,
  StatusNote,
  useWork
} from "@dockline/dashboard/browser/PageParts"
import type { Column } from "@dockline/dashboard/browser/PageParts"
import { useEffect, useState } from "preact/hooks"
import type { PackingListAnswer } from "../domain/PackingList.ts"
import type { SavedMappingView } from "../domain/SavedMapping.ts"
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

/**
 * Controls for the sheet, the header row and the separator of a file. A change of these discards the columns of the mapping, so that
 * columns are suggested again.
 */
export const TableSettings = (
  { answer: { sheet, sheets }, change, disabled, isCsv, mapping }: Settings & { readonly isCsv: boolean }
) => {
  const changeTable = (changes: Partial<Mapping>): void => change({ ...mapping, ...changes, columns: [] })
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
            onChange={({ currentTarget }) => changeTable({ sheet: currentTarget.value })}
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
              onChange={({ currentTarget }) => changeTable({ separator: currentTarget.value })}
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
          onChange={({ currentTarget }) => changeTable({ headerRow: Number(currentTarget.value) })}
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

const path = "/v1/packing-lists/mappings"

/** Makes a slug from a text that people write: `Nordwind GmbH` becomes `nordwind-gmbh`. */
const slugFrom = (text: string): string =>
  text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "").slice(0, 63)

/** The mappings of a business, loaded once, and again after each change. */
export const useMappings = (business: string) => {
  const [mappings, setMappings] = useState<ReadonlyArray<SavedMappingView>>([])
  const load = async (): Promise<void> => {
    const page = await perform("GET", `${path}?${new URLSearchParams({ business }).toString()}`)
    setMappings((page as { readonly items: ReadonlyArray<SavedMappingView> }).items)
  }
  // If the mappings cannot be loaded, people map files by hand.
  useEffect(() => void load().catch(() => {}), [business])
  return { mappings, load }
}

interface Props {
  readonly business: string
  /** The name of the mapping by which the file is read, or `""`. */
  readonly name: string
  readonly mapping: Mapping
  readonly list: ReturnType<typeof useMappings>
  readonly disabled: boolean
  readonly choose: (entry: SavedMappingView) => void
  readonly rename: (name: string) => void
}

export const SavedMappings = (
  { business, choose, disabled, mapping, name, rename, list: { load, mappings } }: Props
) => {
  const { begin, fault, isBusy } = useWork()
  const [text, setText] = useState(name)
  const [status, say] = useState("")
  useEffect(() => setText(name), [name])
  const slug = slugFrom(text)
  const isThere = mappings.some((each) => each.name === slug)
  const change = (what: string, body: object, done: string, next: string): void => {
    if (slug === "") return
    begin(async () => {
      say("")
      await perform("POST", `${path}${what}`, { business, ...body })
      await load()
      rename(next)
      say(done)
    })
  }
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          change("", { name: slug, mapping }, `Kept as ${slug}.`, slug)
        }}
      >
        <label>
          Read as for
          <Select
            disabled={disabled || mappings.length === 0}
            options={[
              ["", mappings.length === 0 ? "no partner yet" : "none of these partners"],
              ...mappings.map((each) => [each.name, each.name] as const)
            ]}
            value={mappings.some((each) => each.name === name) ? name : ""}
            onChange={({ currentTarget: { value } }) => {
              const match = mappings.find((each) => each.name === value)
              if (match !== undefined) choose(match)
            }}
          />
        </label>
        <label>
          Keep for partner
          <input
            value={text}
            maxLength={63}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy || disabled || slug === "" || mapping.columns.length === 0}>
          {isThere ? `Replace ${slug}` : "Keep"}
        </button>
        {isThere
          ? (
            <ConfirmButton
              word={`Delete ${slug}`}
              act={() => change("/delete", { name: slug }, `${slug} is deleted.`, "")}
            />
          )
          : null}
      </form>
      <StatusNote>{status}</StatusNote>
      <FaultNote fault={fault} />
    </>
  )
}
