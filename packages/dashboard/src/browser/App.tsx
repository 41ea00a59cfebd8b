/** The frame around the views. Each view has its own URL (D14.3). */
import type { ComponentType } from "preact"
import { useEffect, useLayoutEffect } from "preact/hooks"
import { loadOperations } from "./api/operator.ts"
import { leave, root } from "./api/request.ts"
import {
  capabilityList,
  capabilityPages,
  isOfOperators,
  operatorPages,
  placePages,
  references,
  takeEarly,
  useKeys
} from "./nav.ts"
import { href, listHref, path } from "./router.ts"
import { choosePlace, place, places, session, slugOf } from "./session.ts"
import type { Place } from "./session.ts"
import { looks, notices } from "./theme.ts"
import { fullTime, namedTime, now, zone } from "./time.ts"
import { Connection, EmptyCard, lazy } from "./ui/Frame.tsx"
import { useStill } from "./ui/loaded.ts"
import {
  Choices,
  DocksIcon,
  DocumentsIcon,
  MessagesIcon,
  OperateIcon,
  PersonIcon,
  SearchIcon,
  Select,
  ShipmentsIcon
} from "./ui/Parts.tsx"
import { Docks } from "./views/Docks.tsx"
import { Shipments } from "./views/Shipments.tsx"

interface Tab {
  readonly target: string
  readonly label: string
  readonly Icon: ComponentType
}

const placeTabs: ReadonlyArray<Tab> = [
  { ...placePages.docks, Icon: DocksIcon },
  { ...placePages.shipments, Icon: ShipmentsIcon },
  { ...placePages.messages, Icon: MessagesIcon },
  { ...placePages.documents, Icon: DocumentsIcon }
]

/** The tabs of a facility's pages. The tab of a capability follows the tab that the capability names. */
const tabs = (): ReadonlyArray<Tab> =>
  capabilityPages().reduce<ReadonlyArray<Tab>>((tabs, { label, tab, target }) => {
    if (tab === undefined) return tabs
    const at = tabs.findIndex((each) => each.target === tab.after) + 1
    return tabs.toSpliced(at === 0 ? tabs.length : at, 0, { target, label, Icon: tab.Icon })
  }, placeTabs)

/** The tab of the operators' pages, which have a navigation of their own. It opens the webhooks, because a failing endpoint needs attention. */
const operatorTab: Tab = { target: "/webhooks", label: "Operate", Icon: OperateIcon }

const Operator = lazy(async () => {
  const [{ Operator }] = await Promise.all([import("./views/operator/Operator.tsx"), loadOperations()])
  return Operator
})

/** Pages whose code is loaded when they are first shown. */
const Document = lazy(async () => (await import("./views/Documents.tsx")).Document)
const Documents = lazy(async () => (await import("./views/Documents.tsx")).Documents)
const Pallet = lazy(async () => (await import("./views/shipment/Pallet.tsx")).Pallet)
const Shipment = lazy(async () => (await import("./views/shipment/Shipment.tsx")).Shipment)
const Messages = lazy(async () => (await import("./views/Messages.tsx")).Messages)

/** The palette, whose code is loaded when it is first opened. */
const Palette = lazy(() =>
  import("./Palette.tsx").then(({ Palette }) => Palette).catch((error) => {
    takeEarly()
    throw error
  }), "quiet")

const PlaceChoice = () => {
  const here = place.value
  if (here === undefined) return null
  return (
    <span class="place">
      <span
        class="zone soft not-phone no-print"
        title={`Times are in the zone of the facility: ${zone.value}`}
      >
        {namedTime(now.value)}
      </span>
      {isOfOperators(path.value) ? null : (
        <Select
          aria-label="Facility"
          value={slugOf(here)}
          options={places.value.map((each) => [slugOf(each), `${each.business.name}: ${each.facility.name}`])}
          onChange={({ currentTarget }) => choosePlace(currentTarget.value)}
        />
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
        {looks.map(({ choose, choice, name, options, title }) => (
          <fieldset key={name}>
            <legend>{title}</legend>
            <Choices label={title} options={options} choice={choice.value} choose={choose} />
          </fieldset>
        ))}
        <p class="hint" role="status">{notices.note.value}</p>
        {references.map(({ name, path }) => <a key={path} href={path}>{name}</a>)}
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
      <EmptyCard
        title={`Nothing is at ${path.value}`}
        link={<a class="button" href={href("/")}>Go to the start page</a>}
      >
        The address may be incomplete, or the page may have moved.
      </EmptyCard>
    </>
  )
}

const NoPlaces = () => {
  useStill()
  return (
    <>
      <h1>Welcome</h1>
      <EmptyCard title="You cannot see any facility yet">
        An operator has to grant your client a permission at a facility. Reload the page after that.
      </EmptyCard>
    </>
  )
}

const lists: Readonly<Record<string, ComponentType<{ readonly place: Place }>>> = {
  "/": Docks,
  "/docks": Docks,
  "/shipments": Shipments,
  "/messages": Messages,
  "/documents": Documents
}

/** The address of an entity: `/shipments/7`, or `/shipments/7/pallets/9`. */
const entityAddress = /^\/(\w+)\/(\d{1,16})(?:\/(\w+)\/(\d{1,16}))?$/

const View = () => {
  const [, kind, id = "", part, partId = ""] = entityAddress.exec(path.value) ?? []
  if (isOfOperators(path.value)) return <Operator unknown={<Unknown />} />
  const here = place.value
  if (here === undefined) return <NoPlaces />
  const List = lists[path.value] ?? capabilityList(path.value)
  if (List !== undefined) return <List key={slugOf(here)} place={here} />
  switch (part === undefined ? kind : `${kind}/${part}`) {
    case "shipments":
      return <Shipment key={id} id={id} />
    case "shipments/pallets":
      return <Pallet key={path.value} shipmentId={id} id={partId} />
    case "documents":
      return <Document key={id} id={id} />
    default: {
      const EntityPage = part === undefined
        ? capabilityPages().find(({ target }) => target === `/${kind}`)?.EntityPage
        : undefined
      return EntityPage === undefined ? <Unknown /> : <EntityPage key={id} id={id} />
    }
  }
}

const titleOf = (): string => {
  const label = [
    { target: "/", label: "Docks" },
    ...Object.values(placePages),
    ...capabilityPages(),
    ...operatorPages
  ]
    .find(({ target }) => target === path.value)?.label
  return label === undefined ? "Dockline" : `${label} · Dockline`
}

export const App = () => {
  // The titles of capability pages are unknown until the session is loaded.
  const title = titleOf()
  // A layout effect runs before the effects of the page, which may set another title.
  useLayoutEffect(() => {
    document.title = title
  }, [path.value, title])
  useEffect(() => {
    // On a phone, some tabs are off the screen.
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [path.value, session.value])
  const isWatching = session.value !== undefined && notices.choice.value === "on"
  useEffect(() => {
    if (!isWatching) return
    const loading = import("./notices.ts").then(({ watch }) => watch(), notices.fail)
    return () => void loading.then((stop) => stop?.())
  }, [isWatching])
  const { close, open, paletteContent } = useKeys()
  const isCurrent = (target: string): boolean =>
    target === operatorTab.target
      ? isOfOperators(path.value)
      : path.value.startsWith(target) || (target === placePages.docks.target && path.value === "/")
  return (
    <>
      <a class="skip" href="#view">Skip to the content</a>
      <header class="bar">
        <a class="brand" href={href("/")}>
          <span class="mark" aria-hidden="true" />
          <b>Dockline</b>
          <span class="unseen">Start page</span>
        </a>
        {/* Rendered all at once when the session is loaded, so that nothing moves. */}
        {session.value === undefined ? null : (
          <>
            <nav class="tabs" aria-label="Pages">
              {(session.value.operator ? [...tabs(), operatorTab] : tabs()).map(({ Icon, label, target }) => (
                <a key={target} href={listHref(target)} aria-current={isCurrent(target) ? "page" : undefined}>
                  <Icon />
                  {label}
                </a>
              ))}
            </nav>
            <span class="spring" />
            <Connection />
            <button
              type="button"
              class="opener"
              title="Search, or go to a page ( / )"
              onClick={() => open("")}
            >
              <SearchIcon />
              <span class="unseen">Search, or go to a page</span>
            </button>
            <PlaceChoice />
            <Account />
          </>
        )}
      </header>
      {paletteContent === undefined
        ? null
        : <Palette key={paletteContent} of={paletteContent} close={() => close(paletteContent)} />}
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
