import { ChevronsUpDown, FlaskConical, LoaderCircle, Radio, UserRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import { environmentName, useWorkspace } from '../api/environment';
import { Button } from '../parts/element/buttons';

// The buttons of the top bar are shown at once; their menus are loaded on first use.

/** Button with the selected environment. */
export function EnvironmentButton({
  isLoading = false,
  ...properties
}: ComponentProps<'button'> & { isLoading?: boolean }) {
  const { environment } = useWorkspace();
  return (
    <button
      type="button"
      role="combobox"
      aria-haspopup="dialog"
      {...properties}
      className="environment-switcher"
      aria-busy={isLoading}
      aria-label={`Environment: ${environmentName(environment)}`}
    >
      <EnvironmentIcon kind={environment.kind} />
      <span className="environment-name">{environmentName(environment)}</span>
      {isLoading ? (
        <LoaderCircle className="spinner" aria-hidden="true" />
      ) : (
        <ChevronsUpDown aria-hidden="true" />
      )}
    </button>
  );
}

/** Icon of a kind of environment. */
export function EnvironmentIcon({ kind }: { kind: string }) {
  return kind === 'LIVE' ? <Radio aria-hidden="true" /> : <FlaskConical aria-hidden="true" />;
}

/** Button with the name of the signed-in operator. */
export function AccountButton({
  isLoading = false,
  ...properties
}: ComponentProps<'button'> & { isBusy?: boolean; isLoading?: boolean }) {
  const { operator } = useWorkspace().session;
  return (
    <Button
      aria-haspopup="menu"
      {...properties}
      className="account-button"
      tone="plain"
      aria-busy={isLoading}
    >
      {isLoading && <LoaderCircle className="spinner" aria-hidden="true" />}
      {!isLoading && properties.isBusy !== true && <UserRound aria-hidden="true" />}
      <span className="unseen">Account: </span>
      <span className="account-name">{operator.name}</span>
    </Button>
  );
}
