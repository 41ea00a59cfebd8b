/**
 * The settings of the webhook adapter, with their defaults. Only the composing program reads the environment.
 */
import type { RetrySettings } from "./dispatch/Retry.ts"

/** How an endpoint that cannot be signed in to is waited for (D9.3), in milliseconds. */
export interface LoginDelays {
  /** After the first failure; doubled with each further one. */
  readonly first: number
  readonly most: number
}

/** Settings of the webhook adapter. */
export interface WebhookConfig extends RetrySettings {
  /** How long a customer may take to answer a delivery, in milliseconds (D9.3). */
  readonly timeoutMillis: number
  /** The most deliveries on their way to one endpoint. */
  readonly concurrency: number
  /**
   * How many are on their way to all endpoints together, but for those that hang. It is shared evenly; each endpoint
   * may have the cautious number all the same.
   */
  readonly totalConcurrency: number
  /** How many are on their way to an endpoint at first, and while it fails; each success adds one. */
  readonly cautiousConcurrency: number
  /** What deliveries name as their sender (D9.5). */
  readonly userAgent: string
  /** How often it is looked for work without a call, in milliseconds. */
  readonly pollMillis: number
  /** The most messages of one endpoint that are held in memory. */
  readonly windowMessages: number
  /**
   * The most payload of one endpoint that is held in memory, in characters, with the answers that are to be written;
   * one message may be larger.
   */
  readonly windowText: number
  /** The same for all endpoints of this process. */
  readonly totalText: number
  /** How long after the last contact with the storage deliveries are still begun, in milliseconds. */
  readonly leaseMillis: number
  /** How long a delivery may be on its way before what waits behind it is put off, in milliseconds. */
  readonly stallMillis: number
  /** How long deliveries on their way may take to end as the service stops, in milliseconds. */
  readonly drainMillis: number
  /** The most endpoints without work that are kept open, with their keys and tokens. */
  readonly idleEndpoints: number
  readonly loginDelays: LoginDelays
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** As D9 has it. */
export const defaultWebhookConfig: WebhookConfig = {
  timeoutMillis: 15 * second,
  concurrency: 32,
  totalConcurrency: 1024,
  cautiousConcurrency: 4,
  userAgent: "Dockline/0.1.0",
  pollMillis: 500,
  windowMessages: 1000,
  windowText: 4 * 1024 * 1024,
  totalText: 64 * 1024 * 1024,
  leaseMillis: 10 * second,
  stallMillis: second,
  drainMillis: 8 * second,
  idleEndpoints: 2000,
  loginDelays: { first: 5 * second, most: 5 * minute },
  retryDelays: [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour
  ],
  failingMillis: 5 * 24 * hour
}
