import { Link } from 'wouter';
import { useAtWork } from '../api/environment';
import { useAction, useSessionChange } from '../api/queries';
import { Button } from '../parts/buttons';
import { wordsText } from '../parts/text';
import { type Theme, useTheme } from './theme';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Who is signed in, how it looks, and the way out. */
export function OperatorMenu() {
  const { operator } = useAtWork().session;
  const [theme, choose] = useTheme();
  const changed = useSessionChange();
  const signOut = useAction(() => ({ method: 'DELETE', path: '/dashboard/api/session' }));
  return (
    <div className="operator-menu">
      <Link href="/account">{operator.name}</Link>
      <span className="faint">
        {operator.email} · {wordsText(operator.role)}
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
