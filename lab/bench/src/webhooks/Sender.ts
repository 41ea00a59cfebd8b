/** What a sender of the webhook benchmark does: it stores messages and delivers them, as its parent process asks. */
import { timed } from "../graphql/Workload.ts"
import type { Appended } from "../graphql/Workload.ts"
import { serve } from "../Serve.ts"

/** What a sender is told. Messages are numbered within a run. */
export type SenderCommand =
  /** Answered once it has its endpoint. */
  | { readonly ready: true }
  /** Stores so many messages as a backlog. */
  | { readonly fill: number }
  /** Starts to deliver what is stored and what will be. */
  | { readonly go: true }
  /** Stores one message, in a transaction of its own; answered with what {@link timed} says. */
  | { readonly one: number }

/** What a contestant can do. */
interface Able {
  /** Stores the messages of these numbers, some hundreds. */
  readonly fill: (numbers: ReadonlyArray<number>) => Promise<void>
  readonly go: () => Promise<void>
  /** Returns the message's id once it is committed. */
  readonly one: (n: number) => Promise<number>
}

/** Messages that are stored at once. */
const batch = 500

/** Does what the parent process says. */
export const listen = ({ fill, go, one }: Able): void =>
  serve(async (command: SenderCommand): Promise<Appended | void> => {
    if ("one" in command) return timed(() => one(command.one))
    if ("go" in command) return go()
    if ("ready" in command) return
    for (let from = 0; from < command.fill; from += batch) {
      const length = Math.min(batch, command.fill - from)
      await fill(Array.from({ length }, (_, at) => from + at))
    }
  })
