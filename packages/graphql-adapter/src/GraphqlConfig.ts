/** The settings of the GraphQL adapter, with their defaults. Only the composing program reads the environment. */
import { defaultItemLimit } from "@dockline/core/document/DocumentInput"
import { graphqlPath } from "@dockline/wire/Path"

/** The limits of one operation (D8.8), all checked before anything is read or written. */
export const defaultOperationLimits = {
  /** The greatest depth of nested fields. */
  depth: 12,
  /** The greatest depth of nested fields within `__schema` and `__type`. */
  introspectionDepth: 20,
  /** The lexical tokens of a document. */
  tokens: 2000,
  /** The aliases of an operation; those in a fragment count each time the fragment is spread. */
  aliases: 15,
  /** The longest alias, in characters: an answer repeats it for each entry of a list. */
  aliasLength: 128,
  /** The directives of an operation, counted likewise. */
  directives: 50,
  /** The fields of an operation, counted likewise. */
  fields: 500,
  /** The operations of a document; a request names one of them. */
  operations: 10,
  /**
   * The most entries in all lists of an operation; a list within a list counts for each entry of the outer list. The lists in its arguments
   * have the same limit, and each counts for every field that names it.
   */
  entries: 50_000
}

/** See {@link defaultOperationLimits}. */
export type OperationLimits = Readonly<typeof defaultOperationLimits>

/** The limits of sockets and event streams (D8.7); they allow thousands of sockets. */
export const defaultLiveConfig = {
  /** The time for a socket to send `connection_init`, in milliseconds; then it is closed with 4408. */
  initTimeoutMillis: 10_000,
  /** The time between pings, in milliseconds; a socket without a sign of life since the last ping is cut. */
  keepAliveMillis: 12_000,
  /** A socket is cut if its peer reads none of the waiting frames for this time, in milliseconds. */
  stallMillis: 120_000,
  /** The time between two searches for expired tokens, in milliseconds. */
  expiryMillis: 1000,
  /** The time between two look-ups of the grants of connected clients, in milliseconds. */
  recheckMillis: 2000,
  /** The time for sockets to confirm a close, and for event streams to end, in milliseconds. */
  closeMillis: 5000,
  /** The most sockets at a time. */
  sockets: 20_000,
  /**
   * The most sockets at a time without an authenticated client. Beyond it, the socket that has waited longest for its `connection_init` is
   * closed with 1013, so that such sockets cannot crowd out authenticated clients.
   */
  socketsBeforeInit: 5000,
  /** The most sockets and event streams of one client at a time. */
  connectionsPerClient: 2000,
  /** The most operations of one socket at a time, subscriptions included. */
  operationsPerSocket: 100,
  /** The most queries and mutations of one socket that run at once; further ones wait. */
  executionsPerSocket: 4,
  /** The largest frame, in bytes. */
  frameLimit: 1024 * 1024,
  /** The most characters of the operations that one socket runs at a time. */
  operationTextLimit: 2 * 1024 * 1024,
  /**
   * The burst of frames and bytes that a socket may send, and how much of it is restored each second. A socket that sends
   * more is cut with 1008. Control frames count; an operation that was executed does not.
   */
  frameRate: {
    frames: 1000,
    framesPerSecond: 200,
    bytes: 8 * 1024 * 1024,
    bytesPerSecond: 1024 * 1024
  },
  /** The most frames that a socket may send before its `connection_init` is accepted; then it is cut with 1008. */
  framesBeforeInit: 20,
  /** The most fragments of a frame. */
  fragments: 64,
  /** How many bytes may wait in a socket before further frames wait outside of it. */
  sendBuffer: 256 * 1024
}

/** See {@link defaultLiveConfig}. */
export type LiveConfig = Readonly<typeof defaultLiveConfig>

const path: `/${string}` = graphqlPath

/** The defaults of {@link GraphqlConfig}. */
export const defaultGraphqlConfig = {
  /** The path of the interface. */
  path,
  limits: defaultOperationLimits,
  /** The largest request body without files, in bytes (413 beyond it). */
  bodyLimit: 1024 * 1024,
  /** The largest document file of an upload, in bytes. */
  uploadLimit: 10 * 1024 * 1024,
  /** The most items, and the most orders, of a document. */
  itemLimit: defaultItemLimit,
  /**
   * The most characters in all fields of one answer: payloads of messages, shipments and orders. A single shipment or page that is shown
   * once may be larger.
   */
  answerTextLimit: 32 * 1024 * 1024,
  /**
   * The time limit of an operation from its first read or write, in milliseconds: a query ends within it, and a mutation begins no read or
   * write after it.
   */
  timeoutMillis: 10_000,
  /** The bounds of the cache of parsed and validated documents. A token takes some 400 bytes. */
  documentCache: { entries: 1000, characters: 1024 * 1024, tokens: 100_000 },
  /** The most live messages that wait for a subscriber (D8.7). */
  subscriptionBuffer: 1000,
  live: defaultLiveConfig
}

/** Settings of the GraphQL adapter; see {@link defaultGraphqlConfig}. */
export type GraphqlConfig = Readonly<typeof defaultGraphqlConfig>
