/** The generator for the history of `bench graphql` as a process: it accepts a `HistoryTask` and answers with the measured values. */
import { postOf } from "../Http.ts"
import * as Load from "../Load.ts"
import type { LoadTask } from "../Load.ts"
import { serve } from "../Serve.ts"
import { path } from "./Workload.ts"

/** One run against a server. */
export interface HistoryTask extends LoadTask {
  /** The bodies of requests, and the number of bytes of each answer, whose content was compared before. */
  readonly requests: ReadonlyArray<{ readonly body: string; readonly answerBytes: number }>
}

serve((task: HistoryTask) => {
  const sendings = task.requests.map(({ answerBytes, body }): Load.Sending => ({
    request: postOf(path, task.token, body),
    onAnswer: (status, { length }) => {
      if (status === 200 && length === answerBytes) return
      throw new Error(`status ${status} with ${length} bytes instead of 200 with ${answerBytes}`)
    }
  }))
  return Load.send(task, (connection) => (sent) => sendings[(connection * 3 + sent) % sendings.length])
})
