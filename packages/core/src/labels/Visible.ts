/**
 * Characters that cannot be seen: control and format characters, those that programs leave out where they cannot show them, and the
 * separators of lines and paragraphs, as Unicode names them (D22.2). Two texts that differ in them only look the same to everybody.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu

/** Almost every number consists of these only. */
const plain = /^[ -~]*$/

/** The different characters of a text that cannot be seen, such as `U+200B`, in the order of the text. */
export const unseenIn = (text: string): ReadonlyArray<string> =>
  plain.test(text) ? [] : Array.from(
    new Set(text.match(unseen)),
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
  )

/** A text without the characters that cannot be seen. */
export const visible = (text: string): string => plain.test(text) ? text : text.replaceAll(unseen, "")
