/**
 * The messages between the benchmark and the process that takes deliveries.
 */

/** Forgets what came and counts anew, or tells what came. */
export type SinkCommand =
  | {
    readonly reset: {
      /** Deliveries, repeats not counted, after which it says so. */
      readonly expect: number
    }
  }
  | { readonly report: true }

/** What it says by itself, and its answers. */
export type SinkEvent =
  | { readonly port: number }
  | { readonly done: Report | null }
  /** The first delivery since it was reset has come. */
  | { readonly first: number }
  /** All that are expected have come; when the last did. */
  | { readonly reached: number }
  | { readonly fault: string }

/** What has come since it was reset. Times are of the machine's monotonic clock, in milliseconds. */
export interface Report {
  /** By base path and message id, `/e7 4711`: when it came first. */
  readonly arrivals: ReadonlyArray<readonly [key: string, at: number]>
  /** Deliveries of what had come before. */
  readonly repeats: number
  /** Bytes of the first request, head and body. */
  readonly bytes: number
}

/** Deliveries below this path are taken and never answered. */
export const hangPath = "/hang"
