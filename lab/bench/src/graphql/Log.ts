/**
 * Our message log as the peers use it: the storage part of every contestant is the same code.
 */
import type { Grant } from "@dockline/core/access/Access"
import type { Message, MessageDraft } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Messages } from "@dockline/core/messages/Messages"
import type { HistoryRequest } from "@dockline/core/messages/Messages"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { serve } from "../Serve.ts"
import { clientId, draftOf, query, timed } from "./Workload.ts"

/** The log of a database, by promises. */
export interface Log {
  /** Reads as `pushMessages` does, permission, place and limit checked. */
  readonly history: (request: HistoryRequest, grants: ReadonlyArray<Grant>) => Promise<ReadonlyArray<Message>>
  /** Whether what the benchmark follows may be read. */
  readonly authorize: (grants: ReadonlyArray<Grant>) => Promise<void>
  readonly append: (drafts: ReadonlyArray<MessageDraft>) => Promise<ReadonlyArray<Message>>
  /** Passes every message from now on to one function: one cursor, whoever listens behind it. */
  readonly tail: (publish: (message: Message) => void) => Promise<void>
  readonly close: () => Promise<void>
}

/** How many messages may wait for the one cursor, which never waits itself. */
const tailBuffer = 100_000

/** Opens the log in the migrated database at the URL. */
export const openLog = async (url: string, connections: number): Promise<Log> => {
  const runtime = ManagedRuntime.make(
    Messages.layer().pipe(
      Layer.provideMerge(Sql.layer),
      Layer.provide(Database.layer({
        ...Database.defaultDatabaseConfig,
        maxConnections: connections,
        url: Redacted.make(url)
      }))
    )
  )
  const [log, messages] = await runtime.runPromise(Effect.all([MessageLog, Messages]))
  const scope = Scope.makeUnsafe()
  return {
    history: (request, grants) => runtime.runPromise(messages.history(request, { clientId, grants })),
    authorize: (grants) => runtime.runPromise(messages.authorize(query, { clientId, grants })),
    append: (drafts) => runtime.runPromise(log.append(drafts)),
    tail: async (publish) => {
      const follower = await runtime.runPromise(
        Scope.provide(log.follow(query, { afterId: undefined, buffer: tailBuffer }), scope)
      )
      const pump = () => {
        const ready = follower.takeNow()
        if (ready === undefined) return void runtime.runPromise(follower.next).catch(fail)
        ready.forEach(publish)
        follower.onReady(pump)
      }
      follower.onReady(pump)
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await runtime.dispose()
    }
  }
}

/** Without its feed a contestant has nothing to send; its process ends, and the benchmark says so. */
const fail = (error: unknown): never => {
  throw error
}

/** Asks a server for the n-th message to be appended, in a transaction of its own. */
export interface AppendCommand {
  readonly append: number
}

/** Appends what the parent process asks for, as many at once as are asked. */
export const appendForParent = (append: Log["append"]): void =>
  serve(({ append: n }: AppendCommand) => timed(async () => (await append([draftOf(n)]))[0]!.id))
