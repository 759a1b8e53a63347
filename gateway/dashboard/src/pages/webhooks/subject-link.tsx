import { Link } from 'wouter';

/** The resource that an event is about. */
interface Subject {
  readonly subjectType: string;
  readonly subjectId: string;
}

// Kinds with a page of their own, and its path.
const pages: Readonly<Record<string, string>> = {
  credit_note: 'credit-notes',
  customer: 'customers',
  discount: 'discounts',
  invoice: 'invoices',
  product: 'products',
  subscription: 'subscriptions',
};

/** Kind and id of the resource, with a link to its page if it has one. */
export function SubjectLink({ of: { subjectType, subjectId } }: { of: Subject }) {
  const page = pages[subjectType];
  const id = <code>{subjectId}</code>;
  return (
    <>
      {kindText(subjectType)}{' '}
      {page === undefined ? id : <Link href={`/${page}/${subjectId}`}>{id}</Link>}
    </>
  );
}

function kindText(subjectType: string): string {
  const words = subjectType.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
