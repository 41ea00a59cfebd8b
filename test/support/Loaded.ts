/** The files that importing a module loads. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A program that prints the files that an import loads, one on each line. */
const program = (name: string): string => `
import { registerHooks } from "node:module"
registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context) } })
await import(${JSON.stringify(name)})
`

/** The files that an import loads: paths of the repository. */
export const loadedBy = async (name: string): Promise<ReadonlyArray<string>> => {
  const args = ["--conditions=@dockline/source", "--input-type=module", "--eval", program(name)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return stdout.split("\n").filter((url) => url.startsWith("file:")).map((url) =>
    fileURLToPath(url).slice(root.length)
  )
}
