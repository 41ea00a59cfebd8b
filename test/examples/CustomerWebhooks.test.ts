/** The customer's program with its webhooks as a process of its own, and a service that the test plays. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { PushMessage } from "../../examples/customer/src/PushMessage.ts"
import * as FakeService from "./FakeService.ts"
import { completion, pallet } from "./Messages.ts"
import * as Process from "./Process.ts"

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`

let folder: string
let running: Array<Process.Process>
let service: FakeService.FakeService

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-customer-"))
  running = []
  service = await FakeService.start()
})

afterEach(async () => {
  for (const { ended, kill } of running) {
    kill("SIGKILL")
    await ended
  }
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const webhooks = {
  WEBHOOK_PORT: "0",
  WEBHOOK_SECRET: secret,
  WEBHOOK_USERNAME: "dockline",
  WEBHOOK_PASSWORD: "hunter2"
}

const customer = (env: Readonly<Record<string, string>> = {}, args: ReadonlyArray<string> = ["--json"]) => {
  const program = Process.start("examples/customer/src/main.ts", args, {
    BASE_URL: service.url,
    STATE_FILE: join(folder, "state.json"),
    ...webhooks,
    ...env
  })
  running.push(program)
  return program
}

/** Where it takes webhooks, once it does. */
const urlOf = async (program: Process.Process): Promise<string> => {
  const pattern = /Taking webhooks .* at (\S+)\/api\/palletEvent/
  await program.until(({ errors }) => pattern.test(errors()))
  return pattern.exec(program.errors())![1]!
}

/** Sends a message as the service does; the answer's status, and whether it is said to be a repeat. */
const send = async (program: Process.Process, { id, message, messageType }: PushMessage) => {
  const path = messageType === "PALLET_EVENT" ? "/api/palletEvent" : "/api/shipmentComplete"
  const body = JSON.stringify(message)
  const at = new Date()
  const response = await fetch(await urlOf(program) + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from("dockline:hunter2").toString("base64")}`,
      "webhook-id": `msg_${id}`,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(`msg_${id}`, at, body)
    },
    body
  })
  const answer = await response.json() as { readonly repeat?: boolean }
  return [response.status, answer.repeat]
}

interface Line {
  readonly id: number
  readonly way: string
  readonly effect: { readonly differences?: ReadonlyArray<string> }
}

const linesOf = ({ output }: Process.Process): ReadonlyArray<Line> =>
  output().split("\n").slice(0, -1).map((line) => JSON.parse(line) as Line)

describe("npm run customer with webhooks", () => {
  it("by webhook alone: what was answered survives kill -9, what is repeated is counted once", async () => {
    const first = customer({ FOLLOW: "false" })
    assert.deepStrictEqual(await send(first, pallet(1)), [200, false])
    assert.deepStrictEqual(await send(first, pallet(2, { pallet: "2" })), [200, false])
    first.kill("SIGKILL")
    await first.ended
    const second = customer({ FOLLOW: "false" })
    assert.deepStrictEqual(await send(second, pallet(2, { pallet: "2" })), [200, true])
    assert.deepStrictEqual(await send(second, completion(3, [{}, { pallet: "2" }])), [200, false])
    await second.until((program) => linesOf(program).length === 1)
    assert.deepStrictEqual(linesOf(second)[0]!.effect.differences, [])
    assert.include(second.errors(), "Message 2 came again by webhook")
    second.kill("SIGINT")
    assert.strictEqual(await second.ended, 0)
    assert.deepStrictEqual(service.asked, [])
  })

  it("by both ways at once: a pallet that comes both ways is counted once", async () => {
    const program = customer()
    await program.until(({ errors }) => errors().includes("following live"))
    assert.deepStrictEqual(await send(program, pallet(1)), [200, false])
    service.publish(pallet(1), pallet(2, { pallet: "2" }))
    await program.until((running) => linesOf(running).length === 2)
    assert.deepStrictEqual(await send(program, pallet(2, { pallet: "2" })), [200, true])
    assert.deepStrictEqual(await send(program, completion(3, [{}, { pallet: "2" }])), [200, false])
    await program.until((running) => linesOf(running).length === 3)
    assert.deepStrictEqual(linesOf(program).map(({ id, way }) => [id, way]), [
      [1, "webhook"],
      [2, "GraphQL"],
      [3, "webhook"]
    ])
    assert.deepStrictEqual(linesOf(program)[2]!.effect.differences, [])
    assert.include(program.errors(), "Message 1 came again by GraphQL")
    program.kill("SIGTERM")
    assert.strictEqual(await program.ended, 0)
  })
})

describe("npm run customer with settings that do not go together", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["no secret", { WEBHOOK_SECRET: "" }, "WEBHOOK_SECRET"],
    ["a secret that is none", { WEBHOOK_SECRET: "whsec_%%" }, "WEBHOOK_SECRET"],
    ["a second secret that is none", { WEBHOOK_SECRET: `${secret},` }, "WEBHOOK_SECRET"],
    ["no password", { WEBHOOK_PASSWORD: "" }, "WEBHOOK_PASSWORD"],
    ["a port that is none", { WEBHOOK_PORT: "http" }, "WEBHOOK_PORT"],
    ["a scheme that is none", { WEBHOOK_AUTH: "digest" }, "WEBHOOK_AUTH"],
    ["nothing to do", { WEBHOOK_PORT: "", FOLLOW: "false" }, "FOLLOW"],
    ["a port that is taken", {}, "WEBHOOK_PORT"]
  ])("%s ends it with 1 and names the setting", async (name, env, said) => {
    const taken = name === "a port that is taken" ? { WEBHOOK_PORT: new URL(service.url).port } : {}
    const program = customer({ ...env, ...taken })
    assert.strictEqual(await program.ended, 1)
    assert.include(program.errors(), said)
    assert.notInclude(program.errors(), "    at ")
  })
})
