import { Menu as MenuIcon, Search } from 'lucide-react';
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../api/environment';
import { useResource } from '../api/queries';
import { Button } from '../parts/element/buttons';
import { ClockTime } from '../parts/element/values';
import { FailureText } from '../parts/element/notices';
import { type OpenerState, useLoadedOnUse } from '../parts/overlay/loaded-on-use';
import { AccountButton, EnvironmentButton } from './top-bar-buttons';

const loadEnvironmentSwitcher = async () =>
  (await import('./environment-switcher')).EnvironmentSwitcher;
const loadAccountMenu = async () => (await import('./account-menu')).AccountMenu;

const clockEveryMs = 30_000;

/** Top of every page: organization, selected environment and account. */
export function TopBar({
  isMenuOpen,
  onMenu,
  onSearch,
}: {
  isMenuOpen: boolean;
  onMenu: (isOpen: boolean) => void;
  /** Opens the search. */
  onSearch: () => void;
}) {
  const { session, environment } = useWorkspace();
  return (
    <header className="top-bar">
      <Button
        className="menu-button"
        tone="plain"
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={() => onMenu(!isMenuOpen)}
      >
        <MenuIcon aria-hidden="true" />
      </Button>
      <Link className="organization" href="/">
        {session.organization.name}
      </Link>
      <Opener load={loadEnvironmentSwitcher} Button={EnvironmentButton} />
      <span className="environment-state">
        {environment.kind === 'LIVE' ? 'Real customers, real money' : <SandboxClock />}
      </span>
      <Button className="search-button" aria-keyshortcuts="Control+K" onClick={onSearch}>
        <Search aria-hidden="true" />
        <span>Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </Button>
      <Opener load={loadAccountMenu} Button={AccountButton} />
    </header>
  );
}

/** Button whose menu is loaded on first use. */
function Opener({
  load,
  Button: MenuButton,
}: {
  load: () => Promise<ComponentType<{ isOpenedByKey: boolean }>>;
  Button: ComponentType<OpenerState>;
}) {
  const { Part: OpenMenu, opener, failure, isByKey } = useLoadedOnUse(load);
  if (OpenMenu !== undefined) return <OpenMenu isOpenedByKey={isByKey} />;
  return (
    <>
      <MenuButton {...opener} />
      <FailureText text={failure} />
    </>
  );
}

function SandboxClock() {
  const { environment } = useWorkspace();
  const { data } = useResource<{ now: string }>('/v1/sandboxes/clock', { refetchMs: clockEveryMs });
  if (environment.clock !== 'MANUAL') return <>No real charges</>;
  return (
    <Link className="quiet-link" href={`/developers/sandboxes/${environment.id}`}>
      Sandbox time: <ClockTime at={data?.now ?? environment.now} />
    </Link>
  );
}
