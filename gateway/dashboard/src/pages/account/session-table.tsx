import { useAction, useResource } from '../../api/queries';
import type { OpenSession } from '../../api/resources';
import { type Column, DataTable } from '../../parts/data-table';
import { ConfirmButton } from '../../parts/dialog';
import { Answer } from '../../parts/notices';
import { Instant } from '../../parts/values';

const path = '/dashboard/api/sessions';

/** Where one is signed in. */
export function SessionTable() {
  const sessions = useResource<{ data: readonly OpenSession[] }>(path);
  const end = useAction(({ id }: OpenSession) => ({ method: 'DELETE', path: `${path}/${id}` }));
  const columns: Column<OpenSession>[] = [
    {
      title: 'Browser',
      text: ({ userAgent }) => userAgent ?? 'not known',
      cell: ({ userAgent, current }) => (
        <>
          {userAgent ?? 'not known'}
          {current && <div className="faint">this one</div>}
        </>
      ),
    },
    { title: 'Address', text: ({ address }) => address ?? 'not known' },
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
            label="End"
            title="End this session?"
            onConfirm={() => end.mutateAsync(session)}
          >
            <p>The browser has to sign in again.</p>
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
