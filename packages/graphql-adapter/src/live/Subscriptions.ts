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
import { Renderings } from "./Rendering.ts"
import { SubscriptionLag } from "./SubscriptionLag.ts"

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

const make = (engine: typeof GraphqlEngine.Service): typeof Subscriptions.Service => {
  const { schema, services } = engine
  const { references } = services
  const lags = new SubscriptionLag(references)
  const running = GraphqlMetrics.subscriptions.of()

  /** Counts a subscription and measures its lag, until `stop` is called. */
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

  // A rendering is shared by clients, so it belongs to none.
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
