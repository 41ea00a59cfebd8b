/**
 * `docs/operations` is correct: the table of metrics lists the served ones, and the dashboard, the alert rules and the runbooks name
 * nothing else, and leave out nothing.
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { parse as parseYaml } from "yaml"
import * as Scrape from "./Scrape.ts"
import { start } from "./Service.ts"

// The declarations of everything that the bundled server runs.
import "@dockline/server/Server"
import { eventually } from "../support/Eventually.ts"

const folder = new URL("../../docs/operations/", import.meta.url)
const textOf = (file: string): string => readFileSync(new URL(file, folder), "utf8")

const declared = Metrics.declarations().filter(({ name }) => name.startsWith("dockline_"))

/** Metrics of Prometheus itself. */
const foreign = ["up", "ALERTS"]

/** The names of the series of a metric. */
const seriesNames = new Map(
  declared.flatMap(({ labels, name, type }) =>
    (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).map((suffix) =>
      [name + suffix, suffix === "_bucket" ? [...labels, "le"] : labels] as const
    )
  )
)

/** Labels that Prometheus adds. */
const added = ["job", "instance"]

/** Checks that an expression selects existing series, by labels that they have. */
const checkExpression = (expression: string): void => {
  const bare = expression.replaceAll(/\[[^\]]*\]/g, "")
  const names = [...bare.matchAll(/\bdockline_[a-z_]+/g)].map(([name]) => name)
  assert.isNotEmpty(
    [...names, ...foreign.filter((name) => new RegExp(`\\b${name}\\b`).test(bare))],
    expression
  )
  for (const name of names) assert.isTrue(seriesNames.has(name), `no such series: ${name} in ${expression}`)
  for (const [, name = "", matchers = ""] of bare.matchAll(/\b(dockline_[a-z_]+)\{([^}]*)\}/g)) {
    for (const [, label] of matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)) {
      assert.include([...seriesNames.get(name)!, ...added], label!, `no such label: ${label} of ${name}`)
    }
  }
  for (const [, labels = ""] of bare.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
    const known = [...added, ...names.flatMap((name) => seriesNames.get(name)!)]
    for (const label of labels.split(",").map((each) => each.trim())) {
      assert.include(known, label, `no such label: ${label} in ${expression}`)
    }
  }
}

const row = ({ description, labels, name, type }: Metrics.Declaration): ReadonlyArray<string> => [
  `\`${name}\``,
  type,
  labels.map((label) => `\`${label}\``).join(", "),
  description
]

describe("the table of metrics", () => {
  it("has every metric that is declared, with what is declared of it, and nothing else", () => {
    const rows = textOf("metrics.md").split("\n").filter((line) => line.startsWith("| `dockline_"))
      .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    assert.deepStrictEqual(
      rows,
      declared.toSorted((one, two) => one.name < two.name ? -1 : 1).map((each) => [...row(each)])
    )
  })

  it("has names by the conventions of Prometheus, and a description of each", () => {
    for (const { description, labels, name, type } of declared) {
      assert.match(name, /^dockline_[a-z0-9_]+$/)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      if (type === "histogram") assert.match(name, /_seconds$/)
      assert.isAbove(description.length, 10, name)
      assert.notMatch(description, /\.$|\n/, name)
      for (const label of labels) assert.match(label, /^[a-z]+$/)
    }
    assert.strictEqual(
      new Set(declared.map(({ name }) => name)).size,
      declared.length,
      "each is declared once"
    )
  })

  it.live(
    "is what a server serves",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const service = yield* start()
        yield* Effect.promise(async () => {
          await service.call("acme-client", { path: "/v1/documents", body: {} })
          const query = { query: "{ __typename }" }
          await service.call("acme-client", { path: "/public_graphql", body: query })
          await eventually("the metrics of the process", async () =>
            (await service.scrape()).has("dockline_process_event_loop_delay_seconds"))
          const served = await service.scrape()
          const named = new Map(declared.map((each) => [each.name, each]))
          for (const { help, name, samples, type } of served.values()) {
            const declaration = named.get(name)
            assert(declaration !== undefined, `it is not declared: ${name}`)
            assert.deepStrictEqual([type, help], [declaration.type, declaration.description], name)
            for (const { labels } of samples) {
              const own = Object.keys(labels).filter((label) =>
                type !== "histogram" || label !== "le"
              )
              assert.sameMembers(own, [...declaration.labels], name)
            }
          }
          const missing = declared.map(({ name }) => name).filter((name) => !served.has(name))
          // These exist only after their events: deliveries, messages to subscribers, and subscriptions.
          assert.deepStrictEqual(missing.toSorted(), [
            "dockline_subscription_delivery_seconds",
            "dockline_subscription_lag_seconds",
            "dockline_subscription_waiting_messages",
            "dockline_webhook_attempt_duration_seconds"
          ])
          assert.strictEqual(Scrape.sumOf(served, "dockline_build_info"), 1)
        })
      })),
    60_000
  )
})

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<string, string>>
}

const rules = (parseYaml(textOf("alerts.yml")) as {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly rules: ReadonlyArray<Rule> }>
}).groups.flatMap((group) => group.rules)

describe("the alert rules", () => {
  it("are there, each once", () => {
    assert.isAbove(rules.length, 20)
    assert.strictEqual(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })

  for (const { alert, annotations, expr, for: duration, labels } of rules) {
    it(`${alert} selects what there is, and says what is needed`, () => {
      checkExpression(expr)
      assert.match(duration, /^\d+m$/)
      assert.include(["critical", "warning", "info"], labels.severity)
      assert.isNotEmpty(annotations["summary"])
      assert.isAbove(annotations["description"]!.length, 20)
      assert.strictEqual(
        annotations["runbook_url"],
        `https://github.com/dockline/dockline/blob/main/docs/operations/runbooks.md#${alert.toLowerCase()}`
      )
    })
  }

  it("are tested by rules of Prometheus that name only alerts there are", () => {
    const names = [...textOf("alerts.test.yml").matchAll(/\bDockline[A-Z]\w+/g)].map(([name]) => name)
    assert.includeMembers(rules.map(({ alert }) => alert), names)
    assert.isObject(parseYaml(textOf("alerts.test.yml")))
  })
})

describe("the runbooks", () => {
  const sections = textOf("runbooks.md").split(/^## /m).slice(1)

  it("are one for each alert, and for nothing else", () => {
    assert.sameMembers(sections.map((text) => text.split("\n", 1)[0]!), rules.map(({ alert }) => alert))
  })

  for (const section of sections) {
    it(`${section.split("\n", 1)[0]} says what it means, how to look, how to fix it, and when it is over`, () => {
      for (const part of ["**Customers:**", "**Look:**", "**Fix:**", "**Over when:**"]) {
        assert.include(section, part)
      }
      for (const [name] of section.matchAll(/\bdockline_[a-z_]+/g)) {
        if (name.endsWith("_")) continue
        assert.isTrue(seriesNames.has(name) || declared.some((each) => each.name === name), name)
      }
      for (const [, anchor] of section.matchAll(/\]\(#([a-z]+)\)/g)) {
        assert.isTrue(rules.some(({ alert }) => alert.toLowerCase() === anchor), `no such runbook: ${anchor}`)
      }
    })
  }
})

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly datasource?: { readonly uid: string }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly refId: string }>
}

const dashboard = JSON.parse(textOf("dashboard.json")) as {
  readonly uid: string
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly type: string }> }
}

describe("the dashboard", () => {
  const panels = dashboard.panels.filter(({ type }) => type !== "row")

  it("has an id, and asks for the data source", () => {
    assert.strictEqual(dashboard.uid, "dockline")
    assert.deepInclude(
      dashboard.templating.list.map(({ name, type }) => ({ name, type })),
      { name: "datasource", type: "datasource" }
    )
    for (const { datasource, title } of panels) assert.strictEqual(datasource?.uid, "${datasource}", title)
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  })

  for (const { targets = [], title } of panels) {
    it(`${title} selects what there is`, () => {
      assert.isNotEmpty(targets)
      for (const { expr } of targets) checkExpression(expr)
    })
  }

  it("shows every metric", () => {
    const shown = JSON.stringify(dashboard.panels)
    assert.deepStrictEqual(declared.map(({ name }) => name).filter((name) => !shown.includes(name)), [])
  })
})
