/**
 * Ends a connection within 5 s of its token expiring, its session being ended, its client being disabled, or a permission
 * being withdrawn (D8.7, D14.4). Connections stay while their client cannot be looked up. The pages of history that are read at once are
 * bounded, for a client and in all.
 */
import type { Principal } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import type { Session } from "@dockline/core/Authenticator"
import type { MessageQuery } from "@dockline/core/MessageQuery"
import { mayRead } from "@dockline/core/Messages"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { defaultLiveConfig } from "../GraphqlConfig.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { PageRead } from "../schema/MessageStream.ts"

export type EndReason = "expired" | "disabled" | "withdrawn" | "stopping"

export class LiveSession {
  /** Reads a page of history when it is this client's turn; hold it no longer than the read takes. */
  readonly read: PageRead
  #session: Session
  readonly #end: (reason: EndReason) => void
  readonly #leave: (session: LiveSession) => void
  readonly #followed = new Set<MessageQuery>()

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

  /** The session, with the grants of the last look-up. */
  get session(): Session {
    return this.#session
  }

  /** Ends the connection when the client may not read the messages any more, until the returned function is called. */
  watch(query: MessageQuery): () => void {
    this.#followed.add(query)
    return () => void this.#followed.delete(query)
  }

  close(): void {
    this.#leave(this)
  }

  end(reason: EndReason): void {
    this.#leave(this)
    this.#end(reason)
  }

  update(principal: Principal): void {
    this.#session = { ...this.#session, principal }
    for (const query of this.#followed) if (!mayRead(principal, query)) return this.end("withdrawn")
  }
}

const lookups = 4

const reads = 32

/** The most of these for one client. */
const readsPerClient = 8

interface Client {
  readonly sessions: Set<LiveSession>
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

        const each = (clientId: string, act: (session: LiveSession) => void) =>
          Effect.sync(() => byClient.get(clientId)?.sessions.forEach(act))

        /** Ends the connections of sessions that hold no longer. */
        const recheckHeld = (clientId: string) =>
          Effect.forEach(
            Array.from(byClient.get(clientId)?.sessions ?? []),
            (live) =>
              Effect.map(live.session.holds ?? Effect.succeed(true), (holds) => {
                if (!holds) live.end("disabled")
              }),
            { discard: true }
          )

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
