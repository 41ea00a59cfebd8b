/**
 * `npm run test:generators`: generates a client of the served OpenAPI document in each language, by a common generator of that language.
 * The client is compiled, and a program gets a token through it, submits a document, reads its shipment, lists its order, and sends a bad
 * document, whose refusal is a problem that it can read.
 *
 *   npm run test:generators                              all languages
 *   npm run test:generators -- --languages go,rust       some
 *   npm run test:generators -- --may-be-missing rust     passes where the tools of a language are missing
 *
 * A language without its tools is reported, and fails unless it may be missing. Installed and compiled files stay in `node_modules/.cache`.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { parseArgs, stripVTControlCharacters } from "node:util"
import * as Service from "../MemoryService.ts"

interface Language {
  /** The programs that the machine must have; the package managers of the language install the rest. */
  readonly tools: ReadonlyArray<string>
  /** The commands, run one after another in the folder of the program. The last one runs the program. */
  readonly steps: ReadonlyArray<string>
}

const here = fileURLToPath(new URL(".", import.meta.url))
const cache = fileURLToPath(new URL("../../node_modules/.cache/generators/", import.meta.url))

const languages: Readonly<Record<string, Language>> = {
  typescript: {
    tools: ["node", "npm"],
    steps: [
      "npm ci --silent",
      "node_modules/.bin/openapi-typescript openapi.json --output dockline.ts",
      "node_modules/.bin/tsc",
      "node built/First.js"
    ]
  },
  python: {
    tools: ["python3"],
    steps: [
      "python3 -m venv .venv",
      ".venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt",
      ".venv/bin/openapi-python-client generate --path openapi.json --meta none --output-path dockline_client --overwrite",
      ".venv/bin/mypy --strict --follow-imports silent first.py",
      ".venv/bin/python first.py"
    ]
  },
  go: {
    tools: ["go"],
    steps: [
      "go tool oapi-codegen -generate types,client -package dockline -o dockline/dockline.go openapi.json",
      "go vet ./...",
      "go run ."
    ]
  },
  java: {
    tools: ["java", "mvn"],
    steps: ["mvn --quiet --batch-mode clean compile exec:java"]
  },
  rust: {
    tools: ["java", "mvn", "cargo"],
    steps: ["mvn --quiet --batch-mode generate-sources", "cargo run --quiet --locked"]
  }
}

const { values } = parseArgs({
  options: {
    languages: { type: "string", default: Object.keys(languages).join(",") },
    "may-be-missing": { type: "string", default: "" }
  }
})

/** The output of a program: the status of the shipment, the number of orders, and the refusal. */
const expected = "SCHEDULED 1 422 INVALID_DOCUMENT"

const isMissing = (tool: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${tool}`], { stdio: "ignore" }).status !== 0

/** Runs the steps of a language with a new service. Returns the failure, or `undefined`. */
const failureOf = async (name: string, { steps }: Language): Promise<string | undefined> => {
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  cpSync(join(here, name), folder, { recursive: true })
  const service = await Service.start()
  try {
    const response = await fetch(`${service.url}/v1/openapi.json`)
    writeFileSync(join(folder, "openapi.json"), await response.text())
    let printed = ""
    for (const step of steps) {
      const [command = "", ...parameters] = step.split(" ")
      const { client_id, client_secret, audience } = Service.tokenRequest
      const child = spawn(command, parameters, {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          DOCKLINE_URL: service.url,
          CLIENT_ID: client_id,
          CLIENT_SECRET: client_secret,
          AUDIENCE: audience
        }
      })
      const [output, errors, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close")
      ])
      if (status !== 0) return `${step}\n${excerpt(output)}${excerpt(errors)}`
      printed = output
    }
    const said = stripVTControlCharacters(printed).trim()
    return said.endsWith(expected) ? undefined : `The program printed ${said} instead of ${expected}.`
  } finally {
    await service.stop()
  }
}

/** The beginning and the end of a long text. */
const excerpt = (text: string): string =>
  text.length < 4000 ? text : `${text.slice(0, 2000)}\n…\n${text.slice(-2000)}`

const counts = { passed: 0, failed: 0, skipped: 0 }
const mayBeMissing = values["may-be-missing"].split(",")
for (const name of values.languages.split(",")) {
  const language = languages[name]
  if (language === undefined) {
    throw new Error(`There is no language ${name}: ${Object.keys(languages).join(", ")}`)
  }
  const missing = language.tools.filter(isMissing)
  if (missing.length > 0) {
    const may = mayBeMissing.includes(name)
    counts[may ? "skipped" : "failed"] += 1
    console.log(`${may ? "-" : "✗"} ${name} was not run, as this machine has no ${missing.join(", ")}`)
    continue
  }
  const started = performance.now()
  const failure = await failureOf(name, language)
  counts[failure === undefined ? "passed" : "failed"] += 1
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(failure === undefined ? `✓ ${name} (${seconds} s)` : `✗ ${name}: ${failure}`)
}
console.log(`Languages: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} not run`)
process.exitCode = counts.failed === 0 ? 0 : 1
