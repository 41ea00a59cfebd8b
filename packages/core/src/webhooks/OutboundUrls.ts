/**
 * Port: checks the URLs that operators enter for customers (D9.7). The addresses that a name resolves to are checked at
 * each call.
 */
import { Context } from "effect"

/** Judges URLs before they are stored. A program without webhooks has one that refuses all of them. */
export class OutboundUrls extends Context.Service<OutboundUrls, {
  /**
   * The fault of an absolute URL with its remedy: its scheme, user info, an IP address that must not be called, or a name of
   * the machine itself; `undefined` when it has none.
   */
  readonly fault: (url: string) => string | undefined
}>()("@dockline/core/OutboundUrls") {}
