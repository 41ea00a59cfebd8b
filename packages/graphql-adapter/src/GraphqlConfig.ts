/**
 * The settings of the GraphQL adapter, with their defaults. Only the composing program reads the environment.
 */
import { defaultItemLimit } from "@dockline/core/DocumentInput"

/** What one operation may ask for; all of it is judged before anything is executed (D8.8). */
export interface OperationLimits {
  /** How deep fields may nest. */
  readonly depth: number
  /** How deep fields may nest within `__schema` and `__type`. */
  readonly introspectionDepth: number
  /** Lexical tokens of a document. */
  readonly tokens: number
  /** Aliases of an operation, those in fragments counted each time the fragment is spread. */
  readonly aliases: number
  /** The longest alias, in characters: it stands in the answer once for each entry of a list. */
  readonly aliasLength: number
  /** Directives of an operation, counted likewise. */
  readonly directives: number
  /** Fields of an operation, counted likewise. */
  readonly fields: number
  /** Operations of a document; one of them is chosen by name. */
  readonly operations: number
}

/** How much may be sent at once, and how much of that may be sent again each second. */
export interface FrameRate {
  readonly frames: number
  readonly framesPerSecond: number
  readonly bytes: number
  readonly bytesPerSecond: number
}

/** How connections that outlive a request are kept: sockets and event streams (D8.7). */
export interface LiveConfig {
  /** How long a socket may take to send `connection_init`, in milliseconds; then it is closed with 4408. */
  readonly initTimeoutMillis: number
  /** How often a sign of life is asked for; a socket that gave none since the last time is cut. */
  readonly keepAliveMillis: number
  /**
   * How long a socket in which something waits may take none of it, in milliseconds: its peer reads at its own pace,
   * and cannot answer before it has read.
   */
  readonly stallMillis: number
  /** How often it is looked for tokens that have expired. */
  readonly expiryMillis: number
  /** How often it is looked up what connected clients may do. */
  readonly recheckMillis: number
  /** How long connections that are told of their end as the service stops, and event streams, may take to go. */
  readonly closeMillis: number
  /** The most sockets at a time. */
  readonly sockets: number
  /** The most sockets and event streams of one client at a time. */
  readonly connectionsPerClient: number
  /** The most operations of one socket at a time, subscriptions included. */
  readonly operationsPerSocket: number
  /** The most queries and mutations of one socket that run at once; more of them wait. */
  readonly executionsPerSocket: number
  /** The largest frame that is taken, in bytes. */
  readonly frameLimit: number
  /** The most text of operations that one socket may have running, in characters. */
  readonly operationTextLimit: number
  /**
   * How much a socket may send: a burst of frames and bytes, and how much of it may be used again each second. A socket
   * that sends more is cut with 1008. Control frames count; an operation that was executed does not.
   */
  readonly frameRate: FrameRate
  /** The most frames that a socket may send before its `connection_init` is accepted; then it is cut with 1008. */
  readonly framesBeforeInit: number
  /** The most fragments of a frame that is sent in several. */
  readonly fragments: number
  /** What waits in a socket beyond this many bytes holds up what would follow. */
  readonly sendBuffer: number
}

/** What documents that are kept may amount to together. A token takes some 400 bytes. */
export interface DocumentCacheLimits {
  readonly entries: number
  readonly characters: number
  readonly tokens: number
}

/** Settings of the GraphQL adapter. */
export interface GraphqlConfig {
  /** Where the interface is served. */
  readonly path: `/${string}`
  readonly limits: OperationLimits
  /** The largest request body without files, in bytes (413 beyond it). */
  readonly bodyLimit: number
  /** The largest document file of an upload, in bytes. */
  readonly uploadLimit: number
  /** The most items, and the most orders, of a document. */
  readonly itemLimit: number
  /**
   * The most characters that one answer shows over all its fields: payloads of messages, shipments and orders. One
   * shipment, or one page, that is shown once may be larger.
   */
  readonly answerTextLimit: number
  /** How much is kept of documents parsed and validated. */
  readonly documentCache: DocumentCacheLimits
  /** The most live messages that wait for a subscriber (D8.7). */
  readonly subscriptionBuffer: number
  readonly live: LiveConfig
}

/** The limits of D8.8. */
export const defaultOperationLimits: OperationLimits = {
  depth: 12,
  introspectionDepth: 20,
  tokens: 2000,
  aliases: 15,
  aliasLength: 128,
  directives: 50,
  fields: 500,
  operations: 10
}

/** As D8.7 has it, with room for thousands of sockets. */
export const defaultLiveConfig: LiveConfig = {
  initTimeoutMillis: 10_000,
  keepAliveMillis: 12_000,
  stallMillis: 120_000,
  expiryMillis: 1000,
  recheckMillis: 2000,
  closeMillis: 5000,
  sockets: 20_000,
  connectionsPerClient: 2000,
  operationsPerSocket: 100,
  executionsPerSocket: 4,
  frameLimit: 1024 * 1024,
  operationTextLimit: 2 * 1024 * 1024,
  frameRate: {
    frames: 1000,
    framesPerSecond: 200,
    bytes: 8 * 1024 * 1024,
    bytesPerSecond: 1024 * 1024
  },
  framesBeforeInit: 20,
  fragments: 64,
  sendBuffer: 256 * 1024
}

/** At `/public_graphql`, requests up to 1 MiB, document files up to 10 MiB. */
export const defaultGraphqlConfig: GraphqlConfig = {
  path: "/public_graphql",
  limits: defaultOperationLimits,
  bodyLimit: 1024 * 1024,
  uploadLimit: 10 * 1024 * 1024,
  itemLimit: defaultItemLimit,
  answerTextLimit: 32 * 1024 * 1024,
  documentCache: { entries: 1000, characters: 1024 * 1024, tokens: 100_000 },
  subscriptionBuffer: 1000,
  live: defaultLiveConfig
}
