/**
 * `dockline listen`: forwards the messages of a business to an address that the service itself cannot reach, as webhooks:
 * with the paths, the headers and the signature that a webhook endpoint gets (D9.5).
 *
 * Guarantee: messages go out one after another in the order of their ids, each once; a failed one is shown, and not
 * sent again.
 */
import type { MessageView } from "@dockline/core/messages/MessageView"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { webhookPath } from "@dockline/core/values/Vocabulary"
import { deliveryBody } from "@dockline/core/webhooks/Delivery"
import { testPayload } from "@dockline/core/webhooks/MessageKinds"
import { Clock, Effect, Stream } from "effect"
import { randomUUID } from "node:crypto"
import type { Chunk } from "../Pages.ts"
import type { Columns } from "../Table.ts"
import type { MessageWords } from "./MessageWords.ts"
import * as ReceiverDelivery from "./ReceiverDelivery.ts"
import type { Receiver } from "./ReceiverDelivery.ts"

/** A message of the log, or a test, which has no number. */
interface Outgoing extends Pick<MessageView, "message" | "messageType"> {
  readonly id: number | null
}

interface ForwardedDelivery extends ReceiverDelivery.Outcome {
  /** `null` for a test. */
  readonly id: number | null
  readonly messageType: MessageView["messageType"]
  readonly path: string
}

export const columns: Columns<ForwardedDelivery> = {
  id: ({ id }) => String(id ?? "test"),
  path: ({ path }) => path,
  answer: ({ error, status }) => status === null ? error : String(status),
  took: ({ durationMs }) => `${durationMs} ms`
}

/** A row for each type of message, so that the columns have room for all paths before the first long one comes. */
export const expectedOf = ({ types }: MessageWords): ReadonlyArray<ForwardedDelivery> =>
  types.map((messageType) => ({
    id: null,
    messageType,
    path: webhookPath(messageType),
    status: 200,
    error: "",
    durationMs: 0
  }))

const forward = (receiver: Receiver) =>
  Effect.fnUntraced(function*({ id, message, messageType }: Outgoing) {
    const delivery = deliveryBody(receiver.profile, {
      type: messageType,
      json: JSON.stringify(message)
    })
    const webhookId = id === null ? `test_${randomUUID()}` : `msg_${id}`
    const millis = yield* Clock.currentTimeMillis
    const headers = ReceiverDelivery.headersOf({ webhookId, millis, ...delivery }, receiver.secret)
    const { body, path } = delivery
    const outcome = yield* ReceiverDelivery.send({ path, headers, body }, receiver)
    return { id, messageType, path, ...outcome } satisfies ForwardedDelivery
  })

/** A test message of each type, as the service sends it to an endpoint of a business without a field map (D9.9). */
export const testsOf = (
  { kinds, types }: MessageWords,
  place: { readonly business: string; readonly facility: string },
  dashboardUrl: string
) =>
  Effect.map(Timestamp.now, (now) =>
    types.map((messageType): Outgoing => ({
      id: null,
      messageType,
      message: testPayload(messageType, place, now, { dashboardUrl, fieldMap: [] }, kinds)
    })))

/** Sends these and then each message to the address, and tells what became of it. */
export const to = (receiver: Receiver, first: ReadonlyArray<Outgoing> = []) => {
  const send = forward(receiver)
  return <E, R>(messages: Stream.Stream<Chunk<MessageView>, E, R>) =>
    Stream.concat(
      Stream.fromIterable(first),
      Stream.flatMap(messages, ({ items }) => Stream.fromIterable<Outgoing>(items))
    ).pipe(
      Stream.mapEffect(send),
      Stream.map((item): Chunk<ForwardedDelivery> => ({ items: [item], bodies: [item], next: null }))
    )
}
