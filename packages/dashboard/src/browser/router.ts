/**
 * The address of the page as a signal, and links that change it without loading another page.
 */
import { computed, signal } from "@preact/signals"
import { root, withQuery } from "./api/request.ts"

const read = () => ({
  path: location.pathname.slice(root.length) || "/",
  query: new URLSearchParams(location.search)
})

const current = signal(read())

/** The lists whose filters are remembered while the tab is open. */
const lists = new Set(["/shipments", "/documents", "/messages", "/audit"])

/** Remembers the filters of a list, without the facility, for when the reader returns to the list. */
const remember = (): void => {
  const { path, query } = current.value
  if (!lists.has(path)) return
  const filters = new URLSearchParams(query)
  for (const name of ["at", "find"]) filters.delete(name)
  sessionStorage.setItem(`dockline${path}`, filters.toString())
}

/** The address of a list with its last filters, at a facility if one is given. */
export const listHref = (list: string, at?: string): string => {
  const filters = new URLSearchParams(lists.has(list) ? sessionStorage.getItem(`dockline${list}`) ?? "" : "")
  if (at !== undefined) filters.set("at", at)
  const text = filters.toString()
  return href(text === "" ? list : `${list}?${text}`)
}

/** The path below the root of the dashboard, such as `/shipments/7`. */
export const path = computed(() => current.value.path)

export const query = computed(() => current.value.query)

export const href = (target: string, query: object = {}): string => withQuery(root + target, query)

/** Goes to another view, as a link does; with `replace`, changes only the address of this view. */
export const navigate = (target: string, how: "push" | "replace" = "push"): void => {
  if (how === "push") history.pushState(null, "", href(target))
  else history.replaceState(null, "", href(target))
  current.value = read()
  remember()
  if (how === "push") scrollTo(0, 0)
}

/** Changes parameters of the address; an empty value removes the parameter. */
export const setQuery = (changes: Readonly<Record<string, string>>): void => {
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  navigate(path.value + (text === "" ? "" : `?${text}`), "replace")
}

/** Moves the focus to the new view, because the focused element is gone: keyboards and screen readers continue at the view. */
const focusView = (): void => document.getElementById("view")?.focus({ preventScroll: true })

/** Handles clicks on links to other views without loading a page, and remembers the filters of the lists in `more` too. */
export const start = (more: ReadonlyArray<string>): void => {
  for (const list of more) lists.add(list)
  remember()
  addEventListener("popstate", () => {
    current.value = read()
    remember()
    focusView()
  })
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) {
      return
    }
    const link = (event.target as Element).closest("a")
    const isView = link !== null && link.origin === location.origin && link.target === "" &&
      (link.pathname === root || link.pathname.startsWith(`${root}/`))
    if (!isView) return
    event.preventDefault()
    const target = link.pathname + link.search
    if (target !== location.pathname + location.search) navigate(target.slice(root.length))
    focusView()
  })
}
