/**
 * A program that follows the log as the guide says: it subscribes after the last id it has, and when the connection
 * ends, for whatever reason, it begins anew from there. What must hold: ids only grow, and none comes twice.
 */
import { createClient } from "graphql-ws"
import { setTimeout as wait } from "node:timers/promises"
import { WebSocket } from "ws"
import { path, query, subscriptionDocument } from "../graphql/Workload.ts"

/** What followers share. */
export interface Surroundings {
  readonly port: number
  readonly token: string
  /** The connection could not be made, or was ended. */
  readonly onRefused: () => void
  readonly onFault: (what: string) => void
}

/** How long after a connection has ended it begins anew, in milliseconds. */
const pauseMillis = 200

/** What an overloaded service may say when it closes a connection: too many, or too slow. */
const refusals = new Set([1006, 1013, 4429])

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** Follows until it is told to leave. */
export const follow = async (
  name: string,
  { onFault, onRefused, port, token }: Surroundings,
  leaving: AbortSignal
): Promise<void> => {
  let lastId = 0
  while (!leaving.aborted) {
    const client = createClient({
      url: `ws://127.0.0.1:${port}${path}`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `Bearer ${token}` }
    })
    const leave = () => client.terminate()
    leaving.addEventListener("abort", leave)
    const filter = {
      businessSlug: query.business,
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      afterId: lastId
    }
    const messages = client.iterate<{ readonly pushMessage: { readonly id: number } }>({
      query: subscriptionDocument,
      variables: { filter }
    })
    try {
      for await (const { data, errors } of messages) {
        if (errors !== undefined) onFault(`${name}: ${JSON.stringify(errors).slice(0, 300)}`)
        const id = data?.pushMessage.id ?? lastId
        if (id <= lastId) onFault(`${name}: ${id} came after ${lastId}`)
        lastId = id
      }
    } catch (error) {
      const code = codeOf(error)
      if (leaving.aborted) return
      if (code === undefined || refusals.has(code as number)) onRefused()
      else onFault(`${name}: ${String(code)} ${JSON.stringify(error)}`)
    } finally {
      leaving.removeEventListener("abort", leave)
      await client.dispose()
    }
    await wait(pauseMillis)
  }
}
