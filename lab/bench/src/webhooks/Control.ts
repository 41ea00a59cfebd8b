/**
 * How the benchmark drives a sender: over the channel between the two processes.
 */
import { clock } from "./Workload.ts"

/** What a sender is told. Messages are numbered within a run. */
export type Command =
  /** Stores messages as a backlog. */
  | { readonly fill: { readonly from: number; readonly count: number } }
  /** Starts to deliver what is stored and what will be. */
  | { readonly go: true }
  /** Stores one message, in a transaction of its own. */
  | { readonly one: number }

/** One message was stored. */
export interface Enqueued {
  readonly enqueued: number
  /** The number in its `webhook-id`. */
  readonly id: number
  readonly startedAt: number
  readonly endedAt: number
}

/** What a sender says. */
export type SenderEvent = { readonly done: "ready" | "fill" | "go" } | Enqueued | { readonly fault: string }

/** What a contestant can do. */
export interface Sender {
  readonly fill: (from: number, count: number) => Promise<void>
  readonly go: () => Promise<void>
  /** Returns the message's id once it is committed. */
  readonly one: (n: number) => Promise<number>
}

const say = (event: SenderEvent): void => void process.send!(event)

/** Does what the parent process says. A failure ends the benchmark. */
export const listen = (sender: Sender): void => {
  const run = async (command: Command): Promise<SenderEvent> => {
    if ("fill" in command) {
      await sender.fill(command.fill.from, command.fill.count)
      return { done: "fill" }
    }
    if ("go" in command) {
      await sender.go()
      return { done: "go" }
    }
    const startedAt = clock()
    const id = await sender.one(command.one)
    return { enqueued: command.one, id, startedAt, endedAt: clock() }
  }
  process.on(
    "message",
    (command) => void run(command as Command).then(say, (error: unknown) => say({ fault: String(error) }))
  )
  say({ done: "ready" })
}

/** A setting from the environment. */
export const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

/** The base URLs of the endpoints. */
export const endpoints = (): ReadonlyArray<string> =>
  JSON.parse(setting("ENDPOINTS")) as ReadonlyArray<string>
