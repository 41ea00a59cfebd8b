/**
 * The part of PostgreSQL's protocol that a proxy needs: where the messages of a server begin and end, and which of them confirm a commit.
 */

const encryptionRequests: ReadonlySet<number> = new Set([80_877_103, 80_877_104])
const [commandComplete, readyForQuery, idle] = ["C", "Z", "I"].map((letter) => letter.charCodeAt(0))

/** Whether a message confirms that a statement was executed. */
export const isComplete = (message: Buffer): boolean => message[0] === commandComplete

/** Whether it confirms a COMMIT. */
export const isCommitted = (message: Buffer): boolean =>
  isComplete(message) && message.toString("latin1", 5, 12) === "COMMIT\0"

/** Whether it ends the answer to a request. */
export const isEnd = (message: Buffer): boolean => message[0] === readyForQuery

/** Whether it ends the answer to a request outside a transaction: all earlier work is committed. */
export const isIdle = (message: Buffer): boolean => isEnd(message) && message[5] === idle

/** Divides the bytes of a server into messages, each with its first byte and its length. */
export class ServerFrames {
  #rest: Buffer = Buffer.alloc(0)
  #singleBytes = 0

  /** Reads the bytes of a client: the answer to a request for encryption is one byte and not a message. */
  asked(chunk: Buffer): void {
    if (chunk.length === 8 && encryptionRequests.has(chunk.readUInt32BE(4))) this.#singleBytes++
  }

  /** The messages that these bytes complete. */
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
