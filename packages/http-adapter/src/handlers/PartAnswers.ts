/** What answers the endpoints of the parts of capabilities (`RestParts`): a line for each part, by the name of the capability. */
import * as SkuMaster from "./skus/SkuMaster.ts"

/** Makes the answers of a part, by the names of its endpoints. */
export const partAnswers = { skus: SkuMaster.make }
