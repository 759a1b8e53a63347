import type { ApiKey, Operator } from '../../api/resources';

/** Creator of a key, as text. */
export function creatorText(
  { type, id }: ApiKey['createdBy'],
  operators: readonly Pick<Operator, 'id' | 'email'>[],
): string {
  switch (type) {
    case 'SYSTEM':
      return 'System';
    case 'OPERATOR':
      return operators.find((operator) => operator.id === id)?.email ?? 'Former operator';
    case 'KEY':
      return `API key ${id ?? ''}`;
  }
}
