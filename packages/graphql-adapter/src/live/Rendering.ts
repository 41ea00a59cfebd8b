/**
 * What a message reads as to a subscription: the serialized result of executing its selection with that message.
 *
 * Guarantee: subscriptions with the same document and variables share one execution and one serialization per
 * message. The texts that are kept for it are bounded; one that was dropped is made again.
 */
import type { Message } from "@dockline/core/Message"
import { executeSubscriptionEvent, GraphQLError, visit } from "graphql"
import type { DocumentNode, ExecutionResult, ValidatedSubscriptionArgs } from "graphql"
import type { Prepared } from "../engine/Engine.ts"

/** The most characters of rendered messages, and of the payloads of these, that are kept. */
const textLimit = 16 * 1024 * 1024

/** Renders messages for the subscriptions that read alike. */
export interface Rendering {
  /** The result `{"data":{"pushMessage":{…}}}` as JSON. */
  readonly render: (message: Message) => string
  /** Gives it back; once for each time it was taken. */
  readonly release: () => void
}

interface Shared {
  readonly args: ValidatedSubscriptionArgs
  users: number
}

interface Rendered {
  readonly texts: Map<Shared, string>
  size: number
}

/** All renderings in use. */
export class Renderings {
  readonly #show: (error: unknown) => GraphQLError
  readonly #shared = new Map<string, Shared>()
  readonly #rendered = new Map<Message, Rendered>()
  #size = 0

  /** `show` says what a client is shown of an error of execution. */
  constructor(show: (error: unknown) => GraphQLError) {
    this.#show = show
  }

  /** The rendering of a subscription, shared with those that read alike. */
  take(prepared: Prepared, args: ValidatedSubscriptionArgs): Rendering {
    const key = keyOf(prepared)
    // What a message reads as depends on nobody in particular.
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

  #render(shared: Shared, message: Message): string {
    const rendered = this.#rendered.get(message)
    return rendered?.texts.get(shared) ?? this.#keep(shared, message, rendered)
  }

  #keep(shared: Shared, message: Message, known: Rendered | undefined): string {
    const rendered = known ?? { texts: new Map<Shared, string>(), size: 0 }
    const text = this.#execute(shared, message)
    rendered.texts.set(shared, text)
    rendered.size += text.length
    this.#size += text.length
    if (known === undefined) {
      // The message is kept with its texts, however little of it they show.
      rendered.size += message.size
      this.#size += message.size
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

const isPending = (
  result: ExecutionResult | PromiseLike<ExecutionResult>
): result is Promise<ExecutionResult> => "then" in result

/** Names alike what renders alike: the operation, and the variables that are more than arguments of its root field. */
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
