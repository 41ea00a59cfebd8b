/**
 * The address of the page as a signal, and links that change it without loading another page.
 */
import { computed, signal } from "@preact/signals"
import { root } from "./api/request.ts"

const read = () => ({
  path: location.pathname.slice(root.length) || "/",
  query: new URLSearchParams(location.search)
})

const current = signal(read())

/** The path below that of the dashboard, as `/shipments/7`. */
export const path = computed(() => current.value.path)

/** The query of the address. */
export const query = computed(() => current.value.query)

/** An address of the dashboard. */
export const href = (target: string): string => root + target

/** Goes to another view, as a link does, or with `replace` changes what this one shows. */
export const navigate = (target: string, how: "push" | "replace" = "push"): void => {
  if (how === "push") history.pushState(null, "", href(target))
  else history.replaceState(null, "", href(target))
  current.value = read()
  if (how === "push") scrollTo(0, 0)
}

/** Changes parameters of the address; an empty one is left out. */
export const setQuery = (changes: Readonly<Record<string, string>>): void => {
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  navigate(path.value + (text === "" ? "" : `?${text}`), "replace")
}

/** Brings who uses a keyboard or a screen reader to what they went to: what they stood on is gone. */
const focusView = (): void => document.getElementById("view")?.focus({ preventScroll: true })

/** Takes over clicks on links to other views. */
export const start = (): void => {
  addEventListener("popstate", () => {
    current.value = read()
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
