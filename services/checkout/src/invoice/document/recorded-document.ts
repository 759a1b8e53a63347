import type { Attempt, RecordedPayment } from '../attempt';
import type { Payment } from '../invoice';
import { nullable, type Nullable } from './stored-fields';

/** Details of a recorded payment in an invoice's document. */
export type RecordedDocument = Omit<Nullable<RecordedPayment>, 'metadata'> & {
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};

/** An attempt or payment in an invoice's document. */
export function toCollectedDocument({
  recorded,
  ...fields
}: Attempt | Payment): Record<string, unknown> {
  if (recorded === undefined) return { ...nullable(fields), recorded: null };
  const metadata = JSON.stringify(recorded.metadata);
  return { ...nullable(fields), recorded: { ...nullable(recorded), metadata } };
}

export function fromRecordedDocument(
  stored: RecordedDocument | null | undefined,
): RecordedPayment | undefined {
  if (stored === null || stored === undefined) return undefined;
  const { method, reference, receivedAt, metadata } = stored;
  return {
    ...{ method, receivedAt },
    reference: reference ?? undefined,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
  };
}
