/** An exception as it is shown, and the forms that report one and say how it was resolved. */
import { reportException, resolveException } from "../../api/operations.ts"
import type { Exception } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import type { Operation } from "../../api/request.ts"
import { useFocus } from "../../ui/focus.ts"
import { Alert, FaultNote, Time } from "../../ui/Parts.tsx"
import { useSending } from "../../ui/sending.ts"

/** What an operation is given. */
type InputOf<Op> = Op extends Operation<{ readonly input: infer Input }, unknown> ? Input : never

const kinds: Readonly<Record<Exception["kind"], string>> = {
  DAMAGED: "Damaged",
  SHORT: "Short",
  OVER: "Over",
  OTHER: "Other"
}

const priorities: Readonly<Record<Exception["priority"], string>> = { LOW: "Low", HIGH: "High" }

/** The id of the element of an exception. */
export const elementOf = (exceptionId: string): string => `exception-${exceptionId}`

/** The id of the button that opens a form. */
export const openerOf = (form: string): string => `open-${form}`

const textOf = (form: HTMLFormElement, name: string): string =>
  String(new FormData(form).get(name) ?? "").trim()

const isOneOf = <Word extends string>(words: Readonly<Record<Word, string>>, word: string): word is Word =>
  Object.hasOwn(words, word)

/** The option of a form that is chosen; `other` where it offers none. */
const chosenOf = <Word extends string>(
  form: HTMLFormElement,
  name: string,
  words: Readonly<Record<Word, string>>,
  other: NoInfer<Word>
): Word => {
  const chosen = textOf(form, name)
  return isOneOf(words, chosen) ? chosen : other
}

/** A pallet that an exception may be about. */
export interface Choice {
  /** `""` for a pallet that is expected and that nobody has seen. */
  readonly id: string
  readonly lpn: string
}

/** What a pallet is called where it is chosen. */
const nameOf = ({ id, lpn }: Choice): string => lpn === "" ? `Pallet ${id} without an LPN` : lpn

/** What a report says of a pallet that is written: a name of the list, or else an LPN. */
const aboutOf = (written: string, choices: ReadonlyArray<Choice>) => {
  if (written === "") return {}
  const chosen = choices.find((choice) => nameOf(choice) === written)
  return chosen === undefined || chosen.id === "" ? { lpn: written } : { palletId: chosen.id }
}

/** What a form begins with. */
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

/** The form that reports an exception of a shipment. */
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
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        sendIt({
          shipmentId,
          kind: chosenOf(form, "kind", kinds, "OTHER"),
          priority: chosenOf(form, "priority", priorities, "LOW"),
          description: textOf(form, "description"),
          ...aboutOf(textOf(form, "pallet"), known)
        })
      }}
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
        <input
          name="pallet"
          list="pallets-known"
          placeholder="The whole shipment, or an LPN"
          defaultValue={draft === undefined ? "" : nameOf(draft.pallet)}
          maxLength={1024}
          autocomplete="off"
          spellcheck={false}
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
        <button type="button" class="plain" onClick={cancel}>Cancel</button>
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

/** The form that says how an exception was resolved. */
export const Resolve = ({ cancel, done, exceptionId, shipmentId }: ResolveProps) => {
  const { fault, sendIt } = useSending(async (input: InputOf<typeof resolveException>, key) =>
    done(await run(resolveException, { input }, key))
  )
  const first = useFocus<HTMLInputElement>()
  return (
    <form
      class="exception-form"
      aria-label="Resolve the exception"
      onSubmit={(event) => {
        event.preventDefault()
        sendIt({ shipmentId, exceptionId, note: textOf(event.currentTarget, "note") })
      }}
    >
      <FaultNote fault={fault} />
      <label class="words">
        How it was resolved
        <input name="note" required maxLength={1024} autocomplete="off" ref={first} />
      </label>
      <p class="exception-ends">
        <button type="submit" class="primary">Resolve</button>
        <button type="button" class="plain" onClick={cancel}>Cancel</button>
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

/** An exception in a list. */
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
    {exception.status === "RESOLVED" || form !== undefined || open === undefined ? null : (
      <button
        type="button"
        class="plain no-print"
        id={openerOf(exception.id)}
        aria-label={`Resolve ${exception.description}`}
        onClick={open}
      >
        Resolve
      </button>
    )}
  </li>
)
