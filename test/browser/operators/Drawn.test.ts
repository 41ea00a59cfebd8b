/** D14.3: an operation of operators in a capability gets its page without any code in the dashboard. */
import * as Operation from "@dockline/core/access/Operation"
import * as Capability from "@dockline/core/capability/Capability"
import { makeOperatorPart } from "@dockline/core/capability/Capability"
import type { OperatorHandlersOf } from "@dockline/core/capability/Capability"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as RequestInput from "@dockline/core/input/RequestInput"
import * as Memory from "@dockline/core/memory/Memory"
import { Forbidden, InvalidRequest } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import * as ViewField from "@dockline/core/values/ViewField"
import * as DashboardHandler from "@dockline/dashboard/DashboardHandler"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { getRequestListener } from "@hono/node-server"
import { Effect, Layer, Schema } from "effect"
import { createServer } from "node:http"
import type { Server } from "node:http"
import { freePort } from "../../support/ProgramSettings.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "../dashboard/Visitor.ts"

const GateView = Schema.Struct({
  slug: ViewField.text("Its name in addresses"),
  name: ViewField.text("Its name for people"),
  enabled: Field.flag("Whether trucks may pass"),
  lanes: ViewField.whole("How many trucks pass at once")
}).annotate({ identifier: "Gate" })
type GateView = typeof GateView.Type

const gate = { gate: Operation.id("The gate's slug") }
const name = Field.requiredText("Its name for people")
const changes = Schema.Struct({
  name: Schema.optionalKey(name),
  enabled: Schema.optionalKey(Field.flag("Whether trucks may pass"))
})
  .annotate({
    identifier: "ChangeGate"
  })
const creation = Schema.Struct({
  slug: Field.slug("Its name in addresses"),
  name,
  lanes: Field.wholeUpTo(9, "How many trucks pass at once")
}).annotate({ identifier: "CreateGate" })

/** A resource that is replaced as a whole, with a list of texts. */
const RulesView = Schema.Struct({
  carriers: ViewField.list(Schema.String, "Whose trucks may pass"),
  night: Field.flag("Whether they pass at night")
}).annotate({ identifier: "GateRules" })

const rules = Schema.Struct({
  carriers: Schema.Array(Field.requiredText("A carrier")).annotate({ description: "Whose trucks may pass" }),
  night: Field.flag("Whether they pass at night")
}).annotate({ identifier: "GateRulesInput" })

/** An operation with a single word as its input, whose answer has what was sent. */
const washing = Schema.Struct({ means: ViewField.word(["WATER", "SAND"], "By what") })
  .annotate({ identifier: "WashGate" })

const WashView = Schema.Struct({
  minutes: ViewField.whole("How long it took"),
  request: Schema.Struct({ url: ViewField.text("The address"), body: ViewField.text("What was sent") })
    .annotate({ identifier: "WashRequest", description: "What was asked of the washers" })
}).annotate({ identifier: "GateWash" })

const operations = {
  listGates: Operation.list("listGates", {
    rest: "GET /v1/operator/gates",
    params: {},
    filters: {},
    cursor: "name",
    row: GateView,
    page: "GatePage",
    columns: Operation.columnsOf(GateView),
    errors: [Forbidden],
    summary: "List gates",
    description: "In slug order."
  }),
  createGate: Operation.keylessWrite("createGate", {
    rest: "POST /v1/operator/gates",
    params: {},
    body: creation,
    read: RequestInput.reader(creation, "a gate"),
    view: GateView,
    creates: "slug",
    errors: [Forbidden, InvalidRequest],
    summary: "Build a gate",
    description: "Trucks pass it from then on."
  }),
  getGate: Operation.read("getGate", {
    rest: "GET /v1/operator/gates/:gate",
    params: gate,
    view: GateView,
    errors: [Forbidden],
    summary: "Read a gate",
    description: "Its name and its lanes."
  }),
  updateGate: Operation.keylessWrite("updateGate", {
    rest: "PATCH /v1/operator/gates/:gate",
    params: gate,
    body: changes,
    read: RequestInput.reader(changes, "a change of a gate"),
    view: GateView,
    errors: [Forbidden, InvalidRequest],
    summary: "Change a gate",
    description: "What is left out stays."
  }),
  getRules: Operation.read("getRules", {
    rest: "GET /v1/operator/gates/:gate/rules",
    params: gate,
    view: RulesView,
    errors: [Forbidden],
    summary: "Read the RULES of a gate",
    description: "What may pass it."
  }),
  setRules: Operation.keylessWrite("setRules", {
    rest: "PUT /v1/operator/gates/:gate/rules",
    params: gate,
    body: rules,
    read: RequestInput.reader(rules, "the rules of a gate"),
    view: RulesView,
    errors: [Forbidden, InvalidRequest],
    summary: "Replace the RULES of a gate",
    description: "They hold at once."
  }),
  washGate: Operation.keylessWrite("washGate", {
    rest: "POST /v1/operator/gates/:gate/wash",
    params: gate,
    body: washing,
    read: RequestInput.reader(washing, "how a gate is washed"),
    view: WashView,
    errors: [Forbidden, InvalidRequest],
    summary: "Wash a gate",
    description: "By one of the means."
  }),
  paintGate: Operation.keylessWrite("paintGate", {
    rest: "POST /v1/operator/gates/:gate/paint",
    params: gate,
    view: GateView,
    errors: [Forbidden],
    summary: "Paint a gate",
    description: "It takes a day."
  }),
  deleteGate: Operation.keylessWrite("deleteGate", {
    rest: "DELETE /v1/operator/gates/:gate",
    params: gate,
    view: Schema.Void,
    errors: [Forbidden],
    summary: "Tear a gate down",
    description: "Nobody passes it again."
  })
}

const gates = (() => {
  let all: ReadonlyArray<GateView> = []
  let current: typeof RulesView.Type = { carriers: ["Northline"], night: false }
  const put = (next: GateView) => {
    all = [...all.filter(({ slug }) => slug !== next.slug), next]
    return next
  }
  const at = (slug: string): GateView => all.find((each) => each.slug === slug)!
  const handlers: OperatorHandlersOf<typeof operations> = {
    listGates: () => Effect.sync(() => ({ items: all, next: null })),
    createGate: ({ body }) => Effect.sync(() => put({ ...body, enabled: true })),
    getGate: ({ gate }) => Effect.sync(() => at(gate)),
    updateGate: ({ body, gate }) => Effect.sync(() => put({ ...at(gate), ...body })),
    getRules: () => Effect.sync(() => current),
    setRules: ({ body }) => Effect.sync(() => current = body),
    washGate: ({ body: { means } }) =>
      Effect.succeed({ minutes: 7, request: { url: "https://washers.example", body: means.toLowerCase() } }),
    paintGate: ({ gate }) => Effect.sync(() => put({ ...at(gate), name: `${at(gate).name}, painted` })),
    deleteGate: ({ gate }) => Effect.sync(() => void (all = all.filter(({ slug }) => slug !== gate)))
  }
  return Capability.make("gates", {
    title: "Gates",
    description: "Gates of a yard",
    operations: {},
    services: Layer.empty,
    handlers: Effect.succeed({}),
    memory: Layer.empty,
    answers: {},
    operators: makeOperatorPart({
      name: "gates",
      title: "Operator: gates",
      description: "Where trucks come in",
      operations,
      handlers: Effect.succeed(handlers),
      requests: {
        createGate: { north: Operation.example("A gate", { slug: "north", name: "North", lanes: 2 }) },
        updateGate: { name: Operation.example("Another name", { name: "South" }) },
        setRules: { night: Operation.example("At night", { carriers: ["Northline"], night: true }) },
        washGate: { water: Operation.example("With water", { means: "WATER" }) }
      },
      answers: {
        listGates: { items: [], next: null },
        createGate: { slug: "north", name: "North", enabled: true, lanes: 2 },
        getGate: { slug: "north", name: "North", enabled: true, lanes: 2 },
        updateGate: { slug: "north", name: "South", enabled: true, lanes: 2 },
        getRules: { carriers: ["Northline"], night: false },
        setRules: { carriers: ["Northline"], night: true },
        washGate: { minutes: 7, request: { url: "https://washers.example", body: "water" } },
        paintGate: { slug: "north", name: "North", enabled: true, lanes: 2 }
      }
    })
  })
})()

const secret = "a-secret-of-the-operator"

describe.skipIf(Chromium.isSkipped)(
  "an operation of operators that a capability adds",
  { timeout: 60_000 },
  () => {
    let server: Server
    let baseUrl: string
    const close: Array<() => Promise<void>> = []

    beforeAll(async () => {
      const port = await freePort()
      baseUrl = `http://localhost:${port}`
      const dockline = await Dockline.open({ storage: Memory.layer, capabilities: [gates] })
      const clients = [{
        id: "operator",
        secret,
        grants: [{ business: "*", facilities: "*", permissions: ["operator"] }] as const
      }]
      const rest = await RestHandler.make(dockline.layer, { baseUrl, clients })
      const graphql = await GraphqlHandler.make(rest.layer)
      const dashboard = await DashboardHandler.make(rest.layer, { baseUrl, interfaces: { rest, graphql } })
      const listen = getRequestListener((request) => dashboard.handler(request), {
        overrideGlobalObjects: false
      })
      server = createServer((request, response) => void listen(request, response))
      await new Promise<void>((resolve) => server.listen(port, resolve))
      close.push(dashboard.close, graphql.close, rest.close, dockline.close)
    })

    afterAll(async () => {
      for (const each of close) await each()
      server?.closeAllConnections()
      await new Promise((resolve) => server?.close(resolve))
    })

    it("has its list, its form, its page and its confirmations", async () => {
      const { leave, open, page } = await Visitor.enter(await Chromium.open(), baseUrl, null)
      await open("/sign-in?next=/dashboard/gates")
      await page.getByLabel("Client ID").fill("operator")
      await page.getByLabel("Secret").fill(secret)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Gates" }).waitFor()
      await page.getByRole("link", { name: "Gates" }).waitFor()
      await page.getByRole("button", { name: "Build a gate" }).click()
      await page.getByRole("textbox", { name: "Slug" }).fill("north")
      await page.getByRole("textbox", { name: "Name" }).fill("North")
      await page.getByRole("spinbutton", { name: "Lanes" }).fill("2")
      await page.getByRole("button", { name: "Create" }).click()
      await page.getByText("North is there.").waitFor()
      await page.getByRole("link", { name: "North" }).click()
      await page.getByRole("button", { name: "Change…" }).click()
      await page.getByRole("textbox", { name: "Name" }).fill("South")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("heading", { name: "South" }).waitFor()
      // An operation with one word has a button for each word, and shows what went over the wire.
      await page.getByRole("button", { name: "SAND" }).click()
      await page.getByText("POST https://washers.example").waitFor()
      // A resource that is replaced as a whole has a page of its own; texts of a list are written side by side.
      await page.getByRole("link", { name: "RULES" }).click()
      await page.getByRole("heading", { name: "RULES of north" }).waitFor()
      await page.getByRole("button", { name: "Change…" }).click()
      await page.getByRole("textbox", { name: "Carriers" }).fill("Northline, Fenland")
      await page.getByRole("checkbox", { name: "Night" }).check()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved. They hold at once.").waitFor()
      await page.getByText("Northline, Fenland").waitFor()
      await page.getByRole("link", { name: "north", exact: true }).click()
      await page.getByRole("button", { name: "Paint a gate" }).click()
      await page.getByRole("button", { name: "Paint a gate now" }).click()
      await page.getByRole("heading", { name: "South, painted" }).waitFor()
      await page.getByRole("button", { name: "Disable" }).click()
      await page.getByRole("button", { name: "Disable now" }).click()
      await page.getByText("Disabled", { exact: true }).waitFor()
      await page.getByText("Tear a gate down…").click()
      await page.getByLabel("Write South, painted to confirm").fill("South, painted")
      await page.getByRole("button", { name: "Tear a gate down" }).click()
      await page.getByRole("heading", { name: "Nothing is here yet" }).waitFor()
      await leave()
    })
  }
)
