/**
 * Clients of the interfaces, in memory.
 */
import { Effect, Layer, Result } from "effect"
import { everything } from "../access/Access.ts"
import { ClientStore, isWithin } from "../access/ClientStore.ts"
import type { Client } from "../access/ClientStore.ts"
import { nextNames } from "../values/Page.ts"
import { cutPage } from "../values/Page.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Clients in memory. */
export const layer: Layer.Layer<ClientStore, never, MemoryDatabase> = Layer.effect(
  ClientStore,
  Effect.map(MemoryDatabase, ({ clients }) =>
    ClientStore.of({
      find: (id) => Effect.sync(() => clients.get(id) ?? null),
      list: (scope, page) =>
        Effect.sync(() => {
          const found = Array.from(clients.values()).filter((client) => isWithin(client, scope))
          return cutPage(nextNames(found, ({ id }) => id, page), page.limit, sizeOfClient)
        }),
      create: (client) =>
        Effect.sync(() => {
          if (clients.has(client.id)) return false
          clients.set(client.id, client)
          return true
        }),
      update: (id, change) =>
        Effect.suspend(() => {
          const known = clients.get(id)
          if (known === undefined) return Effect.succeed(null)
          return Effect.fromResult(Result.map(change(known), (changed): Client => {
            const client = { ...changed, id }
            clients.set(id, client)
            return client
          }))
        }),
      put: (given) => Effect.sync(() => given.forEach((client) => clients.set(client.id, client)))
    }))
)

const sizeOfClient = ({ id, grants }: Client) => ({
  id,
  items: grants.reduce((sum, { facilities }) => sum + (facilities === everything ? 1 : facilities.length), 0)
})
