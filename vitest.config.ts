import { suite } from "./test/Suite.ts"

/** Tests that change something of the whole process: a mock of a module, the environment. */
const alone = ["packages/http-adapter/test/tokens/Clients.test.ts"]

/** Tests with a command of their own. */
const elsewhere = [
  ...["browser", "deploy", "examples", "foreign", "guides", "mcp", "observability", "operations", "packages"]
    .map((
      folder
    ) => `test/${folder}/**`),
  "test/server/!(Restarts).test.ts",
  "packages/sql-storage/test/embedded/**"
]

const project = (
  name: string,
  isolate: boolean,
  include: ReadonlyArray<string>,
  exclude: ReadonlyArray<string>
) => ({
  extends: true as const,
  test: { name, isolate, include: [...include], exclude: [...exclude] }
})

export default suite({
  maxWorkers: 3,
  // Most files share the modules of their worker: loading them anew for each took a third of the whole time.
  projects: [
    project("shared", false, ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], [...alone, ...elsewhere]),
    project("alone", true, alone, [])
  ]
})
