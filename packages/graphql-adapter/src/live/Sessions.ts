/**
 * Ends a connection within 5 s, by the default settings, after its token expires, its session ends, its client is disabled, or a permission is
 * withdrawn (D8.7, D14.4). While its client cannot be looked up, a connection ends only when its token expires. Concurrent reads of history
 * are bounded, for each client and in total.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import type { MessageQuery } from "@dockline/core/messages/Message"
import { mayRead } from "@dockline/core/messages/Messages"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { defaultLiveConfig } from "../GraphqlConfig.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { PageRead } from "../schema/SchemaMessages.ts"

/** The message with which a connection ends, by the reason. */
export const endTexts = {
  expired: "The token has expired; get another, and resume with afterId",
  disabled: "The client is disabled",
  ended: "The session has ended; sign in again",
  withdrawn: "The permission for the followed messages was withdrawn",
  stopping: "The service stops"
}

export type EndReason = keyof typeof endTexts

/** The message for a client that has too many connections. */
export const tooManyText = "The client has too many connections; close some"

/** A connection of a client that has signed in. */
export interface LiveSession {
  /** The session, with the grants of the last look-up. */
  readonly session: Session
  /** Runs a read of history within the limits on concurrent reads. Pass only the read itself, which occupies one of these reads. */
  readonly read: PageRead
  /** Ends the connection once the client may no longer read these messages. The returned function stops watching. */
  readonly watch: (query: MessageQuery) => () => void
  readonly close: () => void
}

interface TrackedSession extends LiveSession {
  readonly end: (reason: EndReason) => void
  readonly update: (principal: Principal) => void
}

const lookupLimit = 4

const readLimit = 32

const readLimitPerClient = 8

interface Client {
  readonly connections: Set<TrackedSession>
  readonly reads: Semaphore.Semaphore
}

export class Sessions extends Context.Service<Sessions, {
  /** Adds a connection; `undefined` when the client has too many. `end` may be called more than once, and also after `close`. */
  readonly open: (session: Session, end: (reason: EndReason) => void) => LiveSession | undefined
  /** Ends all connections, as the service stops. */
  readonly endAll: Effect.Effect<void>
}>()("@dockline/graphql-adapter/Sessions") {
  static readonly layer = (
    config: LiveConfig = defaultLiveConfig
  ): Layer.Layer<Sessions, never, Authenticator> => Layer.effect(Sessions, make(config))
}

const make = Effect.fnUntraced(function*(config: LiveConfig) {
  const authenticator = yield* Authenticator
  const clients = new Map<string, Client>()
  const allReads = Semaphore.makeUnsafe(readLimit)

  const connectionsOf = (clientId: string) => Array.from(clients.get(clientId)?.connections ?? [])
  const allConnections = () => Array.from(clients.keys()).flatMap(connectionsOf)

  const recheck = (clientId: string) =>
    Effect.gen(function*() {
      const principal = yield* authenticator.current(clientId)
      for (const connection of connectionsOf(clientId)) connection.update(principal)
      for (const { end, session } of connectionsOf(clientId)) {
        if (session.holds !== undefined && !(yield* session.holds)) end("ended")
      }
    }).pipe(
      Effect.catchTags({
        Unauthenticated: () =>
          Effect.sync(() => connectionsOf(clientId).forEach(({ end }) => end("disabled"))),
        StorageUnavailable: () => Effect.void
      }),
      Effect.catchCause((cause) => Effect.logError("Looking up a connected client failed", cause))
    )

  const recheckAll = Effect.suspend(() =>
    Effect.forEach(Array.from(clients.keys()), recheck, { concurrency: lookupLimit, discard: true })
  )

  const expire = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const { end, session } of allConnections()) if (session.expiresAt <= now) end("expired")
  })

  // Separate loops, so that a slow storage cannot keep connections with expired tokens open.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(config.recheckMillis), recheckAll)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(config.expiryMillis), expire)))

  const open = (firstSession: Session, onEnd: (reason: EndReason) => void): LiveSession | undefined => {
    const { clientId } = firstSession.principal
    const client = clients.get(clientId) ??
      { connections: new Set(), reads: Semaphore.makeUnsafe(readLimitPerClient) }
    if (client.connections.size >= config.connectionsPerClient) return undefined
    clients.set(clientId, client)
    let session = firstSession
    const queries = new Set<MessageQuery>()
    const close = () => {
      client.connections.delete(connection)
      if (client.connections.size === 0 && clients.get(clientId) === client) clients.delete(clientId)
    }
    const end = (reason: EndReason) => {
      close()
      onEnd(reason)
    }
    const connection: TrackedSession = {
      get session() {
        return session
      },
      read: (read) => client.reads.withPermit(allReads.withPermit(read)),
      watch: (query) => {
        queries.add(query)
        return () => void queries.delete(query)
      },
      close,
      end,
      update: (principal) => {
        session = { ...session, principal }
        if (Array.from(queries).some((query) => !mayRead(principal, query))) end("withdrawn")
      }
    }
    client.connections.add(connection)
    return connection
  }

  return Sessions.of({
    open,
    endAll: Effect.sync(() => allConnections().forEach(({ end }) => end("stopping")))
  })
})
