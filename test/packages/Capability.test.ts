/**
 * The guide for writing a capability, carried out in a separate project: on installed packages, in memory and on PostgreSQL. It imports
 * only public modules, because there are no others.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import * as Block from "../guides/Block.ts"
import { run } from "./Commands.ts"
import * as FreshProject from "./FreshProject.ts"
import { exampleUrl, serveDatabase } from "./Serving.ts"
import type { Served } from "./Serving.ts"
import { root, withOurs } from "./Workspace.ts"

const page = "docs/guides/write-a-capability.md"
const { blocks } = Block.read(page, readFileSync(join(root, page), "utf8"))
const files = blocks.flatMap(({ file, kind, text }) =>
  ["sql", "ts"].includes(kind) && file !== undefined ? [{ file, text }] : []
)

/** The versions of other packages that the guide installs. */
const versions: Readonly<Record<string, string>> = { effect: "4.1.0" }

/** The packages that the guide installs, including those of ours that npm would find in its registry. */
const dependencies = (): ReadonlyArray<string> => {
  const named = /^npm install (.*)$/m.exec(blocks[0]!.text)![1]!.split(" ")
  const ours = new Set(named.filter((name) => name.startsWith("@dockline/")).flatMap(withOurs))
  return [
    ...inject("tarballs").filter(({ name }) => ours.has(name)).map(({ path }) => path),
    ...named.filter((name) => !name.startsWith("@dockline/")).map((name) => `${name}@${versions[name]!}`)
  ]
}

let project: FreshProject.FreshProject
let database: Served

beforeAll(async () => {
  project = await FreshProject.make([...dependencies(), "typescript@5.9.3", "@types/node@24.19.2"])
  database = await serveDatabase(project)
  for (const { file, text } of files) {
    project.write(file, `${text.replaceAll(exampleUrl, database.firstLine)}\n`)
  }
  project.write("tsconfig.guide.json", {
    extends: "./tsconfig.json",
    include: ["src/**/*.ts", "test/**/*.ts"]
  })
})
afterAll(async () => {
  await database?.stop()
  if (project !== undefined) rmSync(project.directory, { recursive: true, force: true })
})

it("is of the right types, strictly", async () => {
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.guide.json"], {
    cwd: project.directory
  })
})

it("refuses a service that lacks a capability of which another needs a port", async () => {
  project.write(
    "alone.ts",
    [
      `import * as Capability from "@dockline/core/capability/Capability"`,
      `import * as Dockline from "@dockline/core/embed/Dockline"`,
      `import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"`,
      `import { ExceptionStore } from "@dockline/core/exceptions/Exceptions"`,
      `import * as Memory from "@dockline/core/memory/Memory"`,
      `import { Effect, Layer } from "effect"`,
      `const reader = Capability.make("reader", {`,
      `  title: "Reader",`,
      `  description: "Needs exceptions",`,
      `  operations: {},`,
      `  services: Layer.effectDiscard(ExceptionStore),`,
      `  handlers: Effect.succeed({}),`,
      `  memory: Layer.empty,`,
      `  answers: {}`,
      `})`,
      `const both = [exceptions, reader] as const`,
      `await Dockline.open({ storage: Memory.layerWith(both), capabilities: both })`,
      `const alone = [reader] as const`,
      `// @ts-expect-error: nothing has the port of exceptions`,
      `await Dockline.open({ storage: Memory.layerWith(alone), capabilities: alone })`
    ].join("\n")
  )
  await run(process.execPath, ["node_modules/typescript/bin/tsc"], { cwd: project.directory })
})

it("passes its test in memory and on PostgreSQL", async () => {
  const tests = ["--test", "--test-reporter=spec", "test/photos.test.ts"]
  const report = await run(process.execPath, tests, { cwd: project.directory })
  expect(report).toMatch(/^✔ adds photos in memory/m)
  expect(report).toMatch(/^✔ adds photos in PostgreSQL/m)
  expect(report).toMatch(/^ℹ fail 0$/m)
})

it("is small: its operations, table, message and routes take so many lines", () => {
  const own = files.filter(({ file }) => file.startsWith("src/photos/"))
  const lines = own.flatMap(({ text }) => text.split("\n")).filter((line) =>
    line.trim() !== "" && !/^(?:import |\/\/)/.test(line)
  )
  expect(lines.length).toBeLessThan(180)
})
