/**
 * A separate project: an empty folder outside the workspace, in which npm has installed the tarballs.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { run } from "./Commands.ts"

/** An installed project. */
export interface FreshProject {
  readonly directory: string
  /** Writes a file of the project. */
  readonly write: (file: string, content: string | object) => void
}

const strict = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: "ESNext",
    module: "NodeNext",
    types: ["node"],
    noEmit: true,
    // Node runs the TypeScript unchanged.
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    // The declarations of the packages are checked too, with everything to which they refer.
    skipLibCheck: false
  },
  include: ["*.ts"]
}

/** A project after `npm init` and `npm install`, with a strict tsconfig.json. */
export const make = async (dependencies: ReadonlyArray<string>): Promise<FreshProject> => {
  const directory = mkdtempSync(join(tmpdir(), "dockline-fresh-"))
  const write: FreshProject["write"] = (file, content) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(
      join(directory, file),
      typeof content === "string" ? content : JSON.stringify(content, null, 2)
    )
  }
  write("package.json", { name: "fresh", version: "1.0.0", private: true, type: "module" })
  write("tsconfig.json", strict)
  write("tsconfig.bundler.json", {
    extends: "./tsconfig.json",
    compilerOptions: { module: "Preserve", moduleResolution: "bundler" }
  })
  // Other packages in the READMEs have declarations of their own, which are not ours to check.
  write("tsconfig.readme.json", {
    extends: "./tsconfig.json",
    compilerOptions: { skipLibCheck: true },
    include: ["readme*/**/*.ts"]
  })
  // For versions of Node that lack some of the syntax: `await using` came with Node 24.
  write("tsconfig.compiled.json", {
    extends: "./tsconfig.readme.json",
    compilerOptions: {
      target: "ES2024",
      noEmit: false,
      rootDir: ".",
      outDir: "compiled",
      rewriteRelativeImportExtensions: true
    },
    include: ["intake.ts", "readme*/**/*.ts"]
  })
  // From npm's cache if possible: all versions are exact.
  await run("npm", [
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--save-exact",
    ...dependencies
  ], {
    cwd: directory,
    timeout: 500_000
  })
  return { directory, write }
}
