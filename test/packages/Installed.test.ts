/**
 * The packages in separate projects: installed from their tarballs, type-checked strictly, including the declarations of all packages, and
 * run on each supported Node.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { ends, run } from "./Commands.ts"
import * as FreshProject from "./FreshProject.ts"
import * as Nodes from "./Nodes.ts"
import * as Readme from "./Readme.ts"
import { answersOf, exampleUrl, questionOf, serveDatabase } from "./Serving.ts"
import type { Served } from "./Serving.ts"
import { storesProgram } from "./StoresProgram.ts"
import { packages, publicModules } from "./Workspace.ts"

const tarballOf = (name: string): string => inject("tarballs").find((each) => each.name === name)!.path

const modules = packages.flatMap(publicModules)

/** A file that imports modules by name, and prints their number. */
const importing = (names: ReadonlyArray<string>): string =>
  [
    ...names.map((name, index) => `import * as M${index} from "${name}"`),
    `const all: ReadonlyArray<object> = [${names.map((_, index) => `M${index}`).join(", ")}]`,
    "console.log(all.filter((module) => Object.keys(module).length >= 0).length)"
  ].join("\n")

/** The README's example of intake in memory, and the same on a PostgreSQL of npm. */
const intake = Readme.readmes.flatMap(({ programs }) => programs).find(({ text }) =>
  text.includes("Dockline.open(")
)!
const onPostgres = {
  ...intake,
  text: intake.text
    .replace("\nconst dockline", `import * as Postgres from "@dockline/sql-storage/Postgres"\n$&`)
    .replace("Dockline.Memory.layer", `Postgres.layerEmbedded({ directory: process.env["DATA"] ?? "data" })`)
}

const types = ["typescript@5.9.3", "@types/node@24.19.2"]
const projects: Array<FreshProject.FreshProject> = []
const makeProject = async (dependencies: ReadonlyArray<string>): Promise<FreshProject.FreshProject> => {
  const project = await FreshProject.make([...dependencies, ...types])
  projects.push(project)
  return project
}

afterAll(() => projects.forEach(({ directory }) => rmSync(directory, { recursive: true, force: true })))

/** Runs a program of a project to its end and compares its output with the one stated in it. */
const printsWhatItSays = async (
  node: string,
  { directory }: FreshProject.FreshProject,
  file: string,
  { prints }: Readme.Program,
  env: Readonly<Record<string, string>> = {}
): Promise<void> => {
  const printed = await run(node, [file], { cwd: directory, env })
  if (!Readme.matches(prints, printed)) expect(printed).toBe(prints.join("\n"))
}

describe("a fresh project with core and effect alone", () => {
  let project: FreshProject.FreshProject
  const own = modules.filter((name) => name.startsWith("@dockline/core/"))

  beforeAll(async () => {
    project = await makeProject([tarballOf("@dockline/core"), "effect@4.1.0"])
    project.write("Modules.ts", importing(own))
    project.write("intake.ts", intake.text)
  })

  it("needs nothing else: type-checks, and runs the README's intake in memory", async () => {
    await run(process.execPath, ["node_modules/typescript/bin/tsc"], { cwd: project.directory })
    expect(await run(process.execPath, ["Modules.ts"], { cwd: project.directory })).toBe(`${own.length}\n`)
    expect(intake.prints).not.toEqual([])
    await printsWhatItSays(process.execPath, project, "intake.ts", intake)
  })
})

describe("a fresh project with all packages", () => {
  let project: FreshProject.FreshProject
  let database: Served

  beforeAll(async () => {
    project = await makeProject([
      ...packages.map(({ manifest }) => tarballOf(manifest.name)),
      "effect@4.1.0",
      "fast-check@4.10.2",
      "graphql@17.1.0",
      // The other packages that the READMEs use.
      "@effect/platform-node@4.1.0",
      "graphql-yoga@5.24.1",
      "typescript-6.0@npm:typescript@6.0.3",
      "typescript-7.0@npm:typescript@7.0.2"
    ])
    database = await serveDatabase(project)
    for (const { folder, programs } of Readme.readmes) {
      for (const { file, text } of programs) {
        project.write(join(folder, file), text.replaceAll(exampleUrl, database.firstLine))
      }
    }
    project.write("Modules.ts", importing(modules))
    project.write("intake.ts", onPostgres.text)
    project.write("stores.test.ts", storesProgram)
    project.write(
      "Internals.ts",
      `// @ts-expect-error: it is not public\nimport * as Internal from "@dockline/core/memory/internal/MemoryMessages"\nexport { Internal }\n`
    )
    project.write("plain.cjs", `console.log(typeof require("@dockline/core/document/Decision").decide)\n`)
  })

  afterAll(() => database?.stop())

  it.each([
    ["5.9", "typescript", "tsconfig.json"],
    ["6.0", "typescript-6.0", "tsconfig.bundler.json"],
    ["7.0", "typescript-7.0", "tsconfig.json"],
    ["7.0", "typescript-7.0", "tsconfig.bundler.json"],
    ["7.0", "typescript-7.0", "tsconfig.readme.json"]
  ])("type-checks with TypeScript %s (%s, %s)", async (_, typescript, config) => {
    await run(process.execPath, [`node_modules/${typescript}/bin/tsc`, "-p", config], {
      cwd: project.directory
    })
  })

  describe.each(Nodes.versions.map((version) => [version] as const))("on Node %s", (version) => {
    let node = process.execPath
    let data: string
    const isCompiled = !Nodes.knowsAwaitUsing(version)
    const fileOf = (file: string): string =>
      isCompiled ? join("compiled", file.replace(/\.ts$/, ".js")) : file

    beforeAll(async () => {
      if (Nodes.isAvailable) node = await Nodes.locate(version)
      data = mkdtempSync(join(tmpdir(), "dockline-data-"))
      if (isCompiled) {
        const args = ["node_modules/typescript-7.0/bin/tsc", "-p", "tsconfig.compiled.json"]
        await run(process.execPath, args, { cwd: project.directory })
      }
    })
    afterAll(() => rmSync(data, { recursive: true, force: true }))

    const onNode = (name: string, test: () => Promise<void>): void =>
      it(name, async ({ skip }) => {
        skip(!Nodes.isAvailable, `npm has no Node ${version} for ${process.platform}-${process.arch}`)
        await test()
      })

    onNode("is that Node", async () => {
      expect(await run(node, ["--version"], { cwd: data })).toBe(`v${version}\n`)
    })

    onNode("imports every public module", async () => {
      expect(await run(node, ["Modules.ts"], { cwd: project.directory })).toBe(`${modules.length}\n`)
    })

    onNode("is required by CommonJS", async () => {
      expect(await run(node, ["plain.cjs"], { cwd: project.directory })).toBe("function\n")
    })

    onNode("has no way to what is not public", async () => {
      const { code, stderr } = await ends(node, ["Internals.ts"], { cwd: project.directory })
      expect(code).toBe(1)
      expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED")
    })

    onNode("runs the README's intake on PostgreSQL, the data being there again", async () => {
      const env = { DATA: join(data, "intake") }
      await printsWhatItSays(node, project, fileOf("intake.ts"), onPostgres, env)
    })

    onNode("passes the suites of stores under node:test", async () => {
      const report = await run(node, ["--test", "--test-reporter=spec", "stores.test.ts"], {
        cwd: project.directory,
        env: { DATA: join(data, "suites") }
      })
      expect(report).toMatch(/^ℹ fail 0$/m)
      expect(Number(/^ℹ pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(50)
    })

    onNode("runs the command line", async () => {
      const printed = await run(node, ["node_modules/.bin/dockline", "--version"], { cwd: project.directory })
      expect(printed).toContain(packages[0]!.manifest.version)
    })

    for (const readme of Readme.readmes) {
      for (const program of readme.programs.filter((each) => !Readme.isImported(readme, each))) {
        onNode(`runs ${program.file} of ${readme.name}`, async () => {
          const file = fileOf(join(readme.folder, program.file))
          if (!Readme.isServer(program)) return await printsWhatItSays(node, project, file, program)
          const question = questionOf(program.file)
          const { status, body } = await answersOf(node, project.directory, file, question)
          expect(status, body).toBe(200)
          expect(JSON.parse(body)).toEqual(question.answer)
        })
      }
    }
  })
})
