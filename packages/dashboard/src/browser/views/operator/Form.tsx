/**
 * The form of an operation of operators: its fields are those of the declaration, with their limits, and what the service refuses
 * stands at the field that it names.
 *
 * Guarantee: a change sends what the reader has changed, and nothing else; a list, which is replaced as a whole, only if nobody has changed
 * it since the form was opened.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { bodyOf } from "../../api/bodies.ts"
import { callWith, targetOf } from "../../api/operator.ts"
import type { Answer, Route } from "../../api/operator.ts"
import { changedMeanwhile, Fault, faultOf, versionAt } from "../../api/request.ts"
import { loadSession } from "../../session.ts"
import { submitting, useWork } from "../../ui/forms.ts"
import { FaultNote } from "../../ui/Frame.tsx"
import { Plain } from "../../ui/Parts.tsx"
import { Field, isNumeric, labelOf, within } from "./Field.tsx"
import type { Differing } from "./Field.tsx"

type Values = Readonly<Record<string, unknown>>

/** An editor for a field that is made by hand. */
export type Editor = (value: unknown, change: (value: unknown) => void) => ComponentChildren

/** A form as pages declare it. */
export interface FormOf<Of extends Route> {
  readonly route: Of
  readonly params?: Readonly<Record<string, string>>
  readonly title: string
  /** The word of its button. */
  readonly word?: string
  /** The initial values: for a change the present ones, for something new the proposed ones. */
  readonly values?: Values
  /** The fields that are shown, in this order; those of the declaration unless given. */
  readonly fields?: ReadonlyArray<string>
  /** How fields differ from their declaration, given what stands in the form. */
  readonly differing?: (given: Values) => Readonly<Record<string, Differing>>
  readonly editors?: Readonly<Record<string, Editor>>
  /** Takes what the service has answered. */
  readonly made?: (answer: Answer<Of>) => void
  /** What is told then. */
  readonly said: (answer: Answer<Of>) => string
}

interface FormProps<Of extends Route> extends FormOf<Of> {
  readonly done: (words: string) => void
  readonly cancel?: () => void
  readonly children?: ComponentChildren
}

/** What is told where somebody else was first. */
export const meanwhile = "Somebody changed it meanwhile, and nothing was saved: this is how it is now."

const isChange = (route: Route): boolean => route.startsWith("PATCH ")

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The values to send: for a change those that differ, for something new those that are not empty. */
const sentOf = (
  route: Route,
  before: Values,
  values: Values,
  differ: Readonly<Record<string, Differing>>
): Values =>
  Object.fromEntries(
    Object.entries(before).map(([name, value]) =>
      [name, isChange(route) && value === "" ? differ[name]?.emptied ?? value : value] as const
    ).filter(([name, value]) =>
      isChange(route) ? !isSame(value, values[name]) : value !== "" && value !== undefined
    )
  )

/** The fault, without the parts that are shown at a field. */
const restOf = (fault: Fault | undefined, names: ReadonlyArray<string>): Fault | undefined => {
  if (fault === undefined || fault.errors.length === 0) return fault
  const rest = fault.errors.filter((each) => !names.some((name) => within([each], name).length > 0))
  const words = rest.map(({ detail, path }) => path === "" ? detail : `${path}: ${detail}`)
  return new Fault(
    [fault.errors.length > rest.length ? "Nothing has changed: look at what is marked below." : "", ...words]
      .join(" ")
      .trim(),
    fault.code,
    fault.correlationId
  )
}

/** Moves the focus into the form when it opens, and to the first field that is refused. */
const useFormFocus = (fault: Fault | undefined) => {
  const form = useRef<HTMLFormElement>(null)
  const focus = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useLayoutEffect(() => focus("input, select, textarea"), [])
  useEffect(() => {
    if (fault !== undefined) focus("[aria-invalid='true']")
  }, [fault])
  return form
}

export const Form = <const Of extends Route>(
  {
    cancel,
    children,
    differing,
    done,
    editors = {},
    fields,
    made,
    params = {},
    route,
    said,
    title,
    values = {},
    word = isChange(route) ? "Save" : "Create"
  }: FormProps<Of>
) => {
  const schema = bodyOf(route)
  const names = fields ?? Object.keys(schema?.properties ?? {})
  /** The values when the form was opened, so that changes by others are not reverted. */
  const [first] = useState(values)
  const [given, setGiven] = useState(first)
  const { begin, fault, isBusy } = useWork()
  const form = useFormFocus(fault)
  const differ = differing?.(given) ?? {}
  const faults = fault?.errors ?? []
  const set = (name: string) => (value: unknown): void => setGiven((before) => ({ ...before, [name]: value }))
  /** The version of those values. */
  const [version] = useState(() => versionAt(targetOf(route, params)))
  const send = async (): Promise<void> => {
    const body = sentOf(route, given, first, differ)
    const replaces = Object.values(body).some((value) => Array.isArray(value))
    const answer = await callWith(route, { ...params, body }, undefined, replaces ? version : undefined)
      .catch((error: unknown) => {
        if (faultOf(error).code !== changedMeanwhile) throw error
      })
    if (answer === undefined) {
      return done(meanwhile)
    }
    // It may be of a place that the session names; the next load of the page reads the session where this fails.
    loadSession().catch(() => undefined)
    made?.(answer)
    done(said(answer))
  }
  return (
    <form
      class="card form no-print"
      aria-label={title}
      ref={form}
      onSubmit={submitting(() => begin(send))}
    >
      <h2>{title}</h2>
      <FaultNote fault={restOf(fault, names)} />
      <div class="fields">
        {names.map((name) => {
          const editor = editors[name]
          if (editor !== undefined) {
            const wrong = within(faults, name)
            return (
              <fieldset key={name} class="kinds" aria-invalid={wrong.length > 0} tabindex={-1}>
                <legend>{differ[name]?.label ?? labelOf(name)}</legend>
                {editor(given[name], set(name))}
                {wrong.map(({ detail, path }) => <p key={path} class="field-fault">{path}: {detail}</p>)}
              </fieldset>
            )
          }
          const of = schema?.properties?.[name]
          return of === undefined ? null : (
            <Field
              key={name}
              name={name}
              path={name}
              schema={of}
              isRequired={schema?.required?.includes(name) === true ||
                (isChange(route) && isNumeric(of) && differ[name]?.emptied === undefined)}
              value={given[name]}
              change={set(name)}
              faults={within(faults, name)}
              {...(name === "name" ? { hint: "" } : {})}
              {...differ[name]}
            />
          )
        })}
      </div>
      {children}
      <p class="ends">
        <button type="submit" class="primary" aria-disabled={isBusy}>{word}</button>
        {cancel === undefined ? null : <Plain onClick={cancel}>Cancel</Plain>}
      </p>
    </form>
  )
}
