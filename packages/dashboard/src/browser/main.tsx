/** Starts the dashboard. */
import { effect } from "@preact/signals"
import { render } from "preact"
import { useState } from "preact/hooks"
import { faultOf } from "./api/request.ts"
import type { Fault } from "./api/request.ts"
import { App } from "./App.tsx"
import { capabilities } from "./capabilities.ts"
import { offer } from "./offered.ts"
import * as Router from "./router.ts"
import { loadSession, session } from "./session.ts"
import { FaultNote } from "./ui/Frame.tsx"

effect(() => {
  offer(capabilities, session.value?.capabilities)
})

Router.start(
  capabilities.flatMap(({ pages = [] }) =>
    pages.filter(({ keepsFilters }) => keepsFilters === true).map(({ target }) => target)
  )
)

const retryMillis = 3000

const Start = () => {
  const [fault, setFault] = useState<Fault>()
  const [isStarted, setStarted] = useState(false)
  if (!isStarted) {
    setStarted(true)
    const load = (): void => {
      loadSession().then(() => setFault(undefined)).catch((error) => {
        setFault(faultOf(error))
        setTimeout(load, retryMillis)
      })
    }
    load()
  }
  return fault === undefined ? <App /> : (
    <main class="view">
      <FaultNote fault={fault} />
    </main>
  )
}

render(<Start />, document.querySelector("#app")!)
