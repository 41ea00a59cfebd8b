/**
 * The page on which people drop a packing list, map its columns, preview the outcomes and the faults of its orders, and send it.
 */
import {
  Badge,
  Empty,
  FaultNote,
  href,
  PageHead,
  Part,
  Rows,
  Select,
  slugOf,
  StatusNote,
  useWork
} from "@dockline/dashboard/browser/PageParts"
import type { BadgeText, Column, Place } from "@dockline/dashboard/browser/PageParts"
import { useRef, useState } from "preact/hooks"
import type { OrderOutcome, PackingListAnswer, PackingListOrder } from "../domain/PackingList.ts"
import type { CellFault } from "../mapping/CellFault.ts"
import { fieldWords } from "../mapping/FieldWords.ts"
import { Columns, SavedMappings, TableSettings, useMappings } from "./Columns.tsx"
import { isCsv, sendParts } from "./Upload.tsx"
import type { Mapping, Source } from "./Upload.tsx"

const charsetOptions = [
  ["utf-8", "UTF-8"],
  ["iso-8859-1", "Windows-1252, ISO-8859-1"],
  ["utf-16", "UTF-16"]
] as const

const countOf = (count: number): string => `${count} ${count === 1 ? "order" : "orders"}`

const SendButtons = ({ answer: { faultCount, faults, orders }, isBusy, send }: {
  readonly answer: PackingListAnswer
  readonly isBusy: boolean
  readonly send: (faultless: boolean) => void
}) => {
  const ready = orders.filter(({ outcome }) => outcome !== "FAULTY" && outcome !== "REFUSED").length
  // A fault without an order may belong to any of them.
  if (ready === 0 || faults.length > 0) return null
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => send(faultCount > 0)}>
      {ready === orders.length && faultCount === 0
        ? `Send all ${countOf(ready)}`
        : `Send ${countOf(ready)} without faults`}
    </button>
  )
}

interface Result extends Source {
  readonly mapping: Mapping
  readonly answer: PackingListAnswer
  /** The orders of the preview from which a file is sent. */
  readonly preview: ReadonlyArray<PackingListOrder>
  readonly faultless: boolean
}

/** The orders of a file that are not sent yet. */
const restOf = ({ answer, preview }: Result): ReadonlyArray<PackingListOrder> =>
  answer.dryRun || answer.next === null ? [] : preview.slice(answer.orders.length)

const Rest = ({ isBusy, orders, sendRest }: {
  readonly orders: ReadonlyArray<PackingListOrder>
  readonly isBusy: boolean
  readonly sendRest: () => void
}) => (
  <Part
    id="rest"
    title="Not sent yet"
    beside={
      <button type="button" class="primary" disabled={isBusy} onClick={sendRest}>
        {`Send the other ${countOf(orders.length)}`}
      </button>
    }
  >
    <p>
      What was sent is not sent again. The first of these may have arrived although no answer came; they are
      not doubled.
    </p>
    <p>{orders.map(({ orderNumber }) => orderNumber).join(", ")}</p>
  </Part>
)

const SendList = ({ place }: { readonly place: Place }) => {
  const [source, setSource] = useState<Source | undefined>(undefined)
  const [result, setResult] = useState<Result | undefined>(undefined)
  const [name, setName] = useState("")
  const [status, say] = useState("")
  const { begin, fault, isBusy } = useWork()
  const mappings = useMappings(place.business.slug)
  /** The source of the next preview: the last change that was made during the current preview. */
  const next = useRef<Source | undefined>(undefined)

  /** Whether a file is being sent. In that time it can be neither changed nor previewed. */
  const sends = useRef(false)
  const [isSending, setSending] = useState(false)

  const previewNow = async (source: Source): Promise<void> => {
    let answer: PackingListAnswer | undefined
    await sendParts({ ...source, place, dryRun: true, faultless: false }, undefined, (part) => {
      answer = part
      say(`${part.orders.length} of ${part.orderCount} orders previewed.`)
    })
    if (answer === undefined || next.current !== undefined) return
    const { mapping, mappingName, orders } = answer
    if (source.mapping === undefined) setName(mappingName)
    setResult({ ...source, mapping, answer, preview: orders, faultless: false })
  }

  const preview = (source: Source): void => {
    if (sends.current) return
    setSource(source)
    next.current = source
    begin(async () => {
      for (let source = next.current; source !== undefined; source = next.current) {
        next.current = undefined
        await previewNow(source)
      }
    })
  }

  /** Sends a file, or the rest of it. */
  const send = (result: Result, faultless: boolean): void =>
    begin(async () => {
      sends.current = true
      setSending(true)
      try {
        const before = result.answer.dryRun ? undefined : result.answer
        await sendParts({ ...result, place, dryRun: false, faultless }, before, (answer) => {
          say(`${answer.orders.length} of ${answer.orderCount} orders sent.`)
          // Shows the parts that were sent, even if a later part fails.
          setResult({ ...result, answer, faultless })
        })
      } finally {
        sends.current = false
        setSending(false)
      }
    })

  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0]
    if (file === undefined) return
    setResult(undefined)
    setName("")
    preview({ file, charset: "utf-8", mapping: undefined })
  }

  const change = (result: Result, mapping: Mapping): void => {
    setResult({ ...result, mapping })
    preview({ ...result, mapping })
  }

  const rest = result === undefined ? [] : restOf(result)
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
                // The same file may be chosen again after it was corrected.
                currentTarget.value = ""
              }}
            />
          </label>
        </div>
      </div>
      <StatusNote>{status}</StatusNote>
      <FaultNote fault={fault} />
      {source !== undefined && isCsv(source.file) && result?.answer.dryRun !== false
        ? (
          <div class="filters">
            <label>
              Characters are written in
              <Select
                disabled={isSending}
                options={charsetOptions}
                value={source.charset}
                onChange={({ currentTarget: { value: charset } }) => preview({ ...source, charset })}
              />
            </label>
          </div>
        )
        : null}
      {result === undefined ? null : (
        <>
          {result.answer.dryRun
            ? (
              <Part id="reading" title={`How ${result.file.name} is read`}>
                <SavedMappings
                  business={place.business.slug}
                  name={name}
                  mapping={result.mapping}
                  list={mappings}
                  disabled={isSending}
                  rename={setName}
                  choose={({ mapping, name }) => {
                    setName(name)
                    change(result, mapping)
                  }}
                />
                <div class="filters">
                  <TableSettings
                    answer={result.answer}
                    mapping={result.mapping}
                    disabled={isSending}
                    isCsv={isCsv(result.file)}
                    change={(mapping) => change(result, mapping)}
                  />
                </div>
              </Part>
            )
            : null}
          {result.answer.dryRun
            ? (
              <Columns
                answer={result.answer}
                mapping={result.mapping}
                disabled={isSending}
                change={(mapping) => change(result, mapping)}
              />
            )
            : null}
          {rest.length === 0 || isSending
            ? null
            : <Rest orders={rest} isBusy={isBusy} sendRest={() => send(result, result.faultless)} />}
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
              : <Orders isSent={!result.answer.dryRun} orders={result.answer.orders} />}
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

const outcomes: Readonly<Record<OrderOutcome, readonly [before: BadgeText, after: BadgeText]>> = {
  CREATED: [["Would be created", "ok"], ["Created", "ok"]],
  UPDATED: [["Would be updated", "calm"], ["Updated", "ok"]],
  REFUSED: [["Would be refused", "bad"], ["Refused", "bad"]],
  FAULTY: [["Has faults", "bad"], ["Has faults, not sent", "bad"]]
}

/** The place and the description of a fault: `D2, Qty: is no number`. */
export const faultText = ({ column, detail, field, name, row, sheet, value }: CellFault): string => {
  const cell = row === 0 ? "The file" : column === "" ? `Row ${row}` : `${column}${row}`
  const at = [
    ...sheet === "" ? [] : [`Sheet ${sheet}`],
    cell,
    ...name === "" || name === column ? [] : [name]
  ]
  const what = name === "" && field !== "" ? `${fieldWords[field] ?? field} ` : ""
  return `${at.join(", ")}: ${value === "" ? "" : `“${value}” `}${what}${detail}`
}

export const Faults = ({ faults }: { readonly faults: ReadonlyArray<CellFault> }) =>
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

/** Orders with their outcomes. */
export const Orders = ({ isSent, orders }: {
  readonly isSent: boolean
  readonly orders: ReadonlyArray<PackingListOrder>
}) => (
  <Rows
    classes="cards"
    id={({ orderNumber, shipmentNumber }) => `${shipmentNumber} ${orderNumber}`}
    rows={orders}
    columns={orderColumns(isSent)}
  />
)
