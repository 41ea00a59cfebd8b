/**
 * The customers as a process: webhook endpoints, and programs that follow the log. It takes `CustomerCommand`s, and
 * answers each with what it has `Seen`.
 */
import { listen } from "../Deliveries.ts"
import { serve } from "../Serve.ts"
import { endpoints } from "./Endpoints.ts"
import { follow } from "./Follower.ts"

/** What the process is told: programs follow the log, nothing, or they leave. */
export type CustomerCommand =
  | { readonly follow: number; readonly port: number; readonly token: string }
  | { readonly seen: true }
  | { readonly leave: true }

/** What has come so far. */
export interface Seen {
  /** The port of the endpoints. */
  readonly port: number
  /** Connections that the server has refused, or ended as they were too slow or too many; or that broke. */
  readonly refused: number
  /** What must not be, the first ones: order, signature, protocol. */
  readonly faults: ReadonlyArray<string>
}

/** Faults that are told; one is enough to fail. */
const mostFaults = 20

const faults: Array<string> = []
const onFault = (what: string): void => {
  if (faults.length < mostFaults) faults.push(what)
}

const port = listen(endpoints(onFault), onFault)

const leaving = new AbortController()
let running: ReadonlyArray<Promise<void>> = []
let refused = 0

serve(async (command: CustomerCommand): Promise<Seen> => {
  if ("follow" in command) {
    const { follow: count, port, token } = command
    const onRefused = () => void refused++
    const surroundings = { port, token, onRefused, onFault }
    running = Array.from(
      { length: count },
      (_, at) => follow(`follower ${at}`, surroundings, leaving.signal)
    )
  } else if ("leave" in command) {
    leaving.abort()
    await Promise.all(running)
  }
  return { port: await port, refused, faults }
})
