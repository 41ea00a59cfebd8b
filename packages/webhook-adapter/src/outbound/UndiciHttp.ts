/**
 * Calls customers with undici, which keeps a pool of connections for each origin.
 *
 * Guarantee: every address of a name is checked, connections are made only to permitted addresses, and the address of a connection is
 * checked once more before a byte of a request is sent (D9.7). undici repeats no POST. If a POST is sent on a kept connection that turns
 * out to be closed, it is sent once more, over a new connection and within the same time limit. Any other POST whose connection breaks
 * fails, and the caller decides what follows.
 */
import { clip } from "@dockline/core/values/Clip"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import type { LookupFunction, Socket } from "node:net"
import type { Transform } from "node:stream"
import { createSecureContext, getCACertificates } from "node:tls"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress
} from "node:zlib"
import { Agent, buildConnector, Client, Pool } from "undici"
import type { Dispatcher } from "undici"
import { InvalidConfig } from "../WebhookConfig.ts"
import * as NameLookup from "./NameLookup.ts"
import { OutboundCall } from "./OutboundCall.ts"
import type { Connection } from "./OutboundCall.ts"
import { bodyLimit, OutboundError, OutboundFailure, OutboundHttp, tooLong } from "./OutboundHttp.ts"
import type { OutboundAnswer, OutboundRequest } from "./OutboundHttp.ts"
import * as OutboundPolicy from "./OutboundPolicy.ts"
import type { OutboundPolicyConfig } from "./OutboundPolicy.ts"

/** The most encodings of one body. */
const encodingLimit = 5

/** The largest window of zstd in bits, 8 MiB (RFC 9659): a body of a few bytes can make a decoder allocate that much memory. */
const zstdWindow = 23

/** Whether a body has the format of zlib, which `deflate` means (RFC 9110, 8.4.1.2); some servers send the raw stream within it. */
const isZlib = (body: Uint8Array): boolean =>
  (body[0]! & 0x0f) === 8 && (body[0]! * 256 + body[1]!) % 31 === 0

const decoders: Readonly<Record<string, (body: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: (body) => (isZlib(body) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindow } })
}

/**
 * Decodes the body of an answer (RFC 9110, 8.4), because some servers of customers encode bodies without being asked.
 *
 * Guarantee: however small a body is, at most `bodyLimit` bytes are decoded from it, at each encoding. If a body cannot be decoded, the
 * status stays: the answer has the part that could be decoded, and `error` says why the rest is missing.
 */
export const withDecodedBody = (answer: OutboundAnswer): Effect.Effect<OutboundAnswer> => {
  const encodings = encodingsOf(answer)
  return answer.body.byteLength === 0 || encodings.length === 0
    ? Effect.succeed(answer)
    : Effect.promise(() => decode(answer, encodings))
}

const encodingsOf = ({ headers }: OutboundAnswer): ReadonlyArray<string> =>
  (headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity")

const decode = async (
  { body, error, ...head }: OutboundAnswer,
  encodings: ReadonlyArray<string>
): Promise<OutboundAnswer> => {
  const names = clip(encodings.join(", ").replaceAll(/[^\w\-, ]/g, "?"))
  const withoutBody = (why: string) => ({
    ...head,
    body: new Uint8Array(0),
    error: error === "" ? why : error
  })
  if (encodings.length > encodingLimit) {
    return withoutBody(`the answer has more than ${encodingLimit} encodings`)
  }
  if (!encodings.every((name) => decoders[name] !== undefined)) {
    return withoutBody(`the answer is in an encoding that is not known here (${names})`)
  }
  let plain = body
  let fault = error
  for (const name of encodings.toReversed()) {
    const step = await unpack(decoders[name]!(plain), plain)
    plain = step.bytes
    // A body that was cut also ends early in its encoding.
    if (fault === "" && step.fault !== "") {
      fault = step.fault === "LONG" ? tooLong : `the answer does not match its encoding (${names})`
    }
  }
  return { ...head, body: plain, error: fault }
}

interface Output {
  readonly bytes: Uint8Array
  readonly fault: "" | "LONG" | "BAD"
}

const unpack = (decoder: Transform, input: Uint8Array): Promise<Output> =>
  new Promise((resolve) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const end = (fault: Output["fault"]) => {
      decoder.destroy()
      resolve({ bytes: Buffer.concat(chunks), fault })
    }
    decoder.on("data", (chunk: Buffer) => {
      const room = bodyLimit - size
      chunks.push(chunk.subarray(0, room))
      size += chunk.byteLength
      if (size > bodyLimit) end("LONG")
    })
    decoder.on("end", () => end(""))
    decoder.on("error", () => end("BAD"))
    decoder.end(input)
  })

/** The most bytes of an answer on the wire, sixteen times the body limit: enough for a body in chunks of one byte. */
export const wireLimit = 1024 * 1024

/**
 * Limits the bytes of an answer on the wire. Call it before anything is sent on the connection. It covers parts that the limits of headers
 * and body do not: blank lines before the status, the text after it, extensions of chunks, zeros before chunk sizes.
 */
const limitAnswers = (socket: Socket): void => {
  let writtenBytes = -1
  let from = 0
  socket.on("readable", () => {
    // One request at a time is under way, so bytes that are read after it was written belong to its answer.
    if (socket.bytesWritten !== writtenBytes) {
      writtenBytes = socket.bytesWritten
      from = socket.bytesRead
    } else if (socket.bytesRead - from > wireLimit) {
      socket.destroy(
        new OutboundError(
          `the answer is longer than ${wireLimit / 1024} KiB including everything around its body`
        )
      )
    }
  })
}

/** Settings of the client. */
export interface UndiciHttpConfig extends OutboundPolicyConfig {
  /** The time limit from a call to the end of its answer, in milliseconds, unless the request has its own (D9.3). */
  readonly timeoutMillis: number
  /** The local address of connections, for customers that permit only one address (D9.8). */
  readonly sourceAddress?: string
  readonly tls?: {
    /** Certificate authorities to trust in addition to those of Node, in PEM form. */
    readonly ca?: string
  }
  /** The look-up of names; by default `NameLookup.system`. */
  readonly lookup?: NameLookup.NameLookup
}

/** Opens one connection at a time, and gives each call its connection with the number of earlier requests. */
class OneConnection extends Client {
  readonly #connection: Connection

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const connection: Connection = { socket: undefined, requests: 0 }
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          connection.socket = result[1] ?? undefined
          connection.requests = 0
          callback(...result)
        })
    })
    this.#connection = connection
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof OutboundCall) handler.over(this.#connection)
    return super.dispatch(options, handler)
  }
}

/** The most connections to an origin: more than the endpoints of one customer use, so an endpoint that hangs does not block another. */
const connectionLimit = 1024

const headerLimit = 16 * 1024

/**
 * The time for which an unused connection is kept, in milliseconds: without a hint of the customer, and the most with a hint. A request on
 * a connection that is being closed fails.
 */
const keepAlive = { unsaid: 4_000, most: 60_000 }

/** {@link OutboundHttp} on undici. */
export const layer = (config: UndiciHttpConfig): Layer.Layer<OutboundHttp, InvalidConfig> =>
  Layer.effect(OutboundHttp, make(config))

const make = Effect.fnUntraced(function*(
  config: UndiciHttpConfig
): Effect.fn.Return<OutboundHttp["Service"], InvalidConfig, Scope.Scope> {
  const policy = yield* Effect.fromResult(OutboundPolicy.make(config))
  const connect = yield* connector(config, policy)
  const open = (options: Agent.Options) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        new Agent({
          connect,
          allowH2: false,
          connections: connectionLimit,
          maxHeaderSize: headerLimit,
          keepAliveTimeout: keepAlive.unsaid,
          keepAliveMaxTimeout: keepAlive.most,
          // `OutboundCall` limits the time of the whole call.
          headersTimeout: 0,
          bodyTimeout: 0,
          ...options
        })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    )
  const agent = yield* open({
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        factory: (origin, options) => new OneConnection(origin, options, connect)
      })
  })
  // New connections for repetitions: if one kept connection was closed, the others may be closed as well.
  const fresh = yield* open({})
  const targetOf = targets(policy)

  const post = ({ body, headers, timeoutMillis = config.timeoutMillis, url }: OutboundRequest) =>
    Effect.callback<OutboundAnswer, OutboundFailure>((resume) => {
      const target = targetOf(url)
      if (typeof target === "string") {
        resume(Effect.fail(new OutboundFailure({ error: target })))
        return
      }
      const postOptions = { ...target, method: "POST", headers, body } as const
      const call = new OutboundCall(
        timeoutMillis,
        (outcome) => {
          const end = outcome instanceof OutboundFailure ? Effect.fail(outcome) : withDecodedBody(outcome)
          // undici frees the connection in an immediate that it sets when this function returns. Resuming after that lets the next call
          // reuse the connection instead of opening another.
          queueMicrotask(() => setImmediate(() => resume(end)))
        },
        () => fresh.dispatch({ ...postOptions, reset: true }, call)
      )
      agent.dispatch(postOptions, call)
      return Effect.sync(() => call.cancel())
    })

  return OutboundHttp.of({ post })
})

const connector = Effect.fnUntraced(function*(
  { lookup = NameLookup.system(), sourceAddress, timeoutMillis, tls }: UndiciHttpConfig,
  policy: OutboundPolicy.OutboundPolicy
): Effect.fn.Return<buildConnector.connector, InvalidConfig> {
  const family = sourceAddress === undefined ? 0 : isIP(sourceAddress)
  if (sourceAddress !== undefined && family === 0) {
    return yield* new InvalidConfig({
      setting: "source address",
      reason: `${sourceAddress} is not an address; write one of this machine, such as 192.0.2.1`
    })
  }
  const judge = (secure: boolean) => (address: string): string | undefined => {
    if (family !== 0 && isIP(address) !== family) {
      return `address ${address} cannot be called from ${sourceAddress}: not the same IP version`
    }
    return policy.addressFault(address, secure)
  }
  const context = tls?.ca === undefined ? undefined : yield* secureContext(tls.ca)
  const build = (secure: boolean): buildConnector.connector =>
    buildConnector({
      allowH2: false,
      timeout: timeoutMillis,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1_000,
      lookup: judgedLookup(lookup, judge(secure)),
      ...(context === undefined ? {} : { secureContext: context })
    })
  const [plain, secure] = [build(false), build(true)]

  return (options, callback) => {
    const isSecure = options.protocol === "https:"
    const fault = judge(isSecure)
    const refuse = (reason: string) => callback(new OutboundError(reason), null)
    const literal = isIP(options.hostname) === 0 ? undefined : fault(options.hostname)
    if (literal !== undefined) return queueMicrotask(() => refuse(literal))
    const connect = isSecure ? secure : plain
    connect({ ...options, localAddress: sourceAddress ?? null }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const { remoteAddress } = socket
      if (remoteAddress === undefined) return refuse("the connection was closed as soon as it was made")
      const actual = fault(remoteAddress)
      if (actual !== undefined) {
        socket.destroy()
        return refuse(actual)
      }
      limitAnswers(socket)
      callback(null, socket)
    })
  }
})

/** Looks up a name, and returns its permitted addresses; fails with the fault of the first address if none is permitted. */
const judgedLookup = (
  lookup: NameLookup.NameLookup,
  fault: (address: string) => string | undefined
): LookupFunction =>
(name, { all }, callback) => {
  const onAddresses = (addresses: ReadonlyArray<string>) => {
    const faults = addresses.map(fault)
    const allowedAddresses = addresses.filter((_, at) => faults[at] === undefined)
    const [first] = allowedAddresses
    if (first === undefined) {
      return callback(new OutboundError(faults[0] ?? "the name of the host has no address"), "")
    }
    if (all !== true) return callback(null, first, isIP(first))
    callback(null, allowedAddresses.map((address) => ({ address, family: isIP(address) })))
  }
  lookup(name).then(
    onAddresses,
    (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), "")
  )
}

const secureContext = (ca: string) =>
  Effect.try({
    try: () => {
      // `createSecureContext` would ignore certificates that it cannot read; this constructor throws.
      void new X509Certificate(ca)
      return createSecureContext({ ca: [...getCACertificates("default"), ca] })
    },
    catch: () => new InvalidConfig({ setting: "authorities", reason: "not certificates in PEM form" })
  })

interface Target {
  readonly origin: string
  readonly path: string
}

const targetLimit = 1_000

const targets = (policy: OutboundPolicy.OutboundPolicy): (url: string) => Target | string => {
  const cache = new Map<string, Target | string>()
  const read = (url: string): Target | string => {
    const fault = policy.urlFault(url)
    if (fault !== undefined) return `the URL is refused: ${fault}`
    const { origin, pathname, search } = new URL(url)
    return { origin, path: `${pathname}${search}` }
  }
  return (url) => {
    const hit = cache.get(url)
    if (hit !== undefined) return hit
    const target = read(url)
    if (cache.size >= targetLimit) cache.clear()
    cache.set(url, target)
    return target
  }
}
