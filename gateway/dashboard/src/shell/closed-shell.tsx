import { LogOut } from 'lucide-react';
import { WorkspaceContext } from '../api/environment';
import { chosenEnvironment } from '../api/environment-path';
import { useOpenAction, useSessionChange } from '../api/queries';
import type { Session } from '../api/session';
import { Button } from '../parts/element/buttons';
import { SystemPage } from '../pages/system/system-page';
import { ErrorBoundary } from './error-boundary';

/** Frame of the System page while the system is closed: no other page is served. */
export function ClosedShell({ session }: { session: Session }) {
  const changed = useSessionChange();
  const signOut = useOpenAction(() => ({ method: 'DELETE', path: '/dashboard/api/session' }));
  const environment = chosenEnvironment(session.environments, undefined);
  if (environment === undefined) return null;
  return (
    <WorkspaceContext value={{ session, environment }}>
      <div className="closed-shell">
        <header className="top-bar">
          <span className="organization">{session.organization.name}</span>
          <span className="environment-state">Closed after a restore</span>
          <Button
            tone="plain"
            isBusy={signOut.isPending}
            onClick={() => signOut.mutate({}, { onSettled: () => void changed() })}
          >
            <LogOut aria-hidden="true" />
            Sign out
          </Button>
        </header>
        <main id="main">
          <ErrorBoundary>
            <SystemPage />
          </ErrorBoundary>
        </main>
      </div>
    </WorkspaceContext>
  );
}
