import type {
  OverLimitBills,
  OverLimitState,
  UnbilledSettlements,
} from '../subscription/over-limit-state';

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

/**
 * Stored under their names of release 0.1.0. Absent in documents that were stored before over-limit
 * bills were recorded.
 */
export interface OverLimitFields {
  readonly held?: OverLimitDocument | null;
  readonly unbilled?: readonly UnbilledDocument[];
}

type OverLimitDocument = Omit<OverLimitBills, 'bill' | 'retriesLeft'> & {
  readonly bill: Count;
  readonly triesLeft: Count;
};

type UnbilledDocument = Omit<UnbilledSettlements, 'through' | 'tries'> & {
  readonly through: Count;
  readonly tries: Count;
};

export function toDocumentOverLimit({ overLimit, unbilled }: OverLimitState): OverLimitFields {
  return { held: overLimit === null ? null : toDocumentBills(overLimit), unbilled };
}

export function fromDocumentOverLimit({ held, unbilled }: OverLimitFields): OverLimitState {
  return {
    overLimit: held === null || held === undefined ? null : fromDocumentBills(held),
    unbilled: (unbilled ?? []).map(fromDocumentUnbilled),
  };
}

function toDocumentBills({ retriesLeft, ...bills }: OverLimitBills): OverLimitDocument {
  return { ...bills, triesLeft: retriesLeft };
}

function fromDocumentBills({
  bill,
  triesLeft,
  retryAt,
  closing,
}: OverLimitDocument): OverLimitBills {
  return { bill: Number(bill), retriesLeft: Number(triesLeft), retryAt, closing };
}

function fromDocumentUnbilled({ key, through, tries }: UnbilledDocument): UnbilledSettlements {
  return { key, through: Number(through), tries: Number(tries) };
}
