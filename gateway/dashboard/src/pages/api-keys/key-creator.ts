import type { ApiKey, Operator } from '../../api/resources';

/** Who or what made a key, for people. */
export function creatorText(
  { type, id }: ApiKey['createdBy'],
  operators: readonly Pick<Operator, 'id' | 'email'>[],
): string {
  switch (type) {
    case 'SYSTEM':
      return 'the system';
    case 'OPERATOR':
      return operators.find((operator) => operator.id === id)?.email ?? 'an operator';
    case 'KEY':
      return `key ${id ?? ''}`;
  }
}
