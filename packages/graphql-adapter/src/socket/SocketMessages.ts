/**
 * The messages of `graphql-transport-ws`: what the frame of a client says, and the frames that a client is sent.
 *
 * Guarantee: a frame is parsed once, by the reader of every other body (`JsonText`). Whatever is no message of a client is
 * told apart, and nothing throws.
 */
import * as JsonText from "@dockline/core/internal/JsonText"
import { Result } from "effect"
import type { ExecutionResult, GraphQLError } from "graphql"
import { MessageType, validateMessage } from "graphql-ws"
import type {
  CompleteMessage,
  ConnectionInitMessage,
  PingMessage,
  PongMessage,
  SubscribeMessage
} from "graphql-ws"

/** A message that a client may send. */
export type ClientMessage =
  | ConnectionInitMessage
  | PingMessage
  | PongMessage
  | SubscribeMessage
  | CompleteMessage

/** Reads the text of a frame; `undefined` where it is no message that a client may send. */
export const read = (text: string): ClientMessage | undefined => {
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) return undefined
  try {
    const message = validateMessage(parsed.success)
    switch (message.type) {
      case MessageType.ConnectionAck:
      case MessageType.Next:
      case MessageType.Error:
        return undefined
      default:
        return message
    }
  } catch {
    return undefined
  }
}

/** The client is accepted. */
export const acknowledged = JSON.stringify({ type: MessageType.ConnectionAck })

/** Answers a ping with what it carries. */
export const pong = (payload: PingMessage["payload"]): string =>
  JSON.stringify(payload ? { type: MessageType.Pong, payload } : { type: MessageType.Pong })

/** The result of an operation. */
export const next = (id: string, { errors, ...result }: ExecutionResult): string =>
  JSON.stringify({
    id,
    type: MessageType.Next,
    payload: errors === undefined ? result : { ...result, errors }
  })

/** An operation was refused, or cannot go on; it is over. */
export const error = (id: string, errors: ReadonlyArray<GraphQLError>): string =>
  JSON.stringify({ id, type: MessageType.Error, payload: errors })

/** An operation is over. */
export const complete = (id: string): string => JSON.stringify({ id, type: MessageType.Complete })
