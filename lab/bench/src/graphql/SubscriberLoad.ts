/**
 * The process of the subscribers. It connects when told to, says when a message has reached all, and what it has seen.
 */
import { Subscribers } from "./Subscribers.ts"
import type { Complete, Seen, SubscribersTask } from "./Subscribers.ts"

/** What the process is told. */
export type SubscriberCommand =
  | { readonly open: SubscribersTask }
  | { readonly reset: true }
  | { readonly lookInside: boolean }
  | { readonly report: true }

/** What the process tells: an answer to each command, and what happens in between. */
export type SubscriberEvent =
  | { readonly done: Seen | null }
  | Complete
  | { readonly fault: string }

const tell = (event: SubscriberEvent): void => {
  if (process.connected) process.send!(event)
}

const subscribers = new Subscribers(tell, (fault) => tell({ fault }))

const follow = async (command: SubscriberCommand): Promise<void> => {
  if ("open" in command) await subscribers.open(command.open)
  else if ("reset" in command) subscribers.reset()
  else if ("lookInside" in command) subscribers.lookInside(command.lookInside)
  tell({ done: "report" in command ? subscribers.seen : null })
}

process.on("message", (command) => {
  follow(command as SubscriberCommand).catch((error: unknown) => tell({ fault: String(error) }))
})
process.once("SIGTERM", () => {
  subscribers.close()
  process.disconnect()
})
