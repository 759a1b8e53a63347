import { lazy, Suspense } from 'react';
import { Link, Redirect, Route, Router, Switch } from 'wouter';
import { environmentName } from '../api/environment';
import { ApiProblem } from '../api/problem';
import { useSession } from '../api/queries';
import type { Session } from '../api/resources';
import { ErrorNotice, Progress } from '../parts/notices';
import { chosenEnvironment, environmentPath } from './environment-path';
import { Shell } from './shell';

const SignInPage = lazy(async () => ({
  default: (await import('../pages/session/sign-in-page')).SignInPage,
}));
const InvitationPage = lazy(async () => ({
  default: (await import('../pages/session/invitation-page')).InvitationPage,
}));

/** Everything at /dashboard: the way in for whoever is not signed in, else the shell and its pages. */
export function App() {
  return (
    <Router base="/dashboard">
      <Suspense fallback={<Progress label="Loading" />}>
        <Switch>
          <Route path="/invitation/:token">{({ token }) => <InvitationPage token={token} />}</Route>
          <Route>
            <Entrance />
          </Route>
        </Switch>
      </Suspense>
    </Router>
  );
}

/** Whoever is not signed in does so in place: the page that they wanted is still there afterwards. */
function Entrance() {
  const session = useSession();
  if (session.data !== undefined) return <Rooms session={session.data} />;
  if (session.error === null) return <Progress label="Loading" />;
  const { error } = session;
  if (error instanceof ApiProblem && error.isSessionOver) return <SignInPage />;
  return (
    <main className="door">
      <ErrorNotice error={error} onRetry={() => void session.refetch()} />
    </main>
  );
}

function Rooms({ session }: { session: Session }) {
  return (
    <Switch>
      <Route path="/:place" nest>
        {({ place }) => {
          const environment = chosenEnvironment(session.environments, place);
          if (environment === undefined) return <UnknownEnvironment session={session} />;
          return <Shell key={environment.id} {...{ session, environment }} />;
        }}
      </Route>
      <Route>
        <ToFirstRoom session={session} />
      </Route>
    </Switch>
  );
}

function ToFirstRoom({ session }: { session: Session }) {
  const environment = chosenEnvironment(session.environments, undefined);
  if (environment === undefined) return null;
  return <Redirect to={`~/dashboard${environmentPath(environment)}`} replace />;
}

/** A name that is nobody's leads nowhere by itself, least of all into the live environment. */
function UnknownEnvironment({ session }: { session: Session }) {
  return (
    <main className="door">
      <h1>There is no such environment</h1>
      <p>It may belong to another organisation than yours. These are yours:</p>
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
