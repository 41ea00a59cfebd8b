/**
 * Opens subscriptions for all transports: from a prepared operation to its messages and their text.
 */
import type { Session } from "@dockline/core/Authenticator"
import type { Message } from "@dockline/core/Message"
import { Clock, Context, Effect, Layer } from "effect"
import { createSourceEventStream, validateSubscriptionArgs } from "graphql"
import type { GraphQLError } from "graphql"
import { GraphqlEngine, shown } from "../engine/Engine.ts"
import type { Prepared } from "../engine/Prepared.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { badInput } from "../resolvers/GraphqlErrors.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { MessageStream } from "../schema/MessageStream.ts"
import { makeRenderings } from "./Rendering.ts"
import type { Rendering } from "./Rendering.ts"
import { makeLag } from "./SubscriptionLag.ts"

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
  const clock = Context.get(references, Clock.Clock)
  const addLag = makeLag(references)
  const running = GraphqlMetrics.subscriptions.of()
  // A rendering is shared by clients, so it belongs to none.
  const renderingOf = makeRenderings((error) =>
    shown(error, { session: nobody, correlationId: crypto.randomUUID() }, services)
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
    const refuse = (errors: ReadonlyArray<unknown>) => errors.map((error) => shown(error, context, services))
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
    open: async (prepared, context) => {
      const begun = clock.monotonicTimeNanosUnsafe()
      const opened = await open(prepared, context)
      GraphqlMetrics.operations.of("subscription", "messages" in opened ? "ok" : "error")
        .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9, references)
      return opened
    }
  }
}
