import type {
  ChangeCollect,
  ChangeKind,
  ChangePlan,
  ChangeProration,
  WantedChange,
} from '../subscription/subscription-change';
import type { TaxCategories } from '../subscription/command';
import type { InvoiceIdOf } from '../subscription/transition';
import type { PeriodSets } from '../subscription/usage-billing';
import type { PeriodFacts } from './period-charges';

/** Facts about customer and products that the tax of an invoice depends on. */
interface TaxFacts extends TaxCategories {
  readonly buyer: string | null;
}

/** How a change is asked for, and the facts that it is computed from. */
export interface ChangeTerms {
  readonly kind: ChangeKind;
  readonly wanted: WantedChange;
  readonly proration: ChangeProration;
  readonly collect: ChangeCollect;
  readonly at: Date;
  /** Planned end of the pause (PAUSE); null: none. */
  readonly resumeAt: Date | null;
  readonly invoiceId: string;
  /** Derives the id of the change's credit note on an invoice. */
  readonly creditNoteIdOf: (invoiceId: string) => string;
  /** Sets of meter prices of the first period of its cycle; absent: there are none. */
  readonly sets?: PeriodSets;
  /** Derives the id of the invoice of usage of a period that the change ends. */
  readonly usageInvoiceIdOf?: InvoiceIdOf;
  readonly requirePayment: boolean;
  /** Round of the reserved balance; null: none. */
  readonly balanceRound: number | null;
  /** Null where no period runs that is billed. */
  readonly facts: PeriodFacts | null;
  readonly taxFacts: TaxFacts;
}

/** Charges and credits of a change, and the charges of the period from then on. */
export type ChangeCost = Pick<
  ChangePlan,
  'invoice' | 'creditNotes' | 'charges' | 'putOff' | 'takenChangeIds'
>;
