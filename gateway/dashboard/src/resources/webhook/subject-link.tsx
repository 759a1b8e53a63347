import { Link } from 'wouter';
import { labelText } from '../../parts/text/text';
import { pagePathOf } from '../page-path';

/** The resource that an event is about. */
interface Subject {
  readonly subjectType: string;
  readonly subjectId: string;
  /** Shown in place of the id, if known. */
  readonly name?: string | null;
}

/** Kind and name or id of the resource, with a link to its page if it has one. */
export function SubjectLink({ of: { subjectType, subjectId, name } }: { of: Subject }) {
  const path = pagePathOf(subjectType, subjectId);
  const shown = name ?? <code>{subjectId}</code>;
  return (
    <>
      {labelText(subjectType)} {path === undefined ? shown : <Link href={path}>{shown}</Link>}
    </>
  );
}
