import type { toJsonSession } from '@billing/gateway/operator/operator-json';
import { useAction, useResource } from '../../api/queries';
import { type Column, DataTable } from '../../parts/table/data-table';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { Answer } from '../../parts/element/notices';
import { Instant } from '../../parts/element/values';
import { browserName } from './browser-name';

type OpenSession = ReturnType<typeof toJsonSession>;

const path = '/dashboard/api/sessions';

/** Sessions of the signed-in operator. */
export function SessionTable() {
  const sessions = useResource<{ data: readonly OpenSession[] }>(path);
  const end = useAction(
    ({ id }: OpenSession) => ({ method: 'DELETE', path: `${path}/${id}` }),
    'Session ended',
  );
  const columns: Column<OpenSession>[] = [
    {
      title: 'Browser',
      text: ({ userAgent }) => userAgent ?? 'Unknown',
      cell: ({ userAgent, current }) => (
        <>
          <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>
          {current && <div className="faint">This session</div>}
        </>
      ),
    },
    { title: 'IP address', text: ({ address }) => address ?? 'Unknown' },
    {
      title: 'Signed in',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Instant at={createdAt} />,
    },
    {
      title: 'Last used',
      text: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} />,
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (session) =>
        !session.current && (
          <ConfirmButton
            label="Sign out"
            title="Sign out this session?"
            onConfirm={() => end.mutateAsync(session)}
          >
            <p>That browser has to sign in again.</p>
          </ConfirmButton>
        ),
    },
  ];
  return (
    <Answer of={sessions} what="your sessions">
      {({ data }) => (
        <DataTable caption="Sessions" columns={columns} rows={data} rowKey={({ id }) => id} />
      )}
    </Answer>
  );
}
