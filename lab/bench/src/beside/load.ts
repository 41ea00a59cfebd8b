/** The generator of `bench beside` as a process: it accepts a `BesideTask`, sends its load, and answers with the measured values. */
import * as Load from "../Load.ts"
import { serve } from "../Serve.ts"
import { measuring, preparing } from "./Loads.ts"
import type { BesideTask } from "./Loads.ts"

const onAnswer = (status: number, body: Buffer): void => {
  const text = body.toString("utf8", 0, 2000)
  const isGood = (status === 200 || status === 201) && !(text.startsWith("ISA") && !text.includes("AK5*A~"))
  if (!isGood) throw new Error(`${status} ${text}`)
}

serve((task: BesideTask) => {
  const requestsOf = task.prepares ? preparing : measuring
  return Load.send(task, (connection) => {
    const requests = requestsOf(task, connection)
    return (sent) => {
      const request = requests[sent]
      return request === undefined ? undefined : { request, onAnswer }
    }
  })
})
