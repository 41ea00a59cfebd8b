/**
 * What the couriers of a process share, and whom they tell.
 */
import type { Timestamp } from "@dockline/core/Timestamp"
import type { Clock, Effect, Fiber, Random } from "effect"
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { Courier } from "./Courier.ts"
import type { EndpointAccesses } from "./EndpointAccess.ts"
import type { Send } from "./Sending.ts"

/** What all couriers of a process share. */
export interface Office {
  readonly config: WebhookConfig
  readonly clock: Clock.Clock
  readonly random: typeof Random.Random.Service
  readonly accesses: EndpointAccesses["Service"]
  readonly send: Send
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly askTake: (courier: Courier) => void
  readonly askSettle: (courier: Courier) => void
  /** A delivery or a login is due then. */
  readonly dueAt: (time: Timestamp) => void
  /** Characters that a courier holds more than before, or fewer. */
  readonly held: (difference: number) => void
  /** How many deliveries of a courier are on their way and move on, before and now. */
  readonly moving: (before: number, now: number) => void
  /** Whether a courier that has so many on their way may have one more, as far as the others are concerned. */
  readonly mayBegin: (sending: number) => boolean
  /** The courier has ended; whether because its endpoint has been opened by somebody else. */
  readonly left: (courier: Courier, lost: boolean) => void
}
