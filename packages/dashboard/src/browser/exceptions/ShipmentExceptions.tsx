/** The exceptions of a shipment: a list, a form to report one, and a form to resolve one. */
import { useEffect, useState } from "preact/hooks"
import { readPages } from "../api/operations.ts"
import type { Page } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { ShipmentPartProps } from "../capability.ts"
import { useMovedFocus } from "../ui/forms.ts"
import { Part } from "../ui/Frame.tsx"
import { Badge, Plain } from "../ui/Parts.tsx"
import { elementOf, ExceptionList, openerOf } from "./ExceptionList.tsx"
import { exceptionsOfShipment } from "./ExceptionLists.ts"
import type { Exception } from "./ExceptionLists.ts"
import { Report } from "./Report.tsx"

/** The loaded exceptions with the reader's changes. A loaded resolution is final, and wins over a change. */
const withChanged = (
  exceptions: ReadonlyArray<Exception>,
  changes: ReadonlyArray<Exception>
): ReadonlyArray<Exception> => {
  const all = new Map(exceptions.map((each) => [each.id, each]))
  for (const each of changes) if (all.get(each.id)?.status !== "RESOLVED") all.set(each.id, each)
  return Array.from(all.values())
}

/** The most pages of exceptions: a shipment has at most 1,000 exceptions. */
const pagesAtMost = 10

/** A shipment, with its first exceptions if they were read. */
interface WithExceptions {
  readonly id: number
  readonly exceptions?: Page<Exception>
}

const none: Page<Exception> = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

/** All exceptions of a loaded shipment: the first page comes with the shipment, and this reads the others. */
const useExceptions = ({ exceptions: first = none, id }: WithExceptions): ReadonlyArray<Exception> => {
  const [all, setAll] = useState<ReadonlyArray<Exception>>(first.nodes)
  useEffect(() => {
    let isOver = false
    const show = ({ rows }: { readonly rows: ReadonlyArray<Exception> }): void => {
      if (!isOver) setAll(rows)
    }
    if (!first.pageInfo.hasNextPage) setAll(first.nodes)
    // After a failure, the next load of the shipment reads them again.
    else {readPages(pagesAtMost, (after) => run(exceptionsOfShipment, { id, after }), first).then(
        show,
        () => {}
      )}
    return () => {
      isOver = true
    }
  }, [first])
  return all
}

export const ShipmentExceptions = (
  { choices, draft, mayReport, reload, setDraft, shown }: ShipmentPartProps
) => {
  const shipmentId = shown.id
  const exceptions = useExceptions(shown)
  const [isWriting, setWriting] = useState(false)
  const [changes, setChanges] = useState<ReadonlyArray<Exception>>([])
  const [notice, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  const close = (): void => {
    setWriting(false)
    setDraft(undefined)
  }
  const done = (words: string) => (exception: Exception): void => {
    setChanges((before) => [...before, exception])
    setSaid(words)
    moveFocus(elementOf(exception.id))
    reload()
  }
  const all = withChanged(exceptions, changes)
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
      <p class="said unseen" role="status">{notice}</p>
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
          onResolve={done("The exception is resolved.")}
        />
      )}
    </Part>
  )
}
