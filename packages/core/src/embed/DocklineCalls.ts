/**
 * How the façade runs effects for plain asynchronous code: as promises of answers, until it is closed.
 *
 * Guarantee: a refusal is a value; what rejects is a bug, an aborted call, or the use of a façade that is closed.
 * Closing waits for the calls in flight and ends whatever follows the log.
 */
import { Cause, Data, Effect, Exit, Scope } from "effect"
import type { Context } from "effect"
import * as Given from "../internal/Given.ts"

/** What became of a call: a value, or one of the errors that it can be refused with, told apart by `_tag` or `code`. */
export type Answer<A, E> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: E }

/** How a call is made. */
export interface CallOptions {
  /**
   * Gives the call up when it is aborted: the promise rejects with the signal's reason. What it asked for may have
   * been done all the same.
   */
  readonly signal?: AbortSignal | undefined
}

/** The options of every call. */
export const callOptions: Given.Options<CallOptions> = { signal: Given.signal }

/**
 * The storage, or another part that was given, could not be opened: `cause` is its own error. Or the options are wrong:
 * `cause` is a `TypeError` that names the first that is.
 */
export class DocklineNotOpened extends Data.TaggedError("DocklineNotOpened")<{ readonly cause: unknown }> {
  readonly code = "DOCKLINE_NOT_OPENED"
  override get message(): string {
    return `Dockline was not opened: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A method was called after `close()`. */
export class DocklineClosed extends Data.TaggedError("DocklineClosed")<{}> {
  readonly code = "DOCKLINE_CLOSED"
  override readonly message =
    "Dockline is closed; open it again, or close it only when nothing uses it any more"
}

/** Runs effects over built services. */
export class Calls<R> {
  readonly #context: Context.Context<R>
  readonly #scope: Scope.Closeable
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(context: Context.Context<R>, scope: Scope.Closeable) {
    this.#context = context
    this.#scope = scope
  }

  /** Aborted as soon as closing begins. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Makes a call and runs it to its answer. Options other than the known ones, and what the making throws, reject. */
  async answer<A, E>(
    options: CallOptions = {},
    make: () => Effect.Effect<A, E, R>,
    known: Given.Known = callOptions
  ): Promise<Answer<A, E>> {
    Given.checkOptions(options, known)
    const exit = await this.run(Effect.suspend(make), options.signal)
    if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
    const refusal = Cause.findErrorOption(exit.cause)
    if (refusal._tag === "Some") return { ok: false, error: refusal.value }
    options.signal?.throwIfAborted()
    throw Cause.squash(exit.cause)
  }

  /** Runs an effect to its end; refused once the façade is closed. */
  async run<A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<Exit.Exit<A, E>> {
    if (this.#closed !== undefined) throw new DocklineClosed()
    signal?.throwIfAborted()
    const exit = Effect.runPromiseExitWith(this.#context)(effect, signal === undefined ? {} : { signal })
    this.#inFlight.add(exit)
    try {
      return await exit
    } finally {
      this.#inFlight.delete(exit)
    }
  }

  /** A scope that ends with the façade, if it is not closed before. */
  fork(): Scope.Closeable {
    return Scope.forkUnsafe(this.#scope)
  }

  /** Waits for the calls in flight and releases everything; the same promise each time. */
  close(): Promise<void> {
    return this.#closed ??= this.#end()
  }

  async #end(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#inFlight)
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}
