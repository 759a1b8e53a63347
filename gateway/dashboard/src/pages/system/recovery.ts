import type { RecoveryReportJson } from '@billing/gateway/operator/recovery';
import { pluralText } from '../../parts/text/text';

type Step = RecoveryReportJson['steps'][number];

/** What a step of the check does. */
const stepTexts: Readonly<Record<string, string>> = {
  fence: 'All services agree on the restore',
  reassert: 'Services repeat what others may have lost',
  number: 'New invoices and credit notes have a series of their own',
  announce: 'New webhooks name the restore',
  provider: 'Charges are compared with the payment provider',
  catchUp: 'Work that has become due is done',
  match: 'Charges without an invoice are listed',
  check: 'Invariants are checked',
};

export function stepText(step: string): string {
  return stepTexts[step] ?? step;
}

/** Result of a step: its counts, or that nothing was to do. */
export function resultText({ step, counts }: Step, code: string): string {
  if (step === 'number') return `INV-${code}-000001, CN-${code}-000001, …`;
  if (step === 'announce') return `restoreCode ${code}`;
  const found = Object.entries(counts).filter(([, count]) => count !== 0);
  if (step === 'check') return checkText(counts);
  if (found.length === 0) return 'Nothing to do';
  return found.map(([name, count]) => `${name.replace('.', ' ')} ${String(count)}`).join(', ');
}

function checkText({ findings = 0, unmatchedCharges = 0 }: Step['counts']): string {
  if (findings === 0 && unmatchedCharges === 0) return 'Nothing found';
  return `${pluralText(findings, 'finding')}, ${pluralText(unmatchedCharges, 'unmatched charge')}`;
}

/** Kinds of findings. */
const invariantTexts: Readonly<Record<string, string>> = {
  missing_reference: 'Lost by its service',
  pending: 'Messages wait',
  reassert: 'Not compared',
  provider: 'Not told by the provider',
  catchUp: 'Not caught up',
  I3: 'Redeemed too often',
  I7: 'Paid, not delivered',
  I12: 'Gap in numbers',
  I20: 'Balance differs',
  I22: 'Refunded too much',
  I60: 'Number held twice',
  I61: 'Period billed twice',
  I63: 'Charge recorded twice',
};

export function invariantText(invariant: string): string {
  return invariantTexts[invariant] ?? invariant;
}

/** Number of all problems of a report, also of those that it does not list. */
export function problemCount({ steps }: Pick<RecoveryReportJson, 'steps'>): number {
  const { findings = 0, unmatchedCharges = 0 } =
    steps.find(({ step }) => step === 'check')?.counts ?? {};
  return findings + unmatchedCharges;
}

/** What a restore has undone, with the page where it is done again. */
export const undone: readonly { readonly text: string; readonly href: string }[] = [
  { text: 'API keys that were revoked are valid: revoke them', href: '/developers/api-keys' },
  { text: 'Operators that were removed may sign in: remove them', href: '/team' },
  { text: 'Customers that were deleted are back: delete them', href: '/customers' },
  { text: 'Sandboxes that were deleted are back: delete them', href: '/developers/sandboxes' },
];
