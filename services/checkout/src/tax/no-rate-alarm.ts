import type { Finalization } from './finalization';

/** An invoice that was stored with its taxes. */
export interface TaxedInvoice {
  readonly id: string;
  readonly finalization?: Finalization | undefined;
}

type Log = (facts: object, message: string) => void;

interface Environment {
  readonly environmentId: string;
  readonly live: boolean;
}

/**
 * Raises the alarm of an invoice that is taxed in a country without a rate: it was written with a
 * tax of 0, so the seller has to add a rate.
 */
export function noRateAlarm({
  logger,
}: {
  readonly logger: Readonly<Record<'error' | 'warn', Log>>;
}): (invoice: TaxedInvoice, environment: Environment) => void {
  return ({ id: invoiceId, finalization }, { environmentId, live }) => {
    const missing = finalization?.taxes?.rows.find(({ reason }) => reason === 'NO_RATE');
    if (missing === undefined) return;
    const { country } = missing;
    const facts = { alarm: 'no_tax_rate', environmentId, invoiceId, country };
    logger[live ? 'error' : 'warn'](facts, 'no tax rate for the country of an invoice');
  };
}
