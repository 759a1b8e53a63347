import type { OneOffTerms } from '../invoice';
import { type Count, nullable, type Nullable } from './stored-fields';

/** Terms of a one-off invoice in its document. */
export type OneOffDocument = Omit<Nullable<OneOffTerms>, 'netDays' | 'metadata'> & {
  readonly netDays: Count | null;
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};

export function toOneOffDocument(terms: OneOffTerms): Record<string, unknown> {
  return { ...nullable(terms), metadata: JSON.stringify(terms.metadata) };
}

export function fromOneOffDocument(
  stored: OneOffDocument | null | undefined,
): OneOffTerms | undefined {
  if (stored === null || stored === undefined) return undefined;
  return {
    netDays: stored.netDays === null ? undefined : Number(stored.netDays),
    memo: stored.memo ?? undefined,
    purchaseOrder: stored.purchaseOrder ?? undefined,
    metadata: JSON.parse(stored.metadata) as Record<string, unknown>,
    finalizedAt: stored.finalizedAt ?? undefined,
    ...(typeof stored.finalizedBy === 'string' && { finalizedBy: stored.finalizedBy }),
  };
}
