/** The operations of operators that the pages call: those of the contract, and a line for each capability that has some (D20.1). */
import { ediPartnerOperations } from "@dockline/core/edi/EdiPartnerOperations"
import { operatorOperations as ofContract } from "@dockline/core/operator/OperatorOperations"

/** By their names. */
export const operatorOperations = {
  ...ofContract,
  ...ediPartnerOperations
}
