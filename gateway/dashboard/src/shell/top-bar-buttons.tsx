import { ChevronsUpDown, FlaskConical, Radio, UserRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import { environmentName, useWorkspace } from '../api/environment';
import { Button } from '../parts/element/buttons';

// The buttons of the top bar are shown at once; what they open is loaded after the page.

/** Button with the selected environment. */
export function EnvironmentButton(properties: ComponentProps<'button'>) {
  const { environment } = useWorkspace();
  return (
    <button
      type="button"
      {...properties}
      className="environment-switcher"
      aria-label={`Environment: ${environmentName(environment)}`}
    >
      <EnvironmentIcon kind={environment.kind} />
      <span className="environment-name">{environmentName(environment)}</span>
      <ChevronsUpDown aria-hidden="true" />
    </button>
  );
}

/** Icon of a kind of environment. */
export function EnvironmentIcon({ kind }: { kind: string }) {
  return kind === 'LIVE' ? <Radio aria-hidden="true" /> : <FlaskConical aria-hidden="true" />;
}

/** Button with the name of the signed-in operator. */
export function AccountButton(properties: ComponentProps<'button'> & { isBusy?: boolean }) {
  const { operator } = useWorkspace().session;
  return (
    <Button {...properties} className="account-button" tone="plain">
      {properties.isBusy !== true && <UserRound aria-hidden="true" />}
      <span className="unseen">Account: </span>
      <span className="account-name">{operator.name}</span>
    </Button>
  );
}
