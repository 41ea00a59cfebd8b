/** The generator of the history of `bench graphql` as a process: it takes a `HistoryTask` and answers with what it measured. */
import { requestOf } from "../Connection.ts"
import * as Load from "../Load.ts"
import type { LoadTask } from "../Load.ts"
import { serve } from "../Serve.ts"
import { path } from "./Workload.ts"

/** One run against one server. */
export interface HistoryTask extends LoadTask {
  /** Bodies of requests, and how many bytes the answer to each must have: what they hold has been compared before. */
  readonly requests: ReadonlyArray<{ readonly body: string; readonly answerBytes: number }>
}

serve((task: HistoryTask) => {
  const sendings = task.requests.map(({ answerBytes, body }): Load.Sending => ({
    bytes: requestOf(path, task.port, task.token, body),
    onAnswer: ({ bytes, status }) => {
      if (status === 200 && bytes === answerBytes) return
      throw new Error(`status ${status} with ${bytes} bytes instead of 200 with ${answerBytes}`)
    }
  }))
  return Load.send(task, (connection) => (sent) => sendings[(connection * 3 + sent) % sendings.length])
})
