/**
 * The peers: graphile-worker with one job for each message. LOCAL_QUEUE says whether it fetches and completes jobs in batches, as its
 * documentation recommends for throughput, or one by one.
 */
import { makeWorkerUtils, run } from "graphile-worker"
import { setting } from "../Serve.ts"
import { post } from "./Post.ts"
import * as Sender from "./Sender.ts"
import { concurrency, draftOf, idOf } from "./Workload.ts"

interface Job {
  readonly id: number
  readonly message: unknown
}

const connectionString = setting("DATABASE_URL")
const preset = {
  worker: {
    connectionString,
    concurrentJobs: concurrency,
    // As its documentation recommends.
    maxPoolSize: concurrency + 2,
    ...(setting("LOCAL_QUEUE") === "true"
      ? {
        localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0
      }
      : {})
  }
}
// Jobs are enqueued through a separate pool, as in a program whose requests enqueue them.
const utils = await makeWorkerUtils({ preset, noPreparedStatements: false })
await utils.migrate()
await utils.withPgClient((client) => client.query("truncate graphile_worker._private_jobs"))

const jobOf = (n: number): Job => ({ id: idOf(n), message: draftOf(n).payload })

Sender.listen({
  fill: async (numbers) => {
    await utils.addJobs(
      numbers.map((n) => ({ identifier: "deliver", payload: jobOf(n), maxAttempts: 10 }))
    )
  },
  go: async () => {
    await run({
      preset,
      noHandleSignals: true,
      taskList: {
        deliver: async (payload) => {
          const { id, message } = payload as Job
          await post(id, message)
        }
      }
    })
  },
  one: async (n) => {
    await utils.addJob("deliver", jobOf(n), { maxAttempts: 10 })
    return idOf(n)
  }
})

// It exits at once, because its remaining jobs are discarded before the next measurement.
process.once("SIGTERM", () => process.exit(0))
