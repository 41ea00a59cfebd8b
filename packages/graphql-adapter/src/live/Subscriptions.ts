/** Opens subscriptions for all transports: from a prepared operation to its messages and their text. */
import type { Session } from "@dockline/core/access/Authenticator"
import type { Message } from "@dockline/core/messages/Message"
import * as Metrics from "@dockline/core/values/Metrics"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Clock, Context, Effect, Layer } from "effect"
import type { Metric } from "effect"
import { createSourceEventStream, validateSubscriptionArgs } from "graphql"
import type { GraphQLError } from "graphql"
import { GraphqlEngine, publicError } from "../engine/Engine.ts"
import type { Prepared } from "../engine/GraphqlOperation.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { badInput } from "../resolvers/Run.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { MessageStream } from "../schema/MessageStream.ts"
import { makeRenderings } from "./Rendering.ts"
import type { Rendering } from "./Rendering.ts"

export const pairLimit = 200

interface Followed {
  /** When the oldest message was sent that the subscription lacks; `undefined` when it lacks none. */
  readonly behindSince: () => Timestamp | undefined
  readonly waiting: () => number
}

interface Group {
  readonly members: Set<Followed>
  readonly registrations: ReadonlyArray<Metric.Registration>
}

/**
 * Measures the lag of subscriptions by client and business, when it is read: makes the function that adds a subscription, which
 * returns what removes it. The first {@link pairLimit} pairs have series of their own, and all others share one.
 */
export const makeLag = (context: Context.Context<never>) => {
  const groups = new Map<string, Group>()
  const clock = Context.get(context, Clock.Clock)
  const age = ({ behindSince }: Followed): number => {
    const since = behindSince()
    return since === undefined ? 0 : (clock.currentTimeMillisUnsafe() - Date.parse(since)) / 1000
  }

  const open = (business: string, client: string): Group => {
    const members = new Set<Followed>()
    const most = (of: (followed: Followed) => number) => () =>
      Array.from(members).reduce((most, followed) => Math.max(most, of(followed)), 0)
    const observe = (metric: typeof GraphqlMetrics.lag, read: () => number) =>
      Metrics.observeUnsafe(metric.of(business, client), context, read)
    return {
      members,
      registrations: [
        observe(GraphqlMetrics.lag, most(age)),
        observe(GraphqlMetrics.waiting, most(({ waiting }) => waiting()))
      ]
    }
  }

  return (business: string, client: string, followed: Followed): () => void => {
    const own = JSON.stringify([business, client])
    const isOwn = groups.has(own) || groups.size < pairLimit
    const key = isOwn ? own : Metrics.other
    const group = groups.get(key) ??
      (isOwn ? open(business, client) : open(Metrics.other, Metrics.other))
    groups.set(key, group)
    group.members.add(followed)
    return () => {
      group.members.delete(followed)
      if (group.members.size > 0 || groups.get(key) !== group) return
      groups.delete(key)
      for (const registration of group.registrations) registration.remove()
    }
  }
}

export interface Subscription {
  readonly messages: MessageStream
  readonly render: (message: Message) => Buffer
  /** Sets the source of the oldest message that was taken and is not sent yet, for the lag. */
  readonly watchUnsent: (unsent: () => Message | undefined) => void
  /** Call it once. */
  readonly close: () => void
}

export class Subscriptions extends Context.Service<Subscriptions, {
  /** Opens a subscription for a client, or returns its errors. Never rejected. */
  readonly open: (
    prepared: Prepared,
    context: GraphqlContext
  ) => Promise<Subscription | ReadonlyArray<GraphQLError>>
}>()("@dockline/graphql-adapter/Subscriptions") {
  static readonly layer = Layer.effect(Subscriptions, Effect.map(GraphqlEngine, (engine) => make(engine)))
}

const nobody: Session = { principal: { clientId: "", grants: [] }, expiresAt: 0 }

const make = ({ services }: typeof GraphqlEngine.Service): typeof Subscriptions.Service => {
  const { references } = services
  const addLag = makeLag(references)
  const running = GraphqlMetrics.subscriptions.of()
  // A rendering is shared by clients, so it belongs to none.
  const renderingOf = makeRenderings((error) =>
    publicError(error, { session: nobody, correlationId: crypto.randomUUID() }, services)
  )

  /** Counts a subscription and measures its lag until it is closed. */
  const begin = (
    messages: MessageStream,
    { release, render }: Rendering,
    { session }: GraphqlContext
  ): Subscription => {
    const { follower, query } = messages
    let unsent: () => Message | undefined = () => undefined
    const leave = addLag(query.business, session.principal.clientId, {
      behindSince: () => unsent()?.sentAt ?? follower.behindSince,
      waiting: () => follower.waiting
    })
    running.modifyUnsafe(1, references)
    return {
      messages,
      render,
      watchUnsent: (given) => void (unsent = given),
      close: () => {
        leave()
        running.modifyUnsafe(-1, references)
        release()
        messages.close()
      }
    }
  }

  const open = async (
    prepared: Prepared,
    context: GraphqlContext
  ): Promise<Subscription | ReadonlyArray<GraphQLError>> => {
    const refuse = (errors: ReadonlyArray<unknown>) =>
      errors.map((error) => publicError(error, context, services))
    if (prepared.operation.operation !== "subscription") return [badInput("The operation is no subscription")]
    try {
      const args = validateSubscriptionArgs({
        schema: prepared.served.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: prepared.variables,
        contextValue: context
      })
      if (!("operation" in args)) return refuse(args)
      const source = await createSourceEventStream(args)
      if (source instanceof MessageStream) return begin(source, renderingOf(prepared, args), context)
      return refuse(("errors" in source ? source.errors : undefined) ?? [new Error("no source")])
    } catch (cause) {
      return refuse([cause])
    }
  }

  return {
    open: (prepared, context) =>
      GraphqlMetrics.measureOperation(
        references,
        "subscription",
        () => open(prepared, context),
        (opened) => "messages" in opened
      )
  }
}
