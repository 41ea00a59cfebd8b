/**
 * Port: tells the operators of the service what goes wrong (D15.4). `OperatorWebhook` implements it.
 *
 * Guarantee: telling never waits and never fails. Nobody is told unless an implementation is provided.
 */
import { Context } from "effect"

export const operatorEventTypes = [
  "endpoint.failing",
  "endpoint.disabled",
  "delivery.dead",
  "storage.unavailable"
] as const

export type OperatorEventType = (typeof operatorEventTypes)[number]

export interface OperatorEvent {
  readonly type: OperatorEventType
  /** The endpoint that it is about; `undefined` for the service itself. */
  readonly endpoint?: { readonly business: string; readonly id: number }
  readonly messageId?: number
  /** What happened, as a sentence for people, without secrets. */
  readonly text: string
}

export const OperatorEvents = Context.Reference<{ readonly tell: (event: OperatorEvent) => void }>(
  "@dockline/webhook-adapter/OperatorEvents",
  { defaultValue: () => ({ tell: () => {} }) }
)
