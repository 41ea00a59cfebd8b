/** Measures the process: memory, event loop, files, time, and version. */
import * as Metrics from "@dockline/core/values/Metrics"
import { Effect, Layer } from "effect"
import type { Metric, Scope } from "effect"
import { readdirSync } from "node:fs"

const gauge = (name: string, description: string): Metric.Gauge<number> =>
  Metrics.sampledGauge(name, description, []).of()

const residentMemory = gauge("dockline_process_resident_memory_bytes", "Memory that the process has in RAM")
const heapUsed = gauge("dockline_process_heap_used_bytes", "Heap of JavaScript that is in use")
const heapTotal = gauge("dockline_process_heap_total_bytes", "Heap of JavaScript that is set aside")
const external = gauge(
  "dockline_process_external_memory_bytes",
  "Memory of buffers and other objects outside the heap"
)
const openFiles = gauge("dockline_process_open_fds", "Open file descriptors, sockets included; Linux only")
const startTime = gauge(
  "dockline_process_start_time_seconds",
  "When the process began, in seconds since 1970"
)

const cpu = Metrics.counter(
  "dockline_process_cpu_seconds_total",
  "Time of processors that was used, by mode",
  [
    ["mode", ["user", "system"]]
  ]
)

const delays = Metrics.histogram(
  "dockline_process_event_loop_delay_seconds",
  "By how much a timer was late that is due ten times a second: for so long everything else waited too",
  []
)

const info = Metrics.sampledGauge("dockline_build_info", "Which version runs, on which Node; always 1", [
  "version",
  "node"
])

const lookMillis = 100

const watchEventLoop: Effect.Effect<void, never, Scope.Scope> = Effect.flatMap(
  Effect.context<never>(),
  (context) => {
    const late = delays.of()
    return Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => {
        let due = performance.now() + lookMillis
        return setInterval(() => {
          const now = performance.now()
          late.updateUnsafe(Math.max(0, now - due) / 1000, context)
          due = now + lookMillis
        }, lookMillis).unref()
      }),
      (timer) => Effect.sync(() => clearInterval(timer))
    ))
  }
)

const countFiles = (): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return Number.NaN
  }
}

/** Measures this process as long as the layer lives; to be there once in a process. */
export const layer = ({ version }: { readonly version: string }): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* Metrics.observe(residentMemory, () => process.memoryUsage.rss())
    yield* Metrics.observe(heapUsed, () => process.memoryUsage().heapUsed)
    yield* Metrics.observe(heapTotal, () => process.memoryUsage().heapTotal)
    yield* Metrics.observe(external, () => process.memoryUsage().external)
    if (!Number.isNaN(countFiles())) yield* Metrics.observe(openFiles, countFiles)
    yield* Metrics.observe(startTime, () => performance.timeOrigin / 1000)
    for (const mode of ["user", "system"] as const) {
      yield* Metrics.observeCounter(cpu.of(mode), () => process.cpuUsage()[mode] / 1_000_000)
    }
    yield* Metrics.observe(info.of(version, process.versions.node), () => 1)
    yield* watchEventLoop
  }))
