/** Small parts of views. */
import type { ComponentChildren, ComponentType } from "preact"
import { useState } from "preact/hooks"
import type { Fault } from "../api/request.ts"
import { href, listHref } from "../router.ts"
import { slugOf } from "../session.ts"
import type { Named } from "../session.ts"
import { fullTime, isLate, shortTime, span } from "../time.ts"
import { InboundIcon, OutboundIcon, WarningIcon } from "./Icons.tsx"
import type { Loaded as State } from "./loaded.ts"

/** How a status is shown: its word and its tone. */
const statuses: Readonly<Record<string, readonly [word: string, tone: string]>> = {
  SCHEDULED: ["Expected", "calm"],
  ARRIVED: ["At dock", "warn"],
  DEPARTED: ["Departed", "ok"],
  CANCELLED: ["Cancelled", "none"],
  CREATED: ["Open", "calm"],
  COMPLETED: ["Completed", "ok"]
}

/** The status of an order. */
export const Status = ({ status }: { readonly status: string }) => {
  const [word, tone] = statuses[status] ?? [status, "none"]
  return <span class="badge" data-tone={tone}>{word}</span>
}

/** A badge for something that is wrong, with an icon and words beside the colour. */
export const Alert = (
  { children, tone }: { readonly tone: "bad" | "warn"; readonly children: ComponentChildren }
) => (
  <span class="badge" data-tone={tone}>
    <WarningIcon />
    <span>{children}</span>
  </span>
)

/** The fields of a shipment that tell its state. */
interface Judged {
  readonly status: string
  readonly progress: { readonly missingPallets: number; readonly unexpectedPallets: number }
}

const amount = new Intl.NumberFormat()

/** Whether a shipment has departed without expected pallets; before its departure they may still come. */
export const isShort = ({ progress, status }: Judged): boolean =>
  status === "DEPARTED" && progress.missingPallets > 0

/** The badges for missing and unexpected pallets of a departed shipment. */
export const Wrong = ({ shipment }: { readonly shipment: Judged }) => {
  const { missingPallets, unexpectedPallets } = shipment.progress
  return (
    <>
      {isShort(shipment) ? <Alert tone="bad">{amount.format(missingPallets)} missing</Alert> : null}
      {shipment.status === "DEPARTED" && unexpectedPallets > 0
        ? <Alert tone="warn">{amount.format(unexpectedPallets)} unexpected</Alert>
        : null}
    </>
  )
}

/** The status of a shipment, with what is wrong after its departure. A short shipment is not shown in the colour of success. */
export const ShipmentStatus = ({ shipment }: { readonly shipment: Judged }) => {
  const { status } = shipment
  return (
    <span class="statuses">
      {isShort(shipment) ? <span class="badge" data-tone="none">Departed</span> : <Status status={status} />}
      <Wrong shipment={shipment} />
    </span>
  )
}

const directions: Readonly<Record<string, readonly [Icon: ComponentType, word: string]>> = {
  INBOUND: [InboundIcon, "Inbound"],
  OUTBOUND: [OutboundIcon, "Outbound"]
}

/** Whether goods come or go. */
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
  /** Whether to say how far away it is. */
  readonly near?: boolean
  /** Whether something is still expected then, which may be late. */
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

/** The head of a table: the names of its columns, with those of numbers in a list of their own. */
export const Heads = ({ names }: {
  readonly names: ReadonlyArray<string | readonly [ofNumbers: string]>
}) => (
  <thead>
    <tr>
      {names.map((name) =>
        typeof name === "string"
          ? <th key={name} scope="col">{name}</th>
          : <th key={name[0]} scope="col" class="number">{name[0]}</th>
      )}
    </tr>
  </thead>
)

/** The first two of some numbers, and how many there are beside. */
export const firstOf = (numbers: ReadonlyArray<string>): string =>
  numbers.length > 2
    ? `${numbers.slice(0, 2).join(", ")} and ${numbers.length - 2} more`
    : numbers.join(", ")

/** Takes the place of an empty list, and says what to do next. */
export const Empty = (
  { children, title }: { readonly title: string; readonly children?: ComponentChildren }
) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** Shows a fault, with the correlation id by which operators find it. */
export const FaultNote = (
  { fault, retry }: { readonly fault: Fault | undefined; readonly retry?: (() => void) | undefined }
) =>
  fault === undefined ? null : (
    <div class="fault" role="alert">
      <strong>{fault.message}</strong>
      {fault.correlationId === "" ? null : (
        <small>
          Correlation id <code>{fault.correlationId}</code>
        </small>
      )}
      {retry === undefined ? null : (
        <p>
          <button type="button" class="plain" onClick={retry}>Try again</button>
        </p>
      )}
    </div>
  )

/** Shows what was loaded; until then, that it is loading, or why it could not be loaded. */
export const Loaded = <A extends object>({ children, head = null, state: { fault, reload, value } }: {
  readonly state: State<A>
  /** The head of the page, for a page that could not be loaded. */
  readonly head?: ComponentChildren
  readonly children: (value: A) => ComponentChildren
}) => (
  <>
    {value === undefined && fault !== undefined ? head : null}
    <FaultNote fault={fault} retry={reload} />
    {value === undefined && fault === undefined ? <Waiting /> : null}
    {value === undefined ? null : children(value)}
  </>
)

/** Buttons that choose one of several options. */
export const Choices = <Name extends string>({ choose, chosen, label, options }: {
  readonly label: string
  readonly options: ReadonlyArray<readonly [name: Name, label: string]>
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
export const AskedTwice = ({ act, of = "", word }: {
  readonly word: string
  /** The name of the row, for screen readers. */
  readonly of?: string
  readonly act: () => void
}) => {
  const [isAsked, setAsked] = useState(false)
  return (
    <button
      type="button"
      class={isAsked ? "plain danger" : "plain"}
      onBlur={() => setAsked(false)}
      onClick={() => {
        setAsked(!isAsked)
        if (isAsked) act()
      }}
    >
      {isAsked ? `${word} now` : word}
      {of === "" ? null : <span class="unseen">{" "}{of}</span>}
    </button>
  )
}

/** A button at the end of a list. */
export const More = (
  { children = "Show more", onClick }: {
    readonly onClick: () => void
    readonly children?: ComponentChildren
  }
) => (
  <p class="more">
    <button type="button" class="plain" onClick={onClick}>{children}</button>
  </p>
)

/** A fact with its name, in a list of them. */
export const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Facts with their names, without those that are not known. */
export const Facts = ({ children, of }: {
  readonly of: ReadonlyArray<readonly [name: string, value: string]>
  readonly children?: ComponentChildren
}) => (
  <dl class="facts">
    {of.filter(([, value]) => value !== "").map(([name, value]) => <Fact key={name} name={name}>{value}
    </Fact>)}
    {children}
  </dl>
)

/** Shown only when loading takes long enough to notice. */
export const Waiting = () => <p class="waiting" role="status">Loading…</p>

/** The lists above the pages of things. */
const lists = {
  shipments: "Shipments",
  documents: "Documents",
  edi: "EDI",
  webhooks: "Webhooks",
  clients: "Clients",
  businesses: "Businesses"
}

/** The head of the page of a thing, with the way to the list of such things. */
export const ThingHead = ({ above, at, badges, children, lead, list, title }: {
  readonly list: keyof typeof lists
  /** Where the thing is; absent where that is not known. */
  readonly at?: Named & Named<{ readonly name: string }>
  /** What stands between the list and the thing. */
  readonly above?: ComponentChildren
  readonly title: ComponentChildren
  readonly badges?: ComponentChildren
  readonly lead?: ComponentChildren
  /** What can be done with the thing. */
  readonly children?: ComponentChildren
}) => (
  <div class="view-head">
    <div>
      <nav class="crumbs" aria-label="Above this page">
        {at === undefined ? null : (
          <>
            {at.business.name}, {at.facility.name}
            <span aria-hidden="true">/</span>
          </>
        )}
        <a href={at === undefined ? href(`/${list}`) : listHref(`/${list}`, slugOf(at))}>{lists[list]}</a>
        {above === undefined ? null : (
          <>
            <span aria-hidden="true">/</span>
            {above}
          </>
        )}
      </nav>
      <h1 class="title">{title} {badges}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </div>
    {children}
  </div>
)
