import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { environmentName, useWorkspace } from '../api/environment';
import { environmentPath, samePlace } from '../api/environment-path';
import { useEnvironments } from '../api/queries';
import type { Environment } from '../api/session';
import { Combobox } from '../parts/overlay/combobox';
import { countText } from '../parts/text/text';
import { EnvironmentButton, EnvironmentIcon } from './top-bar-buttons';

const offeredMax = 20;

/** Shows and switches the selected environment; open at first. */
export function EnvironmentSwitcher() {
  const { environment } = useWorkspace();
  const [location, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useEnvironments({ search, page: 1, perPage: offeredMax });
  const failure = {
    text: 'The environments could not be loaded',
    onRetry: () => void refetch(),
  };
  const found = data?.data ?? [environment];
  const total = data?.total ?? found.length;
  return (
    <Combobox
      label="Find an environment by name or ID"
      placeholder="Find by name or ID"
      empty="No environments found"
      {...(error !== null && { failure })}
      search={search}
      onSearch={setSearch}
      options={found.map(toOption)}
      selected={toOption(environment)}
      onSelect={({ environment: chosen }) => {
        navigate(`~/dashboard${environmentPath(chosen)}${samePlace(location)}`);
      }}
      isOpenAtFirst
      trigger={<EnvironmentButton />}
      footer={
        <>
          <Link href="/developers/sandboxes">Manage sandboxes</Link>
          {total > found.length && (
            <span className="faint">
              {found.length} of {countText(total)}
            </span>
          )}
        </>
      }
    >
      {({ environment: one }) => (
        <>
          <EnvironmentIcon kind={one.kind} />
          <span className="environment-name">{environmentName(one)}</span>
          {one.kind === 'SANDBOX' && <code className="faint">{one.id.slice(-4)}</code>}
        </>
      )}
    </Combobox>
  );
}

function toOption(environment: Environment) {
  return { id: environment.id, label: environmentName(environment), environment };
}
