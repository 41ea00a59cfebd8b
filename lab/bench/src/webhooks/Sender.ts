/** A sender of the webhook benchmark: it stores messages and delivers them on command of its parent process. */
import { timed } from "../graphql/Workload.ts"
import type { Appended } from "../graphql/Workload.ts"
import { serve } from "../Serve.ts"

/** The commands to a sender. Messages are numbered within a run. */
export type SenderCommand =
  /** Answered once it has its endpoint. */
  | { readonly ready: true }
  /** Stores a number of messages as a backlog. */
  | { readonly fill: number }
  /** Starts to deliver stored and new messages. */
  | { readonly go: true }
  /** Stores one message, in a separate transaction; answered with the result of {@link timed}. */
  | { readonly one: number }

/** The functions of a contestant. */
interface Able {
  /** Stores the messages with these numbers, some hundreds. */
  readonly fill: (numbers: ReadonlyArray<number>) => Promise<void>
  readonly go: () => Promise<void>
  /** Returns the message's id once it is committed. */
  readonly one: (n: number) => Promise<number>
}

/** Messages that are stored at once. */
const batch = 500

/** Carries out the commands of the parent process. */
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
