/**
 * D14.2: an open page survives outages of its server and its network, and is soon up to date again.
 */
import { describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Service } from "../../operations/Service.ts"
import { freePort } from "../../support/ProgramSettings.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "./Visitor.ts"
import { Yard } from "./Yard.ts"

describe.skipIf(Chromium.isSkipped)("an open page", () => {
  it("D14.2 is right again after its server was killed and is back, and after an hour without a network within 2 s", async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), "dockline-"))
    const port = String(await freePort())
    const serve = () =>
      ServerProcess.serve({ PORT: port, DATA_DIR: join(folder, "data"), RATE_LIMIT_PER_MINUTE: "0" })
    let server = await serve()
    const browser = await Chromium.open()
    onTestFinished(async () => {
      server.child.kill("SIGTERM")
      await server.ended
      rmSync(folder, { recursive: true, force: true })
    })
    const { open, page } = await Visitor.enter(browser, server.baseUrl)
    await page.clock.install()
    await open("/messages?at=acme/east")
    await page.getByText("Live", { exact: true }).waitFor()
    const before = new Yard(new Service(server.baseUrl))
    const shipment = await before.shipment({ pallets: 6 })
    await before.pallets(shipment, shipment.lpns.slice(0, 1))
    await page.getByText(shipment.lpns[0]!).waitFor()

    server.child.kill("SIGKILL")
    await server.ended
    await page.getByText("Offline", { exact: true }).waitFor()
    server = await serve()
    const yard = new Yard(new Service(server.baseUrl))
    await yard.pallets(shipment, shipment.lpns.slice(1, 3))
    for (const lpn of shipment.lpns.slice(0, 3)) await page.getByText(lpn).waitFor()
    await page.getByText("Live", { exact: true }).waitFor()

    await page.context().setOffline(true)
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
    await page.getByText("Offline", { exact: true }).waitFor()
    await page.clock.fastForward("01:00:00")
    await yard.pallets(shipment, shipment.lpns.slice(3))
    await Visitor.stopClock(page)
    await page.context().setOffline(false)
    await Visitor.within(
      page,
      2000,
      ...shipment.lpns.map((lpn) => page.getByText(lpn)),
      page.getByText("Live", { exact: true })
    )
  })
})
