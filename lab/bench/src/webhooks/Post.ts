/**
 * The delivery of a message as the peers make it: the same request as ours, by the same HTTP client, which keeps as
 * many connections as there are deliveries at once.
 */
import { Pool } from "undici"
import { concurrency, headersOf, path } from "./Workload.ts"

/** Delivers one message; fails unless the answer is 2xx. */
export type Post = (id: number, payload: unknown) => Promise<void>

/** Deliveries to one endpoint. */
export const makePost = (baseUrl: string): Post => {
  const { origin, pathname } = new URL(baseUrl)
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 })
  const target = `${pathname === "/" ? "" : pathname}${path}`
  return async (id, payload) => {
    const body = JSON.stringify(payload)
    const answer = await pool.request({ path: target, method: "POST", headers: headersOf(id, body), body })
    await answer.body.dump()
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`Status ${answer.statusCode}`)
  }
}
