/**
 * Shapes that the core is about to have. Each goes from here to wire.ts when the core has it.
 */
import type { Offer } from "./backend";
import type { ArgumentsView, FieldInput, ServerRow } from "./wire";

/** What the server proposes for one field. */
export type Completion = {
  values: {
    /** What is put into the field. */
    text: string;
    /** The same as it may be shown. */
    shown: string;
  }[];
  /** The server has more than these. */
  more: boolean;
};

/** One field of a starter or a document, with everything that was entered so far. */
export type Completing = Offer & { field: number; inputs: FieldInput[] };

/** Why a connection failed, each part in a sentence or two. */
export type Diagnosis = { tried: string; cameBack: string; cause: string; todo: string };

/** `completes`: the server proposes values for the fields. */
export type CompletedView = ArgumentsView & { completes?: boolean };

export type DiagnosedRow = ServerRow & { diagnosis?: Diagnosis | null };
