/** An instance: a process that is killed, stopped, paused and started again, and whose clock goes wrong. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { bundle } from "../../../../programs/Bundle.mjs"
import { eventually } from "../../../../test/support/Eventually.ts"
import { freePort } from "../../../../test/support/ServerProcess.ts"
import { Instance } from "../../src/system/Instance.ts"

let folder: string
let file: string
let instance: Instance
let ended: Array<string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-instance-"))
  file = join(folder, "instance.mjs")
  await bundle({
    entry: fileURLToPath(new URL("../fixtures/SmallInstance.ts", import.meta.url)),
    outfile: file
  })
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const make = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  ended = []
  instance = new Instance({
    program: { file, cache: folder },
    port: await freePort(),
    env,
    log: join(folder, "instance.log"),
    onEnd: (how) => ended.push(how)
  })
}

beforeEach(() => make())

afterEach(() => instance.close())

const ready = async (): Promise<void> => {
  await eventually("the instance to be ready", () => instance.isReady())
}

interface Times {
  readonly now: number
  readonly made: number
  readonly given: number
  readonly text: string
}

const times = async (): Promise<Times> => (await (await fetch(instance.url)).json()) as Times

/** By how many minutes its clock is wrong. */
const wrongBy = async (): Promise<number> => Math.round(((await times()).now - Date.now()) / 60_000)

/** Waits until its clock is wrong by as many minutes. */
const untilWrongBy = async (minutes: number): Promise<void> => {
  await eventually(`a clock that is ${minutes} minutes wrong`, async () => await wrongBy() === minutes)
}

describe("an instance", () => {
  it("is ready when it says so, and not when it is not there", async () => {
    assert.isFalse(await instance.isReady())
    instance.start()
    await ready()
    await instance.kill()
    assert.isFalse(await instance.isReady())
    assert.isFalse(instance.isRunning)
  })

  it("is killed and started again at the same address, also while it is paused", async () => {
    instance.start()
    await ready()
    instance.pause()
    await instance.kill()
    instance.start()
    instance.start()
    await ready()
    assert.deepStrictEqual(ended, [])
  })

  it("answers nothing while it is paused, and what was asked afterwards", async () => {
    instance.start()
    await ready()
    instance.pause()
    const asked = fetch(instance.url).then(() => "answered")
    const moment = new Promise((resolve) => setTimeout(() => resolve("silent"), 200))
    assert.strictEqual(await Promise.race([asked, moment]), "silent")
    instance.resume()
    assert.strictEqual(await asked, "answered")
  })

  it("is stopped with SIGTERM, paused or not, and it is said when it did not end well", async () => {
    instance.start()
    await ready()
    instance.pause()
    assert.isUndefined(await instance.stop())
    await make({ EXIT_CODE: "4" })
    instance.start()
    await ready()
    assert.strictEqual(await instance.stop(), "exit code 4")
    assert.deepStrictEqual(ended, [])
  })

  it("that is stopped before it heeds signals has done nothing wrong", async () => {
    instance.start()
    assert.isUndefined(await instance.stop())
  })

  it("tells when it ends and nobody asked for it", async () => {
    instance.start()
    await ready()
    await fetch(`${instance.url}/end`).catch(() => {})
    await eventually("the end of the instance", () => !instance.isRunning)
    assert.deepStrictEqual(ended, ["exit code 3"])
  })

  it("stays away when it has been closed", async () => {
    instance.start()
    await instance.close()
    instance.start()
    assert.isFalse(instance.isRunning)
  })
})

describe("the clock of an instance", () => {
  it("goes wrong as it is told, in all ways in which a program asks, and right again", async () => {
    instance.start()
    await ready()
    assert.strictEqual(await wrongBy(), 0)
    instance.setClock(90 * 60_000)
    await untilWrongBy(90)
    const { given, made, now, text } = await times()
    assert.approximately(made, now, 1000)
    assert.approximately(new Date(text).getTime(), now, 2000)
    assert.strictEqual(given, 7)
    instance.setClock(-30 * 60_000)
    await untilWrongBy(-30)
    instance.advance(40 * 60_000)
    await untilWrongBy(10)
    instance.setClock(0)
    await untilWrongBy(0)
  })

  it("stays wrong when it is started again", async () => {
    instance.setClock(60 * 60_000)
    instance.start()
    await ready()
    await untilWrongBy(60)
    await instance.kill()
    instance.start()
    await ready()
    await untilWrongBy(60)
  })
})
