/**
 * Port: checks the URLs that operators enter for customers (D9.7). The addresses that a name resolves to are checked at
 * each call.
 */
import { Context } from "effect"

/** Checks the URLs of customers. */
export class OutboundUrls extends Context.Service<OutboundUrls, {
  /**
   * The fault of an absolute URL: its scheme, user info, or an IP address that must not be called; `undefined` when it
   * has none.
   */
  readonly fault: (url: string) => string | undefined
}>()("@dockline/core/OutboundUrls") {}
