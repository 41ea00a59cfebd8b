/**
 * PostgreSQL's protocol as far as a proxy has to know it: where the messages of a server begin and end, and which of
 * them say that something has been committed.
 */

const encryptionRequests: ReadonlySet<number> = new Set([80_877_103, 80_877_104])
const [commandComplete, readyForQuery, idle] = ["C", "Z", "I"].map((letter) => letter.charCodeAt(0))

/** Whether a message says that some statement has been executed. */
export const isComplete = (message: Buffer): boolean => message[0] === commandComplete

/** Whether it says that COMMIT has been executed. */
export const isCommitted = (message: Buffer): boolean =>
  isComplete(message) && message.toString("latin1", 5, 12) === "COMMIT\0"

/** Whether it ends what was asked for. */
export const isEnd = (message: Buffer): boolean => message[0] === readyForQuery

/** Whether it ends what was asked for, outside of a transaction: everything done so far is committed. */
export const isIdle = (message: Buffer): boolean => isEnd(message) && message[5] === idle

/** Cuts what a server sends into messages, each with its first byte and its length. */
export class ServerFrames {
  #rest: Buffer = Buffer.alloc(0)
  #singleBytes = 0

  /** Looks at what a client sends: the answer to a question for encryption is one byte and no message. */
  asked(chunk: Buffer): void {
    if (chunk.length === 8 && encryptionRequests.has(chunk.readUInt32BE(4))) this.#singleBytes++
  }

  /** The messages that are whole with these bytes. */
  push(chunk: Buffer): ReadonlyArray<Buffer> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Array<Buffer> = []
    while (this.#rest.length > 0) {
      const isSingle = this.#singleBytes > 0
      const length = isSingle ? 1 : this.#rest.length < 5 ? Infinity : 1 + this.#rest.readUInt32BE(1)
      if (length > this.#rest.length) break
      if (isSingle) this.#singleBytes--
      messages.push(this.#rest.subarray(0, length))
      this.#rest = this.#rest.subarray(length)
    }
    return messages
  }
}
