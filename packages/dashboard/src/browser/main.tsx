/** Starts the dashboard. */
import { effect } from "@preact/signals"
import { render } from "preact"
import { useState } from "preact/hooks"
import { trucks } from "./api/operations.ts"
import { faultOf, run } from "./api/request.ts"
import type { Fault } from "./api/request.ts"
import { App } from "./App.tsx"
import { capabilities } from "./capabilities.ts"
import { offer } from "./capability.ts"
import * as Router from "./router.ts"
import { loadSession, session, slugOf } from "./session.ts"
import { FaultNote } from "./ui/Frame.tsx"

effect(() => {
  offer(capabilities, session.value?.capabilities)
})

Router.start(
  capabilities.flatMap(({ pages = [] }) =>
    pages.filter(({ keepsFilters }) => keepsFilters === true).map(({ target }) => target)
  )
)

/** The facility with the most of the last trucks at docks or, if none is at a dock, of the last expected trucks; `""` without any. */
const busiest = async (): Promise<string> => {
  const { arrived, scheduled } = await run(trucks, {})
  const slugs = (arrived.nodes.length > 0 ? arrived : scheduled).nodes.map(slugOf)
  const [first] = Array.from(Map.groupBy(slugs, (slug) => slug)).toSorted(([, one], [, other]) =>
    other.length - one.length
  )
  return first?.[0] ?? ""
}

const retryMillis = 3000

const Start = () => {
  const [fault, setFault] = useState<Fault>()
  const [isStarted, setStarted] = useState(false)
  if (!isStarted) {
    setStarted(true)
    const load = (): void => {
      loadSession(busiest).then(() => setFault(undefined)).catch((error) => {
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
