import type { AuditEntry } from '../../api/resources';

/** Who or what an entry is of. */
export function actorText({ type, id, email }: AuditEntry['actor']): string {
  switch (type) {
    case 'OPERATOR':
      return email ?? id;
    case 'API_KEY':
      return `API key ${id.slice(0, 8)}`;
    case 'SYSTEM':
      return `the system (${id})`;
  }
}

/** Which fields changed how; a value that is not shown is left out. */
export function changesText(changes: AuditEntry['changes']): string {
  const texts = Object.entries(changes).map(([field, change]) => {
    const from = 'from' in change ? `${JSON.stringify(change.from)} → ` : '';
    return 'to' in change ? `${field}: ${from}${JSON.stringify(change.to)}` : field;
  });
  return texts.length === 0 ? '–' : texts.join(', ');
}
