/** A packing list is dropped, its columns are mapped, each order is previewed with its faults at their cells, and it is sent with progress. */
import {
  Badge,
  Empty,
  FaultNote,
  href,
  PageHead,
  Part,
  performFile,
  Rows,
  Said,
  Select,
  slugOf,
  slugsOf,
  useWork
} from "@dockline/dashboard/browser/PageParts"
import type { Column, Place, Toned } from "@dockline/dashboard/browser/PageParts"
import { useRef, useState } from "preact/hooks"
import type { OrderOutcome, PackingListAnswer, PackingListOrder } from "../domain/PackingList.ts"
import type { CellFault } from "../mapping/CellFault.ts"
import { fieldWords } from "../mapping/FieldWords.ts"

type Mapping = PackingListAnswer["mapping"]

const csvType = "text/csv"
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

const typeOf = ({ name }: File): string => /\.xlsx$/i.test(name) ? xlsxType : csvType

interface Upload {
  readonly file: File
  readonly place: Place
  readonly mapping: Mapping | undefined
  readonly dryRun: boolean
  readonly faultless: boolean
  /** Is told how many orders are done. */
  readonly progress: (done: number, all: number) => void
}

/** Sends a file part by part, and puts what became of it together. */
const ask = async (
  { dryRun, faultless, file, mapping, place, progress }: Upload
): Promise<PackingListAnswer> => {
  const orders: Array<PackingListOrder> = []
  for (let from: number | null = 0;;) {
    const parameters = new URLSearchParams({
      ...slugsOf(place),
      dryRun: String(dryRun),
      faultless: String(faultless),
      from: String(from),
      ...mapping === undefined ? {} : { mapping: JSON.stringify(mapping) }
    })
    const answer = await performFile(
      `/v1/packing-lists?${parameters.toString()}`,
      file,
      typeOf(file)
    ) as PackingListAnswer
    orders.push(...answer.orders)
    progress(orders.length, answer.orderCount)
    from = answer.next
    if (from === null) return { ...answer, orders }
  }
}

const outcomes: Readonly<Record<OrderOutcome, readonly [before: Toned, after: Toned]>> = {
  CREATED: [["Would be created", "ok"], ["Created", "ok"]],
  UPDATED: [["Would be updated", "calm"], ["Updated", "ok"]],
  REFUSED: [["Would be refused", "bad"], ["Refused", "bad"]],
  FAULTY: [["Has faults", "bad"], ["Has faults, not sent", "bad"]]
}

/** Where a fault is, and what it is: `D2, Qty: is no number`. */
const faultText = ({ column, detail, field, name, row, sheet, value }: CellFault): string => {
  const cell = row === 0 ? "The file" : column === "" ? `Row ${row}` : `${column}${row}`
  const at = [
    ...sheet === "" ? [] : [`Sheet ${sheet}`],
    cell,
    ...name === "" || name === column ? [] : [name]
  ]
  const what = name === "" && field !== "" ? `${fieldWords[field] ?? field} ` : ""
  return `${at.join(", ")}: ${value === "" ? "" : `“${value}” `}${what}${detail}`
}

const Faults = ({ faults }: { readonly faults: ReadonlyArray<CellFault> }) =>
  faults.length === 0 ? null : (
    <ul>
      {faults.map((fault) => <li key={faultText(fault)} class="removed">{faultText(fault)}</li>)}
    </ul>
  )

const orderColumns = (isSent: boolean): ReadonlyArray<Column<PackingListOrder>> => [
  [
    "Order",
    ({ orderNumber, shipmentId }) =>
      isSent && shipmentId !== ""
        ? <a href={href(`/shipments/${shipmentId}`)}>{orderNumber}</a>
        : orderNumber,
    "main"
  ],
  ["Outcome", ({ outcome }) => <Badge of={outcomes[outcome][isSent ? 1 : 0]} />, "end"],
  ["Shipment", ({ shipmentNumber }) => shipmentNumber, "left", "Shipment"],
  ["Created", ({ created }) => created, "number", "Items created"],
  ["Updated", ({ updated }) => updated, "number", "Items updated"],
  ["Removed", ({ removed }) => removed, "number", "Items removed"],
  ["What is wrong", ({ faults }) => <Faults faults={faults} />, "wide"]
]

const strategies = ["OVERWRITE", "MERGE", "APPEND", "DELETE"].map((name) => [name, name] as const)

const decimalOptions = [["", "not used"], ["POINT", "a point: 1.5"], ["COMMA", "a comma: 1,5"]] as const

const dateOptions = [
  ["YEAR_MONTH_DAY", "2026-11-30"],
  ["DAY_MONTH_YEAR", "30.11.2026"],
  ["MONTH_DAY_YEAR", "11/30/2026"]
] as const

const directionOptions = [["", "that of a column"], ["INBOUND", "Inbound"], ["OUTBOUND", "Outbound"]] as const

interface Settings {
  readonly answer: PackingListAnswer
  readonly mapping: Mapping
  readonly disabled: boolean
  readonly change: (mapping: Mapping) => void
}

/** Which field each column has, and how numbers and dates are written. */
const Columns = ({ answer: { columns }, change, disabled, mapping }: Settings) => {
  const choose = (column: string, field: string): void =>
    change({
      ...mapping,
      // A field is that of one column.
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

const SendButtons = ({ answer: { faultCount, faults, orders }, isBusy, send }: {
  readonly answer: PackingListAnswer
  readonly isBusy: boolean
  readonly send: (faultless: boolean) => void
}) => {
  const ready = orders.filter(({ outcome }) => outcome !== "FAULTY" && outcome !== "REFUSED").length
  const noun = ready === 1 ? "order" : "orders"
  // A fault of no order may be of any of them.
  if (ready === 0 || faults.length > 0) return null
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => send(faultCount > 0)}>
      {ready === orders.length && faultCount === 0
        ? `Send all ${ready} ${noun}`
        : `Send ${ready} ${noun} without faults`}
    </button>
  )
}

interface Result {
  readonly file: File
  readonly mapping: Mapping
  readonly answer: PackingListAnswer
}

const SendList = ({ place }: { readonly place: Place }) => {
  const [result, setResult] = useState<Result | undefined>(undefined)
  const [status, say] = useState("")
  const { begin, fault, isBusy } = useWork()
  /** What is to be previewed: the last change, also one that was made while another was previewed. */
  const next = useRef<Pick<Upload, "file" | "mapping"> | undefined>(undefined)

  /** Whether a file is sent: then nothing is changed or previewed. */
  const sends = useRef(false)
  const [isSending, setSending] = useState(false)

  const askFor = async (upload: Pick<Upload, "file" | "mapping" | "dryRun" | "faultless">): Promise<void> => {
    const verb = upload.dryRun ? "previewed" : "sent"
    const progress = (done: number, all: number) => say(`${done} of ${all} orders ${verb}.`)
    const answer = await ask({ ...upload, place, progress })
    if (!upload.dryRun || next.current === undefined) {
      setResult({ file: upload.file, mapping: answer.mapping, answer })
    }
  }

  const preview = (file: File, mapping: Mapping | undefined): void => {
    if (sends.current) return
    next.current = { file, mapping }
    begin(async () => {
      for (let upload = next.current; upload !== undefined; upload = next.current) {
        next.current = undefined
        await askFor({ ...upload, dryRun: true, faultless: false })
      }
    })
  }

  const send = ({ file, mapping }: Result, faultless: boolean): void =>
    begin(async () => {
      sends.current = true
      setSending(true)
      try {
        await askFor({ file, mapping, dryRun: false, faultless })
      } finally {
        sends.current = false
        setSending(false)
      }
    })

  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0]
    if (file !== undefined) preview(file, undefined)
  }

  return (
    <>
      <div
        class="card"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          take(event.dataTransfer?.files)
        }}
      >
        <div class="empty">
          <label>
            Drop a file of CSV or XLSX here, or choose one:{" "}
            <input
              type="file"
              accept=".csv,.xlsx"
              disabled={isBusy}
              onChange={({ currentTarget }) => {
                take(currentTarget.files)
                // The same file may be chosen again when it is mended.
                currentTarget.value = ""
              }}
            />
          </label>
        </div>
      </div>
      <Said>{status}</Said>
      <FaultNote fault={fault} />
      {result === undefined ? null : (
        <>
          {result.answer.dryRun
            ? (
              <Columns
                answer={result.answer}
                mapping={result.mapping}
                disabled={isSending}
                change={(mapping) => {
                  setResult({ ...result, mapping })
                  preview(result.file, mapping)
                }}
              />
            )
            : null}
          <Part
            id="orders"
            title={result.answer.dryRun
              ? `What ${result.file.name} would do`
              : `What ${result.file.name} did`}
            beside={result.answer.dryRun
              ? (
                <SendButtons
                  answer={result.answer}
                  isBusy={isBusy || result.mapping !== result.answer.mapping}
                  send={(faultless) => send(result, faultless)}
                />
              )
              : null}
          >
            <Faults faults={result.answer.faults} />
            <ul>{result.answer.notes.map((note) => <li key={faultText(note)}>{faultText(note)}</li>)}</ul>
            {result.answer.orders.length === 0
              ? <Empty title="It has no orders yet">Map the columns that orders need.</Empty>
              : (
                <Rows
                  classes="cards"
                  id={({ orderNumber, shipmentNumber }) => `${shipmentNumber} ${orderNumber}`}
                  rows={result.answer.orders}
                  columns={orderColumns(!result.answer.dryRun)}
                />
              )}
          </Part>
        </>
      )}
    </>
  )
}

export const PackingListPage = ({ place }: { readonly place: Place }) => (
  <>
    <PageHead
      title="Packing lists"
      lead="Files of CSV and XLSX become documents of this facility. Nothing is sent before you have seen what it would do."
    />
    <SendList key={slugOf(place)} place={place} />
  </>
)
