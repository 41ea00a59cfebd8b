/**
 * Looks from time to time whether the storage can be reached, and tells operators when it cannot (D15.4).
 *
 * Guarantee: one failure tells nobody: a database that is back at the next look was away for a moment. It holds no request.
 */
import { Readiness } from "@dockline/core/access/Readiness"
import { OperatorEvents } from "@dockline/webhook-adapter/OperatorEvents"
import { Effect, Layer } from "effect"

export const lookMillis = 5_000

const patienceMillis = 10_000

/** The failures in a row of which operators are told. */
const newsFailures = 2

export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function*() {
    const ready = yield* Readiness
    const { tell } = yield* OperatorEvents
    let failures = 0
    const look = ready.pipe(
      Effect.timeout(patienceMillis),
      Effect.match({
        onSuccess: () => {
          failures = 0
        },
        onFailure: () => {
          failures += 1
          if (failures < newsFailures) return
          tell({
            type: "storage.unavailable",
            text: "The storage cannot be reached: requests are answered 503, and no webhook is sent"
          })
        }
      })
    )
    yield* Effect.forkScoped(
      Effect.withTracerEnabled(Effect.forever(Effect.andThen(look, Effect.sleep(lookMillis))), false)
    )
  })
)
