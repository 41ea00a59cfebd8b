/**
 * The load generator: a process of its own that sends documents over keep-alive connections, each with one request
 * at a time, and measures the answers. It takes a `Task` as a message and answers with a `TaskResult`.
 */
import { cpuSecondsOf } from "../Cpu.ts"
import { documentOf } from "../intake/Documents.ts"
import type { Variant } from "../intake/Documents.ts"
import { Connection, requestOf } from "./Connection.ts"
import { percentile } from "./Task.ts"
import type { CpuPerRequest, Task, TaskResult } from "./Task.ts"

const now = () => performance.now()

class Run {
  readonly task: Task
  readonly statuses: Record<string, number> = {}
  readonly latencies: Array<number> = []
  firstFailure: string | null = null
  measureFrom = Number.POSITIVE_INFINITY
  stopAt = Number.POSITIVE_INFINITY

  constructor(task: Task) {
    this.task = task
  }

  /** Sends on one connection until the time is over; returns the variants of its orders. */
  async work(connection: Connection, at: number, requests: Prepared): Promise<Array<Variant>> {
    const variants = Array.from(this.task.variants[at]!)
    for (let sent = 0; this.goesOn(sent); sent++) {
      const order = sent % this.task.ordersPerConnection
      const variant: Variant = variants[order] === 0 ? 1 : 0
      const start = now()
      const { body, status } = await connection.send(requests[order]![variant])
      const end = now()
      if (start >= this.measureFrom && end < this.stopAt) this.latencies.push(end - start)
      this.statuses[status] = (this.statuses[status] ?? 0) + 1
      if (status === 200 || status === 201) variants[order] = variant
      else this.firstFailure ??= `${status} ${body.toString("utf8", 0, 2000)}`
    }
    return variants
  }

  goesOn(sent: number): boolean {
    return this.task.seconds === 0 ? sent < this.task.ordersPerConnection : now() < this.stopAt
  }
}

type Prepared = ReadonlyArray<readonly [Buffer, Buffer]>

/** Every request of a connection as bytes, so that nothing is serialized while it is measured. */
const prepare = ({ ordersPerConnection, port, token, workload }: Task, connection: number): Prepared =>
  Array.from({ length: ordersPerConnection }, (_, order) => [
    requestOf(port, token, documentOf(connection, order, 0, workload)),
    requestOf(port, token, documentOf(connection, order, 1, workload))
  ])

const cpuNow = ({ postgresPid, serverPid }: Task): CpuPerRequest => ({
  server: cpuSecondsOf(serverPid),
  postgres: cpuSecondsOf(postgresPid),
  client: cpuSecondsOf(process.pid)
})

const sleepUntil = (time: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, time - now())))

/** Reads the CPU times at both ends of the measurement. */
const watch = async (run: Run): Promise<readonly [CpuPerRequest, CpuPerRequest]> => {
  if (run.task.seconds === 0) return [cpuNow(run.task), cpuNow(run.task)]
  run.measureFrom = now() + run.task.warmupSeconds * 1000
  run.stopAt = run.measureFrom + run.task.seconds * 1000
  await sleepUntil(run.measureFrom)
  const before = cpuNow(run.task)
  await sleepUntil(run.stopAt)
  return [before, cpuNow(run.task)]
}

const execute = async (task: Task): Promise<TaskResult> => {
  const run = new Run(task)
  const range = Array.from({ length: task.connections }, (_, at) => at)
  const prepared = range.map((at) => prepare(task, at))
  const connections = await Promise.all(range.map(() => Connection.open(task.port)))
  const watching = watch(run)
  const variants = await Promise.all(
    connections.map((connection, at) => run.work(connection, at, prepared[at]!))
  )
  const [before, after] = await watching
  for (const connection of connections) connection.close()
  const sorted = Float64Array.from(run.latencies).sort()
  const perRequest = (key: keyof CpuPerRequest) => ((after[key] - before[key]) * 1000) / sorted.length
  return {
    measured: {
      requests: sorted.length,
      perSecond: sorted.length / task.seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      cpu: { server: perRequest("server"), postgres: perRequest("postgres"), client: perRequest("client") }
    },
    statuses: run.statuses,
    firstFailure: run.firstFailure,
    variants
  }
}

process.once("message", (task) => {
  void execute(task as Task).then(
    (result) => process.send!({ result }, () => process.disconnect()),
    (error: unknown) => process.send!({ error: String(error) }, () => process.disconnect())
  )
})
