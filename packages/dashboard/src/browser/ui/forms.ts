/** Common parts of forms and buttons: reading input, actions that run one at a time, and the focus. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"

/** Handles the submission of a form, given the contents of its fields by their names. */
export const submitting =
  (work: (valueOf: (name: string) => string) => void) =>
  (event: { readonly currentTarget: HTMLFormElement; readonly preventDefault: () => void }): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    work((name) => String(form.get(name) ?? "").trim())
  }

/** Runs one action at a time, and ignores requests while one runs. */
export const useWork = () => {
  const [{ fault, isBusy }, setState] = useState<{ readonly fault?: Fault; readonly isBusy: boolean }>({
    isBusy: false
  })
  const busy = useRef(false)
  const begin = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return
    busy.current = true
    setState({ isBusy: true })
    try {
      await work()
      setState({ isBusy: false })
    } catch (error) {
      setState({ isBusy: false, fault: faultOf(error) })
    }
    busy.current = false
  }
  const clearFault = (): void => setState({ isBusy: busy.current })
  return { fault, isBusy, clearFault, begin: (work: () => Promise<void>): void => void begin(work) }
}

/** Runs actions one at a time; reloads after each, and reports its result. */
export const useActions = (reload: () => void) => {
  const { begin, clearFault, fault, isBusy } = useWork()
  const [note, say] = useState("")
  const act = <A>(action: () => Promise<A>, words: string | ((answer: A) => string) = ""): void =>
    begin(async () => {
      say("")
      const answer = await action().finally(reload)
      say(typeof words === "string" ? words : words(answer))
    })
  /** Reports the result of another form, in place of the last fault, and reloads. */
  const tell = (words: string): void => {
    clearFault()
    say(words)
    reload()
  }
  return { act, fault, isBusy, note, tell }
}

/** 128 random bits: over plain HTTP browsers have no `randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-")

/** Sends a change. All attempts with the same input have the same idempotency key; another input gets another key. */
export const useSending = <Input>(send: (input: Input, key: string) => Promise<void>) => {
  const { begin, fault } = useWork()
  const lastAttempt = useRef({ input: "", key: "" })
  const sendIt = (input: Input): void => {
    const text = JSON.stringify(input)
    begin(() => {
      if (lastAttempt.current.input !== text) lastAttempt.current = { input: text, key: newKey() }
      return send(input, lastAttempt.current.key)
    })
  }
  return { fault, sendIt }
}

/** Puts the focus into a form when it opens. */
export const useFocus = <E extends HTMLElement>() => {
  const first = useRef<E>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  return first
}

/** Moves the focus to the element with an id as soon as the element exists, for when the focused control disappears. */
export const useMovedFocus = (): (id: string) => void => {
  const [target, setTarget] = useState("")
  useLayoutEffect(() => {
    if (target === "") return
    document.getElementById(target)?.focus()
    setTarget("")
  }, [target])
  return setTarget
}
