import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { WorkspaceContext } from '../api/environment';
import type { Environment, Session } from '../api/session';
import { EmptyState, PageLayout } from '../parts/layout';
import { Progress } from '../parts/notices';
import { EnvironmentBar } from './environment-bar';
import { ErrorBoundary } from './error-boundary';
import { OperatorMenu } from './operator-menu';
import { allRoutes, type Entry, sections } from './pages';

/** Frame of every page: environment bar, navigation and operator menu. */
export function Shell({ session, environment }: { session: Session; environment: Environment }) {
  const [location] = useLocation();
  const main = useFocusOnChange(location);
  return (
    <WorkspaceContext value={{ session, environment }}>
      <div className="shell" data-environment={environment.kind}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <EnvironmentBar />
        <header className="sidebar">
          <Link className="organization" href="/">
            {session.organization.name}
          </Link>
          <Navigation key={location} />
          <OperatorMenu />
        </header>
        <main id="main" ref={main} tabIndex={-1}>
          <ErrorBoundary key={location}>
            <Suspense fallback={<Progress label="Loading" />}>
              <Pages />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
    </WorkspaceContext>
  );
}

function Pages() {
  return (
    <Switch>
      {allRoutes.map(({ path, Page }) => (
        <Route key={path} path={path}>
          {(parameters) => <Page {...named(parameters)} />}
        </Route>
      ))}
      <Route>
        <PageLayout title="Not found">
          <EmptyState title="This page does not exist">
            <Link href="/">Go to Home</Link>
          </EmptyState>
        </PageLayout>
      </Route>
    </Switch>
  );
}

/** Named parameters; the router also passes them by index and leaves absent ones undefined. */
function named(parameters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(parameters).filter(([name]) => !/^\d+$/.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

/** Navigation, which narrow screens hide behind a button. */
function Navigation() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button quiet menu-button"
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        Menu
      </button>
      <nav id="navigation" aria-label="Dashboard" className={isOpen ? 'open' : undefined}>
        {sections.map(({ title, entries }) => (
          <div key={title ?? 'first'}>
            {title !== undefined && <h2>{title}</h2>}
            <ul>
              {entries.map((entry) => (
                <NavigationEntry key={entry.path} entry={entry} />
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}

function NavigationEntry({ entry: { path, label } }: { entry: Entry }) {
  const [location] = useLocation();
  const isHere = location === path || (path !== '/' && location.startsWith(`${path}/`));
  return (
    <li>
      <Link href={path} aria-current={isHere ? 'page' : undefined}>
        {label}
      </Link>
    </li>
  );
}

/** Moves the focus to the new page, for keyboards and screen readers. */
function useFocusOnChange(location: string) {
  const ref = useRef<HTMLElement>(null);
  const before = useRef(location);
  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    ref.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [location]);
  return ref;
}
