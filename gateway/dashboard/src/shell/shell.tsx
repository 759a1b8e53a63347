import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { WorkspaceContext } from '../api/environment';
import type { Environment, Session } from '../api/session';
import { EmptyState, PageLayout } from '../parts/element/layout';
import { Skeleton } from '../parts/element/skeleton';
import { ErrorBoundary } from './error-boundary';
import { useKeptFocus } from './kept-focus';
import { Navigation } from './navigation';
import { allRoutes } from './section/pages';
import { useKeyboard } from './palette/keyboard';
import { RestoredNotice } from './restored-notice';
import { TopBar } from './top-bar';

/** Frame of every page: top bar and navigation. */
export function Shell({ session, environment }: { session: Session; environment: Environment }) {
  const [location] = useLocation();
  const main = useFocusOnChange(location);
  useKeptFocus(main);
  // A menu that was opened on another page is closed.
  const [menuOn, setMenuOn] = useState<string>();
  const isMenuOpen = menuOn === location;
  const keyboard = useKeyboard();
  return (
    <WorkspaceContext value={{ session, environment }}>
      <div className="shell" data-environment={environment.kind}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <TopBar
          isMenuOpen={isMenuOpen}
          onMenu={(isOpen) => setMenuOn(isOpen ? location : undefined)}
          onSearch={keyboard.openPalette}
        />
        <Navigation isOpen={isMenuOpen} />
        <main id="main" ref={main} tabIndex={-1}>
          <RestoredNotice />
          <ErrorBoundary key={location}>
            <Suspense fallback={<Skeleton label="Loading" rows={6} />}>
              <Pages />
            </Suspense>
          </ErrorBoundary>
        </main>
        {keyboard.dialogs}
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
