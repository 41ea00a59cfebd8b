/**
 * A field of a form, as the declaration of an operation has it: what it takes, how long it may be, what it is for. What the service
 * refuses about it stands at it.
 */
import { useId } from "preact/hooks"
import type { BodySchema } from "../../../pages/Bodies.ts"
import type { FieldFault } from "../../api/request.ts"
import { Checks, Select, TextInput } from "../../ui/Parts.tsx"
import type { Options } from "../../ui/tables.ts"

/** How a field differs in a form from what its declaration says. */
export interface Differing {
  readonly label?: string
  readonly options?: Options
  readonly proposed?: Parameters<typeof TextInput>[0]["proposed"]
  /** Left out where it would only repeat the label. */
  readonly hint?: string
  /** What an emptied field of a change stands for, as its text says; without it, a number cannot be emptied. */
  readonly emptied?: number
}

interface FieldProps extends Differing {
  readonly name: string
  readonly schema: BodySchema
  readonly isRequired: boolean
  readonly value: unknown
  readonly change: (value: unknown) => void
  /** The faults of this field and of what is in it; their paths begin with that of the field. */
  readonly faults: ReadonlyArray<FieldFault>
  /** The field within the request, such as `authentication.username`. */
  readonly path: string
}

const short: Readonly<Record<string, string>> = { Url: "URL", Id: "id", Lpn: "LPN" }

/** `baseUrl` as `Base URL`. */
export const labelOf = (name: string): string => {
  const words = name.replaceAll(/([A-Z][a-z]+)/g, (word) => ` ${short[word] ?? word.toLowerCase()}`).trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether the value is hidden on the screen: passwords and secrets, as the schemes of authentication name them. */
const isSecret = (name: string): boolean => /(secret|password)$/i.test(name)

// A form keeps in each field what its declaration says: the casts below rely on that.
const lines = (value: unknown): string =>
  Object.entries(value as Readonly<Record<string, string>> ?? {}).map(([name, text]) => `${name}: ${text}`)
    .join("\n")

/** The lines of a text, `Name: value` each, as names and values. */
const pairsOf = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [name = "", ...rest] = line.split(":")
    return [name.trim(), rest.join(":").trim()]
  })

/** Pairs as lines; a value that is not shown leaves its name alone. */
const pairLines = (pair: readonly [string, string], value: unknown): string =>
  (value as ReadonlyArray<Readonly<Record<string, string>>> | undefined ?? [])
    .map((each) => pair.flatMap((name) => each[name] ?? []).join(": ")).join("\n")

/** The lines of a text as pairs; a name without a value keeps what is stored. */
const pairsIn = ([name, value]: readonly [string, string], text: string) =>
  pairsOf(text).map(([left, right]) => right === "" ? { [name]: left } : { [name]: left, [value]: right })

/** The names of the two fields of the entries of a list of pairs, such as a name and its value. */
const pairIn = ({ items }: BodySchema): readonly [string, string] | undefined => {
  const [name, value, ...others] = Object.keys(items?.properties ?? {})
  return name === undefined || value === undefined || others.length > 0 ? undefined : [name, value]
}

/** The faults of a field, and of its parts that have no field. */
const Faults = ({ faults, id }: { readonly id: string; readonly faults: ReadonlyArray<FieldFault> }) =>
  faults.length === 0
    ? null
    : <span class="field-fault" id={id}>{faults.map(({ detail }) => detail).join("; ")}</span>

/** One of several kinds of settings, each with fields of its own: the kind is chosen first. */
const Kinds = ({ change, faults, path, schema, value, ...props }: FieldProps) => {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  const kinds = schema.anyOf ?? []
  const typeOf = (kind: BodySchema): string => kind.properties?.["type"]?.enum?.[0] ?? ""
  const kind = kinds.find((each) => typeOf(each) === given["type"])
  const fields = Object.entries(kind?.properties ?? {}).filter(([name]) => name !== "type")
  return (
    <fieldset class="kinds">
      <legend>{props.label ?? labelOf(props.name)}</legend>
      <div class="fields">
        <Field
          {...props}
          label="Type"
          hint={schema.description ?? ""}
          path={`${path}.type`}
          schema={{ type: "string" }}
          isRequired
          options={[
            ...(kind === undefined ? [["", "Choose"] as const] : []),
            ...kinds.map((each) => [typeOf(each), schemeWords[typeOf(each)] ?? typeOf(each)] as const)
          ]}
          value={given["type"]}
          change={(type) => change({ type })}
          faults={faults.filter((fault) => fault.path === path || fault.path === `${path}.type`)}
        />
        {fields.map(([name, each]) => (
          <Field
            key={name}
            name={name}
            path={`${path}.${name}`}
            schema={each}
            isRequired={kind?.required?.includes(name) === true}
            value={given[name]}
            change={(next) => {
              const { [name]: _, ...others } = given
              change(next === "" || next === undefined ? others : { ...given, [name]: next })
            }}
            faults={within(faults, `${path}.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  )
}

export const schemeWords: Readonly<Record<string, string>> = {
  none: "None",
  basic: "User name and password",
  token: "Token of a login",
  oauth2: "OAuth 2.0"
}

export const within = (faults: ReadonlyArray<FieldFault>, path: string): ReadonlyArray<FieldFault> =>
  faults.filter((fault) =>
    fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`)
  )

const Words = ({ change, faults, label, name, options, schema, value }: FieldProps) => {
  const id = useId()
  return (
    <fieldset class="kinds" aria-describedby={faults.length > 0 ? id : undefined}>
      <legend>{label ?? labelOf(name)}</legend>
      <Checks
        options={options ?? (schema.items?.enum ?? []).map((each) => [each, each])}
        chosen={(value ?? []) as ReadonlyArray<string>}
        change={change}
        isWrong={faults.length > 0}
      />
      <Faults id={id} faults={faults} />
    </fieldset>
  )
}

const Flag = ({ change, hint, label, name, schema, value }: FieldProps) => (
  <label class="flag">
    <input
      type="checkbox"
      checked={value === true}
      onChange={({ currentTarget: { checked } }) => change(checked)}
    />
    <span>
      {label ?? labelOf(name)}
      <span class="hint">{hint ?? schema.description}</span>
    </span>
  </label>
)

export const isNumeric = ({ type }: BodySchema): boolean => type === "integer" || type === "number"

const Input = ({ change, common, isRequired, name, options, proposed, schema, value }: FieldProps & {
  readonly common: object
}) => {
  const choices = options ?? schema.enum?.map((each) => [each, each] as const)
  const text = value === undefined || value === null ? "" : String(value)
  const isNumber = isNumeric(schema)
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    change(isNumber && currentTarget.value !== "" ? Number(currentTarget.value) : currentTarget.value)
  if (choices !== undefined) {
    const hasChosen = choices.some(([each]) => each === (isRequired ? text : ""))
    const all = hasChosen ? choices : [["", ""] as const, ...choices]
    return <Select {...common} value={text} options={all} onChange={onInput} />
  }
  const pair = pairIn(schema)
  if (schema.type === "object" || pair !== undefined) {
    const [shown, read] = pair === undefined
      ? [lines, (text: string) => Object.fromEntries(pairsOf(text))] as const
      : [(value: unknown) => pairLines(pair, value), (text: string) => pairsIn(pair, text)] as const
    return (
      <textarea
        {...common}
        rows={3}
        spellcheck={false}
        placeholder="Name: value"
        defaultValue={shown(value)}
        onChange={({ currentTarget }) => change(read(currentTarget.value))}
      />
    )
  }
  return (
    <TextInput
      {...common}
      value={text}
      onInput={onInput}
      maxLength={schema.maxLength}
      placeholder={schema.examples?.[0]}
      proposed={proposed}
      {...(isNumber ? { type: "number", min: schema.minimum } : {})}
      {...(isSecret(name) ? { type: "password", autocomplete: "new-password" } : {})}
    />
  )
}

const Line = (props: FieldProps) => {
  const { faults, hint, isRequired, label, name, schema } = props
  const id = useId()
  const hintText = hint ?? schema.description ?? ""
  const isWrong = faults.length > 0
  const descriptionIds = [isWrong ? `${id}-fault` : "", hintText === "" ? "" : `${id}-hint`].join(" ").trim()
  const common = {
    name,
    required: isRequired,
    "aria-invalid": isWrong,
    "aria-labelledby": `${id}-label`,
    "aria-describedby": descriptionIds === "" ? undefined : descriptionIds
  }
  return (
    <label>
      <span id={`${id}-label`}>{label ?? labelOf(name)}</span>
      <Input {...props} common={common} />
      {hintText === "" ? null : <span class="hint" id={`${id}-hint`}>{hintText}</span>}
      <Faults id={`${id}-fault`} faults={faults} />
    </label>
  )
}

export const Field = (props: FieldProps) => {
  const { schema } = props
  if (schema.anyOf !== undefined) return <Kinds {...props} />
  if (schema.type === "boolean") return <Flag {...props} />
  return schema.type === "array" && pairIn(schema) === undefined ? <Words {...props} /> : <Line {...props} />
}
