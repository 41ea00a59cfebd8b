/** What the harness and the attacker tell each other. */

/** What the attacker is told first. */
export interface FloodOptions {
  readonly port: number
  /** `undefined`: the sockets that would introduce themselves stay away. */
  readonly token: string | undefined
}

/** What it is told at the end. */
export const over = "over"

/** What it did, as it tells then. */
export interface FloodResult {
  readonly frames: number
  readonly sockets: number
}
