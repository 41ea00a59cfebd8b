/** The pages that can be reached from anywhere: by the tabs, by the palette, and by `g` with a letter. */
import type { SitePage } from "@dockline/wire/SitePages"
import type { CapabilityPage, NavPage, PlaceList } from "./capability.ts"
import { offeredParts } from "./capability.ts"
import { session } from "./session.ts"

/** The lists of a facility. */
export const placePages = {
  docks: { target: "/docks", label: "Docks", key: "d" },
  shipments: { target: "/shipments", label: "Shipments", key: "s" },
  messages: { target: "/messages", label: "Messages", key: "m" },
  documents: { target: "/documents", label: "Documents", key: "r" }
} as const satisfies Readonly<Record<string, NavPage>>

/** The pages of the capabilities that the service has. */
export const capabilityPages = (): ReadonlyArray<CapabilityPage> =>
  offeredParts.value.flatMap(({ pages = [] }) => pages)

/** The list that a capability has at an address, if any. */
export const capabilityList = (address: string): PlaceList | undefined =>
  capabilityPages().find(({ target }) => target === address)?.List ??
    offeredParts.value.map(({ lists = {} }) => lists[address]).find((list) => list !== undefined)

/** The pages of operators, which show entities of all facilities. */
export const operatorPages: ReadonlyArray<NavPage> = [
  { target: "/businesses", label: "Businesses", key: "b" },
  { target: "/clients", label: "Clients", key: "c" },
  { target: "/people", label: "People", key: "p" },
  { target: "/webhooks", label: "Webhooks", key: "w" },
  { target: "/audit", label: "Audit", key: "a" }
]

/** Whether a path is a page of operators. For operators, this is every path that is not a page of a facility. */
export const isOfOperators = (path: string): boolean => {
  const target = `/${path.split("/")[1] ?? ""}`
  return session.value?.operator === true && target !== "/" && capabilityList(path) === undefined &&
    [...Object.values(placePages), ...capabilityPages()].every((page) => page.target !== target)
}

export const reachable = (): ReadonlyArray<NavPage> => [
  ...Object.values(placePages),
  ...capabilityPages(),
  ...(session.value?.operator === true ? operatorPages : [])
]

/** The reference pages of the service, such as that of REST; the server writes them into the page. */
export const references = JSON.parse(document.documentElement.dataset["pages"] ?? "[]") as ReadonlyArray<
  SitePage
>
