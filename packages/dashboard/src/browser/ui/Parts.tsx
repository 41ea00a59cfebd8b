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
import { amount } from "./words.ts"
import type { BadgeText, Options } from "./words.ts"

export const Badge = ({ of: [words, tone] }: { readonly of: BadgeText }) => (
  <span class="badge" data-tone={tone}>{words}</span>
)

/** The words and tones of statuses. */
const statuses: Readonly<Record<string, BadgeText>> = {
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

/** The few icons of the interface, drawn in the colour of their text. */
export const icon = (path: string, size?: string) => () => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.9"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden
    width={size}
    height={size}
  >
    <path d={path} />
  </svg>
)

const InboundIcon = icon("M12 4v12m0 0 5-5m-5 5-5-5M5 20h14")

const OutboundIcon = icon("M12 16V4m0 0 5 5m-5-5L7 9M5 20h14")

export const SearchIcon = icon("m20 20-4.2-4.2M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0")

export const DocksIcon = icon("M3 20V9l9-5 9 5v11M7 20v-8h10v8M7 16h10")

export const ShipmentsIcon = icon(
  "M2.5 6.5h11v10h-11zM13.5 10h4l3.5 3.5v3h-7.5M5 17.5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M15 17.5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0"
)

export const MessagesIcon = icon("M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5")

export const DocumentsIcon = icon("M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6")

export const WarningIcon = icon("M12 4 2.5 20h19zM12 10v5m0 2.4v.1")

export const PersonIcon = icon(
  "M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5M8.2 8a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0",
  "20"
)

export const OperateIcon = icon("M12 12h9m-3 0v4M4 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0")

/** A badge for a problem. It has an icon and words, so that colour is not the only sign. */
export const Alert = (
  { children, tone }: { readonly tone: "bad" | "warn"; readonly children: ComponentChildren }
) => (
  <span class="badge" data-tone={tone}>
    <WarningIcon />
    <span>{children}</span>
  </span>
)

interface ShipmentState {
  readonly status: string
  readonly progress: { readonly missingPallets: number; readonly unexpectedPallets: number }
}

/** Whether a shipment has departed without expected pallets; before its departure they may still come. */
export const isShort = ({ progress, status }: ShipmentState): boolean =>
  status === "DEPARTED" && progress.missingPallets > 0

/** The badges for missing and unexpected pallets of a departed shipment. */
export const Wrong = ({ shipment }: { readonly shipment: ShipmentState }) => {
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
export const ShipmentStatus = ({ shipment }: { readonly shipment: ShipmentState }) => (
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
export const Choices = <Name extends string>({ choose, choice, label, options }: {
  readonly label: string
  readonly options: Options<Name>
  readonly choice: Name
  readonly choose: (name: Name) => void
}) => (
  <div class="choices" role="group" aria-label={label}>
    {options.map(([name, words]) => (
      <button
        key={name}
        type="button"
        aria-pressed={name === choice}
        onClick={() => choose(name)}
      >
        {words}
      </button>
    ))}
  </div>
)

/** A button for an action that cannot be undone: it acts when it is pressed a second time. */
export const ConfirmButton = ({ act, of, word }: {
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

export const Checks = <Name extends string>({ change, choices, isWrong = false, options }: {
  readonly options: Options<Name>
  readonly choices: ReadonlyArray<Name>
  readonly change: (choices: ReadonlyArray<Name>) => void
  readonly isWrong?: boolean
}) => (
  <div class="checks">
    {options.map(([name, words]) => (
      <label key={name} title={name}>
        <input
          type="checkbox"
          checked={choices.includes(name)}
          aria-invalid={isWrong}
          onChange={({ currentTarget: { checked } }) =>
            change(checked ? [...choices, name] : choices.filter((other) => other !== name))}
        />
        {words}
      </label>
    ))}
  </div>
)
