import { Link, useLocation } from 'wouter';
import type { Entry } from './section/page-route';
import { sections } from './section/pages';

/** List of the pages; narrow screens show it only while the menu is open. */
export function Navigation({ isOpen }: { isOpen: boolean }) {
  return (
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
  );
}

function NavigationEntry({ entry: { path, label, Icon } }: { entry: Entry }) {
  const [location] = useLocation();
  const isHere = location === path || (path !== '/' && location.startsWith(`${path}/`));
  return (
    <li>
      <Link href={path} aria-current={isHere ? 'page' : undefined}>
        <Icon aria-hidden="true" />
        {label}
      </Link>
    </li>
  );
}
