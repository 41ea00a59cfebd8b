/** An exception as it is shown, and the forms that report one and say how it was resolved. */
import { reportException, resolveException } from "../../api/operations.ts"
import type { Exception } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import type { Operation } from "../../api/request.ts"
import { submitting, useFocus, useSending } from "../../ui/forms.ts"
import { FaultNote } from "../../ui/Frame.tsx"
import { Alert, Plain, TextInput, Time } from "../../ui/Parts.tsx"

type InputOf<Op> = Op extends Operation<{ readonly input: infer Input }, unknown> ? Input : never

const kinds: Readonly<Record<Exception["kind"], string>> = {
  DAMAGED: "Damaged",
  SHORT: "Short",
  OVER: "Over",
  OTHER: "Other"
}

const priorities: Readonly<Record<Exception["priority"], string>> = { LOW: "Low", HIGH: "High" }

export const elementOf = (exceptionId: string): string => `exception-${exceptionId}`

export const openerOf = (form: string): string => `open-${form}`

const isOneOf = <Word extends string>(words: Readonly<Record<Word, string>>, word: string): word is Word =>
  Object.hasOwn(words, word)

/** The option of a form that is chosen; `other` where it offers none. */
const chosenOf = <Word extends string>(
  chosen: string,
  words: Readonly<Record<Word, string>>,
  other: NoInfer<Word>
): Word => isOneOf(words, chosen) ? chosen : other

export interface Choice {
  /** `""` for a pallet that is expected and that nobody has seen. */
  readonly id: string
  readonly lpn: string
}

const nameOf = ({ id, lpn }: Choice): string => lpn === "" ? `Pallet ${id} without an LPN` : lpn

/** What a report says of a pallet that is written: a name of the list, or else an LPN. */
const aboutOf = (written: string, choices: ReadonlyArray<Choice>) => {
  if (written === "") return {}
  const chosen = choices.find((choice) => nameOf(choice) === written)
  return chosen === undefined || chosen.id === "" ? { lpn: written } : { palletId: chosen.id }
}

export interface Draft {
  readonly kind: Exception["kind"]
  readonly pallet: Choice
  readonly description: string
}

/** The most pallets that are suggested; others are written out. */
const suggestedAtMost = 1000

interface ReportProps {
  readonly shipmentId: number
  readonly choices: ReadonlyArray<Choice>
  readonly draft: Draft | undefined
  readonly done: (exception: Exception) => void
  readonly cancel: () => void
}

export const Report = ({ cancel, choices, done, draft, shipmentId }: ReportProps) => {
  const { fault, sendIt } = useSending(async (input: InputOf<typeof reportException>, key) =>
    done(await run(reportException, { input }, key))
  )
  const first = useFocus<HTMLSelectElement>()
  const known = draft === undefined ? choices : [draft.pallet, ...choices]
  return (
    <form
      class="exception-form"
      aria-label="Report an exception"
      onSubmit={submitting((given) =>
        sendIt({
          shipmentId,
          kind: chosenOf(given("kind"), kinds, "OTHER"),
          priority: chosenOf(given("priority"), priorities, "LOW"),
          description: given("description"),
          ...aboutOf(given("pallet"), known)
        })
      )}
    >
      <FaultNote fault={fault} />
      <label>
        What is wrong
        <select name="kind" ref={first} defaultValue={draft?.kind}>
          {Object.entries(kinds).map(([kind, word]) => (
            <option key={kind} value={kind} selected={kind === draft?.kind}>{word}</option>
          ))}
        </select>
      </label>
      <label>
        Priority
        <select name="priority">
          {Object.entries(priorities).map(([priority, word]) => (
            <option key={priority} value={priority}>{word}</option>
          ))}
        </select>
      </label>
      <label class="about">
        About
        <TextInput
          name="pallet"
          list="pallets-known"
          placeholder="The whole shipment, or an LPN"
          defaultValue={draft === undefined ? "" : nameOf(draft.pallet)}
        />
        <datalist id="pallets-known">
          {choices.slice(0, suggestedAtMost).map((choice) => (
            <option key={nameOf(choice)} value={nameOf(choice)}>
              {choice.id === "" ? "Not seen" : undefined}
            </option>
          ))}
        </datalist>
      </label>
      <label class="words">
        Description
        <input
          name="description"
          required
          maxLength={1024}
          autocomplete="off"
          defaultValue={draft?.description ?? ""}
        />
      </label>
      <p class="exception-ends">
        <button type="submit" class="primary">Report</button>
        <Plain onClick={cancel}>Cancel</Plain>
      </p>
    </form>
  )
}

interface ResolveProps {
  readonly shipmentId: number
  readonly exceptionId: string
  readonly done: (exception: Exception) => void
  readonly cancel: () => void
}

export const Resolve = ({ cancel, done, exceptionId, shipmentId }: ResolveProps) => {
  const { fault, sendIt } = useSending(async (input: InputOf<typeof resolveException>, key) =>
    done(await run(resolveException, { input }, key))
  )
  const first = useFocus<HTMLInputElement>()
  return (
    <form
      class="exception-form"
      aria-label="Resolve the exception"
      onSubmit={submitting((given) => sendIt({ shipmentId, exceptionId, note: given("note") }))}
    >
      <FaultNote fault={fault} />
      <label class="words">
        How it was resolved
        <input name="note" required maxLength={1024} autocomplete="off" ref={first} />
      </label>
      <p class="exception-ends">
        <button type="submit" class="primary">Resolve</button>
        <Plain onClick={cancel}>Cancel</Plain>
      </p>
    </form>
  )
}

/** Whether an exception is resolved, else how urgent it is. */
const State = ({ priority, status }: Pick<Exception, "priority" | "status">) => {
  if (status === "RESOLVED") return <span class="badge" data-tone="ok">Resolved</span>
  return priority === "HIGH"
    ? <Alert tone="bad">Open, high priority</Alert>
    : <span class="badge" data-tone="warn">Open</span>
}

interface LineProps {
  readonly exception: Exception
  /** Where it belongs, on a page of many shipments. */
  readonly where?: preact.ComponentChildren
  /** Opens the form that resolves it; `undefined` where the reader may not. */
  readonly open: (() => void) | undefined
  /** The form that resolves it, while it is open. */
  readonly form: preact.ComponentChildren
}

export const Line = ({ exception, form, open, where }: LineProps) => (
  <li class="exception" id={elementOf(exception.id)} tabindex={-1}>
    <p class="exception-head">
      <b>{kinds[exception.kind]}</b>
      <State {...exception} />
      {where}
      {exception.lpn === "" && exception.palletId === ""
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
      : form}
    {exception.status === "RESOLVED" || form !== undefined || open === undefined ?
      null :
      (
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
