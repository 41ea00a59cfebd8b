/** The settings of the webhook adapter, with their defaults. Only the composing program reads the environment. */
import { Data } from "effect"

/** The retry schedule of a delivery, and the time after which a failing endpoint is disabled. */
export interface RetrySettings {
  /** The wait after each failure, in milliseconds, varied by up to a fifth. After one more failure the delivery is dead. */
  readonly retryDelays: ReadonlyArray<number>
  /** The time for which an endpoint may fail before it is disabled, in milliseconds. */
  readonly failingMillis: number
}

/** Settings of the webhook adapter. */
export interface WebhookConfig extends RetrySettings {
  /** The time limit for the answer of a customer to a delivery, in milliseconds (D9.3). */
  readonly timeoutMillis: number
  /** The most deliveries in flight to one endpoint. */
  readonly concurrency: number
  /**
   * The most deliveries in flight to all endpoints together, not counting endpoints that hang. Endpoints share the number evenly; each may
   * have `cautiousConcurrency` deliveries in any case.
   */
  readonly totalConcurrency: number
  /** The most deliveries in flight to an endpoint at first and while it fails; each success adds one. */
  readonly cautiousConcurrency: number
  /** The header `User-Agent` of deliveries (D9.5). */
  readonly userAgent: string
  /** The longest time between two look-ups of the dispatcher, in milliseconds. */
  readonly pollMillis: number
  /** The most messages of one endpoint that are held in memory. */
  readonly windowMessages: number
  /**
   * The most characters of one endpoint that are held in memory, in payloads and in answers that are not written yet. A single message may
   * be larger.
   */
  readonly windowCharacters: number
  /** The most characters that all endpoints of this process hold together. */
  readonly totalCharacters: number
  /** The time after its last contact with the storage for which a process still begins deliveries, in milliseconds. */
  readonly leaseMillis: number
  /** The duration of a delivery after which the deliveries that wait for it are postponed, in milliseconds. */
  readonly stallMillis: number
  /** The time for deliveries in flight to end when the service stops, in milliseconds. */
  readonly drainMillis: number
  /** The most idle endpoints that are kept open, with their keys and tokens. */
  readonly idleEndpoints: number
}

/** A setting of this adapter cannot be used. The message names the setting and how to correct it. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{
  readonly setting: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.setting}: ${this.reason}`
  }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The defaults, as D9 defines them. */
export const defaultWebhookConfig: WebhookConfig = {
  timeoutMillis: 15 * second,
  concurrency: 32,
  totalConcurrency: 1024,
  cautiousConcurrency: 4,
  userAgent: "Dockline/0.1.0",
  pollMillis: 500,
  windowMessages: 1000,
  windowCharacters: 4 * 1024 * 1024,
  totalCharacters: 64 * 1024 * 1024,
  leaseMillis: 10 * second,
  stallMillis: second,
  drainMillis: 8 * second,
  idleEndpoints: 2000,
  retryDelays: [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)],
  failingMillis: 5 * 24 * hour
}
