import type {
  OverLimitBills,
  OverLimitState,
  UnbilledSettlements,
} from './subscription/over-limit-state';

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

/** Absent in documents that were stored before over-limit bills were recorded. */
export interface OverLimitFields {
  readonly held?: OverLimitDocument | null;
  readonly unbilled?: readonly UnbilledDocument[];
}

type OverLimitDocument = Omit<OverLimitBills, 'bill' | 'triesLeft'> & {
  readonly bill: Count;
  readonly triesLeft: Count;
};

type UnbilledDocument = Omit<UnbilledSettlements, 'through' | 'tries'> & {
  readonly through: Count;
  readonly tries: Count;
};

export function fromDocumentOverLimit({ held, unbilled }: OverLimitFields): OverLimitState {
  return {
    held: held === null || held === undefined ? null : fromDocumentBills(held),
    unbilled: (unbilled ?? []).map(fromDocumentUnbilled),
  };
}

function fromDocumentBills({
  bill,
  triesLeft,
  retryAt,
  closing,
}: OverLimitDocument): OverLimitBills {
  return { bill: Number(bill), triesLeft: Number(triesLeft), retryAt, closing };
}

function fromDocumentUnbilled({ key, through, tries }: UnbilledDocument): UnbilledSettlements {
  return { key, through: Number(through), tries: Number(tries) };
}
