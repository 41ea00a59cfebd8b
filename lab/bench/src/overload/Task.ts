/**
 * The messages between the process of the generator of mixed load and that of the benchmark.
 */

/** The tokens of the two clients that send the mix. */
export interface Tokens {
  /** Sends documents and reads. */
  readonly customer: string
  /** Sends pallet events and steps. */
  readonly tower: string
}

/** How clients react to a refusal: a polite one is silent for as long as `Retry-After` says, a rude one continues. */
export type Manners = "polite" | "rude"

/** The load at the beginning. It continues until the process is told to stop. */
export interface MixTask {
  readonly port: number
  readonly tokens: Tokens
  /** Requests a second that become due, whatever happens to earlier ones. */
  readonly rate: number
  readonly manners: Manners
  /** Clients that share the requests: a polite one is silent only for itself. */
  readonly clients: number
  /** The most connections. */
  readonly connections: number
  /** How long a request may take from when it was due, in milliseconds. */
  readonly timeoutMillis: number
}

/** The counts since the last tally. */
export interface Tally {
  readonly seconds: number
  /** Requests that became due. */
  readonly due: number
  /** The number that polite clients left out, because they had been told to wait. */
  readonly held: number
  readonly good: number
  /** Answers 429 and 503 with `Retry-After`. */
  readonly refused: number
  /** Requests without an answer in time. */
  readonly timeouts: number
  /** Every other answer, and connections that broke. */
  readonly errors: number
  /** The first of those, for the message. */
  readonly firstError: string | null
  /** Milliseconds of good answers, from when the request was due to the last byte of its answer. */
  readonly p50: number
  readonly p99: number
  /** Requests in flight now. */
  readonly inFlight: number
}

/** A command to the process. `stop` is answered once nothing is in flight any more; then it may begin again. */
export type MixCommand = { readonly begin: MixTask } | { readonly tally: true } | { readonly stop: true }
