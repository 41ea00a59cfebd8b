/**
 * Our message log for the peers: all contestants use the same storage code.
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

/** The log of a database, with promises. */
export interface Log {
  /** Reads like `pushMessages`, with checks of permission, place and limit. */
  readonly history: (request: HistoryRequest, grants: ReadonlyArray<Grant>) => Promise<ReadonlyArray<Message>>
  /** Checks that the followed log may be read. */
  readonly authorize: (grants: ReadonlyArray<Grant>) => Promise<void>
  readonly append: (drafts: ReadonlyArray<MessageDraft>) => Promise<ReadonlyArray<Message>>
  /** Passes every new message to one function, by one cursor. */
  readonly tail: (publish: (message: Message) => void) => Promise<void>
  readonly close: () => Promise<void>
}

/** The number of messages that may wait for the cursor, which never waits itself. */
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

/** Without its feed a contestant has nothing to send: its process ends, and the benchmark reports that. */
const fail = (error: unknown): never => {
  throw error
}

/** The command to append the n-th message, in a separate transaction. */
export interface AppendCommand {
  readonly append: number
}

/** Appends messages on command of the parent process, as many at once as it commands. */
export const appendForParent = (append: Log["append"]): void =>
  serve(({ append: n }: AppendCommand) => timed(async () => (await append([draftOf(n)]))[0]!.id))
