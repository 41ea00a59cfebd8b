/**
 * The pages that can be reached from anywhere, by the tabs and the palette, and the keys that work on every page: `/` or Ctrl+K opens the
 * palette, `?` lists the keys, and `g` with a letter goes to a page.
 *
 * Guarantee: keys that are typed into a field have no other effect, except Ctrl+K, and text that is typed while the palette is loading
 * appears in it.
 */
import type { SitePage } from "@dockline/wire/SitePages"
import { useEffect, useRef, useState } from "preact/hooks"
import { root } from "./api/request.ts"
import type { CapabilityPage, NavPage, PlaceList } from "./capability.ts"
import { offeredParts } from "./capability.ts"
import { listHref, navigate } from "./router.ts"
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

/** The other pages of the service, such as the REST reference; the server writes them into the page. */
export const references = JSON.parse(document.documentElement.dataset["pages"] ?? "[]") as ReadonlyArray<
  SitePage
>

/** The initial content of the palette: all pages, or the list of keys. */
export type PaletteContent = "" | "?"

/** How long `g` waits for its letter, in milliseconds. */
const waitMillis = 1500

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog") !== null

/** Goes to the page of a letter; a list opens with its last filters. `false` if no page has the letter. */
const goTo = (letter: string): boolean => {
  const page = reachable().find(({ key }) => key === letter)
  if (page === undefined) return false
  navigate(listHref(page.target).slice(root.length))
  document.getElementById("view")?.focus({ preventScroll: true })
  return true
}

/** The text that the reader types after opening the palette and before its field exists. */
let early: string | undefined

/** Returns the text that was typed before the field existed, and clears it; a line break stands for Enter. */
export const takeEarly = (): string => {
  const text = early ?? ""
  early = undefined
  return text
}

export const useKeys = () => {
  /** The content of the palette; `undefined` while it is closed. */
  const [paletteContent, setContent] = useState<PaletteContent>()
  const pressedG = useRef(-waitMillis)
  const open = (what: PaletteContent): void => {
    early = what === "" ? "" : undefined
    setContent(what)
  }
  /** Closes the palette, unless it was opened with other content meanwhile. */
  const close = (what: PaletteContent): void => setContent((now) => now === what ? undefined : now)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { altKey, ctrlKey, key, metaKey, target } = event
      const isCommand = (ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k"
      if (!isCommand && (ctrlKey || metaKey || altKey || isWriting(target))) return
      if (early !== undefined && (key.length === 1 || key === "Enter")) {
        early += key === "Enter" ? "\n" : key
        return event.preventDefault()
      }
      const wasG = performance.now() - pressedG.current < waitMillis
      pressedG.current = -waitMillis
      if (isCommand || key === "/") open("")
      else if (key === "?") open("?")
      else if (wasG && goTo(key)) event.preventDefault()
      else {
        if (key === "g") pressedG.current = performance.now()
        return
      }
      event.preventDefault()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
  return { paletteContent, open, close }
}
