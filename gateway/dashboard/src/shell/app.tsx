import { lazy, Suspense, useState } from 'react';
import { Link, Redirect, Route, Router, Switch } from 'wouter';
import { environmentName } from '../api/environment';
import { ApiProblem } from '../api/problem';
import { useEnvironmentById, useSession, useSessionChange } from '../api/queries';
import type { Session } from '../api/session';
import { ErrorNotice } from '../parts/element/notices';
import { Skeleton } from '../parts/element/skeleton';
import { Toasts } from '../parts/overlay/toasts';
import { chosenEnvironment, environmentPath } from '../api/environment-path';
import { Shell } from './shell';

const ClosedShell = lazy(async () => ({
  default: (await import('./closed-shell')).ClosedShell,
}));

const SignInPage = lazy(async () => ({
  default: (await import('../pages/session/sign-in-page')).SignInPage,
}));
const RequiredFactorPage = lazy(async () => ({
  default: (await import('../pages/session/required-factor-page')).RequiredFactorPage,
}));
const InvitationPage = lazy(async () => ({
  default: (await import('../pages/session/invitation-page')).InvitationPage,
}));

const ResetPage = lazy(async () => ({
  default: (await import('../pages/session/reset-page')).ResetPage,
}));

const ForgottenPasswordPage = lazy(async () => ({
  default: (await import('../pages/session/forgotten-password-page')).ForgottenPasswordPage,
}));

// Production builds do not contain it.
const DesignPage =
  import.meta.env.MODE === 'production'
    ? undefined
    : lazy(async () => ({ default: (await import('../pages/design/design-page')).DesignPage }));

/** Everything at /dashboard: sign-in, invitations and the shell with its pages. */
export function App() {
  return (
    <Router base="/dashboard">
      <Suspense fallback={<Skeleton label="Loading" rows={6} />}>
        <Switch>
          <Route path="/invitation">
            <InvitationPage token={window.location.hash.slice(1)} />
          </Route>
          <Route path="/reset">
            <ResetPage token={window.location.hash.slice(1)} />
          </Route>
          <Route path="/forgotten-password">
            <ForgottenPasswordPage />
          </Route>
          {DesignPage !== undefined && (
            <Route path="/design">
              <DesignPage />
            </Route>
          )}
          <Route>
            <SignedInApp />
          </Route>
        </Switch>
      </Suspense>
      <Toasts />
    </Router>
  );
}

/** Shows the sign-in form in place, so that the requested page opens afterwards. */
function SignedInApp() {
  const session = useSession();
  if (session.data !== undefined) return <SessionRoutes session={session.data} />;
  if (session.error === null) return <Skeleton label="Loading" rows={6} />;
  const { error } = session;
  if (error instanceof ApiProblem && error.isSessionOver) return <SignInPage />;
  return (
    <main className="session-page">
      <ErrorNotice error={error} onRetry={() => void session.refetch()} />
    </main>
  );
}

function SessionRoutes({ session }: { session: Session }) {
  // The recovery codes stay on screen until they are saved, although the session has changed.
  const [isSettingUp, setSettingUp] = useState(session.secondFactorMissing);
  const changed = useSessionChange();
  if (session.secondFactorMissing && !isSettingUp) setSettingUp(true);
  if (!isSettingUp) {
    const isClosed = session.recovery?.state === 'RECOVERING';
    return isClosed ? <ClosedShell session={session} /> : <EnvironmentRoutes session={session} />;
  }
  const done = () => {
    void changed();
    setSettingUp(false);
  };
  return <RequiredFactorPage onDone={done} />;
}

function EnvironmentRoutes({ session }: { session: Session }) {
  return (
    <Switch>
      <Route path="/:place" nest>
        {({ place }) => {
          const environment = chosenEnvironment(session.environments, place);
          if (environment === undefined) return <EnvironmentById session={session} id={place} />;
          return <Shell key={environment.id} {...{ session, environment }} />;
        }}
      </Route>
      <Route>
        <RedirectToFirstEnvironment session={session} />
      </Route>
    </Switch>
  );
}

/** Loads an environment that the session does not list. */
function EnvironmentById({ session, id }: { session: Session; id: string }) {
  const found = useEnvironmentById(id);
  const { data: environment, error } = found;
  if (environment !== undefined) {
    return <Shell key={environment.id} {...{ session, environment }} />;
  }
  if (error === null) return <Skeleton label="Loading" rows={6} />;
  if (error instanceof ApiProblem && error.isNotFound) {
    return <UnknownEnvironment session={session} />;
  }
  return (
    <main className="session-page">
      <ErrorNotice error={error} onRetry={() => void found.refetch()} />
    </main>
  );
}

function RedirectToFirstEnvironment({ session }: { session: Session }) {
  const environment = chosenEnvironment(session.environments, undefined);
  if (environment === undefined) return null;
  return <Redirect to={`~/dashboard${environmentPath(environment)}`} replace />;
}

/** An unknown environment never redirects, least of all to the live environment. */
function UnknownEnvironment({ session }: { session: Session }) {
  return (
    <main className="session-page">
      <h1>Environment not found</h1>
      <p>It may belong to another organization. Your environments:</p>
      <ul>
        {session.environments.map((environment) => (
          <li key={environment.id}>
            <Link href={`~/dashboard${environmentPath(environment)}`}>
              {environmentName(environment)}
            </Link>
          </li>
        ))}
      </ul>
    </main>
  );
}
