/**
 * The delivery of a message by the peers: the same request as ours, by the same HTTP client, which keeps as many connections as there are
 * deliveries at once.
 */
import { Pool } from "undici"
import { setting } from "../Serve.ts"
import { concurrency, headersOf, path } from "./Workload.ts"

const pool = new Pool(setting("ENDPOINT"), { connections: concurrency, pipelining: 1 })

/** Delivers one message; fails unless the answer is 2xx. */
export const post = async (id: number, payload: unknown): Promise<void> => {
  const body = JSON.stringify(payload)
  const answer = await pool.request({ path, method: "POST", headers: headersOf(id, body), body })
  await answer.body.dump()
  if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`Status ${answer.statusCode}`)
}
