/**
 * What the generator of mixed load is told and what it tells: the messages between its process and the benchmark's.
 */

/** Tokens of the two clients that the mix is sent by. */
export interface Tokens {
  /** Sends documents and reads. */
  readonly customer: string
  /** Sends what the towers see. */
  readonly tower: string
}

/** How clients take a refusal: a polite one is silent for as long as `Retry-After` says, a rude one sends on. */
export type Manners = "polite" | "rude"

/** The load to begin with. It goes on until the process is told to stop. */
export interface MixTask {
  readonly port: number
  readonly tokens: Tokens
  /** Requests a second that fall due, whatever becomes of those before. */
  readonly rate: number
  readonly manners: Manners
  /** Clients that the requests are shared among: one that is polite is silent for itself alone. */
  readonly clients: number
  /** The most connections. */
  readonly connections: number
  /** How long a request may take from when it was due, in milliseconds. */
  readonly timeoutMillis: number
}

/** What happened since the last tally. */
export interface Tally {
  readonly seconds: number
  /** Requests that fell due. */
  readonly due: number
  /** Those of them that a polite client left out, as it had been told to wait. */
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

/** What the process is told. `stop` is answered once nothing is in flight any more; then it may begin anew. */
export type MixCommand = { readonly begin: MixTask } | { readonly tally: true } | { readonly stop: true }
