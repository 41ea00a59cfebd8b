/**
 * The form of an operation of operators: its fields, with their limits, come from the declaration, and the service's faults are shown at
 * the fields that they name.
 *
 * Guarantee: a change sends only the reader's changes; a list, which is replaced as a whole, is sent only if nobody else has changed it
 * since the form was opened.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { BodySchema, Declaration } from "../../../pages/Declarations.ts"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { changedMeanwhile, Fault, faultOf, versionAt } from "../../api/request.ts"
import { loadSession } from "../../session.ts"
import { submitting, useWork } from "../../ui/forms.ts"
import { FaultNote } from "../../ui/Frame.tsx"
import { Plain } from "../../ui/Parts.tsx"
import { Entries, Fields, initialOf, isNumeric, rowIn, within } from "./Field.tsx"
import type { FormNode } from "./Field.tsx"

export interface FormProps {
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

export const Form = (
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
