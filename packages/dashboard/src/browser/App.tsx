/** The frame around the views. */
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { leave, root } from "./api/request.ts"
import { href, listHref, path } from "./router.ts"
import { choosePlace, place, places, session, slugOf } from "./session.ts"
import type { Place } from "./session.ts"
import { chooseTheme, chosenTheme, themes } from "./theme.ts"
import { fullTime, namedTime, now, zone } from "./time.ts"
import { Connection } from "./ui/Connection.tsx"
import {
  ClientsIcon,
  DayIcon,
  DocksIcon,
  DocumentsIcon,
  MessagesIcon,
  PersonIcon,
  ShipmentsIcon,
  TraceIcon,
  WarningIcon,
  WebhooksIcon
} from "./ui/Icons.tsx"
import { useStill } from "./ui/loaded.ts"
import { Choices, Empty } from "./ui/Parts.tsx"
import { Clients } from "./views/Clients.tsx"
import { Day } from "./views/day/Day.tsx"
import { DayShipments } from "./views/day/DayShipments.tsx"
import { Docks } from "./views/Docks.tsx"
import { Document } from "./views/Document.tsx"
import { Documents } from "./views/Documents.tsx"
import { Exceptions } from "./views/Exceptions.tsx"
import { Messages } from "./views/Messages.tsx"
import { People } from "./views/People.tsx"
import { Pallet } from "./views/shipment/Pallet.tsx"
import { Shipment } from "./views/shipment/Shipment.tsx"
import { Shipments } from "./views/Shipments.tsx"
import { Trace } from "./views/Trace.tsx"
import { Webhook } from "./views/webhook/Webhook.tsx"
import { Webhooks } from "./views/webhook/Webhooks.tsx"

interface Tab {
  readonly target: string
  readonly label: string
  readonly Icon: ComponentType
}

const tabs: ReadonlyArray<Tab> = [
  { target: "/docks", label: "Docks", Icon: DocksIcon },
  { target: "/day", label: "Day", Icon: DayIcon },
  { target: "/shipments", label: "Shipments", Icon: ShipmentsIcon },
  { target: "/exceptions", label: "Exceptions", Icon: WarningIcon },
  { target: "/messages", label: "Messages", Icon: MessagesIcon },
  { target: "/documents", label: "Documents", Icon: DocumentsIcon },
  { target: "/trace", label: "Trace", Icon: TraceIcon }
]

/** The pages of operators. */
const operatorTabs: ReadonlyArray<Tab> = [
  { target: "/webhooks", label: "Webhooks", Icon: WebhooksIcon },
  { target: "/clients", label: "Access", Icon: ClientsIcon }
]

/** What operators see there is of all facilities, so there is none to choose. */
const operatorPages = /^\/(webhooks|clients|people)\b/

/** The pages that have no tab. */
const others: Readonly<Record<string, string>> = { "/": "Docks", "/people": "People" }

const PlaceChoice = () => {
  const chosen = place.value
  if (chosen === undefined) return null
  return (
    <span class="place">
      <span
        class="zone soft not-phone no-print"
        title={`Times are in the zone of the facility: ${zone.value}`}
      >
        {namedTime(now.value)}
      </span>
      {operatorPages.test(path.value) ? null : (
        <select
          aria-label="Facility"
          value={slugOf(chosen)}
          onChange={({ currentTarget }) => choosePlace(currentTarget.value)}
        >
          {places.value.map((each) => (
            <option key={slugOf(each)} value={slugOf(each)}>
              {each.business.name}: {each.facility.name}
            </option>
          ))}
        </select>
      )}
    </span>
  )
}

const Account = () => {
  const who = session.value?.name ?? ""
  return (
    <details class="account">
      <summary aria-label={`Account ${who}`}>
        <PersonIcon />
        <span class="who">{who}</span>
      </summary>
      <div class="menu">
        <p>
          <span class="soft">Signed in as</span>
          <br />
          <strong>{who}</strong>
        </p>
        <fieldset>
          <legend>Appearance</legend>
          <Choices label="Appearance" options={themes} chosen={chosenTheme.value} choose={chooseTheme} />
        </fieldset>
        <form method="post" action={`${root}/sign-out`} onSubmit={leave}>
          <button class="button">Sign out</button>
        </form>
      </div>
    </details>
  )
}

const Unknown = () => {
  useStill()
  return (
    <>
      <h1>There is no such page</h1>
      <section class="card">
        <Empty title={`Nothing is at ${path.value}`}>
          <p>The address may be cut off, or the page may have moved.</p>
          <a class="button" href={href("/")}>To the start page</a>
        </Empty>
      </section>
    </>
  )
}

const NoPlaces = () => {
  useStill()
  return (
    <>
      <h1>Welcome</h1>
      <section class="card">
        <Empty title="You may not see any facility yet">
          <p>
            An operator has to grant your client a permission at a facility. Reload the page once that is
            done.
          </p>
        </Empty>
      </section>
    </>
  )
}

/** The lists of a facility, by their addresses. */
const lists: Readonly<Record<string, ComponentType<{ readonly place: Place }>>> = {
  "/": Docks,
  "/docks": Docks,
  "/shipments": Shipments,
  "/exceptions": Exceptions,
  "/messages": Messages,
  "/documents": Documents,
  "/day": Day,
  "/day/shipments": DayShipments,
  "/trace": Trace
}

/** The lists of operators. */
const operatorLists: Readonly<Record<string, ComponentType>> = {
  "/webhooks": Webhooks,
  "/clients": Clients,
  "/people": People
}

/** The address of a thing: `/shipments/7`, or `/shipments/7/pallets/9`. */
const thing = /^\/(\w+)\/(\d{1,16})(?:\/(\w+)\/(\d{1,16}))?$/

const View = () => {
  const [, kind, id = "", part, partId = ""] = thing.exec(path.value) ?? []
  if (session.value?.operator === true) {
    const List = operatorLists[path.value]
    if (List !== undefined) return <List />
    if (kind === "webhooks" && part === undefined) return <Webhook key={id} id={id} />
  }
  const chosen = place.value
  if (chosen === undefined) return <NoPlaces />
  const List = lists[path.value]
  if (List !== undefined) return <List key={slugOf(chosen)} place={chosen} />
  switch (part === undefined ? kind : `${kind}/${part}`) {
    case "shipments":
      return <Shipment key={id} id={id} />
    case "shipments/pallets":
      return <Pallet key={path.value} shipmentId={id} id={partId} />
    case "documents":
      return <Document key={id} id={id} />
    default:
      return <Unknown />
  }
}

const titleOf = (): string => {
  const label = others[path.value] ??
    [...tabs, ...operatorTabs].find(({ target }) => target === path.value)?.label
  return label === undefined ? "Dockline" : `${label} · Dockline`
}

/** The whole page. */
export const App = () => {
  useEffect(() => {
    document.title = titleOf()
  }, [path.value])
  const isCurrent = (target: string): boolean =>
    path.value.startsWith(target) || (target === tabs[0]!.target && path.value === "/") ||
    (target === "/clients" && path.value === "/people")
  return (
    <>
      <a class="skip" href="#view">Skip to the content</a>
      <header class="bar">
        <a class="brand" href={href("/")}>
          <span class="mark" aria-hidden="true" />
          <b>Dockline</b>
          <span class="unseen">Start page</span>
        </a>
        {/* All at once, so that nothing moves when it is known who has signed in. */}
        {session.value === undefined ? null : (
          <>
            <nav class="tabs" aria-label="Pages">
              {(session.value.operator ? [...tabs, ...operatorTabs] : tabs).map(({ Icon, label, target }) => (
                <a key={target} href={listHref(target)} aria-current={isCurrent(target) ? "page" : undefined}>
                  <Icon />
                  {label}
                </a>
              ))}
            </nav>
            <span class="spring" />
            <Connection />
            <PlaceChoice />
            <Account />
          </>
        )}
      </header>
      <main class="view" id="view" tabindex={-1}>
        {session.value === undefined ? null : <View />}
        {place.value === undefined ? null : (
          <p class="zone-note soft">
            Times are in the zone of the facility: {zone.value}.{" "}
            <span class="on-paper">
              Printed {fullTime(new Date(now.value).toISOString())}. Times without a day are of that day.
            </span>
          </p>
        )}
      </main>
    </>
  )
}
