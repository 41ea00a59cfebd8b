/**
 * The ids of the operations of one socket: what the client calls them, and what `graphql-ws` does.
 *
 * Guarantee: a client may use an id again as soon as it has completed its operation, or was told of its end, whether or
 * not that operation is over on our side. `graphql-ws` tells operations apart by their ids until they are over, so one
 * that comes early goes by a name that is made up, and that nobody sees.
 */
import { parseMessage } from "graphql-ws"

/** A frame on its way to `graphql-ws`. */
export interface Incoming {
  readonly text: string
  /** What the frame has set going is over. */
  readonly release: () => void
}

const nothing = (): void => undefined

/** The longest of a frame's beginning that holds a name that was made up. */
const start = `{"id":"`

/** The ids of a socket. */
export class OperationIds {
  /** What `graphql-ws` calls the operations that the client may complete, by what the client calls them. */
  readonly #live = new Map<string, string>()
  /** What `graphql-ws` calls all that are not over. */
  readonly #used = new Set<string>()
  /** What the client calls those whose name was made up. */
  readonly #aliases = new Map<string, string>()

  /** What `graphql-ws` is to be given of a frame; `undefined` when it names anew an operation that is running. */
  incoming(text: string): Incoming | undefined {
    const frame = parse(text)
    if (frame?.type === "complete") {
      const { id } = frame
      const known = this.#live.get(id) ?? id
      this.#live.delete(id)
      // One that is over, or was completed before, is not to be taken for another one of that name.
      return { text: known === id ? text : JSON.stringify({ ...frame, id: known }), release: nothing }
    }
    if (frame?.type !== "subscribe") return { text, release: nothing }
    const { id } = frame
    if (this.#live.has(id)) return undefined
    const known = this.#used.has(id) ? crypto.randomUUID() : id
    this.#used.add(known)
    this.#live.set(id, known)
    if (known !== id) this.#aliases.set(known, id)
    return {
      text: known === id ? text : JSON.stringify({ ...frame, id: known }),
      release: () => {
        this.#used.delete(known)
        this.#aliases.delete(known)
        if (this.#live.get(id) === known) this.#live.delete(id)
      }
    }
  }

  /** What the client calls the operation that `graphql-ws` knows by this id. */
  clientId(known: string): string {
    return this.#aliases.get(known) ?? known
  }

  /** A frame of `graphql-ws`, as the client is to see it. */
  outgoing(text: string): string {
    if (this.#aliases.size === 0 || !text.startsWith(start)) return text
    const end = text.indexOf(`"`, start.length)
    const id = this.#aliases.get(text.slice(start.length, end))
    return id === undefined ? text : `{"id":${JSON.stringify(id)}${text.slice(end + 1)}`
  }
}

/** A frame of the protocol; what is none, `graphql-ws` refuses. */
const parse = (text: string) => {
  try {
    return parseMessage(text)
  } catch {
    return undefined
  }
}
