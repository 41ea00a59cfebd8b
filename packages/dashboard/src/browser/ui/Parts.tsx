/** Small parts of views: badges, buttons, fields, times and facts. */
import type {
  ButtonHTMLAttributes,
  ComponentChildren,
  ComponentType,
  InputHTMLAttributes,
  PartialInputHTMLAttributes,
  PartialSelectHTMLAttributes
} from "preact"
import { useId, useState } from "preact/hooks"
import { fullTime, isLate, shortTime, span } from "../time.ts"
import { amount } from "./amounts.ts"
import { InboundIcon, OutboundIcon, WarningIcon } from "./Icons.tsx"
import type { Options, Toned } from "./tables.ts"

export const Badge = ({ of: [words, tone] }: { readonly of: Toned }) => (
  <span class="badge" data-tone={tone}>{words}</span>
)

/** The words and tones of statuses. */
const statuses: Readonly<Record<string, Toned>> = {
  SCHEDULED: ["Expected", "calm"],
  ARRIVED: ["At dock", "warn"],
  DEPARTED: ["Departed", "ok"],
  CANCELLED: ["Cancelled", "none"],
  CREATED: ["Open", "calm"],
  COMPLETED: ["Completed", "ok"]
}

export const Status = ({ status }: { readonly status: string }) => (
  <Badge of={statuses[status] ?? [status, "none"]} />
)

/** A badge for a problem. It has an icon and words, so that colour is not the only sign. */
export const Alert = (
  { children, tone }: { readonly tone: "bad" | "warn"; readonly children: ComponentChildren }
) => (
  <span class="badge" data-tone={tone}>
    <WarningIcon />
    <span>{children}</span>
  </span>
)

interface Standing {
  readonly status: string
  readonly progress: { readonly missingPallets: number; readonly unexpectedPallets: number }
}

/** Whether a shipment has departed without expected pallets; before its departure they may still come. */
export const isShort = ({ progress, status }: Standing): boolean =>
  status === "DEPARTED" && progress.missingPallets > 0

/** The badges for missing and unexpected pallets of a departed shipment. */
export const Wrong = ({ shipment }: { readonly shipment: Standing }) => {
  const { missingPallets, unexpectedPallets } = shipment.progress
  return (
    <>
      {isShort(shipment) ? <Alert tone="bad">{amount(missingPallets)} missing</Alert> : null}
      {shipment.status === "DEPARTED" && unexpectedPallets > 0
        ? <Alert tone="warn">{amount(unexpectedPallets)} unexpected</Alert>
        : null}
    </>
  )
}

/** The status of a shipment, with its problems after its departure. A short shipment is not shown in the colour of success. */
export const ShipmentStatus = ({ shipment }: { readonly shipment: Standing }) => (
  <span class="statuses">
    {isShort(shipment) ? <Badge of={["Departed", "none"]} /> : <Status status={shipment.status} />}
    <Wrong shipment={shipment} />
  </span>
)

const directions: Readonly<Record<string, readonly [Icon: ComponentType, word: string]>> = {
  INBOUND: [InboundIcon, "Inbound"],
  OUTBOUND: [OutboundIcon, "Outbound"]
}

export const Direction = ({ direction }: { readonly direction: string }) => {
  const [Icon, word] = directions[direction] ?? [null, direction]
  return (
    <span class="direction">
      {Icon === null ? null : <Icon />}
      {word}
    </span>
  )
}

interface TimeProps {
  readonly time: string
  /** Whether to show also the span between now and the time. */
  readonly near?: boolean
  /** Whether the time is that of an expected event, which is shown as late if the time has passed. */
  readonly due?: boolean
}

/** A time, with the full date as its title. */
export const Time = ({ due = false, near = false, time }: TimeProps) => {
  if (time === "") return <span class="soft">–</span>
  const late = due && isLate(time)
  const away = !near ? "" : late ? span(time).replace(/ ago$/, " late") || "late" : span(time)
  return (
    <time dateTime={time} title={fullTime(time)} class="nowrap">
      {shortTime(time)}
      {away === "" ? null : <span class={late ? "sub late" : "sub soft"}>{" "}{away}</span>}
    </time>
  )
}

/** The first two numbers of a list, and the count of the other numbers. */
export const firstOf = (numbers: ReadonlyArray<string>): string =>
  numbers.length > 2
    ? `${numbers.slice(0, 2).join(", ")} and ${numbers.length - 2} more`
    : numbers.join(", ")

/** Buttons that choose one of several options. */
export const Choices = <Name extends string>({ choose, chosen, label, options }: {
  readonly label: string
  readonly options: Options<Name>
  readonly chosen: Name
  readonly choose: (name: Name) => void
}) => (
  <div class="choices" role="group" aria-label={label}>
    {options.map(([name, words]) => (
      <button
        key={name}
        type="button"
        aria-pressed={name === chosen}
        onClick={() => choose(name)}
      >
        {words}
      </button>
    ))}
  </div>
)

/** A button for an action that cannot be undone: it acts when it is pressed a second time. */
export const AskedTwice = ({ act, of, word }: {
  readonly word: string
  /** The name of the row, for screen readers. */
  readonly of?: string
  readonly act: () => void
}) => {
  const [isAsked, setAsked] = useState(false)
  return (
    <Plain
      class={isAsked ? "danger" : ""}
      of={of}
      onBlur={() => setAsked(false)}
      onClick={() => {
        setAsked(!isAsked)
        if (isAsked) act()
      }}
    >
      {isAsked ? `${word} now` : word}
    </Plain>
  )
}

export const More = (
  { children = "Show more", onClick }: {
    readonly onClick: () => void
    readonly children?: ComponentChildren
  }
) => (
  <p class="more">
    <Plain onClick={onClick}>{children}</Plain>
  </p>
)

/** A text as it was sent or received, below its caption. */
export const Quote = ({ caption, children, class: more }: {
  readonly caption: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}) => (
  <figure class={more}>
    <figcaption>{caption}</figcaption>
    <pre tabindex={0}>{children}</pre>
  </figure>
)

/** Two values: the second value is small and below the first, and absent if it is `""`. */
export const over = (above: ComponentChildren, below: ComponentChildren) => (
  <>
    {above}
    {below === "" ? null : <span class="sub">{below}</span>}
  </>
)

/** The most characters of a text that shares a line. */
const mostInLine = 60

/** Facts with their names; facts whose value is `""` or `null` are left out. */
export const Facts = ({ class: more = "", of }: {
  readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]>
  readonly class?: string
}) => (
  <dl class={`facts ${more}`}>
    {of.filter(([, value]) => value !== "" && value !== null).map(([name, value]) => (
      <div key={name} class={typeof value === "string" && value.length > mostInLine ? "long" : undefined}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The first rows of a list, and a button that shows all rows; the button is `null` if all rows are visible. */
export const useShown = <A extends object>(all: ReadonlyArray<A>, most: number, noun: string) => {
  const [isChosen, setChosen] = useState(false)
  const visible = isChosen ? all : all.slice(0, most)
  const more = visible.length === all.length
    ? null
    : <More onClick={() => setChosen(true)}>Show all {all.length} {noun}</More>
  return [visible, more] as const
}

type PlainProps = ButtonHTMLAttributes & {
  /** The name of the object of the action, for screen readers. */
  readonly of?: string | undefined
}

export const Plain = ({ children, class: more, of = "", ...props }: PlainProps) => (
  <button type="button" {...props} class={more === undefined ? "plain" : `plain ${String(more)}`}>
    {children}
    {of === "" ? null : <span class="unseen">{" "}{of}</span>}
  </button>
)

type SelectProps = Omit<PartialSelectHTMLAttributes<HTMLSelectElement>, "role" | "size"> & {
  readonly options: Options
  /** The option that is selected at first, in a form whose state is in the browser's elements. */
  readonly first?: string | undefined
}

export const Select = ({ first, options, ...props }: SelectProps) => (
  <select {...props}>
    {options.map(([value, words]) => (
      <option key={value} value={value} selected={value === first || undefined}>{words}</option>
    ))}
  </select>
)

type TextProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, "role" | "type"> & {
  readonly type?: "search" | "date" | "number" | "password" | undefined
  /** Proposed values, with words for some; any other value is allowed too. */
  readonly proposals?: ReadonlyArray<readonly [value: string, words?: string]> | undefined
}

/** A field for a short text, such as a number from a paper. Unless the properties say otherwise, browsers do not complete or check it. */
export const TextInput = ({ proposals, type, ...props }: TextProps) => {
  const id = useId()
  const all = {
    maxLength: 1024,
    autocomplete: "off",
    spellcheck: false,
    list: proposals && id,
    ...props,
    type: type ?? "text"
  }
  return (
    <>
      {/* Preact's types tell kinds of input apart by `role`, which `TextProps` omits. */}
      <input {...all as InputHTMLAttributes} />
      {proposals === undefined ? null : (
        <datalist id={id}>
          {proposals.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
        </datalist>
      )}
    </>
  )
}

export const Checks = <Name extends string>({ change, chosen, isWrong = false, options }: {
  readonly options: Options<Name>
  readonly chosen: ReadonlyArray<Name>
  readonly change: (chosen: ReadonlyArray<Name>) => void
  readonly isWrong?: boolean
}) => (
  <div class="checks">
    {options.map(([name, words]) => (
      <label key={name} title={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          aria-invalid={isWrong}
          onChange={({ currentTarget: { checked } }) =>
            change(checked ? [...chosen, name] : chosen.filter((other) => other !== name))}
        />
        {words}
      </label>
    ))}
  </div>
)
