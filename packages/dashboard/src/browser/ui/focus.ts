/** Where the focus goes when what it was on goes: a keyboard and a screen reader go on from there. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"

/** Puts the focus into a form when it opens. */
export const useFocus = <E extends HTMLElement>() => {
  const first = useRef<E>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  return first
}

/** Moves the focus to the element of an id once it is there: the control on which it was has gone. */
export const useMovedFocus = (): (id: string) => void => {
  const [target, setTarget] = useState("")
  useLayoutEffect(() => {
    if (target === "") return
    document.getElementById(target)?.focus()
    setTarget("")
  }, [target])
  return setTarget
}
