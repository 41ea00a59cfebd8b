/**
 * The connection to the collector of traces.
 *
 * Guarantee: at most {@link batchLimit} batches are on their way, each for a limited time; other batches are dropped, and
 * so is every batch for a minute after a failed one. Only the end of the process waits for the collector, for a limited
 * time. The log has one line when the collector begins to fail, and one when it takes batches again.
 */
import { Effect, Layer, Option, Schedule, Semaphore } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

const batchLimit = 4

/** The most repetitions of a batch after faults that may pass. */
const repeats = 3

/** The client of the exporters; `timeoutMillis` is how long a batch may take, each time it is sent. */
export const layer = (timeoutMillis: number): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const client = yield* HttpClient.HttpClient
      const room = yield* Semaphore.make(batchLimit)
      let isAway = false

      const noteFailure = (reason: string) =>
        Effect.suspend(() => {
          if (isAway) return Effect.void
          isAway = true
          return Effect.logWarning(`The collector of traces takes nothing, spans are dropped: ${reason}`)
        })
      const noteSuccess = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo("The collector takes traces again")
      })

      return HttpClient.filterStatusOk(client).pipe(
        HttpClient.transform((response) =>
          response.pipe(
            // Read here, so that the time-out covers the whole answer.
            Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
            Effect.timeout(timeoutMillis),
            Effect.retry({
              while: HttpClient.isTransientError,
              times: repeats,
              schedule: Schedule.spaced("1 second")
            }),
            Effect.tap(noteSuccess),
            Effect.tapError((error) => noteFailure(error.message)),
            // As a defect: the exporter would repeat a failure.
            Effect.orDie,
            room.withPermitsIfAvailable(1),
            Effect.flatMap(Option.match({
              onSome: Effect.succeed,
              onNone: () =>
                Effect.andThen(
                  noteFailure("it is too slow"),
                  Effect.die(new Error("The collector is too slow"))
                )
            })),
            Effect.withTracerEnabled(false)
          )
        )
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))
