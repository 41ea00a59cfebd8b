/**
 * Keys that work on every page: `/` or Ctrl+K opens the palette, `?` lists the keys, and `g` with a letter goes to a page.
 *
 * Guarantee: no key is taken from a field that the reader writes in, and what is typed while the palette is loaded gets into it.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import { root } from "./api/request.ts"
import { reachable } from "./nav.ts"
import { listHref, navigate } from "./router.ts"

/** What the palette shows first: all that can be gone to, or the keys. */
export type Opened = "" | "?"

/** How long `g` waits for its letter. */
const waitMillis = 1500

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog") !== null

/** Goes to the page of a letter; a list as it was left. */
const goTo = (letter: string): boolean => {
  const page = reachable().find(({ key }) => key === letter)
  if (page === undefined) return false
  navigate(listHref(page.target).slice(root.length))
  document.getElementById("view")?.focus({ preventScroll: true })
  return true
}

/** What the reader types after the palette was opened and before its field is there. */
let early: string | undefined

/** Takes what was typed before the field was there; the end of a line stands for Enter. */
export const takeEarly = (): string => {
  const text = early ?? ""
  early = undefined
  return text
}

export const useKeys = () => {
  const [isOpen, setOpen] = useState<Opened>()
  const pressedG = useRef(-waitMillis)
  const open = (what: Opened): void => {
    early = what === "" ? "" : undefined
    setOpen(what)
  }
  /** Closes what was opened, unless something else has been opened meanwhile. */
  const close = (what: Opened): void => setOpen((now) => now === what ? undefined : now)
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
  return { isOpen, open, close }
}
