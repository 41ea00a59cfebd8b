/**
 * PostgreSQL's protocol as far as a proxy has to know it: where the messages of a server begin and end, and which of
 * them say that a transaction has been committed.
 */

const encryptionRequests: ReadonlySet<number> = new Set([80_877_103, 80_877_104])

const kinds = { commandComplete: 0x43, readyForQuery: 0x5a } as const

/** A message of a server, with its first byte and its length. */
export class ServerMessage {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Whether it says that COMMIT has been executed. */
  get isCommitted(): boolean {
    return this.bytes[0] === kinds.commandComplete && this.bytes.toString("latin1", 5, 12) === "COMMIT\0"
  }

  /** Whether it says that some statement has been executed. */
  get isComplete(): boolean {
    return this.bytes[0] === kinds.commandComplete
  }

  /** Whether it ends what was asked for. */
  get isEnd(): boolean {
    return this.bytes[0] === kinds.readyForQuery
  }

  /** Whether it ends what was asked for, outside of a transaction: everything done so far is committed. */
  get isIdle(): boolean {
    return this.isEnd && this.bytes[5] === 0x49
  }
}

/** Cuts what a server sends into messages. */
export class ServerFrames {
  #rest: Buffer = Buffer.alloc(0)
  #singleBytes = 0

  /** Looks at what a client sends: the answer to a question for encryption is one byte and no message. */
  asked(chunk: Buffer): void {
    if (chunk.length === 8 && encryptionRequests.has(chunk.readUInt32BE(4))) this.#singleBytes++
  }

  /** The messages that are whole with these bytes. */
  push(chunk: Buffer): ReadonlyArray<ServerMessage> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Array<ServerMessage> = []
    let at = 0
    const take = (length: number) => {
      messages.push(new ServerMessage(this.#rest.subarray(at, at + length)))
      at += length
    }
    while (at < this.#rest.length) {
      if (this.#singleBytes > 0) {
        this.#singleBytes--
        take(1)
        continue
      }
      const length = at + 5 <= this.#rest.length ? 1 + this.#rest.readUInt32BE(at + 1) : Infinity
      if (at + length > this.#rest.length) break
      take(length)
    }
    this.#rest = this.#rest.subarray(at)
    return messages
  }
}
