/** One reader of the message log: its position, and the record of the messages and errors that it got. */
import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "../../../Random.ts"
import { messageTypes, tagsOf } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import { asList, asRecord } from "../Json.ts"
import { Client } from "./Client.ts"
import type { Site } from "./Client.ts"

/** A reader and its selection: all facilities if the facility is null, and all types if none are named. */
interface Reading {
  readonly reader: string
  readonly client: string
  readonly business: string
  readonly facility: string | null
  readonly types?: ReadonlyArray<string> | undefined
}

/** Errors that do not pass by waiting. */
const lasting = new Set(["FORBIDDEN", "NOT_FOUND", "BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED"])

/** A reader and its position. */
export class ReaderLog {
  readonly reading: Reading
  readonly client: Client
  readonly random: Random
  readonly signal: AbortSignal
  afterId = 0
  /** Whether it is no longer restarted. */
  isSteady = false
  /** The longest sleep before the next request, in milliseconds. */
  readonly #longestSleep: number

  constructor(reading: Reading, site: Site, random: Random, signal: AbortSignal, longestSleep: number) {
    const { business, client, facility } = reading
    this.reading = reading
    this.#longestSleep = longestSleep
    this.random = random
    this.signal = signal
    this.client = new Client(site, { clientId: client, business, facility: facility ?? "" }, random)
    site.recorder.record({ type: "reader", ...reading })
  }

  get filter() {
    const { business, facility } = this.reading
    return { businessSlug: business, facilitySlug: facility, messageTypes, afterId: this.afterId }
  }

  /** The present position of the history. */
  get now(): number {
    return this.client.site.recorder.history.length
  }

  /** A message was handed over. */
  saw(value: unknown): void {
    const { businessSlug, facilitySlug, id, message, messageType } = asRecord(value)
    this.client.site.recorder.record({
      type: "seen",
      reader: this.reading.reader,
      id: Number(id),
      business: String(businessSlug),
      facility: String(facilitySlug),
      messageType: String(messageType),
      digest: digestOf(message),
      tags: tagsOf(JSON.stringify(value))
    })
    this.afterId = Number(id)
  }

  /**
   * Records the errors for a request that was sent at a position of the history: messages have expired, the cursor is beyond the log, or
   * an unexpected error.
   */
  heard(faults: unknown, asked: number): void {
    for (const fault of asList(faults)) {
      const { extensions, message } = asRecord(fault)
      const { code, droppedId, newestId } = asRecord(extensions)
      if (code === "HISTORY_EXPIRED") this.skipTo(Number(droppedId), this.afterId)
      if (code === "CURSOR_AHEAD") this.isAhead(Number(newestId), asked)
      if (lasting.has(String(code))) this.isStrange(`${String(code)}: ${String(message)}`)
    }
  }

  /** It got an unexpected error. */
  isStrange(text: string): void {
    this.client.site.recorder.record({ type: "strange", client: this.reading.reader, text })
  }

  /** It learned that messages have expired, and continues after them. */
  skipTo(droppedId: number, afterId: number): void {
    this.client.site.recorder.record({ type: "expired", reader: this.reading.reader, afterId, droppedId })
    this.afterId = droppedId
  }

  /** It learned that its cursor is beyond the newest id. */
  isAhead(newestId: number, asked: number): void {
    const { afterId, reading: { reader } } = this
    this.client.site.recorder.record({ type: "ahead", reader, afterId, newestId, asked })
  }

  /** Calls `restart` after some time, as customers restart their programs; returns a function that cancels this. */
  restartLater(restart: () => void): () => void {
    const timer = setTimeout(() => {
      if (!this.isSteady) restart()
    }, this.random.int(1000, 12_000))
    return () => clearTimeout(timer)
  }

  /** Sleeps, like a customer that is offline for some time, unless it is steady. */
  async sleep(): Promise<void> {
    if (!this.isSteady && this.#longestSleep > 0) await this.pause(this.#longestSleep)
  }

  /** Waits for a random time, unless the run is over. */
  async pause(longestMillis: number): Promise<void> {
    await wait(this.random.int(0, longestMillis), undefined, { signal: this.signal }).catch(() => {})
  }
}
