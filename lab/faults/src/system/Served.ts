/** Two instances of the service, and the one address in front of them. */
import { randomBytes } from "node:crypto"
import { createServer } from "node:net"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import type { Scene } from "../run/Play.ts"
import { until } from "../Until.ts"
import { Instance } from "./Instance.ts"
import * as InstanceLog from "./InstanceLog.ts"
import { balance, close, listen } from "./Tcp.ts"

/** Settings of the instances, besides addresses and keys. */
const instanceSettings = {
  DEMO: "true",
  RATE_LIMIT_PER_MINUTE: "0",
  OUTBOUND_ALLOW: "127.0.0.0/8",
  WEBHOOK_TIMEOUT_SECONDS: "3",
  LOG_LEVEL: "Warn",
  NODE_OPTIONS: "--max-old-space-size=1024"
}

/** The delay before an instance that ended by itself is started again, in milliseconds. */
const restartMillis = 200

/** Starts both, each with its database, and with settings besides those of every run. */
export const startInstances = async (
  { onBroken, opened, options: { folder, program } }: Scene,
  urlFor: (side: Side) => string,
  settings: Readonly<Record<string, string>>
) => {
  const balancer = await balance(opened)
  const secretsKey = randomBytes(32).toString("base64")
  const instanceOf = async (side: Side): Promise<Instance> => {
    const instance: Instance = new Instance({
      program,
      port: await steadyPort(),
      log: side === "a"
        ? InstanceLog.inFile(folder, "instance-a.log", opened)
        : InstanceLog.throughPipe(folder, "instance-b.log"),
      env: {
        ...instanceSettings,
        DATABASE_URL: urlFor(side),
        BASE_URL: balancer.url,
        SECRETS_KEY: secretsKey,
        ...settings
      },
      onEnd: (how) => {
        onBroken("stays up", `instance ${side} ended by itself: ${how}`)
        setTimeout(() => instance.start(), restartMillis)
      }
    })
    return opened.adopt(instance, (instance) => instance.close())
  }
  const instances = { a: await instanceOf("a"), b: await instanceOf("b") }
  const all = sides.map((side) => instances[side])
  const urls = all.map(({ url }) => url)
  for (const instance of all) instance.start()
  balancer.forward(urls)
  return {
    instances,
    urls,
    baseUrl: balancer.url,
    /** Waits until both instances report that they are ready; returns whether they did in time. */
    isReady: (millis: number) =>
      until(async () => (await Promise.all(all.map((each) => each.isReady()))).every(Boolean), millis)
  }
}

/**
 * A port that stays free while its instance is down: below the ports of outgoing connections, of which there are many here.
 */
const steadyPort = async (): Promise<number> => {
  for (;;) {
    const server = createServer()
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const isFree = await listen(server, port).then(() => true, () => false)
    if (isFree) return close(server).then(() => port)
  }
}
