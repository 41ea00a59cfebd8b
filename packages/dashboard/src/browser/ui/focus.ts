/** Moves the focus when its element disappears, so that keyboards and screen readers continue in the right place. */
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
