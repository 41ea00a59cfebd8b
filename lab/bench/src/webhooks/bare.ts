/**
 * The limit: a loop that delivers messages from memory, as many at once as the others. It stores nothing.
 */
import { post } from "./Post.ts"
import * as Sender from "./Sender.ts"
import { concurrency, draftOf, idOf } from "./Workload.ts"

const backlog: Array<{ readonly id: number; readonly payload: unknown }> = []

const work = async () => {
  for (let next = backlog.pop(); next !== undefined; next = backlog.pop()) await post(next.id, next.payload)
}

const fail = (error: unknown): never => {
  throw error
}

Sender.listen({
  fill: async (numbers) =>
    void backlog.push(...numbers.map((n) => ({ id: idOf(n), payload: draftOf(n).payload }))),
  go: async () => {
    for (let worker = 0; worker < concurrency; worker++) void work().catch(fail)
  },
  one: async (n) => {
    await post(idOf(n), draftOf(n).payload)
    return idOf(n)
  }
})

process.once("SIGTERM", () => process.exit(0))
