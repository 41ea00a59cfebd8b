/** What people have reported to be wrong with a shipment: a list, a form to report, and one to say how it was resolved. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { exceptionsOfShipment, reportException, resolveException } from "../api/operations.ts"
import { faultOf, run } from "../api/request.ts"
import type { Fault, Operation } from "../api/request.ts"
import type { ExceptionsOfShipmentResult } from "../api/results.ts"
import { readPages } from "../ui/pages.ts"
import { FaultNote, Time } from "../ui/Parts.tsx"

/** An exception, as the page shows it. */
export type Shown = NonNullable<ExceptionsOfShipmentResult["shipment"]>["exceptions"]["nodes"][number]

/** The exceptions of a shipment; a shipment has at most 1,000. */
export const loadExceptions = async (id: string): Promise<ReadonlyArray<Shown>> =>
  (await readPages(
    10,
    async (after) => (await run(exceptionsOfShipment, { id: Number(id), after })).shipment!.exceptions
  )).rows

const kinds = { DAMAGED: "Damaged", SHORT: "Short", OVER: "Over", OTHER: "Other" }

/** A form that sends a change once, however often it is tried, and then closes. */
const useSending = <Input, Result>(
  operation: Operation<{ readonly input: Input }, Result>,
  done: () => void
) => {
  const [fault, setFault] = useState<Fault>()
  const [key] = useState(() => crypto.randomUUID())
  const busy = useRef(false)
  const sendIt = async (input: Input): Promise<void> => {
    if (busy.current) return
    busy.current = true
    try {
      await run(operation, { input }, key)
      done()
    } catch (thrown) {
      setFault(faultOf(thrown))
    }
    busy.current = false
  }
  return { fault, sendIt }
}

/** Puts the focus into a form when it opens. */
export const useFocus = <E extends HTMLElement>() => {
  const first = useRef<E>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  return first
}

const textOf = (form: HTMLFormElement, name: string): string =>
  String(new FormData(form).get(name) ?? "").trim()

/** A pallet that an exception may be about. */
interface Choice {
  readonly id: string
  readonly lpn: string
}

interface ReportProps {
  readonly shipmentId: number
  readonly pallets: ReadonlyArray<Choice>
  readonly done: () => void
}

const Report = ({ done, pallets, shipmentId }: ReportProps) => {
  const { fault, sendIt } = useSending(reportException, done)
  const first = useFocus<HTMLSelectElement>()
  return (
    <form
      class="exception-form"
      aria-label="Report an exception"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const palletId = textOf(form, "pallet")
        void sendIt({
          shipmentId,
          kind: textOf(form, "kind") as Shown["kind"],
          priority: textOf(form, "priority") as Shown["priority"],
          description: textOf(form, "description"),
          ...(palletId === "" ? {} : { palletId })
        })
      }}
    >
      {fault === undefined ? null : <FaultNote fault={fault} />}
      <label>
        What is wrong
        <select name="kind" ref={first}>
          {Object.entries(kinds).map(([kind, word]) => <option key={kind} value={kind}>{word}</option>)}
        </select>
      </label>
      <label>
        Priority
        <select name="priority">
          <option value="LOW">Low</option>
          <option value="HIGH">High</option>
        </select>
      </label>
      <label>
        About
        <select name="pallet">
          <option value="">The whole shipment</option>
          {pallets.map(({ id, lpn }) => (
            <option key={id} value={id}>{lpn === "" ? `Pallet ${id} without an LPN` : lpn}</option>
          ))}
        </select>
      </label>
      <label class="words">
        Description
        <input name="description" required maxLength={1024} autocomplete="off" />
      </label>
      <p class="exception-ends">
        <button type="submit" class="primary">Report</button>
        <button type="button" class="plain" onClick={done}>Cancel</button>
      </p>
    </form>
  )
}

const Resolve = ({ done, exceptionId, shipmentId }: {
  readonly shipmentId: number
  readonly exceptionId: string
  readonly done: () => void
}) => {
  const { fault, sendIt } = useSending(resolveException, done)
  const first = useFocus<HTMLInputElement>()
  return (
    <form
      class="exception-form"
      aria-label="Resolve the exception"
      onSubmit={(event) => {
        event.preventDefault()
        void sendIt({ shipmentId, exceptionId, note: textOf(event.currentTarget, "note") })
      }}
    >
      {fault === undefined ? null : <FaultNote fault={fault} />}
      <label class="words">
        How it was resolved
        <input name="note" required maxLength={1024} autocomplete="off" ref={first} />
      </label>
      <p class="exception-ends">
        <button type="submit" class="primary">Resolve</button>
        <button type="button" class="plain" onClick={done}>Cancel</button>
      </p>
    </form>
  )
}

const Line = ({ change, exception, isOpen, open }: {
  readonly exception: Shown
  /** `undefined` where the reader may not change anything. */
  readonly open: (() => void) | undefined
  readonly isOpen: boolean
  readonly change: preact.ComponentChildren
}) => (
  <li class="exception">
    <p class="exception-head">
      <b>{kinds[exception.kind]}</b>
      <span class="badge" data-tone={exception.status === "RESOLVED" ? "ok" : "bad"}>
        {exception.status === "RESOLVED"
          ? "Resolved"
          : exception.priority === "HIGH"
          ? "Open, high priority"
          : "Open"}
      </span>
      {exception.palletId === ""
        ? null
        : <span class="mono">{exception.lpn || `Pallet ${exception.palletId}`}</span>}
    </p>
    <p>{exception.description}</p>
    <p class="soft">
      Reported <Time time={exception.reportedAt} /> by {exception.reportedBy}
    </p>
    {exception.status === "RESOLVED"
      ? (
        <p class="soft">
          Resolved <Time time={exception.resolvedAt} /> by {exception.resolvedBy}: {exception.note}
        </p>
      )
      : isOpen
      ? change
      : open === undefined
      ? null
      : <button type="button" class="plain no-print" onClick={open}>Resolve</button>}
  </li>
)

/** The exceptions of a shipment, those that are open first. */
export const Exceptions = ({ exceptions, mayReport, pallets, reload, shipmentId }: {
  readonly shipmentId: number
  readonly exceptions: ReadonlyArray<Shown>
  readonly pallets: ReadonlyArray<Choice>
  readonly mayReport: boolean
  readonly reload: () => void
}) => {
  /** What is being written: a report, or the resolution of the exception of an id. */
  const [writing, setWriting] = useState<string>()
  const done = (): void => {
    setWriting(undefined)
    reload()
  }
  if (exceptions.length === 0 && !mayReport) return null
  const open = exceptions.filter(({ status }) => status === "OPEN")
  const inOrder = [...open, ...exceptions.filter(({ status }) => status !== "OPEN")]
  return (
    <section class="card order" aria-labelledby="exceptions">
      <header class="order-head">
        <h2 id="exceptions">Exceptions</h2>
        {open.length === 0 ? null : <span class="badge" data-tone="bad">{open.length} open</span>}
        {mayReport && writing !== "report"
          ? (
            <button type="button" class="plain count no-print" onClick={() => setWriting("report")}>
              Report an exception
            </button>
          )
          : null}
      </header>
      {writing === "report" ? <Report shipmentId={shipmentId} pallets={pallets} done={done} /> : null}
      {exceptions.length === 0 ? null : (
        <ul class="exceptions">
          {inOrder.map((exception) => (
            <Line
              key={exception.id}
              exception={exception}
              isOpen={writing === exception.id}
              open={mayReport ? () => setWriting(exception.id) : undefined}
              change={<Resolve shipmentId={shipmentId} exceptionId={exception.id} done={done} />}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
