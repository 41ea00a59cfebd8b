/**
 * The shell that commands of guides run in: bash, with `npm` and `dockline` as a reader of this repository has them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Programs from "../../programs/Programs.mjs"
import { compileCache } from "../support/ProgramSettings.ts"
import { root } from "./Project.ts"

/** Where the servers of a guide are, and what they run on. */
export interface Services {
  readonly port: number
  readonly databaseUrl: string
}

/** The environment of every program that a guide runs. */
export const environment = (folder: string): Readonly<Record<string, string>> => ({
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  HOME: process.env["HOME"] ?? "",
  TMPDIR: process.env["TMPDIR"] ?? "/tmp",
  // As on a terminal.
  LOG_FORMAT: "pretty",
  XDG_CACHE_HOME: join(folder, ".cache"),
  // How a package of this repository is found in its source.
  NODE_OPTIONS: "--conditions=@dockline/source",
  ...compileCache
})

const scripts = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}).scripts

/** The program that a script of ours starts, if it starts one: bundled where it is started again and again. */
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

/** Those that stay where the reader started them; a test has them run elsewhere. */
const known = ["test", "run demo"]

/**
 * The server gets a database and a port of the test's, unless the guide gives it one of its own, and other programs look
 * for it there. Only what is exported counts, as for the reader. What installs, tests, or has a test of its own is known
 * to exist and not run.
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

/** Where a guide does not show what comes, an answer that is a refusal is a failure. */
const answersThatCount =
  `curl() { case $1 in -f*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }`

/** What a block is run as. */
export interface Scripted {
  readonly text: string
  /** Whether it goes on where the blocks before it have ended. */
  readonly isFirstTerminal: boolean
  /** Whether the guide shows what comes of it. */
  readonly isShown: boolean
}

/**
 * The script of a block. In the guide's first terminal what earlier blocks have set, and the folder they have gone to,
 * hold on; another terminal knows nothing of it. A command that fails ends the script, and the guide with it.
 */
export const scriptOf = (
  folder: string,
  services: Services,
  { text, isFirstTerminal, isShown }: Scripted
): string => {
  const state = join(folder, ".shell")
  if (!existsSync(state)) writeFileSync(state, "")
  // What is exported, and what is not, as it is.
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
