/** Measures the process (memory, event loop, files, time, and version), and the limits of a `NodeServer`. */
import * as Metrics from "@dockline/core/values/Metrics"
import { Effect, Layer } from "effect"
import type { Metric, Scope } from "effect"
import { readdirSync } from "node:fs"
import type { Admission } from "../limits/Admission.ts"
import type { AnswerBudget } from "../limits/Budgets.ts"
import type { ConnectionLimits } from "../limits/ConnectionLimits.ts"
import * as WorkLane from "../limits/WorkLane.ts"

const gauge = (name: string, description: string): Metric.Gauge<number> =>
  Metrics.sampledGauge(name, description, []).of()

const connections = gauge(
  "dockline_http_connections",
  "Open connections of clients, including sockets of GraphQL"
)

const answerBytes = gauge("dockline_http_answer_bytes", "Bytes of answers that clients have not read yet")

const reasons = ["refused", "slow_request", "stalled_answer"] as const

const cuts = Metrics.counter(
  "dockline_http_connections_cut_total",
  "Connections that were refused because there were too many, or closed because a request arrived or an answer was read too slowly",
  [["reason", reasons]]
)

const requests = Metrics.sampledGauge(
  "dockline_admission_requests",
  "Requests and operations by lane: those that run, those that wait for the storage or for memory for their answers, and those that wait for a turn",
  ["lane", "state"]
)

const sheds = Metrics.counter(
  "dockline_admission_shed_total",
  "Requests and operations that were refused with 503 OVERLOADED before any work was done, by lane",
  [["lane", WorkLane.names]]
)

const bodies = gauge(
  "dockline_admission_body_bytes",
  "Announced bytes of the request bodies that are in memory"
)

const answers = gauge(
  "dockline_answer_budget_characters",
  "Estimated characters of large answers that are being made or that clients have not read yet"
)

const waitingAnswers = gauge(
  "dockline_answer_budget_waiting",
  "Large answers that wait for their share of the budget"
)

const refusedAnswers = Metrics.counter(
  "dockline_answer_budget_refused_total",
  "Large answers that were refused with 503 OVERLOADED because the budget was used up",
  []
)

/** Measures a `NodeServer`: connections, waiting answers, running and waiting work, refusals, and connections that were cut. */
export const limitMetrics = (
  { admission, connectionLimits }: {
    readonly admission: Admission | undefined
    readonly connectionLimits: ConnectionLimits
  },
  budget: AnswerBudget
): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.all([
    Metrics.observe(connections, () => connectionLimits.stats.connections),
    Metrics.observe(answerBytes, () => connectionLimits.stats.answerBytes),
    Metrics.observeCounter(cuts.of("refused"), () => connectionLimits.stats.refused),
    Metrics.observeCounter(cuts.of("slow_request"), () => connectionLimits.stats.slowRequests),
    Metrics.observeCounter(cuts.of("stalled_answer"), () => connectionLimits.stats.stalledAnswers),
    Metrics.observe(answers, () => budget.stats.held),
    Metrics.observe(waitingAnswers, () => budget.stats.waiting),
    Metrics.observeCounter(refusedAnswers.of(), () => budget.stats.refused),
    ...(admission === undefined ? [] : [
      Metrics.observe(bodies, () => admission.bodyBytes),
      ...WorkLane.names.flatMap((lane) => [
        Metrics.observe(requests.of(lane, "running"), () => admission.stats[lane].running),
        Metrics.observe(requests.of(lane, "idle"), () => admission.stats[lane].idle),
        Metrics.observe(requests.of(lane, "waiting"), () => admission.stats[lane].waiting),
        Metrics.observeCounter(sheds.of(lane), () => admission.stats[lane].refused)
      ])
    ])
  ], { discard: true }))

const residentMemory = gauge("dockline_process_resident_memory_bytes", "Memory that the process has in RAM")
const heapUsed = gauge("dockline_process_heap_used_bytes", "Heap of JavaScript that is in use")
const heapTotal = gauge("dockline_process_heap_total_bytes", "Heap of JavaScript that is allocated")
const external = gauge(
  "dockline_process_external_memory_bytes",
  "Memory of buffers and other objects outside the heap"
)
const openFiles = gauge("dockline_process_open_fds", "Open file descriptors, including sockets; Linux only")
const startTime = gauge(
  "dockline_process_start_time_seconds",
  "Start of the process, in seconds since 1970"
)

const cpu = Metrics.counter(
  "dockline_process_cpu_seconds_total",
  "CPU time of the process, by mode",
  [
    ["mode", ["user", "system"]]
  ]
)

const delays = Metrics.histogram(
  "dockline_process_event_loop_delay_seconds",
  "Delay of a timer that is due ten times a second: all other work waited for as long",
  []
)

const info = Metrics.sampledGauge(
  "dockline_build_info",
  "Always 1; its labels are the version of the program and of Node",
  [
    "version",
    "node"
  ]
)

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

/** Measures this process until the layer closes. Use it once in a process. */
export const processMetrics = ({ version }: { readonly version: string }): Layer.Layer<never> =>
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
