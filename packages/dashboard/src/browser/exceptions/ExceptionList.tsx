/** A list of exceptions, each with the form for its resolution. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { run } from "../api/request.ts"
import { submitting, useFocus, useMovedFocus, useSending } from "../ui/forms.ts"
import { FaultNote } from "../ui/Frame.tsx"
import { nameOfPrincipal } from "../ui/lookup.ts"
import { Alert, Badge, Plain, TextInput, Time } from "../ui/Parts.tsx"
import { resolveException } from "./ExceptionReads.ts"
import type { Exception } from "./ExceptionReads.ts"

export const kinds: Readonly<Record<Exception["kind"], string>> = {
  DAMAGED: "Damaged",
  SHORT: "Short",
  OVER: "Over",
  OTHER: "Other"
}

export const elementOf = (exceptionId: string): string => `exception-${exceptionId}`

export const openerOf = (form: string): string => `open-${form}`

export const Ends = ({ cancel, word }: { readonly word: string; readonly cancel: () => void }) => (
  <p class="exception-ends">
    <button type="submit" class="primary">{word}</button>
    <Plain onClick={cancel}>Cancel</Plain>
  </p>
)

interface ResolveProps {
  readonly exception: Exception
  readonly done: (exception: Exception) => void
  readonly cancel: () => void
}

const Resolve = ({ cancel, done, exception: { id: exceptionId, shipmentId } }: ResolveProps) => {
  const { fault, sendIt } = useSending(async (note: string, key) =>
    done(await run(resolveException, { input: { shipmentId, exceptionId, note } }, key))
  )
  const first = useFocus<HTMLInputElement>()
  return (
    <form
      class="exception-form"
      aria-label="Resolve the exception"
      onSubmit={submitting((valueOf) => sendIt(valueOf("note")))}
    >
      <FaultNote fault={fault} />
      <label class="words">
        How it was resolved
        <TextInput name="note" required spellcheck ref={first} />
      </label>
      <Ends word="Resolve" cancel={cancel} />
    </form>
  )
}

/** The state of an exception; if it is open, also its priority. */
const State = ({ priority, status }: Exception) => {
  if (status === "RESOLVED") return <Badge of={["Resolved", "ok"]} />
  return priority === "HIGH" ? <Alert tone="bad">Open, high priority</Alert> : <Badge of={["Open", "warn"]} />
}

interface LineProps {
  readonly exception: Exception
  readonly where: ComponentChildren
  readonly open: (() => void) | undefined
  readonly form: ComponentChildren
}

const Line = ({ exception, form, open, where }: LineProps) => {
  const isResolved = exception.status === "RESOLVED"
  const name = exception.lpn || (exception.palletId === "" ? "" : `Pallet ${exception.palletId}`)
  return (
    <li class="exception" id={elementOf(exception.id)} tabindex={-1}>
      <p class="exception-head">
        <b>{kinds[exception.kind]}</b>
        <State {...exception} />
        {where}
        {name === "" ? null : <span class="mono">{name}</span>}
      </p>
      <p>{exception.description}</p>
      <p class="soft">
        Reported <Time time={exception.reportedAt} /> by {nameOfPrincipal(exception.reportedBy)}
      </p>
      {isResolved
        ? (
          <p class="soft">
            Resolved <Time time={exception.resolvedAt} /> by {nameOfPrincipal(exception.resolvedBy)}:{" "}
            {exception.note}
          </p>
        )
        : form}
      {isResolved || form !== null || open === undefined ? null : (
        <Plain
          class="no-print"
          id={openerOf(exception.id)}
          aria-label={`Resolve ${exception.description}`}
          onClick={open}
        >
          Resolve
        </Plain>
      )}
    </li>
  )
}

export const ExceptionList = <E extends Exception>({ exceptions, mayResolve, onResolve, where }: {
  readonly exceptions: ReadonlyArray<E>
  readonly mayResolve: (exception: E) => boolean
  /** Called with an exception that the reader has resolved. */
  readonly onResolve: (exception: Exception) => void
  /** Links to the shipment of an exception, on a page about many shipments. */
  readonly where?: (exception: E) => ComponentChildren
}) => {
  /** The id of the exception whose resolution is being written. */
  const [writing, setWriting] = useState("")
  const moveFocus = useMovedFocus()
  return (
    <ul class="exceptions">
      {exceptions.map((exception) => (
        <Line
          key={exception.id}
          exception={exception}
          where={where?.(exception)}
          open={mayResolve(exception) ? () => setWriting(exception.id) : undefined}
          form={writing !== exception.id ? null : (
            <Resolve
              exception={exception}
              done={(exception) => {
                setWriting("")
                onResolve(exception)
              }}
              cancel={() => {
                setWriting("")
                moveFocus(openerOf(exception.id))
              }}
            />
          )}
        />
      ))}
    </ul>
  )
}
