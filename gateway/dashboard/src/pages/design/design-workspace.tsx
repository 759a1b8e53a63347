import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Workspace, WorkspaceContext } from '../../api/environment';
import type { Environment } from '../../api/session';

const time = '2026-02-25T09:00:00.000Z';
const environment: Environment = {
  ...{ id: '0190a000-0000-7000-8000-000000000002', kind: 'SANDBOX', name: 'Shop' },
  ...{ clock: 'MANUAL', now: time, createdAt: time, lastUsedAt: time, deletesAt: null },
};
const workspace: Workspace = {
  session: {
    operator: {
      ...{ id: '0190a000-0000-7000-8000-000000000003', name: 'Olivia', email: 'o@example.com' },
      ...{
        role: 'OWNER',
        active: true,
        invitedBy: null,
        emailProven: true,
        emailFromProvider: false,
        secondFactor: null,
      },
      createdAt: time,
    },
    organization: {
      ...{ id: '0190a000-0000-7000-8000-000000000004', name: 'Ada Analytics' },
      ...{ requireSecondFactor: false, providerOnly: false },
    },
    environments: [environment],
    secondFactorMissing: false,
    recovery: null,
  },
  environment,
};

/** Responses of the API by path and query, for parts that read it. */
export type Responses = readonly (readonly [path: string, query: object, response: unknown])[];

function addRetriedWrite(client: QueryClient, failureReason: Error): void {
  client.getMutationCache().build(
    client,
    {},
    {
      ...{ context: undefined, data: undefined, error: null, variables: undefined },
      ...{ failureCount: 1, failureReason, isPaused: false, status: 'pending', submittedAt: 0 },
    },
  );
}

/** Workspace without a server: parts find these responses, and no other. */
export function DesignWorkspace({
  responses,
  retried,
  children,
}: {
  responses: Responses;
  /** Failure of a write that is being retried. */
  retried?: Error;
  children: ReactNode;
}) {
  const [client] = useState(() => {
    const known = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    for (const [path, query, response] of responses) {
      known.setQueryData([environment.id, path, query], response);
    }
    if (retried !== undefined) addRetriedWrite(known, retried);
    return known;
  });
  return (
    <QueryClientProvider client={client}>
      <WorkspaceContext value={workspace}>{children}</WorkspaceContext>
    </QueryClientProvider>
  );
}
