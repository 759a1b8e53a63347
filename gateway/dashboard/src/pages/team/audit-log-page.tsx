import { useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../../api/client';
import { environmentNameOf, useEnvironment, useWorkspace } from '../../api/environment';
import { useResource } from '../../api/queries';
import type { Operator } from '../../api/session';
import {
  ChoiceFilter,
  Filters,
  TextFilter,
  TimeFilter,
  useFilters,
} from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Instant, ShortId, StatusBadge } from '../../parts/element/values';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { filterTime } from '../../parts/text/local-time-field';
import {
  actorText,
  type AuditEntry,
  auditSentence,
  failureText,
  type Phrase,
  sentenceText,
  shortIdText,
} from '../../resources/audit-sentence';
import { Sentence } from '../../resources/sentence';
import { managementRefusal } from '../../resources/team-roles';

/** Audit log: changes by operators and API keys, in sentences. */
export function AuditLogPage() {
  const { role } = useWorkspace().session.operator;
  const refusal = managementRefusal(role);
  return (
    <PageLayout title="Audit log" lead="Changes by operators and API keys, newest first.">
      <Panel>
        {refusal === undefined ? (
          <AuditLog />
        ) : (
          <EmptyState title="You don’t have access">{refusal}</EmptyState>
        )}
      </Panel>
    </PageLayout>
  );
}

function AuditLog() {
  const operators = useResource<{ data: readonly Operator[] }>('/dashboard/api/operators');
  const filters = useFilters(['actorId', 'targetId', 'since', 'until']);
  const { actorId, targetId } = filters.values;
  const since = filterTime(filters.values.since);
  const until = filterTime(filters.values.until);
  const people = (operators.data?.data ?? []).map(
    ({ id, name, email }) => [id, `${name} (${email})`] as const,
  );
  // A link may name a key, which is not among the operators.
  const isOther = actorId !== '' && !people.some(([id]) => id === actorId);
  const others = isOther ? [[actorId, `API key ${shortIdText(actorId)}`] as const] : [];
  return (
    <>
      <Filters state={filters}>
        <ChoiceFilter label="By" choices={[...people, ...others]} {...filters.field('actorId')} />
        <TextFilter label="Object ID" {...filters.field('targetId')} />
        <TimeFilter label="From" {...filters.field('since')} value={since} />
        <TimeFilter label="Until" {...filters.field('until')} value={until} />
      </Filters>
      <p>
        <a
          href={addressOf('/dashboard/api/audit.ndjson', { since, until })}
          download="audit.ndjson"
        >
          {since === '' && until === '' ? 'Export all' : 'Export all of this period'} (NDJSON)
        </a>
      </p>
      <AuditTable query={{ actorId, targetId, since, until }} />
    </>
  );
}

function actorLink({ actor }: AuditEntry): Phrase {
  return { text: actorText(actor), href: `/audit-log?actorId=${actor.id}` };
}

/** The sentence of an entry; links lead to the selected environment alone. */
function sentenceAt(entry: AuditEntry, environmentId: string): readonly Phrase[] {
  const sentence = auditSentence(entry);
  return entry.environmentId === environmentId ? sentence : [sentenceText(sentence)];
}

function AuditTable({ query }: { query: Readonly<Record<string, string>> }) {
  const { session } = useWorkspace();
  const here = useEnvironment().id;
  const [openId, setOpenId] = useState<string>();
  const columns: Column<AuditEntry>[] = [
    { title: 'Time', text: ({ at }) => at, cell: ({ at }) => <Instant at={at} /> },
    {
      title: 'Change',
      text: (entry) => `${actorText(entry.actor)} ${sentenceText(auditSentence(entry))}`,
      cell: (entry) => (
        <>
          <Sentence of={[actorLink(entry), ' ', ...sentenceAt(entry, here)]} />{' '}
          {failureText(entry) !== undefined && <StatusBadge status={failureText(entry) ?? ''} />}
          {openId === entry.id && <EntryDetails entry={entry} />}
        </>
      ),
    },
    {
      title: 'Environment',
      text: ({ environmentId }) =>
        environmentId === null ? 'Organization' : environmentNameOf(session, environmentId),
    },
    {
      title: 'Details',
      text: ({ requestId }) => requestId,
      cell: ({ id }) => (
        <button
          type="button"
          className="button plain"
          aria-expanded={openId === id}
          onClick={() => setOpenId(openId === id ? undefined : id)}
        >
          {openId === id ? 'Hide' : 'Show'}
        </button>
      ),
    },
  ];
  return (
    <ResourceTable
      caption="Audit log"
      path="/dashboard/api/audit"
      hasOrder
      query={query}
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No activity found">
          Changes by operators and API keys appear here.
        </EmptyState>
      }
    />
  );
}

/** Technical facts of an entry. */
function EntryDetails({ entry }: { entry: AuditEntry }) {
  const { action, path, address, target, requestId, status } = entry;
  return (
    <div className="faint">
      <div>
        <code className="path">{action}</code> · {status ?? 'outcome unknown'}
      </div>
      {!action.endsWith(path) && (
        <div>
          <code className="path">{path}</code>
        </div>
      )}
      {target !== null && target.id !== null && (
        <div>
          <Link href={`/audit-log?targetId=${target.id}`}>Show all changes to it</Link>{' '}
          <ShortId id={target.id} what="object ID" />
        </div>
      )}
      <div>
        {address !== null && `From ${address} · `}Request{' '}
        <ShortId id={requestId} what="request ID" />
      </div>
    </div>
  );
}
