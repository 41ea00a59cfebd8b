/** Tests over one server: each is a generator that gets the server, and may use its services and a scope. */
import { layer } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { Layer, Scope } from "effect"
import { TestServer } from "../support/TestServer.ts"

/** Adds a test. */
export type Test<R> = <Used extends Effect.Effect<unknown, unknown, R | Scope.Scope>>(
  title: string,
  body: (server: typeof TestServer.Service) => Generator<Used, void, never>,
  timeoutMillis?: number
) => void

/** Starts the server for the tests of a folder. */
export const serving = <R, E>(
  title: string,
  server: Layer.Layer<R | TestServer, E>,
  tests: (test: Test<R | TestServer>, it: Vitest.MethodsNonLive<R | TestServer>) => void
): void =>
  layer(server, { excludeTestServices: true })(title, (it) =>
    tests(
      (title, body, timeoutMillis) =>
        it.effect(
          title,
          () =>
            Effect.flatMap(
              TestServer,
              // `Used` limits the services that the generator may need.
              (server) => Effect.gen(() => body(server)) as Effect.Effect<void, unknown, R | Scope.Scope>
            ),
          timeoutMillis
        ),
      it
    ))
