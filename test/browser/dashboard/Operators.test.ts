/**
 * D14.2: operators change businesses, places, clients and endpoints in a real browser, as on the command line: the service's refusals are
 * shown at their fields, secrets are shown once, and losses need a confirmation.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import * as Chromium from "../Chromium.ts"
import { begin, operate, site, visitAt as visitAs, yard } from "./Scene.ts"

const visitAt = (path: string) => visitAs(path, "operator")

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

/** Reads a path as the operator. */
const read = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  (await site.service.call("operator", { method: "GET", path: `/v1/operator/${path}` })).body

describe.skipIf(Chromium.isSkipped)("the pages of operators", { timeout: 120_000 }, () => {
  begin()

  it("D11 an operator creates a business with a facility and a dock, and what is refused stands at its field", async () => {
    const { open, page } = await visitAt("/businesses")
    await press(page, "Create a business")
    // The form has the focus.
    await page.keyboard.type("Initech Foods")
    await page.getByRole("textbox", { name: "Name" }).fill("Initech")
    await page.keyboard.press("Enter")
    const slug = page.getByRole("textbox", { name: "Slug" })
    await slug.and(page.locator("[aria-invalid='true']")).waitFor()
    assert.isTrue(await slug.evaluate((element) => element === document.activeElement))
    const fault = await slug.evaluate((element) =>
      (element.getAttribute("aria-describedby") ?? "").split(" ").map((id) =>
        document.getElementById(id)?.textContent
      )
        .join(" ")
    )
    assert.match(fault, /must/)
    await slug.fill("initech")
    await page.keyboard.press("Enter")
    await page.getByText("Initech is there.").waitFor()
    await page.getByRole("link", { name: "Initech", exact: true }).click()
    await press(page, "Create a facility")
    await page.getByRole("textbox", { name: "Slug" }).fill("north")
    await page.getByRole("textbox", { name: "Name" }).fill("North")
    await page.getByRole("combobox", { name: "Time zone" }).fill("Europe/Berlin")
    await press(page, "Create")
    await page.getByRole("link", { name: "North", exact: true }).click()
    await press(page, "Create a dock")
    await page.getByRole("textbox", { name: "Slug" }).fill("N1")
    await page.keyboard.press("Enter")
    await page.getByText("N1 is there.").waitFor()
    await press(page, "Change…")
    // Changes by others while the form is open are not reverted.
    const facility = { path: "/v1/operator/businesses/initech/facilities/north" }
    await site.service.call("operator", { ...facility, method: "PATCH", body: { timeZone: "Europe/Paris" } })
    await page.waitForResponse((response) => response.url().endsWith(facility.path))
    await page.getByRole("textbox", { name: "Name" }).fill("North Hall")
    await press(page, "Save")
    await page.getByText("Saved.").waitFor()
    assert.deepInclude(await read("businesses/initech/facilities/north"), {
      name: "North Hall",
      timeZone: "Europe/Paris"
    })
    // The new facility is available without reloading the page.
    await page.getByRole("link", { name: "To its board" }).click()
    await page.getByRole("heading", { name: "N1" }).waitFor()
    await open("/audit?business=initech")
    await page.getByText("Facility changed").first().waitFor()
    const changes = (await page.getByRole("row").allInnerTexts()).filter((text) => text !== "")
    assert.match(changes[1]!, /Facility changed[^]*businesses\/initech\/facilities\/north[^]*operator/)
    assert.lengthOf(changes, 6)
    await page.context().close()
  })

  // @threat browsers.19
  it("D11 an operator creates a client, sees its secret once, rotates it, and shuts it out", async () => {
    const { follow, page } = await visitAt("/clients")
    await press(page, "Create an API client")
    await page.keyboard.type("Initech WMS")
    await page.getByRole("group", { name: "Grant 1" }).getByRole("combobox", { name: "Business" })
      .selectOption("Globex")
    await page.getByRole("checkbox", { name: "Read messages" }).check()
    await page.getByRole("checkbox", { name: "Send documents" }).check()
    await press(page, "Create")
    const secret = page.getByRole("alert", { name: "Secret" })
    await secret.getByText("the service shows it only once").waitFor()
    const [id, first] = await secret.locator("code").allInnerTexts()
    assert.strictEqual((await site.service.askToken(id!, first!)).status, 200)
    assert.deepInclude(await read(`clients/${id}`), {
      name: "Initech WMS",
      grants: [{ business: "globex", facilities: "*", permissions: ["messages:read", "documents:write"] }]
    })
    await press(page, "I have saved it")
    await page.getByRole("link", { name: "Initech WMS", exact: true }).click()
    await page.getByRole("heading", { name: "Initech WMS" }).waitFor()
    await press(page, "Add a secret to an API client")
    await secret.waitFor()
    const [, second] = await secret.locator("code").allInnerTexts()
    assert.strictEqual((await site.service.askToken(id!, second!)).status, 200)
    await follow("/clients")
    await follow(`/clients/${id}`)
    await page.getByRole("heading", { name: "Secrets" }).waitFor()
    assert.notInclude(await page.content(), second!)
    const { secrets } = await read(`clients/${id}`) as {
      readonly secrets: ReadonlyArray<{ readonly id: string }>
    }
    assert.lengthOf(secrets, 2)
    const old = page.getByRole("row").filter({ hasText: secrets[0]!.id })
    await old.getByRole("button").click()
    await old.getByRole("button", { name: "Delete now" }).click()
    await old.waitFor({ state: "detached" })
    assert.strictEqual((await site.service.askToken(id!, first!)).status, 401)
    assert.strictEqual((await site.service.askToken(id!, second!)).status, 200)
    await page.getByRole("button", { name: "Disable" }).click()
    await page.getByRole("button", { name: "Disable now" }).click()
    await page.getByText("Disabled", { exact: true }).waitFor()
    assert.strictEqual((await site.service.askToken(id!, second!)).status, 401)
  })

  it("D11 a list is not replaced that somebody else has changed since the form was opened", async () => {
    const { id } = await operate("webhook-endpoints", {
      business: "globex",
      baseUrl: "https://lists.globex.example",
      messageTypes: ["PALLET_EVENT"],
      authentication: { type: "none" }
    })
    const { open, page } = await visitAt(`/webhooks/${String(id)}`)
    const told = page.getByText("Somebody changed it meanwhile, and nothing was saved")
    await press(page, "Change…")
    await operate(`webhook-endpoints/${String(id)}`, { messageTypes: ["SHIPMENT_COMPLETE"] }, "PATCH")
    await page.getByRole("checkbox", { name: "Arrival" }).check()
    await press(page, "Save")
    await told.waitFor()
    assert.deepInclude(await read(`webhook-endpoints/${String(id)}`), { messageTypes: ["SHIPMENT_COMPLETE"] })
    // The form begins with the present values.
    await press(page, "Change…")
    await page.getByRole("checkbox", { name: "Arrival" }).check()
    await press(page, "Save")
    await page.getByText("Saved.").waitFor()
    assert.deepInclude(await read(`webhook-endpoints/${String(id)}`), {
      messageTypes: ["SHIPMENT_COMPLETE", "SHIPMENT_ARRIVED"]
    })
    await open("/businesses/globex/field-map")
    await press(page, "Change…")
    await press(page, "Add field")
    await page.getByRole("textbox", { name: "Name" }).fill("Mine")
    await page.getByRole("combobox", { name: "Label" }).last().fill("lpn")
    await operate("businesses/globex/field-map", [{ name: "Theirs", label: "lpn", list: false }], "PUT")
    await press(page, "Save")
    await told.waitFor()
    await page.getByRole("cell", { name: "Theirs" }).waitFor()
    await operate("businesses/globex/field-map", [], "PUT")
    await page.context().close()
  })

  it("D11 grants are added and withdrawn one at a time, and what others grant while the page is open stays", async () => {
    const grantOf = (...permissions: ReadonlyArray<string>) => ({
      business: "globex",
      facilities: "*",
      permissions
    })
    const first = { grants: [grantOf("messages:read")] }
    const client = `clients/${String((await operate("clients", { name: "Globex rail", ...first })).id)}`
    const person = `people/${
      String((await operate("people", { name: "Grace", email: "grace@globex.example", ...first })).id)
    }`
    for (
      const [holder, name, more] of [
        [client, "Globex rail", "Let an API client do more"],
        [person, "Grace", "Let a person do more"]
      ]
    ) {
      const { page } = await visitAt(`/${holder!}`)
      await press(page, more!)
      const form = page.getByRole("form", { name: more! })
      await form.getByRole("combobox", { name: "Business" }).selectOption("Globex")
      await form.getByRole("checkbox", { name: "Report pallets" }).check()
      await operate(`${holder!}/grants`, { grants: [grantOf("shipments:write")] })
      await press(page, "Confirm")
      await page.getByText(`${name!} is there.`).waitFor()
      assert.deepInclude(await read(holder!), {
        grants: [grantOf("messages:read", "shipments:write", "pallets:write")]
      })
      const line = page.getByRole("region", { name: `Grants of ${name!}` }).getByRole("row")
        .filter({ hasText: "Read messages" })
      await operate(`${holder!}/grants`, { grants: [grantOf("documents:write")] })
      await line.getByRole("button", { name: "Withdraw" }).click()
      await line.getByRole("button", { name: "Withdraw now" }).click()
      await line.waitFor({ state: "detached" })
      assert.deepInclude(await read(holder!), {
        grants: [grantOf("shipments:write", "pallets:write", "documents:write")]
      })
      await page.context().close()
    }
  })

  it("D14.2 a page tells only the last thing that was done, and keeps its title", async () => {
    const { id } = await operate("clients", {
      name: "Globex scales",
      grants: [{ business: "globex", facilities: "*", permissions: ["messages:read"] }]
    })
    await operate(`clients/${String(id)}/secrets`, {})
    const { page, shown } = await visitAt(`/clients/${String(id)}`)
    const fault = page.getByRole("alert")
    const done = page.getByText("Saved.")
    await press(page, "Add a secret to an API client")
    await fault.waitFor()
    await press(page, "Change…")
    await page.getByRole("textbox", { name: "Name" }).fill("Globex gate")
    const titles = await page.evaluateHandle(() => {
      const titles: Array<string> = []
      new MutationObserver(() => titles.push(document.title)).observe(document.head, {
        childList: true,
        subtree: true
      })
      return titles
    })
    const session = page.waitForResponse(/\/dashboard\/session$/)
    await press(page, "Save")
    await done.waitFor()
    assert.strictEqual(await fault.count(), 0)
    await (await session).finished()
    await shown()
    await page.getByRole("heading", { name: "Globex gate" }).waitFor()
    assert.notInclude(await titles.jsonValue(), "Dockline")
    assert.strictEqual(await page.title(), "Globex gate · Dockline")
    await press(page, "Add a secret to an API client")
    await fault.waitFor()
    assert.strictEqual(await done.count(), 0)
    await page.context().close()
  })

  it("D14.2 a list says when there are more than it shows, and a place that the session does not name is written", async () => {
    const { open, page } = await visitAt("")
    const real = await read("clients?limit=1") as { readonly items: ReadonlyArray<object> }
    let answered = 0
    await page.route(/\/api\/v1\/operator\/clients\?/, async (route) => {
      const items = Array.from(
        { length: 100 },
        (_, at) => ({ ...real.items[0], id: `many-${answered}-${at}` })
      )
      answered++
      await route.fulfill({ json: { items, next: `many-${answered}` } })
    })
    await page.route(/\/dashboard\/session$/, async (route) => {
      const response = await route.fetch()
      const session = await response.json() as { readonly businesses: ReadonlyArray<object> }
      const others = Array.from(
        { length: 100 },
        (_, at) => ({ ...session.businesses[0], slug: `many-${at}` })
      )
      await route.fulfill({ response, json: { ...session, businesses: others } })
    })
    await open("/clients")
    await page.getByText("100 entries shown; there are more").waitFor()
    await press(page, "Create an API client")
    await page.keyboard.type("Globex yard")
    const grant = page.getByRole("group", { name: "Grant 1" })
    await grant.getByRole("combobox", { name: "Business" }).fill("globex")
    await grant.getByRole("combobox", { name: "Facilities" }).fill("main")
    await grant.getByRole("checkbox", { name: "Read messages" }).check()
    await press(page, "Create")
    const id = await page.getByRole("alert", { name: "Secret" }).locator("code").first().innerText()
    assert.deepInclude(await read(`clients/${id}`), {
      name: "Globex yard",
      grants: [{ business: "globex", facilities: ["main"], permissions: ["messages:read"] }]
    })
    await open("/webhooks")
    await press(page, "Create a webhook endpoint")
    await page.getByRole("combobox", { name: "Business" }).fill("globex")
    await page.getByRole("combobox", { name: "Facility" }).fill("main")
    await page.getByRole("textbox", { name: "Base URL" }).fill("https://yard.globex.example")
    await press(page, "Create")
    await page.getByRole("row").filter({ hasText: "https://yard.globex.example" }).getByText("globex/main")
      .waitFor()
  })

  it("D11 an operator creates an endpoint, changes it, rotates its secret, and deletes it by writing its address", async () => {
    const { page } = await visitAt("/webhooks")
    await press(page, "Create a webhook endpoint")
    await page.getByRole("combobox", { name: "Business" }).selectOption("Globex")
    await page.getByRole("combobox", { name: "Facility" }).selectOption("Globex Main")
    await page.getByRole("textbox", { name: "Base URL" }).fill("wms.globex.example")
    await page.getByRole("combobox", { name: "Type" }).selectOption("User name and password")
    await page.getByRole("textbox", { name: "Username" }).fill("dock:line")
    await page.getByLabel("Password", { exact: true }).fill("agreed")
    await page.getByRole("checkbox", { name: "Arrival" }).check()
    await press(page, "Create")
    // Each fault is shown at its field, even at a setting of the authentication.
    for (
      const [field, words] of [["Base URL", "must be an absolute URL"], [
        "Username",
        "must not contain"
      ]] as const
    ) {
      const wrong = page.locator("label").filter({ hasText: field }).locator(".field-fault")
      assert.include(await wrong.innerText(), words)
    }
    await page.getByRole("textbox", { name: "Base URL" }).fill("https://wms.globex.example")
    await page.getByRole("textbox", { name: "Username" }).fill("dockline")
    await press(page, "Create")
    const secret = page.getByRole("alert", { name: "Secret" })
    assert.match(await secret.locator("code").last().innerText(), /^whsec_/)
    await page.getByRole("link", { name: "https://wms.globex.example" }).click()
    await press(page, "Change…")
    await page.getByRole("checkbox", { name: "Pallet", exact: true }).uncheck()
    await press(page, "Save")
    await page.getByText("Saved.").waitFor()
    const list = await read("webhook-endpoints") as {
      readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
    }
    const endpoint = list.items.find(({ baseUrl }) => baseUrl === "https://wms.globex.example")!
    assert.deepInclude(endpoint, {
      business: "globex",
      facility: "main",
      messageTypes: ["SHIPMENT_ARRIVED"],
      authentication: { type: "basic", username: "dockline" }
    })
    await press(page, "Replace the signing secret of a webhook endpoint")
    await press(page, "Replace the signing secret of a webhook endpoint now")
    assert.match(await secret.locator("code").last().innerText(), /^whsec_/)
    await page.getByText("Two secrets sign the deliveries").waitFor()
    await page.getByText("Delete a webhook endpoint…").click()
    const last = page.getByRole("button", { name: "Delete a webhook endpoint" })
    assert.isTrue(await last.isDisabled())
    await page.getByLabel("Write https://wms.globex.example to confirm").fill("https://wms.globex.example")
    await last.click()
    await page.getByRole("heading", { name: "Webhooks" }).waitFor()
    assert.strictEqual(
      (await site.service.call("operator", {
        method: "GET",
        path: `/v1/operator/webhook-endpoints/${String(endpoint["id"])}`
      })).status,
      404
    )
    await page.context().close()
  })

  it("D6.4 a field map is shown on a real label while it is written, and messages carry it once it is saved", async () => {
    const made = await yard.shipment({ business: "globex", facility: "main" })
    await yard.pallets(made, made.lpns.slice(0, 1), "D1", "main", "globex")
    await yard.arrive(made)
    const { page } = await visitAt("/businesses/globex/field-map")
    const preview = page.getByRole("region", { name: "Preview" })
    await preview.getByText(`lpn: ${made.lpns[0]}`).waitFor()
    await press(page, "Change…")
    await press(page, "Add field")
    const row = page.getByRole("group", { name: /^Field/ }).last()
    await row.getByRole("textbox", { name: "Name" }).fill("businessSlug")
    await row.getByRole("combobox", { name: "Label" }).fill("sku")
    await row.getByRole("checkbox").check()
    await preview.getByText(`"businessSlug": [\n    "OAT-500"\n  ]`).waitFor()
    await press(page, "Save")
    await row.getByText("is a field of every message").waitFor()
    await row.getByRole("textbox", { name: "Name" }).fill("Skus")
    await preview.getByText("\"Skus\"").waitFor()
    await press(page, "Save")
    await page.getByText("Saved. New messages carry these fields").waitFor()
    assert.strictEqual(await page.title(), "Field map of globex · Dockline")
    await yard.pallets(made, made.lpns.slice(1, 2), "D1", "main", "globex")
    const { body } = await site.service.call("globex-client", {
      method: "GET",
      path: "/v1/messages?business=globex"
    })
    const messages = body["items"] as ReadonlyArray<{ readonly message: Readonly<Record<string, unknown>> }>
    assert.deepStrictEqual(messages.at(-1)!.message["Skus"], ["OAT-500"])
    await page.context().close()
  })

  it("D14 one header leads from the dashboard to the references and back", async () => {
    const { page } = await visitAt("/docks")
    await page.getByLabel("Account operator").click()
    await page.getByRole("link", { name: "REST reference" }).click()
    const header = page.getByRole("navigation", { name: "Dockline" })
    assert.strictEqual(await header.locator("[aria-current='page']").innerText(), "REST reference")
    await header.getByRole("link", { name: "GraphiQL" }).click()
    await page.waitForURL(/public_graphql$/)
    assert.strictEqual(await header.locator("[aria-current='page']").innerText(), "GraphiQL")
    await header.getByRole("link", { name: "Dashboard" }).click()
    await page.getByRole("heading", { name: "Docks" }).waitFor()
    await page.context().close()
  })

  it("D14.3 says so where a part of the script cannot be loaded, and goes on once it can", async () => {
    const { page } = await visitAt("/docks")
    const needed = await page.locator("link[rel='modulepreload']").evaluateAll((links) =>
      links.map((link) => (link as unknown as { readonly href: string }).href)
    )
    await page.route(
      /part-\w+\.js$/,
      (route) => needed.includes(route.request().url()) ? route.continue() : route.abort()
    )
    await page.getByRole("link", { name: "Operate" }).click()
    await page.getByRole("alert").getByText("This part of the page could not be loaded.").waitFor()
    await page.unroute(/part-\w+\.js$/)
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("heading", { name: "Webhooks" }).waitFor()
    await page.context().close()
  })
})
