/**
 * Port: tells the operators of the service what goes wrong (D15.4). `OperatorWebhook` implements it.
 *
 * Guarantee: telling never waits and never fails. Nobody is told unless an implementation is provided.
 */
import type { MessageId } from "@dockline/core/values/Id"
import { Context } from "effect"

/** The types of events that operators are told of (D15.4). */
export const operatorEventTypes = [
  "endpoint.failing",
  "endpoint.disabled",
  "delivery.dead",
  "storage.unavailable"
] as const

type OperatorEventType = (typeof operatorEventTypes)[number]

/** Something that goes wrong, for the operators. */
export interface OperatorEvent {
  readonly type: OperatorEventType
  /** The endpoint that it is about; `undefined` for the service itself. */
  readonly endpoint?: { readonly business: string; readonly id: number }
  readonly messageId?: MessageId
  /** What happened, as a sentence for people, without secrets. */
  readonly text: string
}

interface Service {
  /** Tells of an event; it returns at once and never throws. */
  readonly tell: (event: OperatorEvent) => void
}

/** Tells the operators of events. The default tells nobody. */
export const OperatorEvents = Context.Reference<Service>(
  "@dockline/webhook-adapter/OperatorEvents",
  { defaultValue: () => ({ tell: () => {} }) }
)
