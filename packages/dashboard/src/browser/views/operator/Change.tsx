/**
 * The changes on a page of operators, one at a time: their buttons and forms, and the result of the last change: the action, the reason for
 * a refusal, and secrets, which are shown once.
 */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import type { BodySchema, Declaration } from "../../../pages/Declarations.ts"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { submitting, useActions } from "../../ui/forms.ts"
import { FaultNote, Said } from "../../ui/Frame.tsx"
import { AskedTwice, Plain, TextInput } from "../../ui/Parts.tsx"
import { Form } from "./Form.tsx"
import type { FormProps } from "./Form.tsx"
import { labelOf } from "./Resource.ts"
import { fieldsOf, hasSent, isSecret, View, wordIn } from "./Value.tsx"

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
  const { act, fault, isBusy, said, tell } = useActions(reload)
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
      <Said>{said}</Said>
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
export const Action = ({ operation: { isAdditive }, ...props }: Parameters<typeof AskedTwice>[0] & {
  readonly operation: Declaration
}) => {
  const { act, of, word } = props
  return isAdditive === true
    ? <Plain class="no-print" of={of} onClick={() => act()}>{word}</Plain>
    : <AskedTwice {...props} />
}

/** A form that acts once the reader has written the name of the entity that will be lost. */
export const Losing = ({ act, children, name, word }: {
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
