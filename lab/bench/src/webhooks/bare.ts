/**
 * The limit: a loop that delivers messages it holds in memory, as many at once as the others. It stores nothing.
 */
import { makePost } from "./Post.ts"
import * as Sender from "./Sender.ts"
import { concurrency, draftOf, idOf } from "./Workload.ts"

const post = makePost(Sender.endpoints()[0]!)
const backlog: Array<{ readonly id: number; readonly payload: unknown }> = []

const fail = (error: unknown): never => {
  throw error
}

Sender.listen({
  fill: async (from, count) => {
    for (let n = from; n < from + count; n++) backlog.push({ id: idOf(n), payload: draftOf(n).payload })
  },
  go: async () => {
    let next = 0
    const work = async () => {
      while (next < backlog.length) {
        const { id, payload } = backlog[next++]!
        await post(id, payload)
      }
    }
    for (let worker = 0; worker < concurrency; worker++) void work().catch(fail)
  },
  one: async (n) => {
    await post(idOf(n), draftOf(n).payload)
    return idOf(n)
  }
})

process.once("SIGTERM", () => process.exit(0))
