/**
 * Renders messages for subscriptions. Those with the same document and variables share one execution and one
 * serialization of a message. A text that was dropped is rendered again.
 */
import type { Message } from "@dockline/core/Message"
import { executeSubscriptionEvent, GraphQLError, visit } from "graphql"
import type { DocumentNode, ExecutionResult, ValidatedSubscriptionArgs } from "graphql"
import type { Prepared } from "../engine/Prepared.ts"

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

export class Renderings {
  readonly #show: (error: unknown) => GraphQLError
  readonly #shared = new Map<string, Shared>()
  readonly #rendered = new Map<Message, Rendered>()
  #size = 0

  /** `show` turns an error of execution into the error that clients see. */
  constructor(show: (error: unknown) => GraphQLError) {
    this.#show = show
  }

  take(prepared: Prepared, args: ValidatedSubscriptionArgs): Rendering {
    const key = keyOf(prepared)
    // The text depends on no client.
    const shared = this.#shared.get(key) ?? { args: { ...args, contextValue: undefined }, users: 0 }
    shared.users++
    this.#shared.set(key, shared)
    return {
      render: (message) => this.#render(shared, message),
      release: () => {
        if (--shared.users === 0) this.#shared.delete(key)
      }
    }
  }

  #render(shared: Shared, message: Message): Buffer {
    const rendered = this.#rendered.get(message)
    return rendered?.texts.get(shared) ?? this.#keep(shared, message, rendered)
  }

  #keep(shared: Shared, message: Message, known: Rendered | undefined): Buffer {
    const rendered = known ?? { texts: new Map<Shared, Buffer>(), size: 0 }
    const text = keptBytes(this.#execute(shared, message))
    rendered.texts.set(shared, text)
    rendered.size += text.length
    this.#size += text.length
    if (known === undefined) {
      // The message is kept with its texts, however little of it they show.
      rendered.size += message.json.length
      this.#size += message.json.length
      this.#rendered.set(message, rendered)
    }
    for (const [oldest, { size }] of this.#rendered) {
      if (this.#size <= textLimit) break
      this.#rendered.delete(oldest)
      this.#size -= size
    }
    return text
  }

  #execute({ args }: Shared, message: Message): string {
    const result = executeSubscriptionEvent({ ...args, rootValue: message })
    // The selection of a message has no resolver that waits.
    if (isPending(result)) throw new Error("A field of PushMessage is resolved asynchronously")
    return JSON.stringify(
      result.errors === undefined ? result : { ...result, errors: result.errors.map(this.#show) }
    )
  }
}

/** The bytes of a text that is kept, in memory of their own: a small `Buffer` keeps the 64 KiB that it shares with others. */
export const keptBytes = (text: string): Buffer => Buffer.from(new TextEncoder().encode(text).buffer)

const isPending = (
  result: ExecutionResult | PromiseLike<ExecutionResult>
): result is Promise<ExecutionResult> => "then" in result

/** The same for subscriptions whose messages have the same text: the operation, and its selecting variables. */
const keyOf = ({ source, document, operationName, variables }: Prepared): string =>
  JSON.stringify([
    source,
    operationName ?? "",
    // Without a value is not the same as `null`.
    selectingVariables(document).map((name) => name in variables ? [variables[name]] : [])
  ])

const known = new WeakMap<DocumentNode, ReadonlyArray<string>>()

/** The variables of `@include` and `@skip`: no field below the root takes arguments. */
const selectingVariables = (document: DocumentNode): ReadonlyArray<string> => {
  const found = known.get(document)
  if (found !== undefined) return found
  const names = new Set<string>()
  visit(document, {
    Directive: (directive) => {
      visit(directive, { Variable: ({ name }) => void names.add(name.value) })
      return false
    }
  })
  const sorted = Array.from(names).toSorted()
  known.set(document, sorted)
  return sorted
}
