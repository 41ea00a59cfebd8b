/**
 * The ids of events: a UUID of version 5 (RFC 9562) from the business, the message, and the number of the event among those of the message.
 */
import type { MessageId } from "@dockline/core/values/Id"
import { digest, hex, utf8 } from "@dockline/core/values/WebCrypto"
import { Effect } from "effect"

/** The namespace of the ids: the UUID of version 5 of the address `https://github.com/dockline/dockline/epcis`. */
const namespace = "e41af98a-bc98-5a8f-85c2-52b328fad640"

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The UUID of version 5 of a name in a namespace. */
export const uuidOf = (namespace: string, name: string): Effect.Effect<string> => {
  const space = bytesOf(namespace.replaceAll("-", ""))
  const text = utf8(name)
  const data = new Uint8Array(space.length + text.length)
  data.set(space)
  data.set(text, space.length)
  return Effect.map(digest("SHA-1", data), (whole) => {
    const bytes = whole.slice(0, 16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x50
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  })
}

/** The id of an event of a message of a business. */
export const eventIdOf = (business: string, messageId: MessageId, number: number): Effect.Effect<string> =>
  Effect.map(uuidOf(namespace, `${business}/${messageId}/${number}`), (uuid) => `urn:uuid:${uuid}`)
