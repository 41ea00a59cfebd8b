/**
 * Runs a guide: block after block, unchanged, commands in a shell, programs in Node, and compares their outputs with those in the guide.
 *
 * Guarantee: in a guide that runs without a fault, every block was run, compared or used.
 */
import { spawnSync } from "node:child_process"
import { Fault, fileOf } from "./Block.ts"
import type { Block, Guide } from "./Block.ts"
import * as Diagram from "./Diagram.ts"
import * as Expectation from "./Expectation.ts"
import { plainStart } from "./Places.ts"
import { imported, importsOf, isNamed, unreached } from "./Project.ts"
import type { Substitute } from "./Project.ts"
import * as Shell from "./Shell.ts"
import { Terminal } from "./Terminal.ts"

/** The environment in which a guide runs. */
export interface Place {
  /** The folder of its project. */
  readonly folder: string
  readonly services: Shell.Services
  readonly substitute: Substitute
  /** The outputs of programs, by their texts: a program that several pages show identically is run once. */
  readonly printed: Map<string, string>
  /** Servers that stay for later guides, by their ports; their owner ends them. */
  readonly servers: Map<number, Terminal>
}

/** Ctrl-C, as a terminal shows it. */
const interrupt = "^C"

/** The exit codes of a program after it: its own, or that of a program that does not handle it. */
const interrupted = [0, 130]

/** The kinds of blocks that no test runs, as their pages say. */
const shownOnly: ReadonlySet<Block["kind"]> = new Set(["csharp", "powershell"])

/** Whether the machine has the programs of another language that a command needs. */
const canRun = (command: string): boolean => {
  const runtime = /^(?:python3|java)\b/.exec(command)?.[0]
  return runtime === undefined || spawnSync(runtime, ["--version"]).status === 0
}

/** Runs a guide; rejects with its first `Fault`. Programs that still run are ended. */
export const run = async (guide: Guide, place: Place): Promise<void> => {
  const runner = new Runner(guide, place)
  try {
    await runner.run()
  } finally {
    await runner.close()
  }
}

class Runner {
  readonly #guide: Guide
  readonly #place: Place
  readonly #imported: ReadonlySet<string>
  readonly #given: Expectation.Given
  readonly #open: Array<Terminal> = []
  readonly #named = new Map<string, Terminal>()

  constructor(guide: Guide, place: Place) {
    this.#guide = guide
    this.#place = place
    this.#imported = imported(guide)
    const inputs = guide.blocks.filter((block) => runs(block) || block.file !== undefined)
    this.#given = Expectation.timesIn(inputs.map(({ text }) => text))
  }

  async run(): Promise<void> {
    const { blocks } = this.#guide
    for (const block of unreached(this.#guide)) throw this.#fault(block, "nothing runs it")
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index]!
      const next = blocks[index + 1]
      const shown = next !== undefined && isAnswer(next) && runs(block) ? next : undefined
      if (await this.#step(block, shown)) index++
    }
    for (const [name, { code, everything }] of this.#named) {
      if (code !== undefined && !interrupted.includes(code)) {
        throw new Fault(this.#guide.name, 1, `terminal "${name}" has ended with ${code}:\n${everything}`)
      }
    }
  }

  async close(): Promise<void> {
    const staying = new Set(this.#place.servers.values())
    // In reverse order, because servers are there for the others.
    for (const terminal of this.#open.toReversed()) if (!staying.has(terminal)) await terminal.close()
  }

  /** Runs a block; returns whether the block with its output has been handled too. */
  async #step(block: Block, shown: Block | undefined): Promise<boolean> {
    if (block.kind === "sh") return await this.#shell(block, shown)
    if (block.kind === "ts") return await this.#program(block, shown)
    if (block.file !== undefined) this.#used(block)
    else if (block.terminal !== undefined && block.kind === "text") await this.#further(block, block.terminal)
    else if (block.kind !== "mermaid") {
      throw this.#fault(block, "nothing before it was run: it is compared with nothing")
    } else {
      const fault = Diagram.fault(block.text)
      if (fault !== undefined) throw this.#fault(block, fault)
    }
    return false
  }

  async #shell(block: Block, shown: Block | undefined): Promise<boolean> {
    const { folder, servers, services, substitute } = this.#place
    if (!canRun(block.text)) return shown !== undefined
    const server = block.text === plainStart ? servers.get(services.port) : undefined
    if (server !== undefined && shown !== undefined) return this.#running(shown, server)
    const script = Shell.scriptOf(folder, services, {
      text: substitute(block.text),
      isFirstTerminal: block.terminal === undefined,
      isShown: shown !== undefined
    })
    const terminal = this.#start(["bash", ["-c", script]])
    if (block.terminal !== undefined) this.#named.set(block.terminal, terminal)
    if (block.text === plainStart) servers.set(services.port, terminal)
    if (block.terminal !== undefined && shown?.kind === "text") {
      await this.#shows(shown, terminal)
    } else {
      await this.#ends(block, terminal)
      if (shown !== undefined) this.#compare(shown, terminal.unseen)
    }
    return shown !== undefined
  }

  /** A server that an earlier guide has started. */
  #running(shown: Block, server: Terminal): boolean {
    if (server.hasShown(this.#place.substitute(shown.text), this.#given)) return true
    throw this.#fault(shown, `the server does not run, or has not shown this:\n${server.everything}`)
  }

  /** Runs a program that no other one imports and no command runs. */
  async #program(block: Block, shown: Block | undefined): Promise<boolean> {
    const file = fileOf(block)
    if (this.#imported.has(file) || isNamed(this.#guide, block)) {
      if (shown === undefined) return false
      throw this.#fault(shown, `${file} is run elsewhere: show there what it prints`)
    }
    const output = await this.#printed(block)
    if (shown !== undefined) {
      this.#compare(shown, output)
      return true
    }
    const prints = Array.from(block.text.matchAll(/\/\/ prints (.*)$/gm), ([, text]) => text)
    this.#compare({ ...block, kind: "text", text: prints.join("\n") }, output)
    return false
  }

  /** The output of a program: run now, or known from an earlier page. */
  async #printed(block: Block): Promise<string> {
    const { printed, substitute } = this.#place
    const text = substitute(block.text)
    const known = printed.get(text)
    if (known !== undefined) return known
    const terminal = this.#start(["node", [fileOf(block)]])
    await this.#ends(block, terminal)
    if (importsOf(block).length === 0) printed.set(text, terminal.unseen)
    return terminal.unseen
  }

  /** Further output of a program in a terminal; `^C` in it ends the program. */
  async #further(block: Block, name: string): Promise<void> {
    const terminal = this.#named.get(name)
    if (terminal === undefined) throw this.#fault(block, `there is no terminal "${name}"`)
    const [before, ...after] = block.text.split(interrupt)
    if (before!.trim() !== "") await this.#shows({ ...block, text: before! }, terminal)
    if (after.length === 0) return
    terminal.interrupt()
    await this.#ends(block, terminal, interrupted)
    this.#compare({ ...block, text: after.join(interrupt) }, terminal.unseen)
  }

  #used(block: Block): void {
    const { file, kind } = block
    if (shownOnly.has(kind)) return
    const isUsed = this.#guide.blocks.some((other) => runs(other) && other.text.includes(file!))
    if (!isUsed) throw this.#fault(block, `no block uses ${file}`)
    if (kind === "json") JSON.parse(block.text)
  }

  #start([program, args]: readonly [program: string, args: ReadonlyArray<string>]): Terminal {
    const { folder } = this.#place
    const terminal = new Terminal({ program, args, folder, env: Shell.environment(folder) })
    this.#open.push(terminal)
    return terminal
  }

  async #ends(block: Block, terminal: Terminal, well: ReadonlyArray<number> = [0]): Promise<void> {
    const code = await terminal.end()
    if (code === undefined) throw this.#fault(block, `it does not end; it has shown\n${terminal.everything}`)
    if (!well.includes(code)) throw this.#fault(block, `it ends with ${code}:\n${terminal.everything}`)
  }

  async #shows(shown: Block, terminal: Terminal): Promise<void> {
    if (await terminal.shows(this.#place.substitute(shown.text), this.#given)) return
    throw this.#fault(shown, `it shows\n${shown.text}\nbut this comes\n${terminal.everything}`)
  }

  #compare(shown: Block, output: string): void {
    const text = this.#place.substitute(shown.text)
    const compare = { json: Expectation.json, xml: Expectation.xml }[shown.kind as "json" | "xml"] ??
      Expectation.text
    const difference = compare(text, output, this.#given)
    if (difference !== undefined) throw this.#fault(shown, difference)
  }

  #fault(block: Block, reason: string): Fault {
    return new Fault(this.#guide.name, block.line, reason)
  }
}

/** Whether a block can be the output of the previous one. */
const isAnswer = ({ kind, file, terminal }: Block): boolean =>
  file === undefined && terminal === undefined && (kind === "text" || kind === "json" || kind === "xml")

const runs = ({ kind }: Block): boolean => kind === "sh" || kind === "ts"
