/** What all workers of a process share, and the calls by which they report to the dispatcher. */
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { Clock, Effect, Fiber, Random } from "effect"
import type { OperatorEvent } from "../OperatorEvents.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { OpenCredentials } from "./EndpointCredentials.ts"
import type { Send } from "./Sending.ts"

export interface WorkerHost<Worker> {
  readonly config: WebhookConfig
  readonly clock: Clock.Clock
  readonly random: typeof Random.Random.Service
  readonly openCredentials: OpenCredentials
  readonly send: Send
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Tells the operators of the service. */
  readonly tell: (event: OperatorEvent) => void
  readonly askTake: (worker: Worker) => void
  readonly askSettle: (worker: Worker) => void
  readonly dueAt: (time: Timestamp) => void
  readonly addHeldText: (difference: number) => void
  /** The deliveries of a worker that are under way and not hanging. */
  readonly moving: (before: number, now: number) => void
  /** Whether a worker that is sending this many deliveries may begin one more. */
  readonly mayBegin: (sending: number) => boolean
  /** `lost` when another dispatcher has opened the endpoint of the worker. */
  readonly leave: (worker: Worker, leaseLost: boolean) => void
}
