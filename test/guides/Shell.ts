/**
 * The shell in which commands of guides run: bash, with the `npm` and `dockline` of a reader of this repository.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Programs from "../../programs/Programs.mjs"
import { compileCache } from "../support/ProgramSettings.ts"
import { root } from "./Project.ts"

/** The address of a guide's servers, and their database. */
export interface Services {
  readonly port: number
  readonly databaseUrl: string
}

/** The environment of every program that a guide runs. */
export const environment = (folder: string): Readonly<Record<string, string>> => ({
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  HOME: process.env["HOME"] ?? "",
  TMPDIR: process.env["TMPDIR"] ?? "/tmp",
  // As in a terminal.
  LOG_FORMAT: "pretty",
  XDG_CACHE_HOME: join(folder, ".cache"),
  // Lets packages of this repository resolve to their sources.
  NODE_OPTIONS: "--conditions=@dockline/source",
  ...compileCache
})

const scripts = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}).scripts

/** The program that a script of ours starts, if any: bundled if it is started repeatedly. */
const programOf = async (script: string): Promise<string | undefined> => {
  const path = /^(?:exec )?node (?:--import \S+ )?--conditions=\S+ (?:--\S+ )*(?:programs\/run\.mjs )?(\S+)$/
    .exec(script)
    ?.[1]
  if (path === undefined || !existsSync(join(root, path))) return undefined
  return Programs.isBundled(path) ? await Programs.bundled(path) : join(root, path)
}

const programs = await Promise.all(
  Object.entries(scripts).map(async ([name, script]) => ({ name, path: await programOf(script) }))
)

const modules = join(root, "node_modules")

/** Scripts that a guide may name, but that tests run elsewhere. */
const known = ["test", "run demo"]

/**
 * The server gets a database and a port of the test, unless the guide sets its own, and other programs look for it there. Only exported
 * values count, as for the reader. Commands that install or test, or that have a test of their own, are checked to exist, and not run.
 */
const prelude = ({ port, databaseUrl }: Services, isShown: boolean): string => {
  const run = programs.filter(({ name, path }) => path !== undefined && !known.includes(`run ${name}`))
  const server = programs.find(({ name }) => name === "start")!.path!
  const cases = run.map(({ name, path }) =>
    name === "start"
      ? `start) dockline-server ;;`
      : `"run ${name}" | "run ${name} "*) shift 2; if [ "\${1-}" = "--" ]; then shift; fi; beside node "${path}" "$@" ;;`
  )
  return `
given() { printenv "$1" || echo "$2"; }
serve() {
  if [ -z "$(given DATABASE_URL "")$(given DATA_DIR "")" ]; then
    export DATABASE_URL="${databaseUrl}" DEMO="$(given DEMO true)"
    export SECRETS_KEY="$(given SECRETS_KEY AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=)"
  fi
  PORT="$(given PORT ${port})" node "$@"
}
beside() {
  BASE_URL="$(given BASE_URL http://localhost:${port})" DOCKLINE_URL="$(given DOCKLINE_URL http://localhost:${port})" "$@"
}
installed() {
  for package in "$@"; do
    case "$package" in -*) continue ;; esac
    [ -d "${modules}/$package" ] || { echo "$package is not there"; return 1; }
  done
}
npm() {
  case "$*" in
    ci | ${known.map((name) => `"${name}"`).join(" | ")}) ;;
    "install "*) shift; installed "$@" ;;
    ${cases.join("\n    ")}
    *) echo "no test knows npm $*"; return 1 ;;
  esac
}
dockline() { npm run dockline -- "$@"; }
# What a database of the tests may lose is a problem to the check, which then ends with 1.
dockline-server() { serve "${server}" "$@" || { [ $? -eq 1 ] && [ "$*" = check ]; }; }
psql() { node "${join(root, "test/guides/Psql.ts")}" "$@"; }
${isShown ? "unset -f curl" : answersThatCount}
`
}

/** If a guide does not show the output, an answer that is a refusal is a failure. */
const answersThatCount =
  `curl() { case $1 in -f*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }`

/** The form in which a block is run. */
export interface Scripted {
  readonly text: string
  /** Whether it continues with the state of the earlier blocks. */
  readonly isFirstTerminal: boolean
  /** Whether the guide shows its output. */
  readonly isShown: boolean
}

/**
 * The script of a block. In the guide's first terminal, the variables and the working directory of earlier blocks persist; another terminal
 * does not share them. A command that fails ends the script, and the guide with it.
 */
export const scriptOf = (
  folder: string,
  services: Services,
  { text, isFirstTerminal, isShown }: Scripted
): string => {
  const state = join(folder, ".shell")
  if (!existsSync(state)) writeFileSync(state, "")
  // Keeps variables, exported or not, as they are.
  const kept = `__known=" $(compgen -v | tr '\n' ' ') "
. "${state}"
__keep() {
  export -p
  for __name in $(compgen -v); do
    [[ $__known == *" $__name "* || $__name == __* ]] || declare -p "$__name"
  done
  declare -f
  printf 'cd %q\\n' "$PWD"
}
trap '__keep > "${state}"' EXIT`
  return `exec 2>&1
set -euo pipefail
${isFirstTerminal ? kept : ""}
${prelude(services, isShown)}
${text}
`
}
