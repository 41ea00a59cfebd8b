/**
 * The bundled server: reads the environment, composes the layers, and nothing else.
 *
 * Run it with `npm start`. SIGTERM and Ctrl-C stop it: no new connections, requests in flight are finished, then the
 * embedded database goes down.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import * as Server from "./Server.ts"
import { settings } from "./Settings.ts"
import * as StartFailure from "./StartFailure.ts"

const program = Effect.gen(function*() {
  const given = yield* settings
  return yield* Layer.launch(Server.layer(given))
})

program.pipe(
  Effect.tapCause(StartFailure.explain),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // A server that was told to stop and did has succeeded.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
