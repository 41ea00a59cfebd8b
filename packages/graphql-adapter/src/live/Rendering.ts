/**
 * Renders messages for subscriptions. Those with the same document and variables share one execution and one
 * serialization of a message. A text that was dropped is rendered again.
 */
import type { Message } from "@dockline/core/messages/Message"
import { executeSubscriptionEvent, visit } from "graphql"
import type { DocumentNode, GraphQLError, ValidatedSubscriptionArgs } from "graphql"
import type { Prepared } from "../engine/GraphqlOperation.ts"

/** The most characters that are kept of messages, and bytes of their rendered texts. */
const textLimit = 16 * 1024 * 1024

export interface Rendering {
  /** The result `{"data":{"pushMessage":{…}}}` as the bytes of its JSON. */
  readonly render: (message: Message) => Buffer
  /** Ends the use of one subscription. */
  readonly release: () => void
}

interface Shared {
  readonly args: ValidatedSubscriptionArgs
  users: number
}

interface Rendered {
  readonly texts: Map<Shared, Buffer>
  size: number
}

/** Makes the renderings; `show` turns an error of execution into the error that clients see. */
export const makeRenderings = (show: (error: unknown) => GraphQLError) => {
  const byKey = new Map<string, Shared>()
  const kept = new Map<Message, Rendered>()
  let size = 0

  const execute = ({ args }: Shared, message: Message): Buffer => {
    const result = executeSubscriptionEvent({ ...args, rootValue: message })
    // The selection of a message has no resolver that waits.
    if ("then" in result) throw new Error("A field of PushMessage is resolved asynchronously")
    const { errors } = result
    return keptBytes(JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(show) }))
  }

  const keep = (shared: Shared, message: Message, text: Buffer): void => {
    // The message is kept with its texts, however little of it they show.
    const rendered = kept.get(message) ?? { texts: new Map<Shared, Buffer>(), size: message.json.length }
    if (rendered.texts.size === 0) size += rendered.size
    rendered.texts.set(shared, text)
    rendered.size += text.length
    size += text.length
    kept.set(message, rendered)
    for (const [oldest, dropped] of kept) {
      if (size <= textLimit) break
      kept.delete(oldest)
      size -= dropped.size
    }
  }

  return (prepared: Prepared, args: ValidatedSubscriptionArgs): Rendering => {
    const key = keyOf(prepared)
    // The text depends on no client.
    const shared = byKey.get(key) ?? { args: { ...args, contextValue: undefined }, users: 0 }
    shared.users++
    byKey.set(key, shared)
    return {
      render: (message) => {
        const known = kept.get(message)?.texts.get(shared)
        if (known !== undefined) return known
        const text = execute(shared, message)
        keep(shared, message, text)
        return text
      },
      release: () => {
        if (--shared.users === 0) byKey.delete(key)
      }
    }
  }
}

/** The bytes of a text that is kept, in memory of their own: a small `Buffer` keeps the 64 KiB that it shares with others. */
export const keptBytes = (text: string): Buffer => Buffer.from(new TextEncoder().encode(text).buffer)

/** The same for subscriptions whose messages have the same text: the schema, the operation, and its selecting variables. */
const keyOf = ({ served, source, document, operationName, variables }: Prepared): string =>
  JSON.stringify([
    served.path,
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
