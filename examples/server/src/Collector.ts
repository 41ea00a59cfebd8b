/**
 * The connection to the collector of traces: bounded, whatever the collector does.
 *
 * Guarantee: few batches are on their way at once, each for a limited time; what comes while they are is dropped, and so
 * is everything for a minute after a batch that could not be sent. Nobody waits for the collector but the end of the
 * process, for a limited time. The log has one line when it begins to fail and one when it takes batches again.
 */
import { Effect, Layer, Option, Schedule, Semaphore } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

/** The most batches on their way. */
const batchLimit = 4

/** How often a batch is sent again that met a fault that may pass. */
const repeats = 3

/** The client of the exporters; `timeoutMillis` is how long a batch may take, each time it is sent. */
export const layer = (timeoutMillis: number): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const client = yield* HttpClient.HttpClient
      const room = yield* Semaphore.make(batchLimit)
      let isAway = false

      const failed = (reason: string) =>
        Effect.suspend(() => {
          if (isAway) return Effect.void
          isAway = true
          return Effect.logWarning(`The collector of traces takes nothing, spans are dropped: ${reason}`)
        })
      const taken = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo("The collector takes traces again")
      })

      return HttpClient.filterStatusOk(client).pipe(
        HttpClient.transform((response) =>
          response.pipe(
            // The answer is read here, so that the time covers all of it.
            Effect.tap((given) => Effect.ignore(given.arrayBuffer)),
            Effect.timeout(timeoutMillis),
            Effect.retry({
              while: HttpClient.isTransientError,
              times: repeats,
              schedule: Schedule.spaced("1 second")
            }),
            Effect.tap(taken),
            Effect.tapError((error) => failed(error.message)),
            // What has failed here is given up: the exporter is not to repeat it once more.
            Effect.orDie,
            room.withPermitsIfAvailable(1),
            Effect.flatMap(Option.match({
              onSome: Effect.succeed,
              onNone: () =>
                Effect.andThen(failed("it is too slow"), Effect.die(new Error("The collector is too slow")))
            })),
            Effect.withTracerEnabled(false)
          )
        )
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))
