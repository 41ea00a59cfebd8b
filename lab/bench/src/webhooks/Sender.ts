/** What a sender of the webhook benchmark does: it stores messages and delivers them, as its parent process asks. */
import { serve, setting } from "../Serve.ts"
import { clock } from "./Workload.ts"

/** What a sender is told. Messages are numbered within a run. */
export type SenderCommand =
  /** Answered once it has its endpoints. */
  | { readonly ready: true }
  /** Stores messages as a backlog. */
  | { readonly fill: number; readonly from: number }
  /** Starts to deliver what is stored and what will be. */
  | { readonly go: true }
  /** Stores one message, in a transaction of its own; answered with {@link Enqueued}. */
  | { readonly one: number }

/** One message was stored. Times are of the machine's monotonic clock, in milliseconds. */
export interface Enqueued {
  /** The number in its `webhook-id`. */
  readonly id: number
  readonly startedAt: number
  readonly endedAt: number
}

/** What a contestant can do. */
interface Able {
  readonly fill: (from: number, count: number) => Promise<void>
  readonly go: () => Promise<void>
  /** Returns the message's id once it is committed. */
  readonly one: (n: number) => Promise<number>
}

/** Does what the parent process says. */
export const listen = (sender: Able): void =>
  serve(async (command: SenderCommand): Promise<Enqueued | void> => {
    if ("fill" in command) return sender.fill(command.from, command.fill)
    if ("go" in command) return sender.go()
    if ("ready" in command) return
    const startedAt = clock()
    const id = await sender.one(command.one)
    return { id, startedAt, endedAt: clock() }
  })

/** The base URLs of the endpoints. */
export const endpoints = (): ReadonlyArray<string> =>
  JSON.parse(setting("ENDPOINTS")) as ReadonlyArray<string>
