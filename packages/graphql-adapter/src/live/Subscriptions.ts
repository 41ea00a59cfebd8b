/**
 * Opening subscriptions, whatever they go out over: from a prepared operation to its messages and how they read.
 */
import type { Session } from "@dockline/core/Authenticator"
import type { Message } from "@dockline/core/Message"
import { Clock, Context, Effect, Layer } from "effect"
import { createSourceEventStream, validateSubscriptionArgs } from "graphql"
import type { GraphQLError } from "graphql"
import { GraphqlEngine, shown } from "../engine/Engine.ts"
import type { GraphqlContext, Prepared } from "../engine/Engine.ts"
import { badInput } from "../engine/GraphqlErrors.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { MessageStream } from "./MessageStream.ts"
import { Renderings } from "./Rendering.ts"
import { SubscriptionLag } from "./SubscriptionLag.ts"

/** A subscription that was granted. */
export interface Subscription {
  readonly messages: MessageStream
  /** The result of a message as JSON. */
  readonly render: (message: Message) => string
  /** Tells of the oldest message that was taken and is not sent yet, for how far it is behind. */
  readonly watchUnsent: (unsent: () => Message | undefined) => void
  /** Ends it; to be called once. */
  readonly close: () => void
}

/** The subscriptions of a schema. */
export class Subscriptions extends Context.Service<Subscriptions, {
  /** Opens a subscription for a client, or says why not. Never rejected. */
  readonly open: (
    prepared: Prepared,
    context: GraphqlContext
  ) => Promise<Subscription | ReadonlyArray<GraphQLError>>
}>()("@dockline/graphql-adapter/Subscriptions") {
  /** The subscriptions of the engine's schema. */
  static readonly layer: Layer.Layer<Subscriptions, never, GraphqlEngine> = Layer.effect(
    Subscriptions,
    Effect.map(GraphqlEngine, (engine) => Subscriptions.of(makeSubscriptions(engine)))
  )
}

const nobody: Session = { principal: { clientId: "", grants: [] }, expiresAt: 0 }

/** Makes the subscriptions of an engine, for a service that has no layers. */
export const makeSubscriptions = (engine: typeof GraphqlEngine.Service): typeof Subscriptions.Service => {
  const { schema, services } = engine
  const { references } = services
  const lags = new SubscriptionLag(references)
  const running = GraphqlMetrics.subscriptions.of()

  /** Counts a subscription as running, and how far it is behind, until the returned function is called. */
  const count = ({ query, follower }: MessageStream, { session }: GraphqlContext) => {
    let unsent: () => Message | undefined = () => undefined
    const leave = lags.add(query.business, session.principal.clientId, {
      behindSince: () => unsent()?.sentAt ?? follower.behindSince,
      waiting: () => follower.waiting
    })
    running.modifyUnsafe(1, references)
    const stop = () => {
      leave()
      running.modifyUnsafe(-1, references)
    }
    return { stop, watchUnsent: (given: () => Message | undefined) => void (unsent = given) }
  }

  // What is rendered for many is rendered for nobody in particular.
  const renderings = new Renderings((error) =>
    shown(error, { session: nobody, correlationId: crypto.randomUUID() }, services)
  )

  const open = async (
    prepared: Prepared,
    context: GraphqlContext
  ): Promise<Subscription | ReadonlyArray<GraphQLError>> => {
    const refuse = (errors: ReadonlyArray<unknown>) => errors.map((error) => shown(error, context, services))
    if (prepared.operation.operation !== "subscription") return [badInput("The operation is no subscription")]
    try {
      const args = validateSubscriptionArgs({
        schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: prepared.variables,
        contextValue: context
      })
      if (!("operation" in args)) return refuse(args)
      const source = await createSourceEventStream(args)
      if (source instanceof MessageStream) {
        const { render, release } = renderings.take(prepared, args)
        const { stop, watchUnsent } = count(source, context)
        const close = () => {
          stop()
          release()
          source.close()
        }
        return { messages: source, render, close, watchUnsent }
      }
      return refuse(
        "errors" in source && source.errors !== undefined ? source.errors : [new Error("no source")]
      )
    } catch (cause) {
      return refuse([cause])
    }
  }

  return {
    open: async (prepared, context) => {
      const clock = Context.get(references, Clock.Clock)
      const begun = clock.monotonicTimeNanosUnsafe()
      const opened = await open(prepared, context)
      GraphqlMetrics.operations.of("subscription", "messages" in opened ? "ok" : "error")
        .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9, references)
      return opened
    }
  }
}
