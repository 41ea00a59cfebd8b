/** What people have reported to be wrong with a shipment: a list, a form to report, and one to say how it was resolved. */
import { useState } from "preact/hooks"
import type { Exception } from "../../api/operations.ts"
import { useMovedFocus } from "../../ui/forms.ts"
import { Plain } from "../../ui/Parts.tsx"
import { elementOf, Line, openerOf, Report, Resolve } from "./ExceptionForms.tsx"
import type { Choice, Draft } from "./ExceptionForms.tsx"

/** The loaded exceptions with the changes of the reader. A resolution is final, so a loaded one is never older. */
const withChanged = (
  loaded: ReadonlyArray<Exception>,
  changed: ReadonlyArray<Exception>
): ReadonlyArray<Exception> => {
  const all = new Map(loaded.map((each) => [each.id, each]))
  for (const each of changed) if (all.get(each.id)?.status !== "RESOLVED") all.set(each.id, each)
  return Array.from(all.values())
}

interface ExceptionsProps {
  readonly shipmentId: number
  readonly exceptions: ReadonlyArray<Exception>
  /** The pallets that were seen, and the LPNs that are expected. */
  readonly choices: ReadonlyArray<Choice>
  readonly mayReport: boolean
  /** A report that was begun elsewhere on the page. */
  readonly draft: Draft | undefined
  readonly setDraft: (draft: Draft | undefined) => void
  readonly reload: () => void
}

export const ShipmentExceptions = (
  { choices, draft, exceptions, mayReport, reload, setDraft, shipmentId }: ExceptionsProps
) => {
  /** The open form: a report, or the resolution of the exception with an id. */
  const [writing, setWriting] = useState("")
  const [changed, setChanged] = useState<ReadonlyArray<Exception>>([])
  const [said, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  const close = (): void => {
    setWriting("")
    setDraft(undefined)
  }
  const done = (words: string) => (exception: Exception): void => {
    setChanged([...changed, exception])
    setSaid(words)
    close()
    moveFocus(elementOf(exception.id))
    reload()
  }
  const cancel = (form: string) => (): void => {
    close()
    moveFocus(openerOf(form))
  }
  const all = withChanged(exceptions, changed)
  if (all.length === 0 && !mayReport) return null
  const open = all.filter(({ status }) => status === "OPEN")
  const inOrder = [...open, ...all.filter(({ status }) => status !== "OPEN")]
  const isReporting = writing === "report" || draft !== undefined
  return (
    <section class={`card order${exceptions.length === 0 ? " no-print" : ""}`} aria-labelledby="exceptions">
      <header class="order-head">
        <h2 id="exceptions">Exceptions</h2>
        {open.length === 0 ? null : <span class="badge" data-tone="bad">{open.length} open</span>}
        {mayReport && !isReporting
          ? (
            <Plain
              class="count no-print"
              id={openerOf("report")}
              onClick={() => setWriting("report")}
            >
              Report an exception
            </Plain>
          )
          : null}
      </header>
      <p class="said unseen" role="status">{said}</p>
      {isReporting
        ? (
          <Report
            key={draft === undefined ? "" : `${draft.kind} ${draft.pallet.id} ${draft.pallet.lpn}`}
            shipmentId={shipmentId}
            choices={choices}
            draft={draft}
            done={done("The exception is reported.")}
            cancel={cancel("report")}
          />
        )
        : null}
      {all.length === 0 ? null : (
        <ul class="exceptions">
          {inOrder.map((exception) => (
            <Line
              key={exception.id}
              exception={exception}
              open={mayReport
                ? () => setWriting(exception.id)
                : undefined}
              form={writing === exception.id
                ? (
                  <Resolve
                    shipmentId={shipmentId}
                    exceptionId={exception.id}
                    done={done("The exception is resolved.")}
                    cancel={cancel(exception.id)}
                  />
                )
                : undefined}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
