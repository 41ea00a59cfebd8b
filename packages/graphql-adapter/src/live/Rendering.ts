/**
 * Renders messages for subscriptions. Those with the same document and variables share one execution and one
 * serialization of a message. A text that was dropped is rendered again.
 */
import type { Message } from "@dockline/core/messages/Message"
import { executeSubscriptionEvent, visit } from "graphql"
import type { DocumentNode, GraphQLError, ValidatedSubscriptionArgs } from "graphql"
import type { GraphqlOperation } from "../engine/GraphqlOperation.ts"

/** The most characters that are kept of messages, and bytes of their texts. */
const textLimit = 16 * 1024 * 1024

export interface Rendering {
  /** The result `{"data":{"pushMessage":{…}}}` as the bytes of its JSON. */
  readonly render: (message: Message) => Buffer
  /** Ends the use of one subscription. */
  readonly release: () => void
}

interface Selection {
  readonly args: ValidatedSubscriptionArgs
  users: number
}

/** The texts of a message, and the room that they take with it. */
interface MessageTexts {
  readonly texts: Map<Selection, Buffer>
  size: number
}

/** Makes the renderings; `publicError` turns an error of execution into the error that clients see. */
export const makeRenderings = (publicError: (error: unknown) => GraphQLError) => {
  const selections = new Map<string, Selection>()
  const cache = new Map<Message, MessageTexts>()
  let size = 0

  const execute = ({ args }: Selection, message: Message): Buffer => {
    const result = executeSubscriptionEvent({ ...args, rootValue: message })
    // The selection of a message has no resolver that waits.
    if ("then" in result) throw new Error("A field of PushMessage is resolved asynchronously")
    const { errors } = result
    return bytesOf(
      JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(publicError) })
    )
  }

  const keep = (selection: Selection, message: Message, text: Buffer): void => {
    // The message is kept with its texts, however little of it they show.
    const entry = cache.get(message) ?? { texts: new Map<Selection, Buffer>(), size: message.json.length }
    if (entry.texts.size === 0) size += entry.size
    entry.texts.set(selection, text)
    entry.size += text.length
    size += text.length
    cache.set(message, entry)
    for (const [oldest, oldestEntry] of cache) {
      if (size <= textLimit) break
      cache.delete(oldest)
      size -= oldestEntry.size
    }
  }

  return (operation: GraphqlOperation, args: ValidatedSubscriptionArgs): Rendering => {
    const key = keyOf(operation)
    // The text depends on no client.
    const selection = selections.get(key) ?? { args: { ...args, contextValue: undefined }, users: 0 }
    selection.users++
    selections.set(key, selection)
    return {
      render: (message) => {
        const earlier = cache.get(message)?.texts.get(selection)
        if (earlier !== undefined) return earlier
        const text = execute(selection, message)
        keep(selection, message, text)
        return text
      },
      release: () => {
        if (--selection.users === 0) selections.delete(key)
      }
    }
  }
}

/** The bytes of a text that is kept, in memory of their own: a small `Buffer` keeps the 64 KiB that it shares with others. */
export const bytesOf = (text: string): Buffer => Buffer.from(new TextEncoder().encode(text).buffer)

/** The same for subscriptions whose messages have the same text: the schema, the operation, and its selecting variables. */
const keyOf = ({ document, operationName, path, source, variables }: GraphqlOperation): string =>
  JSON.stringify([
    path,
    source,
    operationName ?? "",
    // Without a value is not the same as `null`.
    selectingVariables(document).map((name) => name in variables ? [variables[name]] : [])
  ])

/** The variables of `@include` and `@skip`: no field below the root takes arguments. */
const selectingVariables = (document: DocumentNode): ReadonlyArray<string> => {
  const names = new Set<string>()
  visit(document, {
    Directive: (directive) => {
      visit(directive, { Variable: ({ name }) => void names.add(name.value) })
      return false
    }
  })
  return Array.from(names).toSorted()
}
