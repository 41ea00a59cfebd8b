/** What answers the endpoints of the parts of capabilities (`RestParts`): a line for each part, by the name of the capability. */
import type { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { Effect } from "effect"
import type { HttpConfig } from "../HttpConfig.ts"
import type { Answering } from "./DeclaredGroup.ts"
import * as EdiUpload from "./edi/EdiUpload.ts"
import * as SkuMaster from "./skus/SkuMaster.ts"
import type * as Write from "./Write.ts"

/** Makes the answers of a part, by the names of its endpoints. */
type Make = (
  config: HttpConfig
) => Effect.Effect<
  ReadonlyArray<readonly [name: string, answering: Answering]>,
  never,
  OperationRegistry | Effect.Services<ReturnType<typeof Write.make>>
>

export const partAnswers: Readonly<Record<string, Make>> = {
  skus: SkuMaster.make,
  edi: EdiUpload.make
}
