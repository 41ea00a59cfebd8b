/** What frames the content of a page: its head, what stands in place of what is not there, and faults. */
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { Fault } from "../api/request.ts"
import { references } from "../nav.ts"
import { href, listHref } from "../router.ts"
import { slugOf } from "../session.ts"
import type { Named } from "../session.ts"
import type { Loaded as State } from "./loaded.ts"
import { Plain } from "./Parts.tsx"

/** The head of a list, or of one of several on a page: its title, a sentence about it, and what can be done with all of it. */
export const PageHead = ({ children, isPart = false, lead, title }: {
  readonly title: ComponentChildren
  readonly lead?: ComponentChildren
  readonly isPart?: boolean
  readonly children?: ComponentChildren
}) => {
  const Heading = isPart ? "h2" : "h1"
  const heading = <Heading>{title}</Heading>
  return (
    <div class="view-head">
      {lead === undefined ? heading : (
        <div>
          {heading}
          <p class="lead">{lead}</p>
        </div>
      )}
      {children}
    </div>
  )
}

export const Print = () => <Plain class="not-phone no-print" onClick={() => print()}>Print</Plain>

interface EmptyProps {
  readonly title: string
  /** What to do next, in sentences. */
  readonly children?: ComponentChildren
  readonly link?: ComponentChildren
}

/** Takes the place of an empty list. */
export const Empty = ({ children, link, title }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
    {link}
  </div>
)

/** Leads to an example of what to send, for pages without anything to show. */
export const SendExample = () => {
  const page = references.find(({ name }) => name === "REST reference")
  return page === undefined ? null : (
    <>
      The <a href={page.path}>reference of the interface</a> has an example to send.
    </>
  )
}

/** Takes the place of what a page would show. */
export const EmptyCard = (props: EmptyProps) => (
  <section class="card">
    <Empty {...props} />
  </section>
)

/** A part of a page below a heading, beside which stand a count or a button. */
export const Part = ({ beside, children, class: more = "", id, title }: {
  readonly id: string
  readonly title: ComponentChildren
  readonly beside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  <section class={`card order ${more}`} aria-labelledby={id}>
    <header class="order-head">
      <h2 id={id}>{title}</h2>
      {beside}
    </header>
    {children}
  </section>
)

/** Tells what was done, also to screen readers. */
export const Said = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="said soft" role="status">{children}</div>
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
          <Plain onClick={retry}>Try again</Plain>
        </p>
      )}
    </div>
  )

/** Shows what was loaded; until then, that it is loading, or why it could not be loaded. */
export const Loaded = <A extends object>({ children, head = null, state: { fault, reload, value } }: {
  readonly state: State<A>
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

/** Shown only when loading takes long enough to notice. */
export const Waiting = () => <p class="waiting" role="status">Loading…</p>

/** The lists above the pages of things. */
const lists = {
  shipments: "Shipments",
  documents: "Documents",
  webhooks: "Webhooks",
  clients: "Clients",
  businesses: "Businesses"
}

interface ThingProps {
  /** The list, or the path and the label of that of a capability. */
  readonly list: keyof typeof lists | readonly [path: string, label: string]
  /** Where the thing is; absent where that is not known. */
  readonly at?: Named & Named<{ readonly name: string }>
  /** What stands between the list and the thing. */
  readonly above?: ComponentChildren
  readonly title: string
  readonly badges?: ComponentChildren
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The head of the page of a thing, with the way to the list of such things. */
export const ThingHead = ({ above, at, badges, children, lead, list, title }: ThingProps) => {
  const [path, label] = typeof list === "string" ? [`/${list}`, lists[list]] : list
  useEffect(() => {
    document.title = `${title} · Dockline`
  })
  return (
    <div class="view-head">
      <div>
        <nav class="crumbs" aria-label="Above this page">
          {at === undefined ? null : (
            <>
              {at.business.name}, {at.facility.name}
              <span aria-hidden="true">/</span>
            </>
          )}
          <a href={at === undefined ? href(path) : listHref(path, slugOf(at))}>{label}</a>
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
}
