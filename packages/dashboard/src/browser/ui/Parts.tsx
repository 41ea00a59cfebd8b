/** Small parts of views. */
import type { ComponentChildren } from "preact"
import type { Fault } from "../api/request.ts"
import { href } from "../router.ts"
import { fullTime, isLate, shortTime, span } from "../time.ts"
import { InboundIcon, OutboundIcon, WarningIcon } from "./Icons.tsx"

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

/** A badge that something is wrong: a sign and words beside the colour. */
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

/** Whether a shipment has left without pallets that it should have had: until then they are still to come. */
export const isShort = ({ progress, status }: Judged): boolean =>
  status === "DEPARTED" && progress.missingPallets > 0

/** What a shipment has left without, and what has passed that it should not have. */
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

/** The status of a shipment, and what is wrong with it after it has departed: one that is short is not shown as well. */
export const ShipmentStatus = ({ shipment }: { readonly shipment: Judged }) => {
  const { status } = shipment
  return (
    <span class="statuses">
      {isShort(shipment) ? <span class="badge" data-tone="none">Departed</span> : <Status status={status} />}
      <Wrong shipment={shipment} />
    </span>
  )
}

/** Whether goods come or go. */
export const Direction = ({ direction }: { readonly direction: string }) =>
  direction === "INBOUND"
    ? (
      <span class="direction">
        <InboundIcon />Inbound
      </span>
    )
    : direction === "OUTBOUND"
    ? (
      <span class="direction">
        <OutboundIcon />Outbound
      </span>
    )
    : <span class="direction">{direction}</span>

interface TimeProps {
  readonly time: string
  /** Whether to say how far away it is. */
  readonly near?: boolean
  /** Whether something is still expected then, which may be late. */
  readonly due?: boolean
}

/** A time, with all there is to say of it on demand. */
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

/** Stands in for an empty list, and says what to do next. */
export const Empty = (
  { children, title }: { readonly title: string; readonly children?: ComponentChildren }
) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** What went wrong, and by what the operators find it. */
export const FaultNote = (
  { fault, retry }: { readonly fault: Fault; readonly retry?: (() => void) | undefined }
) => (
  <div class="fault" role="alert">
    <strong>{fault.message}</strong>
    {fault.correlationId === "" ? null : (
      <small>
        Correlation id <code>{fault.correlationId}</code>
      </small>
    )}
    {retry === undefined
      ? null
      : (
        <p>
          <button type="button" class="plain" onClick={retry}>Try again</button>
        </p>
      )}
  </div>
)

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

/** Shown only when loading takes long enough to notice. */
export const Waiting = () => <p class="waiting" role="status">Loading…</p>

/** Links to what is above a view. */
export const Crumbs = ({ children }: { readonly children: ComponentChildren }) => (
  <nav class="crumbs" aria-label="Above this page">{children}</nav>
)

/** The head of a view whose thing cannot be shown, with the way to the list of such things. */
export const Missing = ({ children, list }: {
  readonly list: "shipments" | "documents"
  readonly children: ComponentChildren
}) => (
  <div>
    <Crumbs>
      <a href={href(`/${list}`)}>{list === "shipments" ? "Shipments" : "Documents"}</a>
    </Crumbs>
    <h1>{children}</h1>
  </div>
)
