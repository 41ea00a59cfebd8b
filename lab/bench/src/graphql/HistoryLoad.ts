/**
 * The load generator of the history benchmark: a process of its own that sends prepared requests over keep-alive
 * connections, each with one request at a time. Answers of a megabyte are counted, not read: what they hold has been
 * compared before, and every answer must be as long as that one was.
 */
import { connect } from "node:net"
import type { Socket } from "node:net"
import { cpuSecondsOf } from "../Cpu.ts"
import { percentile } from "../load/Task.ts"
import type { CpuPerRequest, Measured } from "../load/Task.ts"

/** One run against one server. */
export interface HistoryTask {
  readonly port: number
  readonly path: string
  readonly token: string
  readonly connections: number
  readonly warmupSeconds: number
  readonly seconds: number
  /** Bodies of requests, and how many bytes the body of each answer must have. */
  readonly requests: ReadonlyArray<{ readonly body: string; readonly answerBytes: number }>
  /** Processes whose CPU time is read at the start and the end of the measurement. */
  readonly serverPid: number
  readonly postgresPid: number
}

const shared = Buffer.allocUnsafeSlow(256 * 1024)
const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i

interface Answer {
  readonly status: number
  readonly bytes: number
}

/** A keep-alive connection that counts the bytes of its answers. */
class CountingConnection {
  #socket: Socket | undefined
  #head: Buffer = Buffer.alloc(0)
  #status = 0
  #bytes = 0
  #left = 0
  #waiting:
    | { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }
    | undefined

  static open(port: number): Promise<CountingConnection> {
    return new Promise((resolve, reject) => {
      const connection = new CountingConnection()
      const fail = (error: Error) => {
        reject(error)
        connection.#waiting?.reject(error)
      }
      const socket = connect({
        port,
        host: "127.0.0.1",
        noDelay: true,
        onread: {
          buffer: shared,
          callback: (length) => {
            connection.#receive(shared.subarray(0, length))
            return true
          }
        }
      }, () => resolve(connection))
      socket.on("error", fail)
      socket.on("close", () => fail(new Error("The server closed the connection")))
      connection.#socket = socket
    })
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket!.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket!.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#left > 0) return this.#count(chunk.length)
    this.#head = Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf(headEnd)
    if (end < 0) return
    const head = this.#head.toString("latin1", 0, end)
    const length = lengthPattern.exec(head)?.[1]
    if (length === undefined) {
      return this.#waiting?.reject(new Error(`An answer without Content-Length:\n${head}`))
    }
    this.#status = Number(head.slice(9, 12))
    this.#bytes = Number(length)
    this.#left = this.#bytes
    const rest = this.#head.length - end - headEnd.length
    this.#head = Buffer.alloc(0)
    this.#count(rest)
  }

  #count(received: number): void {
    this.#left -= received
    if (this.#left > 0) return
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: this.#status, bytes: this.#bytes })
  }
}

const bytesOf = ({ path, port, token }: HistoryTask, text: string): Buffer => {
  const body = Buffer.from(text)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    "Accept: application/json",
    `Authorization: Bearer ${token}`,
    `Content-Length: ${body.length}`,
    "Connection: keep-alive"
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}

const now = () => performance.now()

const sleepUntil = (time: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, time - now())))

const cpuNow = ({ postgresPid, serverPid }: HistoryTask): CpuPerRequest => ({
  server: cpuSecondsOf(serverPid),
  postgres: cpuSecondsOf(postgresPid),
  client: cpuSecondsOf(process.pid)
})

const execute = async (task: HistoryTask): Promise<Measured> => {
  const requests = task.requests.map(({ answerBytes, body }) => ({ answerBytes, bytes: bytesOf(task, body) }))
  const range = Array.from({ length: task.connections }, (_, at) => at)
  const connections = await Promise.all(range.map(() => CountingConnection.open(task.port)))
  const measureFrom = now() + task.warmupSeconds * 1000
  const stopAt = measureFrom + task.seconds * 1000
  const latencies: Array<number> = []

  const work = async (connection: CountingConnection, first: number) => {
    for (let sent = first; now() < stopAt; sent++) {
      const { answerBytes, bytes } = requests[sent % requests.length]!
      const start = now()
      const answer = await connection.send(bytes)
      const end = now()
      if (answer.status !== 200 || answer.bytes !== answerBytes) {
        throw new Error(
          `status ${answer.status} with ${answer.bytes} bytes instead of 200 with ${answerBytes}`
        )
      }
      if (start >= measureFrom && end < stopAt) latencies.push(end - start)
    }
  }

  const watch = async () => {
    await sleepUntil(measureFrom)
    const before = cpuNow(task)
    await sleepUntil(stopAt)
    return [before, cpuNow(task)] as const
  }

  const [[before, after]] = await Promise.all([
    watch(),
    ...connections.map((connection, at) => work(connection, at * 3))
  ])
  for (const connection of connections) connection.close()
  const sorted = Float64Array.from(latencies).sort()
  const each = (key: keyof CpuPerRequest) => ((after[key] - before[key]) * 1000) / sorted.length
  return {
    requests: sorted.length,
    perSecond: sorted.length / task.seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    cpu: { server: each("server"), postgres: each("postgres"), client: each("client") }
  }
}

process.once("message", (task) => {
  void execute(task as HistoryTask).then(
    (result) => process.send!({ result }, () => process.disconnect()),
    (error: unknown) => process.send!({ error: String(error) }, () => process.disconnect())
  )
})
