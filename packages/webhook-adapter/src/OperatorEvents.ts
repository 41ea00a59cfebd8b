/**
 * Port: notifies the operators of the service of problems (D15.4). `OperatorWebhook` implements it.
 *
 * Guarantee: notifying never waits and never fails. Without an implementation, nobody is notified.
 */
import type { MessageId } from "@dockline/core/values/Id"
import { Context } from "effect"

/** The types of events for operators (D15.4). */
export const operatorEventTypes = [
  "endpoint.failing",
  "endpoint.disabled",
  "delivery.dead",
  "storage.unavailable"
] as const

type OperatorEventType = (typeof operatorEventTypes)[number]

/** A problem, for the operators. */
export interface OperatorEvent {
  readonly type: OperatorEventType
  /** The endpoint with the problem; `undefined` for the service itself. */
  readonly endpoint?: { readonly business: string; readonly id: number }
  readonly messageId?: MessageId
  /** A sentence about the event for people, without secrets. */
  readonly text: string
}

interface Service {
  /** Reports an event; it returns at once and never throws. */
  readonly tell: (event: OperatorEvent) => void
}

/** Notifies the operators of events. By default nobody is notified. */
export const OperatorEvents = Context.Reference<Service>(
  "@dockline/webhook-adapter/OperatorEvents",
  { defaultValue: () => ({ tell: () => {} }) }
)
