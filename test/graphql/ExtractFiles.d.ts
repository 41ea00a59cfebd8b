/** The types of `extract-files`, which are in its sources as comments. */
declare module "extract-files/extractFiles.mjs" {
  /** Takes the files out of a value, leaving `null`, with the paths of each. */
  export default function extractFiles<Extractable>(
    value: unknown,
    isExtractable: (value: unknown) => value is Extractable,
    path?: string
  ): { readonly clone: unknown; readonly files: ReadonlyMap<Extractable, ReadonlyArray<string>> }
}

declare module "extract-files/isExtractableFile.mjs" {
  /** Whether a value is a file. */
  export default function isExtractableFile(value: unknown): value is File
}
