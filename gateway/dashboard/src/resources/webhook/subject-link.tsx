import { Link } from 'wouter';
import { labelText } from '../../parts/text/text';

/** The resource that an event is about. */
interface Subject {
  readonly subjectType: string;
  readonly subjectId: string;
  /** Shown in place of the id, if known. */
  readonly name?: string | null;
}

// Kinds with a page of their own, and its path.
const pages: Readonly<Record<string, string>> = {
  credit_note: 'credit-notes',
  customer: 'customers',
  discount: 'discounts',
  email: 'emails',
  invoice: 'invoices',
  product: 'products',
  subscription: 'subscriptions',
};

/** Kind and name or id of the resource, with a link to its page if it has one. */
export function SubjectLink({ of: { subjectType, subjectId, name } }: { of: Subject }) {
  const page = pages[subjectType];
  const shown = name ?? <code>{subjectId}</code>;
  return (
    <>
      {labelText(subjectType)}{' '}
      {page === undefined ? shown : <Link href={`/${page}/${subjectId}`}>{shown}</Link>}
    </>
  );
}
