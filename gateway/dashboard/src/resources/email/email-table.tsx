import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Query } from '../../api/client';
import { StatusBadge } from '../../parts/element/values';
import { instantColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { wordsText } from '../../parts/text/text';
import { customerColumn } from '../customer-link';
import { type Email, emailKindNames } from './email';

const subject: Column<Email> = {
  title: 'Subject',
  text: (email) => email.subject ?? '–',
  cell: (email) => (
    <Link className="subject" href={`/emails/${email.id}`}>
      {email.subject ?? '–'}
    </Link>
  ),
};

const others: readonly Column<Email>[] = [
  {
    title: 'Status',
    text: ({ status }) => wordsText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { title: 'Kind', text: ({ kind }) => emailKindNames[kind] },
  { title: 'To', text: ({ to }) => to ?? '–' },
  instantColumn('Created', ({ createdAt }) => createdAt),
];

/** Emails that match a filter, newest first. */
export function EmailTable({
  query,
  empty,
  path = '/v1/emails',
  isOfOneResource = false,
}: {
  query: Query;
  empty: ReactNode;
  path?: '/v1/emails' | '/v1/sandboxes/inbox';
  /** True on the page of another resource. */
  isOfOneResource?: boolean;
}) {
  return (
    <ResourceTable<Email>
      caption="Emails"
      path={path}
      hasOrder
      list={isOfOneResource ? 'emails' : ''}
      query={query}
      columns={isOfOneResource ? [subject, ...others] : [subject, customerColumn, ...others]}
      rowKey={({ id }) => id}
      empty={empty}
    />
  );
}
