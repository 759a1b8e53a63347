import { Link } from 'wouter';
import { useListed } from '../../api/queries';
import { CopyButton } from '../../parts/element/buttons';
import { ShortIdText } from '../../parts/element/values';
import { labelText, wordsText } from '../../parts/text/text';
import { pagePathOf } from '../page-path';
import { subjectList, subjectName } from './subject-name';

/** The resource that an event is about. */
interface Subject {
  readonly subjectType: string;
  readonly subjectId: string;
  /** Shown in place of the id, if known. */
  readonly name?: string | null;
}

/** Kind and name or id of the resource, with a link to its page if it has one. */
export function SubjectLink({ of: { subjectType, subjectId, name = null } }: { of: Subject }) {
  const path = pagePathOf(subjectType, subjectId);
  const shown = name ?? <ShortIdText id={subjectId} />;
  return (
    <>
      {labelText(subjectType)} {path === undefined ? shown : <Link href={path}>{shown}</Link>}
      {name === null && (
        <>
          {' '}
          <CopyButton text={subjectId} what={`ID of ${wordsText(subjectType)} ${subjectId}`} />
        </>
      )}
    </>
  );
}

/** As `SubjectLink`, for a resource whose name is looked up. */
export function NamedSubjectLink({ of }: { of: Omit<Subject, 'name'> }) {
  const list = subjectList(of.subjectType);
  const { data } = useListed(list ?? '', list === undefined ? '' : of.subjectId);
  return <SubjectLink of={{ ...of, name: subjectName(data) }} />;
}
