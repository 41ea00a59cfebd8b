/**
 * The form of an operation of operators: its fields, with their limits, come from the declaration, and the service's faults are shown at
 * the fields that they name.
 *
 * Guarantee: a change sends only the reader's changes; a list, which is replaced as a whole, is sent only if nobody else has changed it
 * since the form was opened.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { BodySchema, Declaration } from "../../../pages/Declarations.ts"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { changedMeanwhile, Fault, faultOf, versionAt } from "../../api/request.ts"
import { loadSession } from "../../session.ts"
import { submitting, useActions, useWork } from "../../ui/forms.ts"
import { FaultNote, StatusNote } from "../../ui/Frame.tsx"
import { ConfirmButton, Plain, TextInput } from "../../ui/Parts.tsx"
import { Entries, Fields, initialOf, isNumeric, rowIn, within } from "./Field.tsx"
import type { FormNode } from "./Field.tsx"
import { labelOf } from "./Resource.ts"
import { fieldsOf, hasSent, isSecret, View, wordIn } from "./Value.tsx"

interface FormProps {
  readonly operation: Declaration
  /** The path of the request. */
  readonly path: string
  /** For a change, the current value: a row or a list. For a new entity, the proposed values. */
  readonly values?: unknown
  /** Fields that the form leaves out, because another part of the page changes them. */
  readonly without?: ReadonlyArray<string>
  /** The name of a list. */
  readonly name?: string
  /** Called with the current input; with `undefined` once the form is closed. */
  readonly onChange?: (value: unknown) => void
  /** Called with the answer; with `undefined` if somebody else has changed the entity first, so that nothing was saved. */
  readonly done: (answer: Row | undefined) => void
  readonly cancel: () => void
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether a change may clear the field, which then gets its minimum of 0. */
const isEmptied = (schema: BodySchema): boolean => isNumeric(schema) && schema.minimum === 0

/** The values to send: for a change the values that differ, for a new entity the values that are not empty. */
const bodyOf = (isChange: boolean, values: Row, first: Row, { properties = {} }: BodySchema): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) =>
      [name, isChange && value === "" && isEmptied(properties[name] ?? {}) ? 0 : value] as const
    ).filter(([name, value]) => isChange ? !isSame(value, first[name]) : value !== "" && value !== undefined)
      // A list that the reader types may end with a comma.
      .map(([name, value]) => [name, Array.isArray(value) ? value.filter((each) => each !== "") : value])
  )

/** The fault without the errors that are shown at a field. */
const restOf = (fault: Fault | undefined, names: ReadonlyArray<string>): Fault | undefined => {
  if (fault === undefined || fault.errors.length === 0) return fault
  const rest = fault.errors.filter((each) => !names.some((name) => within([each], name).length > 0))
  const words = rest.map(({ detail, path }) => path === "" ? detail : `${path}: ${detail}`)
  const lead = fault.errors.length > rest.length ? ["Nothing has changed: look at what is marked below."] : []
  return new Fault([...lead, ...words].join(" "), fault.code, fault.correlationId)
}

/** Moves the focus into the form when it opens, and to the first refused field. */
const useFormFocus = (fault: Fault | undefined) => {
  const form = useRef<HTMLFormElement>(null)
  const focus = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useLayoutEffect(() => focus("input, select, .field-row button"), [])
  useEffect(() => {
    if (fault !== undefined) focus("[aria-invalid='true']")
  }, [fault])
  return form
}

/** The label of the button of a form. */
const wordOf = ({ creates, method }: Declaration): string =>
  method === "PATCH" || method === "PUT" ? "Save" : creates === undefined ? "Confirm" : "Create"

const Form = (
  { cancel, done, name = "", onChange, operation, path, values, without = [] }: FormProps
) => {
  const { body: schema = {}, description, method, summary } = operation
  const isList = schema.type === "array"
  const isChange = method === "PATCH"
  /** The values when the form was opened. A change sends only differences from them, and so reverts no changes by others. */
  const [first] = useState<unknown>(() => values ?? initialOf(schema))
  const [value, setValue] = useState(first)
  const { begin, fault, isBusy } = useWork()
  const form = useFormFocus(fault)
  /** The version of the first values. */
  const [version] = useState(() => versionAt(`/api${path}`))
  const send = async (): Promise<void> => {
    const body = isList ? value : bodyOf(isChange, rowIn(value), rowIn(first), schema)
    const replaces = method === "PUT" ||
      (isChange && Object.values(rowIn(body)).some((each) => Array.isArray(each)))
    const { slug, ...rest } = rowIn(body)
    const [address, content] = path.endsWith("/:slug")
      ? [path.replace(":slug", encodeURIComponent(String(slug))), rest]
      : [path, body]
    const answer = await perform(method, address, content, replaces ? { version } : {})
      .catch((error: unknown) => {
        if (faultOf(error).code !== changedMeanwhile) throw error
      })
    // The session lists businesses and facilities, which may have changed; if this fails, the next load of the page reads the session.
    if (answer !== undefined) loadSession().catch(() => undefined)
    done(answer as Row | undefined)
  }
  const required = isChange
    ? Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      isNumeric(each) && !isEmptied(each) ? [name] : []
    )
    : schema.required ?? []
  const at: FormNode = {
    value,
    set: (next) => {
      setValue(next)
      onChange?.(next)
    },
    path: "",
    faults: fault?.errors ?? [],
    business: /\/businesses\/([^/]+)/.exec(path)?.[1] ?? ""
  }
  return (
    <form
      class="card form no-print"
      aria-label={summary}
      ref={form}
      onSubmit={submitting(() => begin(send))}
    >
      <h2>{summary}</h2>
      <p class="soft">{description}</p>
      <FaultNote fault={isList ? fault : restOf(fault, Object.keys(schema.properties ?? {}))} />
      {isList ? <Entries at={at} schema={schema} name={name} /> : (
        <div class="fields">
          <Fields at={at} schema={{ ...schema, required }} without={without} />
        </div>
      )}
      <p class="ends">
        <button type="submit" class="primary" aria-disabled={isBusy}>{wordOf(operation)}</button>
        <Plain onClick={cancel}>Cancel</Plain>
      </p>
    </form>
  )
}

/** The result of a change in a sentence, with the total of an answer. */
const wordsOf = ({ description, method, summary }: Declaration, answer: Row): string => {
  if (method === "PATCH") return "Saved."
  if (method === "PUT") return `Saved. ${description}`
  const name = answer["name"] ?? answer["baseUrl"] ?? answer["slug"]
  if (name !== undefined) return `${String(name)} is there.`
  const counts = Object.entries(answer).filter(([, value]) => typeof value === "number" && !hasSent(answer))
  return [`${summary}: done.`, ...counts.map(([label, count]) => `${labelOf(label)}: ${String(count)}.`)]
    .join(" ")
}

/** A secret that the service shows only this once, with a button that copies it. */
const Secret = ({ close, label, of, value }: {
  readonly label: string
  readonly of: string
  readonly value: string
  readonly close: () => void
}) => {
  const [isCopied, setCopied] = useState(false)
  const code = useRef<HTMLElement>(null)
  const copy = async (): Promise<void> => {
    // Browsers give the clipboard only to pages over https or on the same machine; on other pages, the selection lets the reader copy.
    await navigator.clipboard?.writeText(value).then(() => setCopied(true)).catch(() => undefined)
    if (code.current !== null) getSelection()?.selectAllChildren(code.current)
  }
  return (
    <section class="card form secret" aria-label="Secret" role="alert">
      <p>
        {label} of <code>{of}</code>. Save the secret now: the service shows it only once.
      </p>
      <p class="secret-line">
        <code ref={code}>{value}</code>
        <Plain onClick={() => void copy()}>{isCopied ? "Copied" : "Copy"}</Plain>
        <Plain onClick={close}>I have saved it</Plain>
      </p>
    </section>
  )
}

/** The changes of a page, one at a time, and the result of the last one. */
export const useOutcome = (reload: () => void) => {
  const { act, fault, isBusy, note, tell } = useActions(reload)
  const [answer, setAnswer] = useState<Row>({})
  const [label, value] = Object.entries(answer).find(([name]) => isSecret(name)) ?? []
  const wordsFor = (operation: Declaration, answer: Row | undefined): string => {
    setAnswer(answer ?? {})
    return answer === undefined
      ? "Somebody changed it meanwhile, and nothing was saved: this is how it is now."
      : wordsOf(operation, answer)
  }
  /** Runs an operation, and reports its result. */
  const change = (operation: Declaration, path: string, body?: Row, then?: (answer: Row) => void): void =>
    act(async () => await perform(operation.method, path, body) as Row, (answer) => {
      then?.(answer)
      return wordsFor(operation, answer)
    })
  const notice = (
    <>
      {label === undefined ? null : (
        <Secret
          label={labelOf(label)}
          of={String(answer["id"] ?? answer["secretId"] ?? "this page")}
          value={String(value)}
          close={() => setAnswer({})}
        />
      )}
      <StatusNote>{note}</StatusNote>
      <FaultNote fault={fault} />
    </>
  )
  return {
    act,
    change,
    isBusy,
    notice,
    /** Reports the result of a form; `undefined` means that somebody else has changed the entity first. */
    take: (operation: Declaration, answer: Row | undefined): void => tell(wordsFor(operation, answer))
  }
}

export type Outcome = ReturnType<typeof useOutcome>

/** The field of a body whose only field is a choice of words, limited to the words that the row lists, if it does. */
const choiceOf = ({ properties = {} }: BodySchema = {}, row: Row = {}) => {
  const [only, ...others] = Object.entries(properties)
  if (others.length > 0 || only?.[1].enum === undefined) return undefined
  const [field, { enum: words }] = only
  const own = row[`${field}s`]
  return { field, words: words.filter((word) => !Array.isArray(own) || own.includes(word)) }
}

interface ChangeOptions extends Pick<FormProps, "path" | "values" | "without" | "name" | "onChange"> {
  readonly outcome: Outcome
  /** The entity on which the operation acts. */
  readonly row?: Row | undefined
  /** Whether the operation is the main action of its page. */
  readonly isFirst?: boolean
  readonly word?: string
}

/**
 * The buttons of an operation. An operation without a body, or with a choice of words as its body, runs at once; any other opens a form.
 * The answer stays visible until the next one.
 */
export const useChange = (
  operation: Declaration | undefined,
  { isFirst = false, outcome, path, row, word = operation?.summary ?? "", ...props }: ChangeOptions
) => {
  const [isOpen, setOpen] = useState(false)
  const [answer, setAnswer] = useState<Row>()
  if (operation === undefined) return {}
  const act = (body?: Row): void => outcome.change(operation, path, body, setAnswer)
  const close = (): void => {
    setOpen(false)
    props.onChange?.(undefined)
  }
  if (isOpen) {
    const done = (answer: Row | undefined): void => {
      close()
      outcome.take(operation, answer)
    }
    return { form: <Form {...props} operation={operation} path={path} done={done} cancel={close} /> }
  }
  const choice = choiceOf(operation.body, row)
  if (choice !== undefined) {
    const buttons = choice.words.map((each) => (
      <Plain
        key={each}
        aria-disabled={outcome.isBusy}
        onClick={() => act({ [choice.field]: each })}
      >
        {wordIn(choice.field, each)}
      </Plain>
    ))
    return { button: <div class="buttons">{buttons}</div>, answer }
  }
  if (operation.body === undefined) {
    return { button: <Action operation={operation} word={word} act={act} />, answer }
  }
  return {
    button: (
      <Plain class={isFirst ? "primary no-print" : "no-print"} onClick={() => setOpen(true)}>{word}</Plain>
    )
  }
}

/** The buttons and the form of one operation, with its answer if that says more than a sentence. */
export const Change = ({ operation, ...props }: {
  readonly operation: Declaration
  readonly path: string
  readonly outcome: Outcome
  readonly row?: Row | undefined
}) => {
  const { answer, button, form } = useChange(operation, props)
  return form ?? (
    <section class="card overview settings no-print" aria-label={operation.summary}>
      <p class="soft">{operation.description}</p>
      {button}
      {answer === undefined || !hasSent(answer)
        ? null
        : <View row={answer} fields={fieldsOf(operation, answer)} />}
    </section>
  )
}

/** The button of an action, which the reader confirms unless the action only adds. */
export const Action = ({ operation: { isAdditive }, ...props }: Parameters<typeof ConfirmButton>[0] & {
  readonly operation: Declaration
}) => {
  const { act, of, word } = props
  return isAdditive === true
    ? <Plain class="no-print" of={of} onClick={() => act()}>{word}</Plain>
    : <ConfirmButton {...props} />
}

/** A form that acts once the reader has written the name of the entity that will be lost. */
export const LossForm = ({ act, children, name, word }: {
  readonly word: string
  readonly name: string
  readonly children: ComponentChildren
  readonly act: () => void
}) => {
  const [text, setWritten] = useState("")
  return (
    <details class="card losing no-print">
      <summary>{word}…</summary>
      <form class="form" onSubmit={submitting(() => text === name && act())}>
        <p>{children}</p>
        <label>
          <span>
            Write <code>{name}</code> to confirm
          </span>
          <TextInput value={text} onInput={({ currentTarget }) => setWritten(currentTarget.value)} />
        </label>
        <p class="ends">
          <button type="submit" class="plain danger" disabled={text !== name}>{word}</button>
        </p>
      </form>
    </details>
  )
}
