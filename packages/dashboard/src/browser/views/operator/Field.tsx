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

interface FieldProps {
  readonly name: string
  readonly schema: BodySchema
  readonly isRequired: boolean
  readonly value: unknown
  readonly change: (value: unknown) => void
  /** The faults of this field and of what is in it; their paths begin with that of the field. */
  readonly faults: ReadonlyArray<FieldFault>
  /** The field within the request, such as `authentication.username`. */
  readonly path: string
  /** The business that the form is about, as far as it is written; facilities are proposed of it. */
  readonly business: string
  /** Whether nothing says what it is for, as in rows that are alike. */
  readonly isBrief?: boolean
  /** Values that are proposed beside any other. */
  readonly proposed?: Parameters<typeof TextInput>[0]["proposed"]
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

const Faults = ({ faults, id }: { readonly id: string; readonly faults: ReadonlyArray<FieldFault> }) =>
  faults.length === 0
    ? null
    : <span class="field-fault" id={id}>{faults.map(({ detail }) => detail).join("; ")}</span>

// A form keeps in each field what its declaration says: the casts below rely on that.
const rowIn = (value: unknown): Row => (value ?? {}) as Row

/** The fields of an object. */
export const Fields = (
  { business, change, faults, isBrief = false, path, proposed, schema, value, without = [] }:
    & Omit<
      FieldProps,
      "name" | "isRequired" | "proposed"
    >
    & {
      readonly proposed?: Readonly<Record<string, FieldProps["proposed"]>>
      readonly without?: ReadonlyArray<string>
    }
) => {
  const row = rowIn(value)
  return (
    <>
      {Object.entries(schema.properties ?? {}).filter(([name]) => !without.includes(name)).map(
        ([name, each]) => {
          const at = path === "" ? name : `${path}.${name}`
          return (
            <Field
              key={name}
              name={name}
              path={at}
              schema={each}
              isRequired={schema.required?.includes(name) === true}
              value={row[name]}
              change={(next) => {
                const { [name]: _, ...others } = row
                const isEmpty = path !== "" && (next === "" || next === undefined)
                change(isEmpty ? others : { ...row, [name]: next })
              }}
              faults={within(faults, at)}
              business={String(row["business"] ?? business)}
              isBrief={isBrief}
              proposed={proposed?.[name]}
            />
          )
        }
      )}
    </>
  )
}

const Group = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <fieldset class="kinds">
    <legend>{labelOf(name)}</legend>
    {children}
  </fieldset>
)

/** One of several kinds of settings, each with fields of its own: the kind is chosen first. */
const Kinds = ({ change, schema, value, ...props }: FieldProps) => {
  const kinds = schema.anyOf ?? []
  const typeOf = (kind: BodySchema): string => kind.properties?.["type"]?.enum?.[0] ?? ""
  const type = rowIn(value)["type"]
  const kind = kinds.find((each) => typeOf(each) === type)
  return (
    <Group name={props.name}>
      <div class="fields">
        <Field
          {...props}
          name="type"
          path={`${props.path}.type`}
          schema={{ type: "string", enum: kinds.map(typeOf), description: schema.description ?? "" }}
          isRequired
          value={type}
          change={(type) => change({ type })}
          faults={props.faults.filter(({ path }) => path === props.path || path === `${props.path}.type`)}
        />
        {kind === undefined
          ? null
          : (
            <Fields
              {...props}
              schema={kind}
              value={value}
              change={change}
              without={["type"]}
              proposed={{}}
            />
          )}
      </div>
    </Group>
  )
}

/** A list of objects, each a row of fields. */
export const Entries = (
  { change, faults, name, path, proposed, schema, value, ...props }: Omit<FieldProps, "proposed"> & {
    readonly proposed?: Readonly<Record<string, FieldProps["proposed"]>>
  }
) => {
  const rows = (value ?? []) as ReadonlyArray<unknown>
  const noun = labelOf(name).replace(/s$/, "")
  const id = useId()
  return (
    <Group name={name}>
      {rows.map((row, at) => (
        <fieldset key={at} class="field-row">
          <legend class="unseen">{noun} {at + 1}</legend>
          <Fields
            {...props}
            path={`${path}[${at}]`}
            schema={schema.items ?? {}}
            value={row}
            change={(next) => change(rows.with(at, next))}
            faults={within(faults, `${path}[${at}]`)}
            proposed={proposed ?? {}}
            isBrief
          />
          <Plain of={`${noun.toLowerCase()} ${at + 1}`} onClick={() => change(rows.toSpliced(at, 1))}>
            Remove
          </Plain>
        </fieldset>
      ))}
      <p>
        <Plain
          disabled={rows.length >= (schema.maxItems ?? Infinity)}
          onClick={() => change([...rows, initialOf(schema.items ?? {})])}
        >
          Add {noun.toLowerCase()}
        </Plain>
      </p>
      <Faults id={id} faults={faults.filter((fault) => fault.path === path)} />
      {schema.description === undefined ? null : <span class="hint">{schema.description}</span>}
    </Group>
  )
}

/** What a new object begins with: the business that there is, the kind of settings that needs nothing, and one entry of lists that it needs. */
export const initialOf = ({ properties = {}, required = [] }: BodySchema): Row =>
  Object.fromEntries(
    Object.entries(properties).flatMap(
      ([name, { anyOf, items }]): ReadonlyArray<readonly [string, unknown]> => {
        const [first] = businessOptions()
        if (name === "business" && first !== undefined) return [[name, first[0]]]
        if (name === "facilities") return [[name, everything]]
        if (name === "enabled") return [[name, true]]
        if (items?.properties !== undefined && required.includes(name)) return [[name, [initialOf(items)]]]
        return anyOf?.some((kind) => kind.properties?.["type"]?.enum?.[0] === "none") === true
          ? [[name, { type: "none" }]]
          : []
      }
    )
  )

const Words = ({ change, faults, name, schema, value }: FieldProps) => {
  const id = useId()
  return (
    <fieldset class="kinds" aria-describedby={faults.length > 0 ? id : undefined}>
      <legend>{labelOf(name)}</legend>
      <Checks
        options={(schema.items?.enum ?? []).map((each) => [each, wordIn(name, each)])}
        chosen={(value ?? []) as ReadonlyArray<string>}
        change={change}
        isWrong={faults.length > 0}
      />
      <Faults id={id} faults={faults} />
    </fieldset>
  )
}

const Flag = ({ change, isBrief, name, schema, value }: FieldProps) => (
  <label class="flag">
    <input
      type="checkbox"
      checked={value === true}
      onChange={({ currentTarget: { checked } }) => change(checked)}
    />
    <span>
      {labelOf(name)}
      {isBrief === true ? null : <span class="hint">{schema.description}</span>}
    </span>
  </label>
)

/** The choices of a field: its words, or the places that the session names, unless there may be more of them. */
const choicesOf = ({ business, isRequired, name, schema }: FieldProps) => {
  const everywhere = schema.anyOf !== undefined || /\bor \*/.test(schema.description ?? "")
  const all = (words: string) => everywhere ? [[everything, words] as const] : []
  if (name === "business") return [...businessOptions(), ...all("All businesses")]
  if (name === "facilities") return [...all("All facilities"), ...facilityOptions(business)]
  if (name === "facility") {
    return [...(isRequired ? [] : [["", "All facilities"] as const]), ...facilityOptions(business)]
  }
  return schema.enum?.map((each) => [each, wordIn(name, each)] as const)
}

const Input = ({ common, ...props }: FieldProps & { readonly common: object }) => {
  const { change, isRequired, name, schema, value } = props
  const text = Array.isArray(value)
    ? value.join(", ")
    : value === undefined || value === null
    ? ""
    : String(value)
  const isNumber = isNumeric(schema)
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    const written = currentTarget.value
    if (isNumber && written !== "") return change(Number(written))
    const isList = schema.anyOf !== undefined && written !== everything
    change(isList ? written.split(/,\s*/) : written)
  }
  const isPlace = name === "business" || name === "facility" || name === "facilities"
  const choices = choicesOf(props)
  if (choices !== undefined && !(isPlace && mayHaveMore.value)) {
    const hasChosen = choices.some(([each]) => each === (isRequired ? text : ""))
    return (
      <Select
        {...common}
        value={text}
        options={hasChosen ? choices : [["", ""] as const, ...choices]}
        onChange={onInput}
      />
    )
  }
  const proposed = name === "timeZone"
    ? Intl.supportedValuesOf("timeZone").map((zone) => [zone] as const)
    : isPlace
    ? choices
    : props.proposed
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
  const { faults, isBrief, isRequired, name, schema } = props
  const id = useId()
  const hint = isBrief === true || name === "name" ? "" : schema.description ?? ""
  const isWrong = faults.length > 0
  const descriptionIds = [isWrong ? `${id}-fault` : "", hint === "" ? "" : `${id}-hint`].join(" ").trim()
  const common = {
    name,
    required: isRequired,
    "aria-invalid": isWrong,
    "aria-labelledby": `${id}-label`,
    "aria-describedby": descriptionIds === "" ? undefined : descriptionIds
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
  const { name, schema } = props
  if (schema.anyOf?.some(({ properties }) => properties !== undefined) === true) return <Kinds {...props} />
  if (schema.type === "boolean") return <Flag {...props} />
  if (schema.properties !== undefined) {
    return (
      <Group name={name}>
        <div class="fields">
          <Fields {...props} proposed={{}} />
        </div>
      </Group>
    )
  }
  if (schema.type !== "array") return <Line {...props} />
  return schema.items?.enum === undefined ? <Entries {...props} proposed={{}} /> : <Words {...props} />
}
