/**
 * A field of a form, as the declaration of an operation has it: what it takes, how long it may be, what it is for. What the service
 * refuses about it stands at it.
 */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import type { BodySchema } from "../../../pages/Declarations.ts"
import type { Row } from "../../api/operator.ts"
import type { FieldFault } from "../../api/request.ts"
import { capabilityPages } from "../../nav.ts"
import { businessOptions, facilityOptions, mayHaveMore } from "../../session.ts"
import { webhookName } from "../../ui/messageKinds.ts"
import { Checks, Plain, Select, TextInput } from "../../ui/Parts.tsx"

/** A place in the value of a form: what stands there, how it changes, and what the service refuses about it and what is in it. */
export interface FormNode {
  readonly value: unknown
  readonly set: (value: unknown) => void
  /** The place within the request, such as `authentication.username`; `""` for all of it. */
  readonly path: string
  readonly faults: ReadonlyArray<FieldFault>
  /** The business that the place is about, as far as it is written; facilities are proposed of it. */
  readonly business: string
}

interface FieldProps {
  readonly name: string
  readonly schema: BodySchema
  readonly at: FormNode
  readonly isRequired?: boolean
  /** Whether nothing says what it is for, as in rows that are alike. */
  readonly isBrief?: boolean
  /** Values that are proposed beside any other, by the names of fields. */
  readonly proposed?: Readonly<Record<string, Parameters<typeof TextInput>[0]["proposed"]>>
}

const short: Readonly<Record<string, string>> = { url: "URL", lpn: "LPN" }

/** A word in capitals, where the page of a capability is called so. */
const pageLabel = (word: string): string | undefined =>
  capabilityPages().map(({ label }) => label).find((label) => label === word.toUpperCase())

/** `baseUrl` as `Base URL`, and `lpn-labels` as `LPN labels`. */
export const labelOf = (name: string): string => {
  const words = name.replaceAll(/[A-Z][a-z]+/g, (word) => ` ${word.toLowerCase()}`).split(/[ -]+/).filter(
    Boolean
  )
    .map((word) => short[word] ?? pageLabel(word) ?? word).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What people call the words of some fields. */
const wordsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  permissions: {
    "documents:write": "Send documents",
    "messages:read": "Read messages",
    "pallets:write": "Report pallets",
    "shipments:write": "Move shipments",
    operator: "Operate"
  },
  type: { none: "None", basic: "User name and password", token: "Token of a login", oauth2: "OAuth 2.0" }
}

/** The name of a word of a field, for people. */
export const wordIn = (name: string, word: string): string =>
  name === "messageTypes" || name === "messageType" ? webhookName(word) : wordsOf[name]?.[word] ?? word

/** All businesses, or all facilities of one, those to come too. */
export const everything = "*"

/** Whether the value is hidden on the screen. */
export const isSecret = (name: string): boolean => /(secret|password)$/i.test(name)

export const isNumeric = ({ type }: BodySchema): boolean => type === "integer" || type === "number"

export const within = (faults: ReadonlyArray<FieldFault>, path: string): ReadonlyArray<FieldFault> =>
  faults.filter((fault) =>
    fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`)
  )

// A form keeps in each place what its declaration says: the casts below rely on that.
export const rowIn = (value: unknown): Row => (value ?? {}) as Row
const listIn = (value: unknown): ReadonlyArray<unknown> => (value ?? []) as ReadonlyArray<unknown>

/** An entry of a list. */
const entryOf = (at: FormNode, index: number): FormNode => {
  const path = `${at.path}[${index}]`
  return {
    path,
    value: listIn(at.value)[index],
    set: (next) => at.set(listIn(at.value).with(index, next)),
    faults: within(at.faults, path),
    business: at.business
  }
}

/** A field of an object; within the request, one without a value is left out. */
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

const Faults = ({ faults, id }: { readonly id?: string; readonly faults: FormNode["faults"] }) =>
  faults.length === 0
    ? null
    : <span class="field-fault" id={id}>{faults.map(({ detail }) => detail).join("; ")}</span>

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

const Group = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <fieldset class="kinds">
    <legend>{labelOf(name)}</legend>
    {children}
  </fieldset>
)

const typeOf = ({ properties }: BodySchema): string => properties?.["type"]?.enum?.[0] ?? ""

/** One of several kinds of settings, each with fields of its own: the kind is chosen first. */
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
  { at, name, proposed, schema: { description, items = {}, maxItems = Infinity } }: FieldProps
) => {
  const rows = listIn(at.value)
  const noun = labelOf(name).replace(/s$/, "")
  return (
    <Group name={name}>
      {rows.map((_, index) => (
        <fieldset key={index} class="field-row">
          <legend class="unseen">{noun} {index + 1}</legend>
          <Fields schema={items} at={entryOf(at, index)} proposed={proposed ?? {}} isBrief />
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
      <Faults faults={at.faults.filter(({ path }) => path === at.path)} />
      {description === undefined ? null : <span class="hint">{description}</span>}
    </Group>
  )
}

/** What something new begins with: the business that there is, the kind of settings that needs nothing, and one entry of lists that it needs. */
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

const Words = ({ at: { faults, set, value }, name, schema }: FieldProps) => {
  const id = useId()
  return (
    <fieldset class="kinds" aria-describedby={faults.length > 0 ? id : undefined}>
      <legend>{labelOf(name)}</legend>
      <Checks
        options={(schema.items?.enum ?? []).map((each) => [each, wordIn(name, each)])}
        chosen={listIn(value) as ReadonlyArray<string>}
        change={set}
        isWrong={faults.length > 0}
      />
      <Faults id={id} faults={faults} />
    </fieldset>
  )
}

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

/** The choices of a field: its words, or the places that the session names. */
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
  const { at: { set, value }, isRequired = false, name, proposed, schema } = props
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "")
  const isNumber = isNumeric(schema)
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    const input = currentTarget.value
    if (isNumber && input !== "") return set(Number(input))
    set(schema.anyOf !== undefined && input !== everything ? input.split(/,\s*/) : input)
  }
  const isPlace = name === "business" || name === "facility" || name === "facilities"
  const choices = choicesOf(props)
  // There may be more places than the session names: they are written.
  if (choices !== undefined && !(isPlace && mayHaveMore.value)) {
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
      proposed={zones ?? choices ?? proposed?.[name]}
      {...(isNumber ? { type: "number", min: schema.minimum } : {})}
      {...(isSecret(name) ? { type: "password", autocomplete: "new-password" } : {})}
    />
  )
}

const Line = (props: FieldProps) => {
  const { at: { faults }, isBrief = false, isRequired = false, name, schema } = props
  const id = useId()
  const hint = isBrief || name === "name" ? "" : schema.description ?? ""
  const isWrong = faults.length > 0
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
      <Faults id={`${id}-fault`} faults={faults} />
    </label>
  )
}

export const Field = (props: FieldProps) => {
  const { at, name, schema } = props
  if (schema.anyOf?.some(({ properties }) => properties !== undefined) === true) return <Kinds {...props} />
  if (schema.type === "boolean") return <Flag {...props} />
  if (schema.type === "array") {
    return schema.items?.enum === undefined ? <Entries {...props} proposed={{}} /> : <Words {...props} />
  }
  if (schema.properties === undefined) return <Line {...props} />
  return (
    <Group name={name}>
      <div class="fields">
        <Fields at={at} schema={schema} />
      </div>
    </Group>
  )
}
