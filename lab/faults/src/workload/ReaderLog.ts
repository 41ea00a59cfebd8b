/**
 * One reader of the message log: where it stands, and the record of what it saw and was told.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "../../../Random.ts"
import { messageTypes, tagsOf } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import { asList, asRecord } from "../Json.ts"
import { Client } from "./WorkloadClient.ts"
import type { Account, Site } from "./WorkloadClient.ts"

/** Who reads what. */
export interface Reading {
  readonly reader: string
  readonly account: Account
  /** `null` for all of the business. */
  readonly facility: string | null
  /** The types that it asks for, if not for all. */
  readonly types?: ReadonlyArray<string>
}

/** What waiting does not cure. */
const lasting = new Set([
  "FORBIDDEN",
  "NOT_FOUND",
  "BAD_USER_INPUT",
  "GRAPHQL_VALIDATION_FAILED"
])

/** Who reads, and where it stands. */
export class ReaderLog {
  readonly reading: Reading
  readonly site: Site
  readonly client: Client
  readonly random: Random
  readonly signal: AbortSignal
  afterId = 0
  /** Whether it is no longer restarted. */
  isSteady = false
  /** How long it sleeps at most before it asks again, in milliseconds. */
  readonly #longestSleep: number

  constructor(reading: Reading, site: Site, random: Random, signal: AbortSignal, longestSleep = 0) {
    this.reading = reading
    this.#longestSleep = longestSleep
    this.site = site
    this.random = random
    this.signal = signal
    this.client = new Client(site, reading.account, random)
    const { account, facility, reader, types } = reading
    site.recorder.record({
      type: "reader",
      reader,
      client: account.clientId,
      business: account.business,
      facility,
      ...(types === undefined ? {} : { types })
    })
  }

  get filter() {
    const { account, facility } = this.reading
    return {
      businessSlug: account.business,
      facilitySlug: facility,
      messageTypes,
      afterId: this.afterId
    }
  }

  /** A message was handed over. */
  saw(value: unknown): void {
    const record = asRecord(value)
    const id = Number(record["id"])
    this.site.recorder.record({
      type: "seen",
      reader: this.reading.reader,
      id,
      business: String(record["businessSlug"]),
      facility: String(record["facilitySlug"]),
      messageType: String(record["messageType"]),
      digest: digestOf(record["message"]),
      tags: tagsOf(JSON.stringify(record))
    })
    this.afterId = id
  }

  /** Where the history stands. */
  get now(): number {
    return this.site.recorder.history.length
  }

  /**
   * Something was said to what was asked then: that messages were dropped, that a cursor is beyond the log, or what a
   * reader is not to be told.
   */
  heard(faults: unknown, asked: number): void {
    for (const fault of asList(faults)) {
      const extensions = asRecord(asRecord(fault)["extensions"])
      const code = String(extensions["code"])
      if (code === "HISTORY_EXPIRED") this.skipTo(Number(extensions["droppedId"]), this.afterId)
      if (code === "CURSOR_AHEAD") this.isAhead(Number(extensions["newestId"]), asked)
      if (!lasting.has(code)) continue
      const text = `${code}: ${String(asRecord(fault)["message"])}`
      this.site.recorder.record({ type: "strange", client: this.reading.reader, text })
    }
  }

  /** It was told that messages were dropped by age, and goes on after them. */
  skipTo(droppedId: number, afterId: number): void {
    this.site.recorder.record({ type: "expired", reader: this.reading.reader, afterId, droppedId })
    this.afterId = droppedId
  }

  /** It was told that its cursor is beyond the newest id. */
  isAhead(newestId: number, asked: number): void {
    const { afterId, reading: { reader } } = this
    this.site.recorder.record({ type: "ahead", reader, afterId, newestId, asked })
  }

  /** Calls `restart` after some time, as customers are restarted too; returns what keeps it from that. */
  restartLater(restart: () => void): () => void {
    const timer = setTimeout(() => {
      if (!this.isSteady) restart()
    }, this.random.int(1000, 12_000))
    return () => clearTimeout(timer)
  }

  /** Sleeps, as a customer who is away for some time, unless it is steady. */
  async sleep(): Promise<void> {
    if (!this.isSteady && this.#longestSleep > 0) await this.pause(this.#longestSleep)
  }

  /** Waits, unless it is over. */
  async pause(longestMillis: number): Promise<void> {
    await wait(this.random.int(0, longestMillis), undefined, { signal: this.signal }).catch(() => {})
  }
}
