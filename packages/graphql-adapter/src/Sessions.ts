/**
 * The connections that outlive the request that opened them: whether their token still holds, and whether the client
 * may still read what it follows.
 *
 * Guarantee: a connection ends within 5 s of its token expiring, its client being disabled, or the permission for
 * something that it follows being withdrawn (D8.7). Each connected client is looked up once a round, however many
 * connections it has; while it cannot be looked up its connections stay.
 */
import type { Principal } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import type { Session } from "@dockline/core/Authenticator"
import type { MessageQuery } from "@dockline/core/MessageLog"
import { mayRead } from "@dockline/core/Messages"
import { Clock, Context, Effect, Layer } from "effect"
import { defaultLiveConfig } from "./GraphqlConfig.ts"
import type { LiveConfig } from "./GraphqlConfig.ts"

/** Why a connection has to end. */
export type EndReason = "expired" | "disabled" | "withdrawn" | "stopping"

/** A connection of a client. */
export class LiveSession {
  #session: Session
  readonly #end: (reason: EndReason) => void
  readonly #leave: (session: LiveSession) => void
  readonly #followed = new Set<MessageQuery>()

  /** @internal */
  constructor(session: Session, end: (reason: EndReason) => void, leave: (session: LiveSession) => void) {
    this.#session = session
    this.#end = end
    this.#leave = leave
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
        const byClient = new Map<string, Set<LiveSession>>()

        const endAll = (clientId: string, reason: EndReason) =>
          Effect.sync(() => byClient.get(clientId)?.forEach((session) => session.end(reason)))

        const recheck = (clientId: string) =>
          authenticator.current(clientId).pipe(
            Effect.flatMap((principal) =>
              Effect.sync(() => byClient.get(clientId)?.forEach((session) => session.update(principal)))
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
          for (const sessions of byClient.values()) {
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
            for (const sessions of byClient.values()) sessions.forEach((session) => session.end("stopping"))
          }),
          open: (session, end) => {
            const { clientId } = session.principal
            const sessions = byClient.get(clientId) ?? new Set()
            if (sessions.size >= config.connectionsPerClient) return undefined
            const live = new LiveSession(session, end, (left) => {
              sessions.delete(left)
              if (sessions.size === 0 && byClient.get(clientId) === sessions) byClient.delete(clientId)
            })
            byClient.set(clientId, sessions.add(live))
            return live
          }
        })
      })
    )
}
