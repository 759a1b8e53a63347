import type { EmailHeader, Mailbox } from './email';

/** Headers of a mail in addition to its addresses and subject. */
export function headersOf({
  id,
  from,
  kind,
  locale,
}: {
  readonly id: string;
  readonly from: Mailbox;
  readonly kind: string;
  readonly locale: string;
}): EmailHeader[] {
  return [
    { name: 'Message-ID', value: `<${id}@${domainOf(from.address)}>` },
    { name: 'Auto-Submitted', value: 'auto-generated' },
    { name: 'X-Auto-Response-Suppress', value: 'All' },
    { name: 'Content-Language', value: locale },
    { name: 'Billing-Email-Kind', value: kind },
  ];
}

// Other characters have a meaning in addresses.
const plainName = /^[\p{L}\p{N} _'&-]+$/u;

/** An address as the header `From` shows it: `Acme <billing@acme.example>`. */
export function mailboxText({ name, address }: Mailbox): string {
  if (name === '') return address;
  const shown = plainName.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  return `${shown} <${address}>`;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
