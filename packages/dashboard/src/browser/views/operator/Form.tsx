/**
 * The form of an operation of operators: its fields are those of the declaration, with their limits, and what the service refuses
 * stands at the field that it names.
 *
 * Guarantee: a change sends what the reader has changed, and nothing else; a list, which is replaced as a whole, only if nobody has changed
 * it since the form was opened.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { BodySchema, Declaration } from "../../../pages/Declarations.ts"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { changedMeanwhile, Fault, faultOf, versionAt } from "../../api/request.ts"
import { loadSession } from "../../session.ts"
import { submitting, useWork } from "../../ui/forms.ts"
import { FaultNote } from "../../ui/Frame.tsx"
import { AskedTwice, Plain } from "../../ui/Parts.tsx"
import { Entries, Fields, initialOf, isNumeric, rowIn, within } from "./Field.tsx"
import type { FormNode } from "./Field.tsx"
import type { Outcome } from "./Outcome.tsx"

interface FormProps {
  readonly operation: Declaration
  /** The path of the request. */
  readonly path: string
  /** The present value for a change, a row or a list; for something new, what is proposed. */
  readonly values?: unknown
  /** Fields that are changed elsewhere on the page. */
  readonly without?: ReadonlyArray<string>
  /** Values that are proposed beside any other, by the names of fields. */
  readonly proposed?: Parameters<typeof Fields>[0]["proposed"]
  /** What a list is called. */
  readonly name?: string
  readonly word?: string
  /** Sees what is written. */
  readonly onChange?: (value: unknown) => void
  /** Takes the answer; `undefined` where somebody else was first, and nothing was saved. */
  readonly done: (answer: Row | undefined) => void
  /** Closes the form, unless it stays open. */
  readonly cancel?: () => void
}

const methodOf = ({ rest }: Declaration): string => rest.slice(0, rest.indexOf(" "))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether the field can be emptied in a change, which then sets the least. */
const isEmptied = (schema: BodySchema): boolean => isNumeric(schema) && schema.minimum === 0

/** The values to send: for a change those that differ, for something new those that are not empty. */
const bodyOf = (isChange: boolean, values: Row, first: Row, { properties = {} }: BodySchema): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) =>
      [name, isChange && value === "" && isEmptied(properties[name] ?? {}) ? 0 : value] as const
    ).filter(([name, value]) => isChange ? !isSame(value, first[name]) : value !== "" && value !== undefined)
  )

/** The fault, without the parts that are shown at a field. */
const restOf = (fault: Fault | undefined, names: ReadonlyArray<string>): Fault | undefined => {
  if (fault === undefined || fault.errors.length === 0) return fault
  const rest = fault.errors.filter((each) => !names.some((name) => within([each], name).length > 0))
  const words = rest.map(({ detail, path }) => path === "" ? detail : `${path}: ${detail}`)
  const lead = fault.errors.length > rest.length ? ["Nothing has changed: look at what is marked below."] : []
  return new Fault([...lead, ...words].join(" "), fault.code, fault.correlationId)
}

/** Moves the focus into the form when it opens, and to the first field that is refused. */
const useFormFocus = (fault: Fault | undefined) => {
  const form = useRef<HTMLFormElement>(null)
  const focus = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useLayoutEffect(() => focus("input, select, textarea, .field-row button"), [])
  useEffect(() => {
    if (fault !== undefined) focus("[aria-invalid='true']")
  }, [fault])
  return form
}

/** What the button of a form says. */
const wordOf = ({ creates, rest }: Declaration): string =>
  rest.startsWith("PATCH ") ? "Save" : creates === undefined ? "Confirm" : "Create"

export const Form = (
  { cancel, done, name = "", onChange, operation, path, values, without = [], ...props }: FormProps
) => {
  const { body: schema = {}, description, rest, summary } = operation
  const isList = schema.type === "array"
  const isChange = rest.startsWith("PATCH ")
  /** The values when the form was opened, so that changes by others are not reverted. */
  const [first] = useState<unknown>(() => values ?? initialOf(schema))
  const [value, setValue] = useState(first)
  const { begin, fault, isBusy } = useWork()
  const form = useFormFocus(fault)
  /** The version of those values. */
  const [version] = useState(() => versionAt(`/api${path}`))
  const send = async (): Promise<void> => {
    const body = isList ? value : bodyOf(isChange, rowIn(value), rowIn(first), schema)
    const replaces = isList || (isChange && Object.values(rowIn(body)).some((each) => Array.isArray(each)))
    const answer = await perform(methodOf(operation), path, body, replaces ? { version } : {})
      .catch((error: unknown) => {
        if (faultOf(error).code !== changedMeanwhile) throw error
      })
    // It may be of a place that the session names; the next load of the page reads the session where this fails.
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
  const { proposed, word = wordOf(operation) } = props
  const fields = { at, schema: { ...schema, required }, ...(proposed === undefined ? {} : { proposed }) }
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
      {isList ? <Entries name={name} {...fields} /> : (
        <div class="fields">
          <Fields without={without} {...fields} />
        </div>
      )}
      <p class="ends">
        <button type="submit" class="primary" aria-disabled={isBusy}>{word}</button>
        {cancel === undefined ? null : <Plain onClick={cancel}>Cancel</Plain>}
      </p>
    </form>
  )
}

/** The button of an operation, and its form once the button was pressed; what takes no body is done at once. */
export const useChange = (
  operation: Declaration | undefined,
  { isAsked = true, isFirst = false, outcome, path, word = operation?.summary ?? "", ...form }:
    & Pick<FormProps, "path" | "values" | "without">
    & {
      readonly outcome: Outcome
      /** Whether it is asked about first, where it takes no body. */
      readonly isAsked?: boolean
      /** Whether it is the first thing to do on its page. */
      readonly isFirst?: boolean
      readonly word?: string
    }
) => {
  const [isOpen, setOpen] = useState(false)
  if (operation === undefined) return { button: null, form: null }
  const act = (): void =>
    outcome.act(async () => outcome.take(operation, await perform(methodOf(operation), path) as Row))
  const open = (): void => operation.body === undefined ? act() : setOpen(true)
  const isAskedTwice = operation.body === undefined && isAsked
  return {
    button: isOpen
      ? null
      : isAskedTwice
      ? <AskedTwice word={word} act={act} />
      : <Plain class={isFirst ? "primary no-print" : "no-print"} onClick={open}>{word}</Plain>,
    form: isOpen
      ? (
        <Form
          {...form}
          operation={operation}
          path={path}
          done={(answer) => {
            setOpen(false)
            outcome.take(operation, answer)
          }}
          cancel={() => setOpen(false)}
        />
      )
      : null
  }
}
