/** The exceptions of a shipment: a list, a form to report one, and a form to resolve one. */
import { useEffect, useState } from "preact/hooks"
import { readPages } from "../api/operations.ts"
import type { Page } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { PalletChoice, ReportDraft, ShipmentPartProps } from "../capability.ts"
import { submitting, useFocus, useMovedFocus, useSending } from "../ui/forms.ts"
import { FaultNote, Part } from "../ui/Frame.tsx"
import { Badge, Plain, Select, TextInput } from "../ui/Parts.tsx"
import { nameIn, optionsOf } from "../ui/words.ts"
import { elementOf, Ends, ExceptionList, kinds, openerOf } from "./ExceptionList.tsx"
import { exceptionsOfShipment, reportException } from "./ExceptionReads.ts"
import type { Exception } from "./ExceptionReads.ts"

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
  { choices, draft, mayReport, reload, setDraft, shipment }: ShipmentPartProps
) => {
  const shipmentId = shipment.id
  const exceptions = useExceptions(shipment)
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

const priorities: Readonly<Record<Exception["priority"], string>> = { LOW: "Low", HIGH: "High" }

const nameOf = ({ id, lpn }: PalletChoice): string => lpn === "" ? `Pallet ${id} without an LPN` : lpn

/** The pallet of a report: the choice whose name was entered, or else the input as an LPN. */
const aboutOf = (input: string, choices: ReadonlyArray<PalletChoice>) => {
  if (input === "") return {}
  const choice = choices.find((choice) => nameOf(choice) === input)
  return choice === undefined || choice.id === "" ? { lpn: input } : { palletId: choice.id }
}

/** The most pallets that the field suggests; readers type the LPNs of other pallets. */
const suggestedAtMost = 1000

interface ReportProps {
  readonly shipmentId: number
  readonly choices: ReadonlyArray<PalletChoice>
  readonly draft: ReportDraft | undefined
  readonly done: (exception: Exception) => void
  readonly cancel: () => void
}

const Report = ({ cancel, choices, done, draft, shipmentId }: ReportProps) => {
  const { fault, sendIt } = useSending(
    async (input: Parameters<NonNullable<typeof reportException.types>>[0]["input"], key) =>
      done(await run(reportException, { input }, key))
  )
  const first = useFocus<HTMLSelectElement>()
  const palletChoices = draft === undefined ? choices : [draft.pallet, ...choices]
  return (
    <form
      class="exception-form"
      aria-label="Report an exception"
      onSubmit={submitting((valueOf) =>
        sendIt({
          shipmentId,
          kind: nameIn(kinds, valueOf("kind")) ?? "OTHER",
          priority: nameIn(priorities, valueOf("priority")) ?? "LOW",
          description: valueOf("description"),
          ...aboutOf(valueOf("pallet"), palletChoices)
        })
      )}
    >
      <FaultNote fault={fault} />
      <label>
        What is wrong
        <Select name="kind" options={optionsOf(kinds)} first={draft?.kind} ref={first} />
      </label>
      <label>
        Priority
        <Select name="priority" options={optionsOf(priorities)} />
      </label>
      <label class="about">
        About
        <TextInput
          name="pallet"
          placeholder="The whole shipment, or an LPN"
          defaultValue={draft === undefined ? "" : nameOf(draft.pallet)}
          proposals={choices.slice(0, suggestedAtMost).map((choice) =>
            choice.id === "" ? [nameOf(choice), "Not seen"] : [nameOf(choice)]
          )}
        />
      </label>
      <label class="words">
        Description
        <TextInput name="description" required spellcheck defaultValue={draft?.description ?? ""} />
      </label>
      <Ends word="Report" cancel={cancel} />
    </form>
  )
}
