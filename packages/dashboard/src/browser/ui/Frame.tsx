/** The frame of a page's content: its head, substitutes for missing content, faults, and the state of the connection. */
import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { connection } from "../api/live.ts"
import { Fault } from "../api/request.ts"
import { references } from "../nav.ts"
import { href, listHref } from "../router.ts"
import { slugOf } from "../session.ts"
import type { PlaceNames } from "../session.ts"
import type { LoadState as State } from "./loaded.ts"
import { Plain } from "./Parts.tsx"

/** The head of a list on a page: its title, a sentence about it, and actions on the whole list. `isPart` if the page has several. */
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
  /** The next steps for the reader, in sentences. */
  readonly children?: ComponentChildren
  readonly link?: ComponentChildren
}

/** Shown in place of an empty list. */
export const Empty = ({ children, link, title }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
    {link}
  </div>
)

/** A link to an example of a request, for pages without anything to show. */
export const SendExample = () => {
  const page = references.find(({ name }) => name === "REST reference")
  return page === undefined ? null : (
    <>
      The <a href={page.path}>reference of the interface</a> has an example to send.
    </>
  )
}

/** Shown in place of a page's content. */
export const EmptyCard = (props: EmptyProps) => (
  <section class="card">
    <Empty {...props} />
  </section>
)

/** A part of a page below a heading, with a count or a button beside it. */
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

/** Reports a completed action, also to screen readers. */
export const StatusNote = ({ children }: { readonly children: ComponentChildren }) => (
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

/** Shows the fault, if any, and the loaded data; before that, a note that it is loading. */
export const LoadedData = <A extends object>({ children, head = null, state: { fault, reload, value } }: {
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

/** A note that data is loading. */
export const Waiting = () => <p class="waiting" role="status">Loading…</p>

/** The lists to which pages of entities link. */
const lists = { shipments: "Shipments", documents: "Documents" }

interface ThingProps {
  /** The list, or the path and the label of a capability's list. */
  readonly list: keyof typeof lists | readonly [path: string, label: string]
  /** The business and facility of the entity; absent if they are not known. */
  readonly at?: PlaceNames & PlaceNames<{ readonly name: string }>
  /** The links between the list and the entity. */
  readonly above?: ComponentChildren
  readonly title: string
  readonly badges?: ComponentChildren
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The head of the page of an entity, with the link to its list. */
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

const states = {
  connecting: ["Connecting", "The page is connecting to the service"],
  live: ["Live", "Changes appear as they happen"],
  polling: [
    "Updated every 5 s",
    "This page asks for changes every 5 seconds: it follows no messages, or you may not read them"
  ],
  none: ["", ""],
  offline: [
    "Offline",
    "No connection to the service. The page continues by itself when the connection is back"
  ]
} as const

export const Connection = () => {
  const [label, title] = states[connection.value]
  return (
    <span class="state" data-state={connection.value} title={title} role="status">
      <i />
      <span>{label}</span>
    </span>
  )
}

/** A view from a module. The page shows a note while the module is loading; for `quiet` views it shows nothing. */
export const lazy = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  how: "shown" | "quiet" = "shown"
): ComponentType<Props> => {
  let View: ComponentType<Props> | undefined
  return (props: Props) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading")
    useEffect(() => {
      if (View !== undefined) return
      load().then((component) => {
        View = component
        setState("loaded")
      }).catch(() => setState("failed"))
    }, [])
    if (View !== undefined) return <View {...props} />
    if (state === "failed") {
      const words =
        "This part of the page could not be loaded. The service may be down, or may have a newer version of the page."
      return <FaultNote fault={new Fault(words, "OFFLINE")} retry={() => location.reload()} />
    }
    return how === "quiet" ? null : <Waiting />
  }
}
