import { isId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';

const authorizedTransactionIdLengthMax = 255;

/** Reads a UUID; refuses any other text under the field's name. */
export function readId(id: string, field: string): string {
  if (!isId(id)) throw invalidInput({ [field]: ['Invalid uuid'] });
  return id;
}

export function readAuthorization(authorizedTransactionId: string): string {
  const { length } = authorizedTransactionId;
  if (length < 1 || length > authorizedTransactionIdLengthMax) {
    const message = `Must have 1 to ${String(authorizedTransactionIdLengthMax)} characters`;
    throw invalidInput({ authorizedTransactionId: [message] });
  }
  return authorizedTransactionId;
}

/** Refuses a missing value under the field's name. */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw invalidInput({ [field]: ['Required'] });
  return value;
}
