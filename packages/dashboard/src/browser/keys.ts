/**
 * Keys that work on every page: `/` or Ctrl+K opens the palette, `?` lists the keys, and `g` with a letter goes to a page.
 *
 * Guarantee: keys that are typed into a field have no other effect, and text that is typed while the palette is loading appears in it.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import { root } from "./api/request.ts"
import { reachable } from "./nav.ts"
import { listHref, navigate } from "./router.ts"

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
  const [isOpen, setOpen] = useState<PaletteContent>()
  const pressedG = useRef(-waitMillis)
  const open = (what: PaletteContent): void => {
    early = what === "" ? "" : undefined
    setOpen(what)
  }
  /** Closes the palette, unless it was opened with other content meanwhile. */
  const close = (what: PaletteContent): void => setOpen((now) => now === what ? undefined : now)
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
