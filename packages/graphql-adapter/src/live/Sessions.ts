/**
 * Ends a connection within 5 s of its token expiring, its session being ended, its client being disabled, or a permission
 * being withdrawn (D8.7, D14.4). Connections stay while their client cannot be looked up. The pages of history that are read at once are
 * bounded, for a client and in all.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import type { MessageQuery } from "@dockline/core/messages/MessageQuery"
import { mayRead } from "@dockline/core/messages/Messages"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { defaultLiveConfig } from "../GraphqlConfig.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { PageRead } from "../schema/MessageStream.ts"

/** What a client is told as its connection ends, by the reason. */
export const endTexts = {
  expired: "The token has expired; get another, and resume with afterId",
  disabled: "The client is disabled",
  withdrawn: "The permission for what is followed was withdrawn",
  stopping: "The service stops"
}

export type EndReason = keyof typeof endTexts

/** What a client is told that has too many connections. */
export const tooManyText = "The client has too many connections; close some"

/** A connection of a client that has signed in. */
export interface LiveSession {
  /** The session, with the grants of the last look-up. */
  readonly session: Session
  /** Reads a page of history when it is this client's turn; hold it no longer than the read takes. */
  readonly read: PageRead
  /** Ends the connection when the client may not read the messages any more, until the returned function is called. */
  readonly watch: (query: MessageQuery) => () => void
  readonly close: () => void
}

interface Held extends LiveSession {
  readonly end: (reason: EndReason) => void
  readonly update: (principal: Principal) => void
}

const lookups = 4

const reads = 32

const readsPerClient = 8

interface Client {
  readonly sessions: Set<Held>
  readonly reads: Semaphore.Semaphore
}

export class Sessions extends Context.Service<Sessions, {
  /** Adds a connection, whose `end` is called at most once; `undefined` when the client has too many. */
  readonly open: (session: Session, end: (reason: EndReason) => void) => LiveSession | undefined
  /** Ends all connections, as the service stops. */
  readonly endAll: Effect.Effect<void>
}>()("@dockline/graphql-adapter/Sessions") {
  static readonly layer = (
    config: LiveConfig = defaultLiveConfig
  ): Layer.Layer<Sessions, never, Authenticator> =>
    Layer.effect(
      Sessions,
      Effect.gen(function*() {
        const authenticator = yield* Authenticator
        const byClient = new Map<string, Client>()
        const allReads = Semaphore.makeUnsafe(reads)

        const each = (clientId: string, act: (session: Held) => void) =>
          Effect.sync(() => byClient.get(clientId)?.sessions.forEach(act))

        /** Ends the connections of sessions that hold no longer. */
        const recheckHeld = Effect.fnUntraced(function*(clientId: string) {
          for (const { end, session } of Array.from(byClient.get(clientId)?.sessions ?? [])) {
            if (session.holds !== undefined && !(yield* session.holds)) end("disabled")
          }
        })

        const recheck = (clientId: string) =>
          authenticator.current(clientId).pipe(
            Effect.flatMap((principal) => each(clientId, (session) => session.update(principal))),
            Effect.andThen(recheckHeld(clientId)),
            Effect.catchTags({
              Unauthenticated: () => each(clientId, (session) => session.end("disabled")),
              StorageUnavailable: () => Effect.void
            }),
            Effect.catchCause((cause) => Effect.logError("Looking up a connected client failed", cause))
          )

        const recheckAll = Effect.suspend(() =>
          Effect.forEach(Array.from(byClient.keys()), recheck, { concurrency: lookups, discard: true })
        )

        const expire = Effect.map(Clock.currentTimeMillis, (now) => {
          for (const { sessions } of byClient.values()) {
            for (const session of sessions) if (session.session.expiresAt <= now) session.end("expired")
          }
        })

        // Two loops: a slow storage must not keep expired tokens alive.
        yield* Effect.forkScoped(
          Effect.forever(Effect.andThen(Effect.sleep(config.recheckMillis), recheckAll))
        )
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(config.expiryMillis), expire)))

        return Sessions.of({
          endAll: Effect.sync(() => {
            for (const { sessions } of byClient.values()) {
              sessions.forEach((session) => session.end("stopping"))
            }
          }),
          open: (opened, onEnd) => {
            const { clientId } = opened.principal
            const client = byClient.get(clientId) ??
              { sessions: new Set(), reads: Semaphore.makeUnsafe(readsPerClient) }
            if (client.sessions.size >= config.connectionsPerClient) return undefined
            byClient.set(clientId, client)
            let session = opened
            const followed = new Set<MessageQuery>()
            const close = () => {
              client.sessions.delete(held)
              if (client.sessions.size === 0 && byClient.get(clientId) === client) byClient.delete(clientId)
            }
            const end = (reason: EndReason) => {
              close()
              onEnd(reason)
            }
            const held: Held = {
              get session() {
                return session
              },
              read: (read) => client.reads.withPermit(allReads.withPermit(read)),
              watch: (query) => {
                followed.add(query)
                return () => void followed.delete(query)
              },
              close,
              end,
              update: (principal) => {
                session = { ...session, principal }
                if (Array.from(followed).some((query) => !mayRead(principal, query))) end("withdrawn")
              }
            }
            client.sessions.add(held)
            return held
          }
        })
      })
    )
}
