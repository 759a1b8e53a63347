import { Link } from 'wouter';
import { useWorkspace } from '../api/environment';
import { useAction, useSessionChange } from '../api/queries';
import { Button } from '../parts/buttons';
import { labelText } from '../parts/text';
import { type Theme, useTheme } from './theme';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Signed-in operator, theme and sign-out. */
export function OperatorMenu() {
  const { operator } = useWorkspace().session;
  const [theme, choose] = useTheme();
  const changed = useSessionChange();
  const signOut = useAction(() => ({ method: 'DELETE', path: '/dashboard/api/session' }));
  return (
    <div className="operator-menu">
      <Link href="/account">{operator.name}</Link>
      <span className="faint">
        {operator.email} · {labelText(operator.role)}
      </span>
      <label>
        <span className="unseen">Theme</span>
        <select
          value={theme}
          onChange={(event) => {
            choose(event.target.value as Theme);
          }}
        >
          {themes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Button
        isBusy={signOut.isPending}
        onClick={() => {
          signOut.mutate({}, { onSettled: () => void changed() });
        }}
      >
        Sign out
      </Button>
    </div>
  );
}
