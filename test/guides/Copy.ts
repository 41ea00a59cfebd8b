/** A copy of the project, in which tests carry out changes that its documents describe. */
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { root } from "./Project.ts"

const link = (target: string, path: string) => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** A copy of the packages and of the requests of the tests of tenants, with the dependencies of this project. */
export const copyProject = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "dockline-copy-"))
  for (const path of globSync("packages/*/{src,sql,page,package.json,node_modules}", { cwd: root })) {
    if (path.endsWith("node_modules")) link(join(root, path), join(copy, path))
    else cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  for (
    const path of [
      "package.json",
      "tsconfig.base.json",
      "packages/http-adapter/test/openapi/ExampleAnswers.test.ts",
      "test/contracts/Recording.ts",
      "test/http",
      "test/security/tenants",
      "test/support"
    ]
  ) {
    cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@dockline" && !name.startsWith(".")) {
      link(join(root, "node_modules", name), join(copy, "node_modules", name))
    }
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    link(join(copy, "packages", name), join(copy, "node_modules/@dockline", name))
  }
  return copy
}
