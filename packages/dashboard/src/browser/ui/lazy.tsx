/** Views whose code is loaded when they are first shown, so that the first page does not have to wait for it. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Fault } from "../api/request.ts"
import { FaultNote, Waiting } from "./Frame.tsx"

/** A view from a module. The page shows a note while the module is loading; for `quiet` views it shows nothing. */
export const lazy = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  how: "shown" | "quiet" = "shown"
): ComponentType<Props> => {
  let View: ComponentType<Props> | undefined
  return (props: Props) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading")
    useEffect(() => {
      if (View !== undefined) return
      load().then((component) => {
        View = component
        setState("loaded")
      }).catch(() => setState("failed"))
    }, [])
    if (View !== undefined) return <View {...props} />
    if (state === "failed") {
      const words =
        "This part of the page could not be loaded. The service may be down, or may have a newer version of the page."
      return <FaultNote fault={new Fault(words, "OFFLINE")} retry={() => location.reload()} />
    }
    return how === "quiet" ? null : <Waiting />
  }
}
