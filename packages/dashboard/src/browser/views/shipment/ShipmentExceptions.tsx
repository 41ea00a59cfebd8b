/** What people have reported to be wrong with a shipment: a list, a form to report, and one to say how it was resolved. */
import { useState } from "preact/hooks"
import type { Exception } from "../../api/operations.ts"
import { useMovedFocus } from "../../ui/forms.ts"
import { Part } from "../../ui/Frame.tsx"
import { Badge, Plain } from "../../ui/Parts.tsx"
import { elementOf, ExceptionList, openerOf } from "./Exceptions.tsx"
import { Report } from "./Report.tsx"
import type { Choice, Draft } from "./Report.tsx"

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
  const [isWriting, setWriting] = useState(false)
  const [changed, setChanged] = useState<ReadonlyArray<Exception>>([])
  const [said, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  const close = (): void => {
    setWriting(false)
    setDraft(undefined)
  }
  const done = (words: string) => (exception: Exception): void => {
    setChanged((before) => [...before, exception])
    setSaid(words)
    moveFocus(elementOf(exception.id))
    reload()
  }
  const all = withChanged(exceptions, changed)
  if (all.length === 0 && !mayReport) return null
  const open = all.filter(({ status }) => status === "OPEN")
  const isReporting = isWriting || draft !== undefined
  return (
    <Part
      id="exceptions"
      title="Exceptions"
      class={exceptions.length === 0 ? "no-print" : ""}
      beside={
        <>
          {open.length === 0 ? null : <Badge of={[`${open.length} open`, "bad"]} />}
          {mayReport && !isReporting
            ? (
              <Plain class="count no-print" id={openerOf("report")} onClick={() => setWriting(true)}>
                Report an exception
              </Plain>
            )
            : null}
        </>
      }
    >
      <p class="said unseen" role="status">{said}</p>
      {isReporting
        ? (
          <Report
            key={draft === undefined ? "" : `${draft.kind} ${draft.pallet.id} ${draft.pallet.lpn}`}
            shipmentId={shipmentId}
            choices={choices}
            draft={draft}
            done={(exception) => {
              close()
              done("The exception is reported.")(exception)
            }}
            cancel={() => {
              close()
              moveFocus(openerOf("report"))
            }}
          />
        )
        : null}
      {all.length === 0 ? null : (
        <ExceptionList
          exceptions={[...open, ...all.filter(({ status }) => status !== "OPEN")]}
          mayResolve={() => mayReport}
          resolved={done("The exception is resolved.")}
        />
      )}
    </Part>
  )
}
