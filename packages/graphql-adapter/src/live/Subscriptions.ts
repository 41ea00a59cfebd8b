/** Opens subscriptions for all transports: from an operation to its messages and their text. */
import type { Message } from "@dockline/core/messages/Message"
import * as Metrics from "@dockline/core/values/Metrics"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Clock, Context, Effect, Layer } from "effect"
import { createSourceEventStream, executeSubscriptionEvent, validateSubscriptionArgs, visit } from "graphql"
import type { DocumentNode, GraphQLError, ValidatedSubscriptionArgs } from "graphql"
import { GraphqlEngine, publicError } from "../engine/Engine.ts"
import { executionArgs } from "../engine/GraphqlOperation.ts"
import type { GraphqlOperation } from "../engine/GraphqlOperation.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { badInput } from "../resolvers/Run.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { MessageStream } from "../schema/SchemaMessages.ts"

/** The maximum size of the cache: the characters of its messages plus the bytes of their texts. */
const textLimit = 16 * 1024 * 1024

/**
 * Renders messages for subscriptions. Subscriptions with the same document and variables share one execution and one
 * serialization of a message. A text that the cache has dropped is rendered again.
 */
export interface Rendering {
  /** The result `{"data":{"pushMessage":{…}}}` as the bytes of its JSON. */
  readonly render: (message: Message) => Buffer
  /** Ends the use by one subscription. */
  readonly release: () => void
}

interface Selection {
  readonly args: ValidatedSubscriptionArgs
  users: number
}

/** The texts of a message, and the size of the message and its texts. */
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
    // No field of a message has an asynchronous resolver.
    if ("then" in result) throw new Error("A field of PushMessage is resolved asynchronously")
    const { errors } = result
    return bytesOf(
      JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(publicError) })
    )
  }

  const keep = (selection: Selection, message: Message, text: Buffer): void => {
    // The message stays in memory with its texts, even if they show little of it.
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
    // The text does not depend on the client.
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

/** The bytes of a text, in memory of their own. A small `Buffer` would keep alive the 64 KiB that it shares with others. */
export const bytesOf = (text: string): Buffer => Buffer.from(new TextEncoder().encode(text).buffer)

/** A key that subscriptions share if their messages have the same text: the schema, the operation, and the variables of directives. */
const keyOf = ({ document, operationName, path, source, variables }: GraphqlOperation): string =>
  JSON.stringify([
    path,
    source,
    operationName ?? "",
    // A variable without a value differs from `null`.
    selectingVariables(document).map((name) => name in variables ? [variables[name]] : [])
  ])

/** The variables of `@include` and `@skip`. No others affect the text, because no field below the root has arguments. */
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

export const pairLimit = 200

interface Backlog {
  /** When the oldest message was sent that the subscription has not delivered; `undefined` if it has delivered all. */
  readonly behindSince: () => Timestamp | undefined
  readonly waiting: () => number
}

/**
 * Measures the lag of subscriptions by client and business whenever the metric is read. Returns the function that adds a subscription; that
 * function returns the function that removes the subscription. The first {@link pairLimit} pairs have their own series, and all others
 * share one.
 */
export const makeLag = (context: Context.Context<never>) => {
  const clock = Context.get(context, Clock.Clock)
  const age = ({ behindSince }: Backlog): number => {
    const since = behindSince()
    return since === undefined ? 0 : (clock.currentTimeMillisUnsafe() - Date.parse(since)) / 1000
  }

  const open = (business: string, client: string) => {
    const members = new Set<Backlog>()
    const observe = (metric: typeof GraphqlMetrics.lag, of: (backlog: Backlog) => number) =>
      Metrics.observeUnsafe(
        metric.of(business, client),
        context,
        () => Array.from(members).reduce((most, member) => Math.max(most, of(member)), 0)
      )
    const registrations = [
      observe(GraphqlMetrics.lag, age),
      observe(GraphqlMetrics.waiting, ({ waiting }) => waiting())
    ]
    return { members, close: () => registrations.forEach((registration) => registration.remove()) }
  }

  const groups = new Map<string, ReturnType<typeof open>>()
  return (business: string, client: string, backlog: Backlog): () => void => {
    const own = JSON.stringify([business, client])
    const isOwn = groups.has(own) || groups.size < pairLimit
    const key = isOwn ? own : Metrics.other
    const group = groups.get(key) ??
      (isOwn ? open(business, client) : open(Metrics.other, Metrics.other))
    groups.set(key, group)
    group.members.add(backlog)
    return () => {
      group.members.delete(backlog)
      if (group.members.size > 0 || groups.get(key) !== group) return
      groups.delete(key)
      group.close()
    }
  }
}

export interface Subscription {
  readonly messages: MessageStream
  readonly render: (message: Message) => Buffer
  /** Sets the function that returns the oldest unsent message, from which the lag is measured. */
  readonly watchUnsent: (unsent: () => Message | undefined) => void
  /** Call it once. */
  readonly close: () => void
}

export class Subscriptions extends Context.Service<Subscriptions, {
  /** Opens a subscription for a client, or returns its errors. Never rejects. */
  readonly open: (
    operation: GraphqlOperation,
    context: GraphqlContext
  ) => Promise<Subscription | ReadonlyArray<GraphQLError>>
}>()("@dockline/graphql-adapter/Subscriptions") {
  static readonly layer = Layer.effect(Subscriptions, Effect.map(GraphqlEngine, (engine) => make(engine)))
}

const make = ({ services }: typeof GraphqlEngine.Service): typeof Subscriptions.Service => {
  const { references } = services
  const addLag = makeLag(references)
  const running = GraphqlMetrics.subscriptions.of()
  // Clients share a rendering, so it belongs to none of them.
  const nobody = { principal: { clientId: "", grants: [] }, expiresAt: 0 }
  const renderingOf = makeRenderings((error) =>
    publicError(error, { session: nobody, correlationId: crypto.randomUUID() }, services)
  )

  const open: typeof Subscriptions.Service["open"] = async (operation, context) => {
    const refuse = (errors: ReadonlyArray<unknown>) =>
      errors.map((error) => publicError(error, context, services))
    if (operation.type !== "subscription") return [badInput("The operation is no subscription")]
    try {
      const args = validateSubscriptionArgs(executionArgs(operation, context))
      if (!("operation" in args)) return refuse(args)
      const messages = await createSourceEventStream(args)
      if (!(messages instanceof MessageStream)) {
        return refuse(("errors" in messages ? messages.errors : undefined) ?? [new Error("no source")])
      }
      const { follower, query } = messages
      const { release, render } = renderingOf(operation, args)
      let unsent: () => Message | undefined = () => undefined
      const leave = addLag(query.business, context.session.principal.clientId, {
        behindSince: () => unsent()?.sentAt ?? follower.behindSince,
        waiting: () => follower.waiting
      })
      running.modifyUnsafe(1, references)
      return {
        messages,
        render,
        watchUnsent: (source) => void (unsent = source),
        close: () => {
          leave()
          running.modifyUnsafe(-1, references)
          release()
          messages.close()
        }
      }
    } catch (cause) {
      return refuse([cause])
    }
  }

  return {
    open: (operation, context) =>
      GraphqlMetrics.measureOperation(
        references,
        "subscription",
        () => open(operation, context),
        (result) => "messages" in result
      )
  }
}
