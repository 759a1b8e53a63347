import { BookOpen, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useWorkspace } from '../api/environment';
import { useAction, useSessionChange } from '../api/queries';
import {
  Menu,
  MenuChoice,
  MenuItem,
  MenuLine,
  MenuLink,
  MenuPageLink,
} from '../parts/overlay/menu';
import { labelText } from '../parts/text/text';
import { type Theme, useTheme } from './theme';
import { AccountButton } from './top-bar-buttons';

const themes = [
  ['system', 'System', <Monitor key="icon" aria-hidden="true" />],
  ['light', 'Light', <Sun key="icon" aria-hidden="true" />],
  ['dark', 'Dark', <Moon key="icon" aria-hidden="true" />],
] as const;

/** Signed-in operator, theme and sign-out; open at first. */
export function AccountMenu({ isOpenedByKey }: { isOpenedByKey: boolean }) {
  const { operator } = useWorkspace().session;
  const [theme, choose] = useTheme();
  const changed = useSessionChange();
  const signOut = useAction(() => ({ method: 'DELETE', path: '/dashboard/api/session' }));
  return (
    <Menu
      isOpenAtFirst
      isOpenedByKey={isOpenedByKey}
      trigger={<AccountButton isBusy={signOut.isPending} />}
    >
      <div className="menu-head">
        <strong>{operator.name}</strong>
        <span className="faint">
          {operator.email} · {labelText(operator.role)}
        </span>
      </div>
      <MenuLine />
      <MenuLink href="/account">
        <UserRound aria-hidden="true" />
        Your account
      </MenuLink>
      <MenuPageLink href="/docs">
        <BookOpen aria-hidden="true" />
        Documentation
      </MenuPageLink>
      <MenuLine />
      <MenuChoice<Theme> label="Theme" value={theme} onChange={choose} choices={themes} />
      <MenuLine />
      <MenuItem onSelect={() => signOut.mutate({}, { onSettled: () => void changed() })}>
        <LogOut aria-hidden="true" />
        Sign out
      </MenuItem>
    </Menu>
  );
}
