/**
 * The load generator: a process of its own that sends documents over keep-alive connections, each with one request
 * at a time, and measures the answers. It takes a `Task` as a message and answers with a `TaskResult`.
 */
import { randomUUID } from "node:crypto"
import { cpuSecondsOf } from "../Cpu.ts"
import { documentOf, firstDocumentOf, firstDocuments, palletOf } from "../intake/Documents.ts"
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
  async work(connection: Connection, at: number, requests: Requests): Promise<Array<Variant>> {
    const variants = Array.from(this.task.variants[at]!)
    for (let sent = 0; this.goesOn(at, sent); sent++) {
      const order = sent % this.task.ordersPerConnection
      const variant: Variant = variants[order] === 0 ? 1 : 0
      const request = requests(sent, order, variant)
      const start = now()
      const { body, status } = await connection.send(request)
      const end = now()
      if (start >= this.measureFrom && end < this.stopAt) this.latencies.push(end - start)
      this.statuses[status] = (this.statuses[status] ?? 0) + 1
      if (status === 200 || status === 201) variants[order] = variant
      else this.firstFailure ??= `${status} ${body.toString("utf8", 0, 2000)}`
    }
    return this.changesOrders ? variants : Array.from(this.task.variants[at]!)
  }

  get changesOrders(): boolean {
    return this.task.workload === "OVERWRITE" || this.task.workload === "MERGE"
  }

  goesOn(at: number, sent: number): boolean {
    const { connections, ordersPerConnection, seconds, workload } = this.task
    if (workload === "FIRST") return sent * connections + at < firstDocuments
    return seconds === 0 ? sent < ordersPerConnection : now() < this.stopAt
  }
}

type Requests = (sent: number, order: number, variant: Variant) => Buffer

/** Documents of a connection as bytes, so that nothing is serialized while it is measured; an event has an id of its own. */
const prepare = (task: Task, connection: number): Requests => {
  const { connections, ordersPerConnection, ports, run, shape, token, workload } = task
  const post = (path: string, content: unknown) =>
    requestOf(path, ports[connection % ports.length]!, token, content)
  switch (workload) {
    case "PALLETS":
      return (sent, order) =>
        post(
          "/v1/pallet-events",
          palletOf(
            `E-${run}-${connection}-${sent}`,
            connection,
            order,
            Math.floor(sent / ordersPerConnection) % shape.items,
            shape.businesses
          )
        )
    case "FIRST": {
      const documents = Array.from(
        { length: Math.ceil(firstDocuments / connections) },
        (_, order) => post("/v1/documents", firstDocumentOf(run, connection, order, shape))
      )
      return (sent) => documents[sent]!
    }
    default: {
      const keyed = keying(task.keys, randomUUID().slice(0, 18))
      const documents = Array.from(
        { length: ordersPerConnection },
        (_, order) =>
          ([0, 1] as const).map((variant) =>
            keyed.room(post("/v1/documents", documentOf(connection, order, variant, workload, shape)))
          )
      )
      return (sent, order, variant) => keyed.fill(documents[order]![variant]!, sent)
    }
  }
}

const headerEnd = Buffer.from("\r\n")

const keyLength = 32

/** Makes room for an `Idempotency-Key` in the bytes of a request, and fills it with another one each time. */
const keying = (keys: boolean, name: string) => {
  const header = Buffer.from(`\r\nIdempotency-Key: ${"0".repeat(keyLength)}`)
  return {
    room: (request: Buffer): Buffer => {
      if (!keys) return request
      const at = request.indexOf(headerEnd)
      return Buffer.concat([request.subarray(0, at), header, request.subarray(at)])
    },
    fill: (request: Buffer, sent: number): Buffer => {
      if (keys) {
        const at = request.indexOf(headerEnd) + header.length - keyLength
        request.write(`${name}-${sent}`.padEnd(keyLength, "-"), at)
      }
      return request
    }
  }
}

const cpuNow = ({ postgresPid, serverPids }: Task): CpuPerRequest => ({
  server: serverPids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
  postgres: cpuSecondsOf(postgresPid),
  client: cpuSecondsOf(process.pid)
})

const sleepUntil = (time: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, time - now())))

/** Reads the CPU times at both ends of the measurement, which is that of all the `work` if it is not bounded by time. */
const watch = async (run: Run, work: () => Promise<unknown>) => {
  const { task } = run
  const isTimed = task.seconds > 0 && task.workload !== "FIRST"
  const from = isTimed ? now() + task.warmupSeconds * 1000 : now()
  run.measureFrom = from
  if (isTimed) run.stopAt = from + task.seconds * 1000
  const working = work()
  await sleepUntil(from)
  const before = cpuNow(task)
  await (isTimed ? sleepUntil(run.stopAt) : working)
  const after = cpuNow(task)
  const seconds = isTimed ? task.seconds : (now() - from) / 1000
  await working
  return { before, after, seconds }
}

const execute = async (task: Task): Promise<TaskResult> => {
  const run = new Run(task)
  const range = Array.from({ length: task.connections }, (_, at) => at)
  const prepared = range.map((at) => prepare(task, at))
  const connections = await Promise.all(
    range.map((at) => Connection.open(task.ports[at % task.ports.length]!))
  )
  let variants: ReadonlyArray<ReadonlyArray<Variant>> = []
  const { after, before, seconds } = await watch(run, async () => {
    variants = await Promise.all(
      connections.map((connection, at) => run.work(connection, at, prepared[at]!))
    )
  })
  for (const connection of connections) connection.close()
  const sorted = Float64Array.from(run.latencies).sort()
  const perRequest = (key: keyof CpuPerRequest) => ((after[key] - before[key]) * 1000) / sorted.length
  return {
    measured: {
      requests: sorted.length,
      perSecond: sorted.length / seconds,
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
