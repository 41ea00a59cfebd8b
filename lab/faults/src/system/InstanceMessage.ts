/** What the harness and an instance tell each other. */

/** By how many milliseconds the clock of an instance is wrong from now on. */
export interface ClockMessage {
  readonly offset: number
}

/** Whether something that was received is a {@link ClockMessage}. */
export const isClockMessage = (message: unknown): message is ClockMessage =>
  typeof message === "object" && message !== null && "offset" in message && typeof message.offset === "number"

/** Says that an instance has been loaded, and heeds signals. */
export const loaded = "loaded"
