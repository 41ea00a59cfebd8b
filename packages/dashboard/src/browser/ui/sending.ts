/** Does what a form or a button asks for, once at a time, and keeps why it failed. */
import { useRef, useState } from "preact/hooks"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"

/** Work that is asked for; while it runs, no other begins. */
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
    } catch (thrown) {
      setState({ isBusy: false, fault: faultOf(thrown) })
    }
    busy.current = false
  }
  return { fault, isBusy, begin: (work: () => Promise<void>): void => void begin(work) }
}

/** Sends a change under one key, however often it is tried; another input is another change. */
export const useSending = <Input>(send: (input: Input, key: string) => Promise<void>) => {
  const { begin, fault } = useWork()
  const tried = useRef({ input: "", key: "" })
  const sendIt = (input: Input): void => {
    const text = JSON.stringify(input)
    begin(() => {
      if (tried.current.input !== text) tried.current = { input: text, key: crypto.randomUUID() }
      return send(input, tried.current.key)
    })
  }
  return { fault, sendIt }
}
