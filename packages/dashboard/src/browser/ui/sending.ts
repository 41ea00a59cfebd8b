/** Sends what a form or a button changes. */
import { useRef, useState } from "preact/hooks"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"

/** Sends a change under one key, however often it is tried; another input is another change. */
export const useSending = <Input>(send: (input: Input, key: string) => Promise<void>) => {
  const [fault, setFault] = useState<Fault>()
  const tried = useRef({ input: "", key: "" })
  const busy = useRef(false)
  const sendIt = async (input: Input): Promise<void> => {
    if (busy.current) return
    busy.current = true
    const text = JSON.stringify(input)
    if (tried.current.input !== text) tried.current = { input: text, key: crypto.randomUUID() }
    setFault(undefined)
    try {
      await send(input, tried.current.key)
    } catch (thrown) {
      setFault(faultOf(thrown))
    }
    busy.current = false
  }
  return { fault, sendIt }
}
