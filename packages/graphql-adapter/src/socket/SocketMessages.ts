/**
 * Reads and writes the messages of `graphql-transport-ws`. A frame is parsed once; reading never throws.
 */
import * as JsonText from "@dockline/core/internal/input/JsonText"
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import type * as Slices from "@dockline/core/internal/input/Slices"
import { Result } from "effect"
import type { ExecutionResult, GraphQLError } from "graphql"
import { MessageType, validateMessage } from "graphql-ws"
import type { ConnectionAckMessage, ErrorMessage, Message, NextMessage, PingMessage } from "graphql-ws"
import { partsOf } from "../engine/WrittenResult.ts"

export type ClientMessage = Exclude<Message, ConnectionAckMessage | NextMessage | ErrorMessage>

/** Reads the text of a frame; `undefined` unless it is a message that a client may send. */
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

export const acknowledged = JSON.stringify({ type: MessageType.ConnectionAck })

export const pong = (payload: PingMessage["payload"]): string =>
  JSON.stringify(payload ? { type: MessageType.Pong, payload } : { type: MessageType.Pong })

/** Writes the result of an operation, in steps. */
export function* next(id: string, result: ExecutionResult): Slices.Steps<string> {
  const payload = yield* JsonWriter.joined(partsOf(result))
  return `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${payload}}`
}

/** Ends an operation that was refused or cannot go on. */
export const error = (id: string, errors: ReadonlyArray<GraphQLError>): string =>
  JSON.stringify({ id, type: MessageType.Error, payload: errors })

export const complete = (id: string): string => JSON.stringify({ id, type: MessageType.Complete })
