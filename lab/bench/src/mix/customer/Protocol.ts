/**
 * The messages between the benchmark and the process that stands for the customers: their webhook endpoints and the
 * programs that follow the log.
 */

/** How an endpoint behaves: it takes everything, refuses one in twenty for a second, or fails always. */
export const behaviours = ["good", "flaky", "failing"] as const

/** How an endpoint behaves. */
export type Behaviour = (typeof behaviours)[number]

/** The signing secret of every endpoint. */
export const signingSecret = `whsec_${Buffer.alloc(32, 11).toString("base64")}`

/** Programs that follow the log. */
export interface Following {
  readonly ports: ReadonlyArray<number>
  /** How many; each connects to one of the instances. */
  readonly followers: number
  /** Milliseconds that one stays connected, on average; `null`: until the server ends it. */
  readonly stay: number | null
  /** Where the token of `acme-client` comes from. */
  readonly baseUrl: string
}

/** What the process is told. */
export type CustomerCommand =
  | { readonly follow: Following }
  | { readonly seen: true }
  /** Nobody leaves by himself any more. */
  | { readonly settle: true }
  | { readonly leave: true }

/** What one endpoint or follower has had. */
export interface Had {
  readonly name: string
  /** Different ids. */
  readonly messages: number
  readonly firstId: number
  readonly lastId: number
  /** Deliveries of what had been delivered before; a follower's are faults. */
  readonly repeats: number
}

/** What has come so far. */
export interface Seen {
  readonly port: number
  readonly endpoints: ReadonlyArray<Had>
  readonly followers: ReadonlyArray<Had>
  /** Connections that followers have made. */
  readonly connections: number
  /** Connections that the server has ended with the code of an expired token. */
  readonly expired: number
  /** Connections that the server has refused, or ended as they were too slow or too many; or that broke. */
  readonly refused: number
  /** What must not be, the first ones: order, signature, protocol. */
  readonly faults: ReadonlyArray<string>
}
