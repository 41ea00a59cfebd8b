/**
 * How the benchmark has a server append messages: over the channel between the two processes.
 */
import type { Message, MessageDraft } from "@dockline/core/Message"
import { clock, draftOf } from "./Workload.ts"

/** Asks for the n-th message to be appended. */
export interface AppendCommand {
  readonly append: number
}

/** A message has been committed. Times are of the machine's monotonic clock, in milliseconds. */
export interface Appended {
  readonly appended: number
  readonly id: number
  readonly startedAt: number
  readonly endedAt: number
}

/** Appends what the parent process asks for, each message in a transaction of its own, as many at once as are asked. */
export const listen = (
  append: (drafts: ReadonlyArray<MessageDraft>) => Promise<ReadonlyArray<Message>>
): void => {
  const run = async (n: number) => {
    const startedAt = clock()
    const [message] = await append([draftOf(n)])
    process.send!({ appended: n, id: message!.id, startedAt, endedAt: clock() } satisfies Appended)
  }
  process.on("message", (command) => void run((command as AppendCommand).append))
}
