import { phrase } from './phrase';

/** What the description of a line follows from. */
export interface DescribedLine {
  /** In English, as the API shows it. */
  readonly description: string;
  /** Kind of the line as in the API; absent or null without words of its own. */
  readonly kind?: string | null | undefined;
  /** In the smallest unit. */
  readonly amount: bigint;
  /** Decimal. */
  readonly quantity: string;
}

const trialPattern = /^(?<product>.*) \(trial, (?<days>\d+) days?\)$/u;

/**
 * Description of a line. The names in it are the seller's; the system's words around them are in
 * English in the API, and in the reader's language here.
 */
export function lineText(
  { description, kind, amount, quantity }: DescribedLine,
  locale: string,
): string {
  const proration = prorationOf(kind);
  if (proration !== undefined && description.startsWith(proration.words)) {
    return phrase(proration.key, locale, { product: description.slice(proration.words.length) });
  }
  const isFree = amount === 0n && quantity === '1';
  const { product, days } = trialPattern.exec(description)?.groups ?? {};
  if (!isFree || product === undefined || days === undefined) return description;
  return phrase('line.trial', locale, { product, days: Number(days) });
}

function prorationOf(kind: DescribedLine['kind']) {
  switch (kind) {
    case 'UNUSED_TIME':
      return { key: 'line.unusedTime', words: 'Unused time on ' } as const;
    case 'REMAINING_TIME':
      return { key: 'line.remainingTime', words: 'Remaining time on ' } as const;
    default:
      return undefined;
  }
}
