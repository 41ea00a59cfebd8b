/**
 * A field of a form, generated from the declaration of an operation: its type, its length, its purpose. The service's faults about it are
 * shown beside it.
 */
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import type { BodySchema } from "../../../pages/Declarations.ts"
import type { Row } from "../../api/operator.ts"
import type { FieldFault } from "../../api/request.ts"
import { businessOptions, facilityOptions, mayHaveMore } from "../../session.ts"
import { Checks, Plain, Select, TextInput } from "../../ui/Parts.tsx"
import { labelOf, nounOf } from "./Resource.ts"
import { everything, isSecret, wordIn } from "./Value.tsx"

/** A node in the value of a form: its value, the function that changes it, and the service's faults about it and its parts. */
export interface FormNode {
  readonly value: unknown
  readonly set: (value: unknown) => void
  /** The path of the node within the request, such as `authentication.username`; `""` for the whole request. */
  readonly path: string
  readonly faults: ReadonlyArray<FieldFault>
  /** The business that the reader has entered for the node, if any; proposed facilities belong to it. */
  readonly business: string
}

interface FieldProps {
  readonly name: string
  readonly schema: BodySchema
  readonly at: FormNode
  readonly isRequired?: boolean
  /** Whether descriptions are left out, as in similar rows. */
  readonly isBrief?: boolean
}

/** Values that the current page proposes, by the names of fields; any other value is possible. */
export const proposals = signal<Readonly<Record<string, Parameters<typeof TextInput>[0]["proposals"]>>>({})

export const isNumeric = ({ type }: BodySchema): boolean => type === "integer" || type === "number"

export const within = (faults: ReadonlyArray<FieldFault>, path: string): ReadonlyArray<FieldFault> =>
  faults.filter((fault) =>
    fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`)
  )

// The casts rely on this: the value at each node of a form has the declared type.
export const rowIn = (value: unknown): Row => (value ?? {}) as Row
const listIn = (value: unknown): ReadonlyArray<unknown> => (value ?? []) as ReadonlyArray<unknown>

/** An entry of a list. */
const entryOf = (at: FormNode, index: number): FormNode => {
  const path = `${at.path}[${index}]`
  const set = (next: unknown): void => at.set(listIn(at.value).with(index, next))
  return { ...at, path, value: listIn(at.value)[index], set, faults: within(at.faults, path) }
}

/** The node of a field of an object. An empty field is removed from its object, except at the top level of the request. */
const fieldOf = (at: FormNode, name: string): FormNode => {
  const row = rowIn(at.value)
  const path = at.path === "" ? name : `${at.path}.${name}`
  return {
    path,
    value: row[name],
    set: (next) => {
      const { [name]: _, ...others } = row
      const isEmpty = at.path !== "" && (next === "" || next === undefined)
      at.set(isEmpty ? others : { ...row, [name]: next })
    },
    faults: within(at.faults, path),
    business: String(row["business"] ?? at.business)
  }
}

const Faults = ({ id, of }: { readonly id: string; readonly of: FormNode["faults"] }) =>
  of.length === 0
    ? null
    : <span class="field-fault" id={id}>{of.map(({ detail }) => detail).join("; ")}</span>

/** The fields of an object. */
export const Fields = ({ at, schema: { properties = {}, required = [] }, without = [], ...props }:
  & Omit<FieldProps, "name" | "isRequired">
  & { readonly without?: ReadonlyArray<string> }) => (
    <>
      {Object.entries(properties).filter(([name]) => !without.includes(name)).map(([name, schema]) => (
        <Field
          {...props}
          key={name}
          name={name}
          schema={schema}
          at={fieldOf(at, name)}
          isRequired={required.includes(name)}
        />
      ))}
    </>
  )

/** Fields below a common label, with the service's faults about the group as a whole. */
const Group = ({ children, faults = [], hint, name }: {
  readonly name: string
  readonly faults?: FormNode["faults"]
  readonly hint?: string | undefined
  readonly children: ComponentChildren
}) => {
  const id = useId()
  return (
    <fieldset class="kinds" aria-describedby={faults.length > 0 ? id : undefined}>
      <legend>{labelOf(name)}</legend>
      {children}
      <Faults id={id} of={faults} />
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </fieldset>
  )
}

const typeOf = ({ properties }: BodySchema): string => properties?.["type"]?.enum?.[0] ?? ""

/** Settings of one of several kinds, each with its own fields: the reader chooses the kind first. */
const Kinds = ({ at, name, schema: { anyOf = [], description = "" } }: FieldProps) => {
  const type = fieldOf(at, "type")
  const kind = anyOf.find((each) => typeOf(each) === type.value)
  const faults = at.faults.filter(({ path }) => path === at.path || path === type.path)
  return (
    <Group name={name}>
      <div class="fields">
        <Field
          name="type"
          schema={{ type: "string", enum: anyOf.map(typeOf), description }}
          at={{ ...type, faults, set: (type) => at.set({ type }) }}
          isRequired
        />
        {kind === undefined ? null : <Fields at={at} schema={kind} without={["type"]} />}
      </div>
    </Group>
  )
}

/** A list of objects, each a row of fields. */
export const Entries = (
  { at, name, schema: { description, items = {}, maxItems = Infinity } }: FieldProps
) => {
  const rows = listIn(at.value)
  const noun = nounOf(name)
  return (
    <Group name={name} faults={at.faults.filter(({ path }) => path === at.path)} hint={description}>
      {rows.map((_, index) => (
        <fieldset key={index} class="field-row">
          <legend class="unseen">{noun} {index + 1}</legend>
          <Fields schema={items} at={entryOf(at, index)} isBrief />
          <Plain
            of={`${noun.toLowerCase()} ${index + 1}`}
            onClick={() => at.set(rows.toSpliced(index, 1))}
          >
            Remove
          </Plain>
        </fieldset>
      ))}
      <p>
        <Plain disabled={rows.length >= maxItems} onClick={() => at.set([...rows, initialOf(items)])}>
          Add {noun.toLowerCase()}
        </Plain>
      </p>
    </Group>
  )
}

/**
 * The initial value for a new entity: the first business of the session, the kind of settings that has no required fields, and one entry
 * in each required list.
 */
export const initialOf = ({ properties = {}, required = [] }: BodySchema): Row => {
  const valueOf = (name: string, { anyOf, items }: BodySchema): unknown => {
    if (name === "business") return businessOptions()[0]?.[0]
    if (name === "facilities") return everything
    if (name === "enabled") return true
    if (items?.properties !== undefined && required.includes(name)) return [initialOf(items)]
    return anyOf?.some((kind) => typeOf(kind) === "none") === true ? { type: "none" } : undefined
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(name, schema)] as const)
      .filter(([, value]) => value !== undefined)
  )
}

/** A checkbox for each word that a list may contain. */
const Words = ({ at, name, schema }: FieldProps) => (
  <Group name={name} faults={at.faults}>
    <Checks
      options={(schema.items?.enum ?? []).map((each) => [each, wordIn(name, each)])}
      choices={listIn(at.value) as ReadonlyArray<string>}
      change={at.set}
      isWrong={at.faults.length > 0}
    />
  </Group>
)

const Flag = ({ at: { set, value }, isBrief = false, name, schema }: FieldProps) => (
  <label class="flag">
    <input
      type="checkbox"
      checked={value === true}
      onChange={({ currentTarget: { checked } }) => set(checked)}
    />
    <span>
      {labelOf(name)}
      {isBrief ? null : <span class="hint">{schema.description}</span>}
    </span>
  </label>
)

const placeNames = new Set(["business", "facility", "facilities"])

/** The choices of a field: its vocabulary, or the businesses or facilities in the session. */
const choicesOf = ({ at: { business }, isRequired = false, name, schema }: FieldProps) => {
  const isOpen = schema.anyOf !== undefined || /\bor \*/.test(schema.description ?? "")
  const all = (words: string) => isOpen ? [[everything, words] as const] : []
  if (name === "business") return [...businessOptions(), ...all("All businesses")]
  if (name === "facilities") return [...all("All facilities"), ...facilityOptions(business)]
  if (name === "facility") {
    return [...(isRequired ? [] : [["", "All facilities"] as const]), ...facilityOptions(business)]
  }
  return schema.enum?.map((each) => [each, wordIn(name, each)] as const)
}

const Input = ({ common, ...props }: FieldProps & { readonly common: object }) => {
  const { at: { set, value }, isRequired = false, name, schema } = props
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "")
  const isNumber = isNumeric(schema)
  const isList = schema.type === "array" || schema.anyOf !== undefined
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    const input = currentTarget.value
    if (isNumber && input !== "") set(Number(input))
    else set(isList && input !== everything ? input.split(/,\s*/) : input)
  }
  const choices = choicesOf(props)
  // If there may be more businesses and facilities than the session lists, readers type the names.
  if (choices !== undefined && !(placeNames.has(name) && mayHaveMore.value)) {
    const hasChosen = choices.some(([each]) => each === (isRequired ? text : ""))
    const options = hasChosen ? choices : [["", ""] as const, ...choices]
    return <Select {...common} value={text} options={options} onChange={onInput} />
  }
  const zones = name === "timeZone"
    ? Intl.supportedValuesOf("timeZone").map((zone) => [zone] as const)
    : undefined
  return (
    <TextInput
      {...common}
      value={text}
      onInput={onInput}
      maxLength={schema.maxLength}
      placeholder={schema.examples?.[0]}
      proposals={zones ?? choices ?? proposals.value[name]}
      {...(isNumber ? { type: "number", min: schema.minimum } : {})}
      {...(isSecret(name) ? { type: "password", autocomplete: "new-password" } : {})}
    />
  )
}

const Line = (props: FieldProps) => {
  const { at, isBrief = false, isRequired = false, name, schema } = props
  const id = useId()
  const hint = isBrief || name === "name" ? "" : schema.description ?? ""
  const isWrong = at.faults.length > 0
  const descriptionIds = [isWrong ? `${id}-fault` : "", hint === "" ? "" : `${id}-hint`].join(" ").trim()
  const common = {
    name,
    required: isRequired,
    "aria-invalid": isWrong,
    "aria-labelledby": `${id}-label`,
    "aria-describedby": descriptionIds || undefined
  }
  return (
    <label>
      <span id={`${id}-label`}>{labelOf(name)}</span>
      <Input {...props} common={common} />
      {hint === "" ? null : <span class="hint" id={`${id}-hint`}>{hint}</span>}
      <Faults id={`${id}-fault`} of={at.faults} />
    </label>
  )
}

const Field = (props: FieldProps) => {
  const { at, name, schema: { anyOf, items, properties, type }, schema } = props
  if (anyOf?.some((kind) => kind.properties !== undefined) === true) return <Kinds {...props} />
  if (type === "boolean") return <Flag {...props} />
  if (items?.enum !== undefined) return <Words {...props} />
  if (items?.properties !== undefined) return <Entries {...props} />
  if (properties === undefined) return <Line {...props} />
  return (
    <Group name={name}>
      <div class="fields">
        <Fields at={at} schema={schema} />
      </div>
    </Group>
  )
}
