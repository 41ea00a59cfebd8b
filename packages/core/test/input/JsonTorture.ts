/**
 * JSON bodies that a parser gets wrong, each with the outcome that D2.6 asks for. What else is JSON or is not, `JSON.parse`
 * decides, which the tests of `JsonText` compare it with.
 */

/** One body and what must become of it. */
export interface TortureCase {
  readonly name: string
  readonly bytes: Uint8Array
  /** `accepted` with the value it has, or `malformed` (400) with text that the detail must contain. */
  readonly outcome:
    | { readonly kind: "accepted"; readonly value: unknown }
    | { readonly kind: "malformed"; readonly detail: string }
}

type Body = string | ReadonlyArray<number>

const toBytes = (body: Body): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body)

const accept = (name: string, body: Body, value: unknown): TortureCase => ({
  name,
  bytes: toBytes(body),
  outcome: { kind: "accepted", value }
})

const malformed = (name: string, body: Body, detail: string): TortureCase => ({
  name,
  bytes: toBytes(body),
  outcome: { kind: "malformed", detail }
})

const utf16 = (text: string, littleEndian: boolean): ReadonlyArray<number> =>
  Array.from(text).flatMap((character) => {
    const code = character.charCodeAt(0)
    return littleEndian ? [code & 0xff, code >> 8] : [code >> 8, code & 0xff]
  })

const inString = (...bytes: ReadonlyArray<number>): ReadonlyArray<number> => [0x22, ...bytes, 0x22]
const nest = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
const nestedValue = (depth: number): unknown => (depth === 1 ? [] : [nestedValue(depth - 1)])

/** An object whose `__proto__` is an own property. */
const withOwnProto = (value: unknown): unknown =>
  Object.defineProperty({}, "__proto__", { value, enumerable: true, configurable: true, writable: true })

const endOfBody = "the end of the body"
const noValue = "is not a JSON value"
const notUtf8 = "not valid UTF-8"
const twice = "is given twice"

/** The cases. */
export const cases: ReadonlyArray<TortureCase> = [
  // Empty and truncated
  malformed("an empty body", "", endOfBody),
  malformed("only a byte order mark", [0xef, 0xbb, 0xbf], endOfBody),
  malformed("an open list", "[1,2", endOfBody),
  malformed("an object cut after its key", "{\"a\"", "\":\" after the key"),
  malformed("an object cut after its colon", "{\"a\":", endOfBody),
  malformed("a string without its end", "\"abc", "ends within a string"),
  malformed("a cut unicode escape", "\"\\u12", "is not a JSON escape"),
  malformed("a cut literal", "[tru", noValue),

  // Structure
  malformed("a trailing comma in a list", "[1,]", "trailing comma"),
  malformed("a leading comma", "[,1]", "expected a value"),
  malformed("a missing comma", "[1 2]", "\",\" or \"]\""),
  malformed("a missing comma between members", "{\"a\":1 \"b\":2}", "\",\" or \"}\""),
  malformed("a missing colon", "{\"a\" 1}", "\":\" after the key"),
  malformed("an extra closing bracket", "{}}", "nothing after"),
  malformed("lines of JSON", "{\"a\":1}\n{\"a\":2}", "nothing after"),
  malformed("an unquoted key", "{a:1}", "key in double quotes"),
  malformed("a key in single quotes", "{'a':1}", "key in double quotes"),
  malformed("a line comment", "// x\n{}", noValue),
  malformed("a NUL byte at the end", "{}\0", "nothing after"),
  malformed("a no-break space around", "\u00a0{}", "expected a value"),
  malformed("a form feed for whitespace", "[\f1]", "expected a value"),
  malformed("a second byte order mark", "\ufeff\ufeff{}", "expected a value"),
  malformed("a byte order mark inside", "[\ufeff]", "expected a value"),

  // Literals and numbers
  malformed("NaN", "NaN", noValue),
  malformed("a literal in capitals", "[True]", noValue),
  malformed("a leading zero", "[01]", noValue),
  malformed("a bare minus", "[-]", noValue),
  malformed("a number that ends with its point", "[5.]", noValue),
  malformed("an exponent without digits", "[1e]", noValue),
  malformed("fullwidth digits", "[\uff11]", noValue),
  accept("a number beyond a double", "{\"quantity\":1e400}", { quantity: Infinity }),
  accept("a number too small for a double", "[1e-400]", [0]),
  accept("an integer beyond 2^53", "[9007199254740993]", [9007199254740992]),
  accept("a number of ten thousand digits", `[${"9".repeat(10_000)}]`, [Infinity]),
  accept("negative zero", "[-0]", [-0]),
  accept("every form of number", "[0,-1,1.50,1E2,1e+2,1e-2]", [0, -1, 1.5, 100, 100, 0.01]),

  // Strings
  malformed("a raw line end in a string", "\"a\nb\"", "must be escaped"),
  malformed("a raw NUL in a string", "\"a\0b\"", "must be escaped"),
  malformed("an unknown escape", "\"\\x41\"", "is not a JSON escape"),
  malformed("a unicode escape with a bad digit", "\"\\u00g0\"", "is not a JSON escape"),
  accept("every escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\\/\b\f\n\r\tA"),
  accept("an escaped NUL, which the schema refuses", "\"\\u0000\"", "\0"),
  accept("an escaped surrogate pair", "\"\\ud83d\\ude00\"", "\u{1f600}"),
  accept("an escaped lone surrogate, which the schema refuses", "\"\\ud800\"", "\ud800"),
  accept("surrogates in the wrong order", "\"\\ude00\\ud83d\"", "\ude00\ud83d"),
  accept("line separators and DEL unescaped", "\"\u2028\u2029\u007f\"", "\u2028\u2029\u007f"),
  accept("brackets, colons and quotes in strings", "[\"[{:\\\"[[[:\",\"\\\\\"]", ["[{:\"[[[:", "\\"]),
  accept("noncharacters", "\"\uffff\ufffe\"", "\uffff\ufffe"),

  // Bytes
  accept("a byte order mark", "\ufeff{\"a\":1}", { a: 1 }),
  accept("whitespace around everything", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", { a: [1, 2] }),
  malformed("UTF-16, little endian, marked", [0xff, 0xfe, ...utf16("{}", true)], "UTF-16"),
  malformed("UTF-16, big endian, marked", [0xfe, 0xff, ...utf16("{}", false)], "UTF-16"),
  malformed("UTF-16 without a mark", utf16("{}", true), "key in double quotes"),
  malformed("Latin-1", inString(0x4d, 0xfc, 0x6c, 0x6c), notUtf8),
  malformed("an overlong slash", inString(0xc0, 0xaf), notUtf8),
  malformed("a surrogate in UTF-8", inString(0xed, 0xa0, 0x80), notUtf8),
  malformed("a surrogate pair in UTF-8 (CESU-8)", inString(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80), notUtf8),
  malformed("a code point beyond U+10FFFF", inString(0xf4, 0x90, 0x80, 0x80), notUtf8),
  malformed("a stray continuation byte", inString(0x80), notUtf8),
  malformed("a body that ends within a character", [0x22, 0xe2, 0x82], notUtf8),

  // Nesting
  accept("64 levels", nest(64), nestedValue(64)),
  malformed("65 levels", nest(65), "64 levels"),
  malformed("65 levels of objects", `${"{\"a\":".repeat(65)}1${"}".repeat(65)}`, "64 levels"),
  malformed("65 levels in the last field", `{"a":1,"b":${nest(64)}}`, "64 levels"),
  malformed("100,000 open brackets", "[".repeat(100_000), "64 levels"),
  malformed("100,000 open objects", "{\"a\":".repeat(100_000), "64 levels"),
  accept(
    "many shallow lists",
    `[${Array(1000).fill("[[]]").join(",")}]`,
    Array.from({ length: 1000 }, () => [[]])
  ),

  // Keys
  malformed("a duplicate key", "{\"a\":1,\"a\":2}", twice),
  malformed("a duplicate key by escapes", "{\"lpn\":1,\"\\u006cpn\":2}", twice),
  malformed("a duplicate key deep inside", "{\"items\":[{},{\"lpn\":\"x\",\"lpn\":\"y\"}]}", "items[1].lpn"),
  malformed("a duplicate __proto__", "{\"__proto__\":1,\"__proto__\":2}", twice),
  malformed("a duplicate whose first value is replaced whole", "{\"a\":{\"x\":1,\"y\":2},\"a\":0}", twice),
  accept("a duplicate in different objects", "[{\"a\":1},{\"a\":1}]", [{ a: 1 }, { a: 1 }]),
  accept("keys that differ in normalisation", "{\"\u00e9\":1,\"e\u0301\":2}", {
    "\u00e9": 1,
    "e\u0301": 2
  }),
  accept("__proto__ is an own property", "{\"__proto__\":{\"x\":1}}", withOwnProto({ x: 1 })),
  accept(
    "names of Object.prototype as keys",
    "{\"constructor\":1,\"toString\":2,\"hasOwnProperty\":3}",
    { constructor: 1, toString: 2, hasOwnProperty: 3 }
  ),

  // Scalars as a whole body: JSON, whatever the schema says of them
  accept("null", "null", null)
]
