/** The body of a webhook. */
export interface Announcement {
  readonly id: string;
  readonly type: string;
  /** Absent in bodies of releases before 0.2.0. */
  readonly restoreCode?: string | null;
  readonly data: {
    readonly customerId?: string | null;
    readonly invoice?: {
      readonly status: string;
      readonly billingReason: string;
      readonly amountDue: number;
      readonly amountPaid: number;
      readonly balanceApplied: number;
    } | null;
    readonly charging?: boolean;
    readonly initiator?: string;
    readonly collection?: string;
    readonly failureCode?: string | null;
    readonly attempt?: number;
    readonly subscription?: { readonly phase: string };
    readonly changes?: { readonly cancelAtPeriodEnd?: { readonly to: unknown } };
  };
}

/** Kind of the mail that payers get after an event; undefined: they get none. */
export function causedKind({ type, data }: Announcement): string | undefined {
  switch (type) {
    case 'invoice.created':
      return isIssued(data) ? 'INVOICE_ISSUED' : undefined;
    case 'invoice.paid':
      return isReceived(data) ? 'RECEIPT' : undefined;
    case 'invoice.payment_failed':
      return failureKind(data);
    case 'invoice.overdue':
    case 'invoice.reminded':
      return 'PAYMENT_REMINDER';
    case 'credit_note.created':
      return 'CREDIT_NOTE_ISSUED';
    case 'payment_method.expiring':
      return 'CARD_EXPIRING';
    case 'subscription.created':
      return data.subscription?.phase === 'TRIAL' ? 'TRIAL_STARTED' : undefined;
    case 'subscription.trial_ending':
      return data.subscription?.phase === 'TRIAL' ? 'TRIAL_ENDING' : undefined;
    case 'subscription.renewal_upcoming':
      return 'RENEWAL_UPCOMING';
    case 'subscription.updated':
      return data.changes?.cancelAtPeriodEnd?.to === true ? 'CANCELLATION_SCHEDULED' : undefined;
    case 'subscription.canceled':
      return 'SUBSCRIPTION_CANCELED';
    default:
      return undefined;
  }
}

function isIssued({ invoice, charging }: Announcement['data']): boolean {
  if (invoice?.status !== 'OPEN' || charging === true) return false;
  return invoice.amountDue > 0 && invoice.billingReason !== 'CHECKOUT';
}

function isReceived({ invoice }: Announcement['data']): boolean {
  return (invoice?.amountPaid ?? 0) + (invoice?.balanceApplied ?? 0) > 0;
}

function failureKind(data: Announcement['data']): string | undefined {
  const { initiator, collection, failureCode, attempt = 1 } = data;
  if (initiator !== 'SCHEDULE' || collection !== 'WAITING') return undefined;
  if (failureCode === 'authentication_required') return 'ACTION_REQUIRED';
  if (failureCode !== 'no_payment_method') return 'PAYMENT_FAILED';
  return attempt > 1 ? 'PAYMENT_REMINDER' : undefined;
}
