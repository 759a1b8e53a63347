import type { toJsonAuditEntry } from '@billing/gateway/operator/operator-json';

export type AuditEntry = ReturnType<typeof toJsonAuditEntry>;

/** Actor of an entry, as text. */
export function actorText({ type, id, email }: AuditEntry['actor']): string {
  switch (type) {
    case 'OPERATOR':
      return email ?? id;
    case 'API_KEY':
      return `API key ${id.slice(0, 8)}`;
    case 'SYSTEM':
      return `System (${id})`;
  }
}

/** Changed fields with their values; redacted values are left out. */
export function changesText(changes: AuditEntry['changes']): string {
  const texts = Object.entries(changes).map(([field, change]) => {
    const from = 'from' in change ? `${JSON.stringify(change.from)} → ` : '';
    return 'to' in change ? `${field}: ${from}${JSON.stringify(change.to)}` : field;
  });
  return texts.length === 0 ? '–' : texts.join(', ');
}
