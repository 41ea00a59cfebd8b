/**
 * The example exceptions in the reference, and the answers to them.
 */
import type { ExceptionView, ReportAnswer } from "@dockline/core/ExceptionView"
import type { RequestExamples } from "./OperatorExamples.ts"

export const requests: RequestExamples = {
  reportException: {
    shipment: {
      summary: "Of the whole shipment",
      value: { kind: "OTHER", priority: "LOW", description: "The seal was broken before we opened the doors" }
    },
    pallet: {
      summary: "Of a pallet",
      description: "The pallet must have been seen on this shipment.",
      value: {
        palletId: "815",
        kind: "DAMAGED",
        priority: "HIGH",
        description: "Two cartons crushed on the left"
      }
    },
    missing: {
      summary: "Of a pallet that is missing",
      description: "Its LPN names it, as no tower has seen it.",
      value: { lpn: "000124", kind: "SHORT", priority: "HIGH", description: "Not on the truck" }
    }
  },
  resolveException: { resolve: { summary: "Resolved", value: { note: "Replaced both cartons" } } }
}

export const reported: ReportAnswer = { exceptionId: "12" }

export const resolved: ExceptionView = {
  id: reported.exceptionId,
  palletId: "815",
  lpn: "000123",
  kind: "DAMAGED",
  priority: "HIGH",
  description: "Two cartons crushed on the left",
  status: "RESOLVED",
  reportedAt: "2026-11-20T17:05:00.000Z",
  reportedBy: "acme-client",
  resolvedAt: "2026-11-20T17:40:00.000Z",
  resolvedBy: "acme-client",
  note: "Replaced both cartons",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "Acme East" },
  shipmentId: 481,
  shipmentNumber: "SHP-1"
}
