/** Two instances of the service, and the one address before them. */
import { randomBytes } from "node:crypto"
import { createServer } from "node:net"
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import { Balancer } from "./Balancer.ts"
import { areReady } from "./Health.ts"
import { Instance } from "./Instance.ts"
import type { Program } from "./Instance.ts"

/** Settings of the instances, beside addresses and keys. */
const instanceSettings = {
  DEMO: "true",
  RATE_LIMIT_PER_MINUTE: "0",
  OUTBOUND_ALLOW: "127.0.0.0/8",
  WEBHOOK_TIMEOUT_SECONDS: "3",
  LOG_LEVEL: "Warn"
}

/** After how long an instance that ended by itself is started again, in milliseconds. */
const restartMillis = 200

/** What they consist of. */
export interface ServedParts {
  readonly instances: Readonly<Record<Side, Instance>>
  readonly balancer: Balancer
}

/** Both of them, as clients know them. */
export class Served implements ServedParts {
  readonly instances: Readonly<Record<Side, Instance>>
  readonly balancer: Balancer

  constructor({ balancer, instances }: ServedParts) {
    this.instances = instances
    this.balancer = balancer
  }

  /** The addresses of the instances. */
  get urls(): ReadonlyArray<string> {
    return sides.map((side) => this.instances[side].url)
  }

  get baseUrl(): string {
    return this.balancer.url
  }

  /** Waits until both instances say that they are ready; says whether they did in time. */
  isReady(millis: number): Promise<boolean> {
    return areReady(sides.map((side) => () => this.instances[side].isReady()), millis)
  }

  /** Moves the clocks of both instances forward. */
  advance(millis: number): void {
    for (const side of sides) this.instances[side].advance(millis)
  }
}

/** How two instances are started. */
export interface ServedOptions {
  /** An empty folder, where they have their logs. */
  readonly folder: string
  readonly program: Program
  /** Settings of the instances beside those of every run. */
  readonly settings?: Readonly<Record<string, string>>
  /** Told of an instance that ended and was not meant to; it is started again. */
  readonly onEnd: (side: Side, how: string) => void
  /** The URL of the database of each. */
  readonly urlFor: (side: Side) => string
}

/** Starts two instances, and the one address before them. */
export const startInstances = async (
  { folder, onEnd, program, settings = {}, urlFor }: ServedOptions,
  opened: AsyncDisposableStack
): Promise<ServedParts> => {
  const balancer = opened.adopt(await Balancer.open(), (balancer) => balancer.close())
  const secretsKey = randomBytes(32).toString("base64")
  const instanceOf = async (side: Side): Promise<Instance> => {
    const instance: Instance = new Instance({
      program,
      port: await steadyPort(),
      log: join(folder, `instance-${side}.log`),
      env: {
        ...instanceSettings,
        DATABASE_URL: urlFor(side),
        BASE_URL: balancer.url,
        SECRETS_KEY: secretsKey,
        ...settings
      },
      onEnd: (how) => {
        onEnd(side, how)
        setTimeout(() => instance.start(), restartMillis)
      }
    })
    return opened.adopt(instance, (instance) => instance.close())
  }
  const instances = { a: await instanceOf("a"), b: await instanceOf("b") }
  for (const side of sides) instances[side].start()
  balancer.forward(sides.map((side) => instances[side].url))
  return { instances, balancer }
}

/**
 * A port that stays free while its instance is down: below those that systems give to outgoing connections, of which
 * there are many here.
 */
const steadyPort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
