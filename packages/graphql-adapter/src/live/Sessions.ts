/**
 * The connections that outlive the request that opened them: whether their token still holds, and whether the client
 * may still read what it follows.
 *
 * Guarantee: a connection ends within 5 s of its token expiring, its client being disabled, or the permission for
 * something that it follows being withdrawn (D8.7). Each connected client is looked up once a round, however many
 * connections it has; while it cannot be looked up its connections stay. Few pages of history are read at once for a
 * client, and for all of them together, however many subscriptions replay.
 */
import type { Principal } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import type { Session } from "@dockline/core/Authenticator"
import type { MessageQuery } from "@dockline/core/MessageQuery"
import { mayRead } from "@dockline/core/Messages"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { defaultLiveConfig } from "../GraphqlConfig.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"

/** Why a connection has to end. */
export type EndReason = "expired" | "disabled" | "withdrawn" | "stopping"

/** Runs an effect that reads a page of history. */
export type PageRead = <A, E>(read: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** A connection of a client. */
export class LiveSession {
  #session: Session
  readonly #end: (reason: EndReason) => void
  readonly #leave: (session: LiveSession) => void
  readonly #followed = new Set<MessageQuery>()

  /** Reads a page of history, when it is this client's turn. To be held for no longer than the read takes. */
  readonly read: PageRead

  /** @internal */
  constructor(
    session: Session,
    end: (reason: EndReason) => void,
    leave: (session: LiveSession) => void,
    read: PageRead
  ) {
    this.#session = session
    this.#end = end
    this.#leave = leave
    this.read = read
  }

  /** Who is connected, with what it may do by the last look-up. */
  get session(): Session {
    return this.#session
  }

  /** Ends the connection once the client may not read this any more; until the returned function is called. */
  watch(query: MessageQuery): () => void {
    this.#followed.add(query)
    return () => void this.#followed.delete(query)
  }

  /** The connection is gone. */
  close(): void {
    this.#leave(this)
  }

  /** @internal */
  end(reason: EndReason): void {
    this.#leave(this)
    this.#end(reason)
  }

  /** @internal */
  update(principal: Principal): void {
    this.#session = { ...this.#session, principal }
    for (const query of this.#followed) if (!mayRead(principal, query)) return this.end("withdrawn")
  }
}

/** How many clients are looked up at once. */
const lookups = 4

/** How many pages of history are read at once. */
const reads = 32

/** How many of these for one client. */
const readsPerClient = 8

/** A connected client. */
interface Client {
  readonly sessions: Set<LiveSession>
  readonly reads: Semaphore.Semaphore
}

/** The connections of all clients. */
export class Sessions extends Context.Service<Sessions, {
  /** Adds a connection, whose `end` is called at most once; `undefined` when the client has as many as it may have. */
  readonly open: (session: Session, end: (reason: EndReason) => void) => LiveSession | undefined
  /** Ends all connections, as the service stops. */
  readonly endAll: Effect.Effect<void>
}>()("@dockline/graphql-adapter/Sessions") {
  /** Looks after connections as long as the layer lives. */
  static readonly layer = (
    config: LiveConfig = defaultLiveConfig
  ): Layer.Layer<Sessions, never, Authenticator> =>
    Layer.effect(
      Sessions,
      Effect.gen(function*() {
        const authenticator = yield* Authenticator
        const byClient = new Map<string, Client>()
        const allReads = Semaphore.makeUnsafe(reads)

        const endAll = (clientId: string, reason: EndReason) =>
          Effect.sync(() => byClient.get(clientId)?.sessions.forEach((session) => session.end(reason)))

        const recheck = (clientId: string) =>
          authenticator.current(clientId).pipe(
            Effect.flatMap((principal) =>
              Effect.sync(() => {
                byClient.get(clientId)?.sessions.forEach((session) => session.update(principal))
              })
            ),
            Effect.catchTags({
              Unauthenticated: () => endAll(clientId, "disabled"),
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

        // A loop of its own for each: a storage that answers slowly must not keep expired tokens alive.
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
          open: (session, end) => {
            const { clientId } = session.principal
            const client = byClient.get(clientId) ??
              { sessions: new Set(), reads: Semaphore.makeUnsafe(readsPerClient) }
            if (client.sessions.size >= config.connectionsPerClient) return undefined
            const leave = (left: LiveSession) => {
              client.sessions.delete(left)
              if (client.sessions.size === 0 && byClient.get(clientId) === client) byClient.delete(clientId)
            }
            const live = new LiveSession(
              session,
              end,
              leave,
              (read) => client.reads.withPermit(allReads.withPermit(read))
            )
            byClient.set(clientId, client)
            client.sessions.add(live)
            return live
          }
        })
      })
    )
}
